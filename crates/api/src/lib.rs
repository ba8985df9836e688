//! The JSON API: one file for each operation, with its wire types, its handler and its tests.
//!
//! Each file declares its operation: see [`operation::Endpoint`]. Router, OpenAPI document, reference and tests are made
//! from [`endpoints`].

mod accept_link;
mod account_settings;
mod activity;
mod change_bank_secret;
mod change_key;
mod change_link;
mod check_receiver;
mod create_key;
mod create_link;
mod end_link;
mod link_account;
mod link_settings;
mod list_accounts;
mod list_deliveries;
mod list_events;
mod list_keys;
mod list_links;
mod list_movements;
mod list_notices;
mod list_notifications;
mod list_platforms;
mod login;
mod logout;
mod me;
mod operation;
mod pay_out_change;
mod profile;
mod redeliver;
mod redeliver_failed;
mod refresh;
mod revoke_key;
mod rotate_default_key;
mod rotate_key;
mod rotate_push_secret;
mod rotate_webhook_secret;
mod set_client_credit_limit;
mod set_credit_limit;
mod set_key_scope;
mod show_api_document;
mod show_credit_limit;
mod show_delivery;
mod show_evidence;
mod show_key;
mod show_link;
mod show_redelivery;
mod show_verification;
mod show_webhook_secret;
mod take_bank_notice;
mod test_webhook;
mod trash_account;
mod verify;
mod webhook_endpoint;
mod wire;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{delete, get, patch, post, put};
use domain::access::{LinkBankAccount, Method, Operation, SetAccountSettings, ShowAccountSettings};
use web::AppState;
use web::rim::Rim;

pub use operation::{Endpoint, openapi};

/// Every operation of the API.
#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        show_api_document::endpoint(),
        create_key::endpoint(),
        show_key::endpoint(),
        link_settings::show_endpoint(),
        link_settings::set_endpoint(),
        login::endpoint(),
        refresh::endpoint(),
        logout::endpoint(),
        me::endpoint(),
        list_keys::endpoint(),
        rotate_default_key::endpoint(),
        rotate_key::endpoint(),
        set_key_scope::endpoint(),
        change_key::endpoint(),
        revoke_key::endpoint(),
        show_credit_limit::endpoint(),
        set_credit_limit::endpoint(),
        set_client_credit_limit::endpoint(),
        activity::endpoint(),
        activity::own_endpoint(),
        pay_out_change::endpoint(),
        pay_out_change::endpoint_of_account(),
        pay_out_change::invoice_endpoint(),
        list_accounts::endpoint(),
        list_platforms::endpoint(),
        trash_account::endpoint(),
        change_bank_secret::endpoint(),
        rotate_push_secret::endpoint(),
        take_bank_notice::endpoint(),
        list_movements::endpoint(),
        list_notifications::endpoint(),
        list_notices::endpoint(),
        profile::show_endpoint(),
        profile::set_endpoint(),
        verify::endpoint(),
        show_verification::endpoint(),
        create_link::endpoint(),
        show_link::endpoint(),
        change_link::endpoint(),
        list_links::endpoint(),
        end_link::cancel_endpoint(),
        end_link::stop_endpoint(),
        end_link::resume_endpoint(),
        end_link::reject_endpoint(),
        accept_link::endpoint(),
        list_deliveries::endpoint(),
        list_events::endpoint(),
        show_delivery::endpoint(),
        redeliver::endpoint(),
        redeliver_failed::endpoint(),
        show_redelivery::endpoint(),
        test_webhook::endpoint(),
        check_receiver::endpoint(),
        show_evidence::endpoint(),
        show_webhook_secret::endpoint(),
        rotate_webhook_secret::endpoint(),
        webhook_endpoint::show_endpoint_of_owner(),
        webhook_endpoint::set_endpoint_of_owner(),
    ]
}

/// Every route of the API, with everything around them.
pub fn router(state: AppState) -> Router {
    let routes = undeclared(endpoints().into_iter().fold(Router::new(), |router, endpoint| {
        let (path, route) = endpoint.into_route();
        router.route(path, route)
    }));
    routes.layer(Rim::new(state.clone())).with_state(state)
}

/// What is not declared yet.
fn undeclared(router: Router<AppState>) -> Router<AppState> {
    let routes = Routes(router)
        .serve::<LinkBankAccount, _, _>(link_account::handle)
        .serve::<ShowAccountSettings, _, _>(account_settings::show)
        .serve::<SetAccountSettings, _, _>(account_settings::set);
    routes.0
}

/// Routes whose paths and methods are those of the table.
struct Routes(Router<AppState>);

impl Routes {
    fn serve<O: Operation, H: Handler<T, AppState>, T: 'static>(self, handler: H) -> Self {
        let method = match O::METHOD {
            Method::Get => get(handler),
            Method::Post => post(handler),
            Method::Put => put(handler),
            Method::Patch => patch(handler),
            Method::Delete => delete(handler),
        };
        Self(self.0.route(O::PATH, method))
    }
}

#[cfg(test)]
mod tests;
