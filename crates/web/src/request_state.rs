//! What is known of one request on its way through: handlers read it, the log line is made of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use app::RequestContext;
use axum::extract::Request;
use domain::access::{Caller, Entry};
use domain::browser::Program;
use domain::language::Language;
use http::HeaderMap;
use http::header::{ACCEPT_LANGUAGE, CONTENT_LENGTH, TRANSFER_ENCODING, USER_AGENT};

use crate::rate_limit::Left;
use crate::{Again, AppState, client_address, cookies, request_id};

/// One request on its way through.
#[derive(Clone, Debug)]
pub(crate) struct RequestState(Arc<Known>);

#[derive(Debug)]
struct Known {
    /// Shared with the act that the request becomes.
    context: Arc<RequestContext>,
    asking: OnceLock<Asking>,
    /// What its key has left of its limit, if it has one.
    left: OnceLock<Left>,
    /// The form that was sent, if a person who has signed in sent it.
    form: OnceLock<Again>,
    /// The body was read, or there is none: the connection can go on to the next request.
    is_body_done: AtomicBool,
}

/// Caller that asks by a credential, admitted or not.
#[derive(Debug)]
pub(crate) struct Asking {
    pub(crate) caller: Caller,
    /// The row of the table of what it asks for.
    pub(crate) entry: Entry,
}

impl RequestState {
    /// Begins with what the head of the request says.
    pub(crate) fn begin(state: &AppState, request: &Request, is_of_pages: bool) -> Self {
        let headers = request.headers();
        let (received, received_uptime) = (state.app.clock.now(), state.app.clock.uptime());
        let trusted = &state.shared.settings.trusted_proxies;
        let address = client_address::of(
            request.extensions(),
            headers,
            trusted,
            &state.shared.proxy_warning,
            received_uptime,
        );
        // Who chose a language on a page gets pages in it; the API uses what each request says.
        let chosen = is_of_pages.then(|| cookies::language(headers)).flatten();
        let language = chosen.unwrap_or_else(|| language(headers));
        let context = RequestContext {
            received,
            received_uptime,
            request_id: request_id::of(headers, &*state.app.ids, received),
            address,
            program: program(headers),
            language,
            meter: Arc::default(),
            readmitted: OnceLock::new(),
        };
        let is_body_done = AtomicBool::new(!has_body(headers));
        Self(Arc::new(Known {
            context: Arc::new(context),
            asking: OnceLock::new(),
            left: OnceLock::new(),
            form: OnceLock::new(),
            is_body_done,
        }))
    }

    pub(crate) fn context(&self) -> &Arc<RequestContext> {
        &self.0.context
    }

    /// Notes who asks.
    pub(crate) fn note_asking(&self, asking: Asking) {
        // There is one admission in a request; were there two, the first one counts.
        let _ = self.0.asking.set(asking);
    }

    /// Returns who asks by a credential, once that is known.
    pub(crate) fn asking(&self) -> Option<&Asking> {
        self.0.asking.get()
    }

    /// Notes what its key has left of its limit.
    pub(crate) fn note_left(&self, left: Left) {
        // As above: a request is counted once.
        let _ = self.0.left.set(left);
    }

    /// Returns what the key of the request has left of its limit, if it has one.
    pub(crate) fn left(&self) -> Option<&Left> {
        self.0.left.get()
    }

    /// Notes the form that was sent, so that a failure can give it back.
    pub(crate) fn note_form(&self, form: Again) {
        // As above: a request has one.
        let _ = self.0.form.set(form);
    }

    /// The form that was sent.
    pub(crate) fn form(&self) -> Option<&Again> {
        self.0.form.get()
    }

    /// Notes that the body has been read.
    pub(crate) fn note_body(&self) {
        self.0.is_body_done.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_body_done(&self) -> bool {
        self.0.is_body_done.load(Ordering::Relaxed)
    }
}

/// The language that the head asks for.
pub(crate) fn language(headers: &HeaderMap) -> Language {
    let line = headers.get(ACCEPT_LANGUAGE).and_then(|line| line.to_str().ok());
    line.map(Language::from_accept_language).unwrap_or_default()
}

/// The program that the head names.
fn program(headers: &HeaderMap) -> Program {
    let said = headers.get(USER_AGENT).and_then(|said| said.to_str().ok());
    said.map(Program::of).unwrap_or_default()
}

/// Tells whether a body follows the head.
pub(crate) fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING)
        || headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0")
}
