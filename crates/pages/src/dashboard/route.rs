//! A page or a form of the dashboard as it is declared: where it is and which operation it stands for.

use axum::handler::Handler;
use axum::routing::{MethodRouter, get, post};
use domain::access::{Entry, Guarded};
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
}

impl PageRoute {
    /// A page.
    pub(crate) fn page<O: Guarded, H: Handler<T, AppState>, T: 'static>(
        path: &'static str,
        handler: H,
    ) -> Self {
        Self { method: Method::GET, path, operation: O::ENTRY, handler: get(handler) }
    }

    /// A form.
    pub(crate) fn form<O: Guarded, H: Handler<T, AppState>, T: 'static>(
        path: &'static str,
        handler: H,
    ) -> Self {
        Self { method: Method::POST, path, operation: O::ENTRY, handler: post(handler) }
    }
}
