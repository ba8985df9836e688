//! A page or a form of the dashboard as it is declared: where it is and which operation it stands for.

use axum::handler::Handler;
use axum::routing::{MethodRouter, get, post};
use domain::access::{Entry, Guarded};
use domain::language::Language;
use http::Method;
use web::AppState;

/// A page or a form of the dashboard.
#[derive(Debug)]
pub struct PageRoute {
    /// `GET` of a page, `POST` of a form.
    pub method: Method,
    /// Its path.
    pub path: &'static str,
    /// The operation that it stands for: who may call that sees it.
    pub operation: Entry,
    pub(crate) handler: MethodRouter<AppState>,
    /// What the fields of a form are called.
    pub(super) labels: Labels,
}

/// The name of each field and what the page calls it.
pub(super) type Labels = fn(Language) -> Vec<(&'static str, &'static str)>;

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
        }
    }

    /// The form with what its fields are called, so that what was typed can be shown elsewhere than on its page.
    pub(super) fn labelled(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// Whether it is the route of that path.
    pub(super) fn is_at(&self, path: &str) -> bool {
        let (mut named, mut parts) = (self.path.split('/'), path.split('/'));
        let fits = |named: &str, part: &str| named == part || named.starts_with('{');
        named.by_ref().all(|named| parts.next().is_some_and(|part| fits(named, part)))
            && parts.next().is_none()
    }
}
