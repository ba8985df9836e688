//! The JSON API: one file for each operation, with its wire types, its handler and its tests.
//!
//! Each file declares its operation: see [`operation::Endpoint`]. Router, OpenAPI document, reference and tests are made
//! from [`endpoints`].

mod accept_invitation;
mod accept_link;
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
mod check_receiver;
mod client_employees;
mod confirm_email;
mod confirm_second_factor;
mod create_client;
mod create_key;
mod create_link;
mod docs;
mod end_link;
mod end_second_factor;
mod end_session;
mod invite_employee;
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
mod list_refused;
mod list_sessions;
mod list_verifications;
mod login;
mod logo;
mod logout;
mod me;
mod move_account;
mod notice_settings;
mod operation;
mod own_rates;
mod pay_out_change;
mod profile;
mod redeliver;
mod redeliver_failed;
mod refresh;
mod remove_employee;
mod renew_invitation;
mod renew_recovery_codes;
mod request_password_reset;
mod reset_password;
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
mod show_credit_limit;
mod show_credits;
mod show_delivery;
mod show_evidence;
mod show_exchange_rate;
mod show_key;
mod show_link;
mod show_plan;
mod show_redelivery;
mod show_statistics;
mod show_verification;
mod show_webhook_secret;
mod step_up;
mod take_bank_notification;
mod test_webhook;
mod trash_account;
mod verify;
mod webhook_endpoint;
mod wire;

use axum::Router;
use web::AppState;
use web::request_layer::RequestLayer;

pub use operation::{Endpoint, Removal, openapi};

/// What makes each operation of the API. An operation that is not here is not served.
const OPERATIONS: &[fn() -> Endpoint] = &[
    // Sessions
    login::endpoint,
    refresh::endpoint,
    logout::endpoint,
    list_sessions::endpoint,
    end_session::endpoint,
    change_password::endpoint,
    change_email::endpoint,
    confirm_email::endpoint,
    begin_second_factor::endpoint,
    confirm_second_factor::endpoint,
    renew_recovery_codes::endpoint,
    end_second_factor::endpoint,
    step_up::endpoint,
    accept_invitation::endpoint,
    request_password_reset::endpoint,
    reset_password::endpoint,
    me::endpoint,
    show_exchange_rate::endpoint,
    own_rates::list_endpoint,
    own_rates::set_endpoint,
    own_rates::rule_endpoint,
    // Keys
    create_key::endpoint,
    list_keys::endpoint,
    show_key::endpoint,
    change_key::endpoint,
    set_key_scope::endpoint,
    rotate_default_key::endpoint,
    rotate_key::endpoint,
    revoke_key::endpoint,
    // Clients
    create_client::endpoint,
    list_clients::endpoint,
    show_client::endpoint,
    change_client::endpoint,
    client_employees::invite_endpoint,
    client_employees::renew_endpoint,
    client_employees::list_endpoint,
    client_employees::change_endpoint,
    client_employees::remove_endpoint,
    move_account::endpoint,
    // Employees
    invite_employee::endpoint,
    list_employees::endpoint,
    change_employee::endpoint,
    remove_employee::endpoint,
    renew_invitation::endpoint,
    // Limits and activity
    show_credit_limit::endpoint,
    set_credit_limit::endpoint,
    set_client_credit_limit::endpoint,
    activity::endpoint,
    activity::own_endpoint,
    activity::employee_endpoint,
    show_credits::endpoint,
    show_plan::endpoint,
    // Bank accounts
    link_account::endpoint,
    list_accounts::endpoint,
    list_platforms::endpoint,
    trash_account::endpoint,
    change_bank_secret::endpoint,
    account_settings::show_endpoint,
    account_settings::set_endpoint,
    rotate_push_secret::endpoint,
    take_bank_notification::endpoint,
    list_movements::endpoint,
    list_notifications::endpoint,
    // Payments
    verify::endpoint,
    show_verification::endpoint,
    list_verifications::endpoint,
    list_refused::endpoint,
    list_payments::endpoint,
    show_statistics::endpoint,
    pay_out_change::endpoint,
    pay_out_change::endpoint_of_account,
    pay_out_change::invoice_endpoint,
    // Payment links
    create_link::endpoint,
    list_links::endpoint,
    show_link::endpoint,
    change_link::endpoint,
    end_link::cancel_endpoint,
    end_link::stop_endpoint,
    end_link::resume_endpoint,
    end_link::reject_endpoint,
    accept_link::endpoint,
    link_settings::show_endpoint,
    link_settings::set_endpoint,
    // Webhooks
    list_deliveries::endpoint,
    list_events::endpoint,
    show_delivery::endpoint,
    show_evidence::endpoint,
    redeliver::endpoint,
    redeliver_failed::endpoint,
    show_redelivery::endpoint,
    test_webhook::endpoint,
    check_receiver::endpoint,
    show_webhook_secret::endpoint,
    rotate_webhook_secret::endpoint,
    webhook_endpoint::show_endpoint_of_owner,
    webhook_endpoint::set_endpoint_of_owner,
    // The owner
    profile::show_endpoint,
    profile::set_endpoint,
    logo::set_endpoint,
    logo::remove_endpoint,
    list_notices::endpoint,
    notice_settings::show_endpoint,
    notice_settings::set_endpoint,
    list_audit::endpoint,
    // The service
    show_api_document::endpoint,
];

/// Every operation of the API.
#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    OPERATIONS.iter().map(|declare| declare()).collect()
}

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
