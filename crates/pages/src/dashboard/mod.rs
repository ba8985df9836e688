//! The dashboard: what merchants, their employees and their clients' people see and do, below `/app`.
//!
//! A page is a file here: its address, the operation that it stands for, what it shows and what its forms do. It
//! calls the same use cases as the API, and a person who may not call the operation does not see the page. Every act
//! is a form that works without a script.

mod accounts;
mod activity;
mod again;
mod assets;
mod attention;
mod carried;
mod chart;
mod choice;
mod company;
#[cfg(debug_assertions)]
mod components;
mod days;
mod earlier;
mod edits;
pub mod events;
mod failure;
mod fields;
mod first_payment;
mod forgotten;
mod form;
mod frame;
mod home;
mod integrations;
mod keys;
mod language;
mod lineage;
mod links;
mod list;
mod me;
mod money;
mod notices;
mod payments;
mod profile;
mod rates;
mod reader;
mod receipts;
mod route;
mod said;
mod sessions;
pub(crate) mod sign_in;
mod sign_out;
mod step_up;
mod subscriptions;
mod test_mode;
mod texts;
mod webhooks;
mod written;

use axum::Router;
use axum::response::Response;
use axum::routing::{any, get};
use domain::refusal::Refusal;
use web::{AppState, Failure};

pub(crate) use self::failure::of_failure;
pub use self::route::PageRoute;

/// Prefix of the paths of the dashboard.
pub(crate) const PREFIX: &str = "/app";

/// Every page and form of the dashboard that somebody must have signed in for, with the operation that it stands for.
#[must_use]
pub fn routes() -> Vec<PageRoute> {
    let groups = [
        home::routes(),
        events::routes(),
        first_payment::routes(),
        accounts::routes(),
        activity::routes(),
        keys::routes(),
        me::routes(),
        webhooks::routes(),
        links::routes(),
        subscriptions::routes(),
        payments::routes(),
        receipts::routes(),
        profile::routes(),
        rates::routes(),
        notices::routes(),
        sessions::routes(),
        sign_out::routes(),
        test_mode::routes(),
        #[cfg(debug_assertions)]
        components::routes(),
    ];
    groups.into_iter().flatten().collect()
}

/// All that the dashboard serves.
pub(crate) fn router() -> Router<AppState> {
    let open = Router::new()
        .route("/", get(sign_in::lead))
        .route(sign_in::PATH, get(sign_in::view).post(sign_in::sign_in))
        .route(forgotten::PATH, get(forgotten::view).post(forgotten::ask))
        .route(language::PATH, axum::routing::post(language::choose))
        .route("/app/assets/{file}", get(assets::handle))
        .route("/app/", any(nowhere))
        .route("/app/{*place}", any(nowhere));
    routes().into_iter().fold(open, |router, route| router.route(route.path, route.handler()))
}

/// A mistyped address is answered with a page that says so.
async fn nowhere() -> Result<Response, Failure> {
    Err(Refusal::RouteNotFound.into())
}
