//! The JSON API: one file for each operation, with its wire types, its handler and its tests.
//!
//! Each file declares its operation: see [`operation::Endpoint`]. Router, OpenAPI document, reference and tests are made
//! from [`endpoints`].
// The example of a subscription has more fields than `json!` takes otherwise.
#![recursion_limit = "256"]

mod accept_invitation;
mod accept_link;
mod accept_movement;
mod account_settings;
mod activity;
mod begin_second_factor;
mod change_bank_secret;
mod change_client;
mod change_email;
mod change_employee;
mod change_key;
mod change_link;
mod change_password;
mod change_subscription;
mod check_receiver;
mod client_employees;
mod close_review;
mod confirm_email;
mod confirm_second_factor;
mod create_client;
mod create_key;
mod create_link;
mod dismiss_notice;
mod docs;
mod end_link;
mod end_second_factor;
mod end_session;
mod invite_employee;
mod issue_client_webhook_secret;
mod issue_payer_page;
mod link_account;
mod link_settings;
mod list_accounts;
mod list_audit;
mod list_clients;
mod list_deliveries;
mod list_employees;
mod list_events;
mod list_keys;
mod list_links;
mod list_movements;
mod list_notices;
mod list_notifications;
mod list_payments;
mod list_platforms;
mod list_receipts;
mod list_refused;
mod list_sessions;
mod list_subscriptions;
mod list_verifications;
mod login;
mod logo;
mod logout;
mod make_subscription;
mod me;
mod move_account;
mod notice_settings;
mod operation;
mod operations;
mod own_rates;
mod pay_out_change;
mod profile;
mod read_statement;
mod redeliver;
mod redeliver_failed;
mod refresh;
mod remove_employee;
mod renew_invitation;
mod renew_recovery_codes;
mod request_password_reset;
mod reset_password;
mod revoke_client_webhook_secret;
mod revoke_key;
mod rotate_default_key;
mod rotate_key;
mod rotate_push_secret;
mod rotate_webhook_secret;
mod set_client_credit_limit;
mod set_credit_limit;
mod set_key_scope;
mod show_api_document;
mod show_client;
mod show_client_credit_limit;
mod show_client_webhook_secret;
mod show_credit_limit;
mod show_credits;
mod show_delivery;
mod show_evidence;
mod show_exchange_rate;
mod show_key;
mod show_link;
mod show_plan;
mod show_receipt;
mod show_redelivery;
mod show_statistics;
mod show_subscription;
mod show_verification;
mod show_webhook_secret;
mod step_up;
mod subscription_clock;
mod subscription_cycles;
mod take_bank_notification;
mod test_webhook;
mod trash_account;
mod verify;
mod webhook_endpoint;
mod wire;

use axum::Router;
use web::AppState;
use web::request_layer::RequestLayer;

pub use operation::{Endpoint, Removal};
pub use operations::{endpoints, openapi};

/// Every route of the API and its reference, with everything around them.
pub fn router(state: AppState) -> Router {
    // The API comes last, so that its answer to unknown paths is the one that stays.
    docs::router(state.clone()).merge(router_of(endpoints(), state))
}

/// These routes, with everything around them.
fn router_of(endpoints: Vec<Endpoint>, state: AppState) -> Router {
    let routes = endpoints.into_iter().fold(Router::new(), |router, endpoint| {
        let (path, route) = endpoint.into_route();
        router.route(path, route)
    });
    routes.layer(RequestLayer::new(state.clone())).with_state(state)
}

#[cfg(test)]
mod tests;
