//! Requests of a person who has signed in with a browser: pages, and the forms on them.
//!
//! They are admitted by the cookie alone, and by the same table as those of the API. The API takes no cookie, and
//! these routes no token. A form is taken from our own pages only: its browser says so, and it carries what nobody
//! without the session knows.

mod proof;

use std::sync::Arc;

use app::access::{Credential, by_cookie, permit, permit_view};
use app::test_mode::TestMode;
use app::{Act, RequestContext};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use domain::access::{Caller, Entry, Guarded, Operation};
use domain::language::Language;
use domain::refusal::{BadCredentials, Refusal};
use domain::session_cookie::{FormToken, SessionCookie};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::request::Parts;
use http::{HeaderMap, Method};

use self::proof::{asked_for, opened, proved};
use crate::admitted::is_wrong_credential;
use crate::form_fields::FORM_TOKEN;
use crate::origin::is_from_elsewhere;
use crate::request_state::{Asking, RequestState};
use crate::taken_fields::TakenFields;
use crate::{Again, AppState, AskedProof, Failure, FormBody, cookies};

/// A person who has signed in, admitted to do `O`.
#[derive(Debug)]
pub struct Signed<O: Operation> {
    /// The proof.
    pub act: Act<O>,
    /// What the forms of its page carry.
    pub form_token: FormToken,
    /// Whether it was a form that was sent, whose address shows nothing when it is opened.
    pub is_form: bool,
    /// What it is shown of real money and of the test bank's.
    pub test_mode: TestMode,
}

impl<O: Operation> Signed<O> {
    /// The language of the answer.
    #[must_use]
    pub fn language(&self) -> Language {
        self.act.request.language
    }

    /// Returns who has signed in.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        self.act.caller()
    }

    /// The same request as another operation: a page shows what several of them answer.
    ///
    /// # Errors
    /// The refusal of whom the table does not have.
    pub fn also<P: Operation>(&self) -> Result<Act<P>, Refusal> {
        permit(self.caller(), Arc::clone(&self.act.request))
    }

    /// Tells whether a page offers that operation. What asks for a proof is offered: it asks then.
    #[must_use]
    pub fn may<P: Operation>(&self) -> bool {
        P::RULE.check(self.caller()).is_ok()
    }
}

/// Somebody who has signed in, before it is known what for.
struct Known {
    caller: Caller,
    form_token: FormToken,
    context: Arc<RequestContext>,
    is_form: bool,
    test_mode: TestMode,
}

impl Known {
    /// Finds out who has signed in. It returns a boxed future, so that it is compiled once and not in the handler of each
    /// page.
    fn of<'a>(parts: &'a Parts, state: &'a AppState) -> BoxFuture<'a, Result<Self, Failure>> {
        Self::read(parts, state).boxed()
    }

    async fn read(parts: &Parts, state: &AppState) -> Result<Self, Failure> {
        let request_state = parts
            .extensions
            .get::<RequestState>()
            .ok_or_else(Failure::outside_the_request_layer)?;
        let context = Arc::clone(request_state.context());
        let cookie = match shown(&parts.headers, state) {
            Credential::Cookie(cookie) => cookie,
            credential => {
                if matches!(credential, Credential::Malformed) {
                    state.count_wrong_secret(&context)?;
                }
                return Err(Refusal::Unauthorized(BadCredentials::Missing).into());
            }
        };
        let caller = identify(state, &cookie, &context).await?;
        let is_form = parts.method == Method::POST;
        let is_on = cookies::is_test_mode(&parts.headers, cookie.session);
        let test_mode = TestMode::of(&state.app, &context.meter, &caller, is_on).await?;
        Ok(Self { caller, form_token: cookie.form_token(), context, is_form, test_mode })
    }

    fn permit<O: Operation>(
        self,
        request_state: Option<&RequestState>,
    ) -> Result<Signed<O>, Refusal> {
        // What a page shows needs no proof; its form asks for one.
        let act = match self.is_form {
            true => permit(&self.caller, self.context),
            false => permit_view(&self.caller, self.context),
        };
        if let Some(request_state) = request_state {
            request_state.note_asking(Asking { caller: self.caller, entry: O::ENTRY });
        }
        let Self { form_token, is_form, test_mode, .. } = self;
        Ok(Signed { act: act?, form_token, is_form, test_mode })
    }
}

/// Reads the credential that the browser shows.
pub(crate) fn shown(headers: &HeaderMap, state: &AppState) -> Credential {
    match cookies::session(headers, &state.app.settings.base_url) {
        None => Credential::None,
        Some(None) => Credential::Malformed,
        Some(Some(cookie)) => Credential::Cookie(cookie),
    }
}

async fn identify(
    state: &AppState,
    cookie: &SessionCookie,
    context: &RequestContext,
) -> Result<Caller, Failure> {
    let (meter, now) = (&context.meter, context.received);
    match by_cookie(&state.app, meter, cookie, now).await {
        Ok((caller, session)) => {
            let whose = (cookie.owner, cookie.session);
            app::sessions::extend(&state.app, meter, whose, &session, now).await?;
            Ok(caller)
        }
        Err(error) => {
            if is_wrong_credential(&error) {
                state.count_wrong_secret(context)?;
            }
            Err(error.into())
        }
    }
}

impl<O: Guarded> FromRequestParts<AppState> for Signed<O> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        let known = Known::of(parts, state).await?;
        Ok(known.permit(parts.extensions.get::<RequestState>())?)
    }
}

/// A form that a person who has signed in has sent, admitted to do `O`.
#[derive(Debug)]
pub struct Posted<O: Operation> {
    /// Who sent it.
    pub signed: Signed<O>,
    /// What was typed.
    pub form: FormBody,
}

/// A form that was taken, before it is admitted.
pub(crate) struct Accepted {
    known: Known,
    head: Parts,
    form: FormBody,
}

impl Accepted {
    /// Admits it, and refuses fields that the operation does not take.
    pub(crate) fn permit<O: Guarded>(self) -> Result<Posted<O>, NotTaken> {
        let Self { known, head, form } = self;
        let signed = known.permit(head.extensions.get::<RequestState>())?;
        if let Some(fields) = head.extensions.get::<TakenFields>() {
            fields.check(&form)?;
        }
        Ok(Posted { signed, form })
    }
}

/// Why a form was not taken, and the form, so that what was typed can be sent again.
#[derive(Debug)]
pub struct NotTaken {
    failure: Failure,
    again: Option<Again>,
}

impl<E: Into<Failure>> From<E> for NotTaken {
    fn from(error: E) -> Self {
        Self { failure: error.into(), again: None }
    }
}

impl IntoResponse for NotTaken {
    fn into_response(self) -> Response {
        let mut response = self.failure.into_response();
        if let Some(again) = self.again {
            response.extensions_mut().insert(again);
        }
        response
    }
}

impl<O: Guarded> FromRequest<AppState> for Posted<O> {
    type Rejection = NotTaken;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, NotTaken> {
        accept(request, state, O::ENTRY).boxed().await?.permit()
    }
}

async fn accept(request: Request, state: &AppState, entry: Entry) -> Result<Accepted, NotTaken> {
    refuse_from_elsewhere(request.headers(), state)?;
    let (parts, body) = request.into_parts();
    let head = parts.clone();
    let form = FormBody::from_request(Request::from_parts(parts, body), state).await?;
    taken(state, head, form, entry).await
}

/// Refuses a form that another site has sent.
pub(crate) fn refuse_from_elsewhere(headers: &HeaderMap, state: &AppState) -> Result<(), Refusal> {
    if is_from_elsewhere(headers, &state.app.settings.base_url) {
        return Err(Refusal::Forbidden);
    }
    Ok(())
}

/// Finds the caller that may do what `entry` says by the session that a request shows. It is asked before a long body
/// is read, and once more when that is here, with the proof that it may carry.
pub(crate) async fn let_in(head: &Parts, state: &AppState, entry: Entry) -> Option<Caller> {
    let (Credential::Cookie(cookie), Some(request_state)) =
        (shown(&head.headers, state), head.extensions.get::<RequestState>())
    else {
        return None;
    };
    let context = request_state.context();
    let found = by_cookie(&state.app, &context.meter, &cookie, context.received).await;
    let (caller, _) = found.ok()?;
    entry.rule.check(&caller).ok().map(|()| caller)
}

/// Takes a form. All of it is here before anybody looks at who sent it: nobody holds a body back until the session has
/// ended.
pub(crate) async fn taken(
    state: &AppState,
    head: Parts,
    form: FormBody,
    entry: Entry,
) -> Result<Accepted, NotTaken> {
    let token = form.secret(FORM_TOKEN);
    // One that has none comes from no page of ours.
    let has_none = token.expose().is_empty();
    let known = match Known::of(&head, state).await {
        Ok(known) => known,
        Err(failure) => {
            // The cookie itself says which token its forms carry, though nobody could look whose it is.
            let form_token = match shown(&head.headers, state) {
                Credential::Cookie(cookie) => Some(cookie.form_token()),
                _ => None,
            };
            let again = Again {
                form,
                form_token,
                asked: AskedProof::Code,
                is_proof_wrong: false,
                held: None,
                is_repeatable: false,
            };
            return Err(NotTaken { failure, again: (!has_none).then_some(again) });
        }
    };
    if let Some(request_state) = head.extensions.get::<RequestState>() {
        // Here already: a form that waits for a proof, or is refused, comes to no permit.
        request_state.note_asking(Asking { caller: known.caller.clone(), entry });
    }
    if !known.form_token.is(&token) {
        // A page of a session that is over has an old one: the person who looks at it may send it again.
        let again = (!has_none).then(|| asked_for(state, &known, &form, entry));
        return Err(NotTaken { failure: Refusal::Forbidden.into(), again });
    }
    let form = opened(state, &known, form);
    if let Some(request_state) = head.extensions.get::<RequestState>() {
        request_state.note_form(asked_for(state, &known, &form, entry));
    }
    let known = proved(state, &head, known, (&form, entry)).await?;
    Ok(Accepted { known, head, form })
}
