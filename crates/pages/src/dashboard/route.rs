//! A page or a form of the dashboard as it is declared: where it is and which operation it stands for.

use axum::Extension;
use axum::handler::Handler;
use axum::routing::{MethodRouter, get, post};
use domain::access::{Entry, Guarded};
use domain::language::Language;
use http::Method;
use web::{AppState, TakenFields};

/// A page or a form of the dashboard.
#[derive(Debug)]
pub struct PageRoute {
    /// `GET` of a page, `POST` of a form.
    pub method: Method,
    /// Its path.
    pub path: &'static str,
    /// The operation that it stands for: who may call that sees it.
    pub operation: Entry,
    handler: MethodRouter<AppState>,
    labels: Labels,
    takes: &'static [&'static str],
}

/// The name of each field that people type into, and what the page calls it.
type Labels = fn(Language) -> Vec<(&'static str, &'static str)>;

impl PageRoute {
    /// A page.
    pub(crate) fn page<O: Guarded, H: Handler<T, AppState>, T: 'static>(
        path: &'static str,
        handler: H,
    ) -> Self {
        Self {
            method: Method::GET,
            path,
            operation: O::ENTRY,
            handler: get(handler),
            labels: |_| Vec::new(),
            takes: &[],
        }
    }

    /// A form.
    pub(crate) fn form<O: Guarded, H: Handler<T, AppState>, T: 'static>(
        path: &'static str,
        handler: H,
    ) -> Self {
        Self {
            method: Method::POST,
            path,
            operation: O::ENTRY,
            handler: post(handler),
            labels: |_| Vec::new(),
            takes: &[],
        }
    }

    /// The form with what the fields are called that people type into, so that what was typed can be shown elsewhere than on
    /// its page.
    pub(super) fn labelled(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// The form with the names of the fields that it takes; every other is refused. One that ends in `*` stands for all that
    /// begin so.
    pub(super) fn takes(self, takes: &'static [&'static str]) -> Self {
        Self { takes, ..self }
    }

    /// Returns the handler that answers the route.
    pub(super) fn handler(self) -> MethodRouter<AppState> {
        if self.method == Method::GET {
            return self.handler;
        }
        self.handler.layer(Extension(TakenFields(self.takes)))
    }

    /// The names of the fields that the form takes.
    #[must_use]
    pub fn taken(&self) -> &'static [&'static str] {
        self.takes
    }

    /// The fields that people type into, and what the page calls each. Secrets are not among them.
    #[must_use]
    pub fn labels(&self, language: Language) -> Vec<(&'static str, &'static str)> {
        (self.labels)(language)
    }

    /// Tells whether it is the route of that path.
    pub(super) fn is_at(&self, path: &str) -> bool {
        let (mut named, mut parts) = (self.path.split('/'), path.split('/'));
        let fits = |named: &str, part: &str| named == part || named.starts_with('{');
        named.by_ref().all(|named| parts.next().is_some_and(|part| fits(named, part)))
            && parts.next().is_none()
    }
}
