//! The list of the operations, and what is made of it.

use std::sync::OnceLock;

use crate::operation::{Endpoint, document};

/// Constructors of every operation of the API. An operation that is not listed here is not served.
const OPERATIONS: &[fn() -> Endpoint] = &[
    // Sessions
    crate::login::endpoint,
    crate::refresh::endpoint,
    crate::logout::endpoint,
    crate::list_sessions::endpoint,
    crate::end_session::endpoint,
    crate::change_password::endpoint,
    crate::change_email::endpoint,
    crate::confirm_email::endpoint,
    crate::begin_second_factor::endpoint,
    crate::confirm_second_factor::endpoint,
    crate::renew_recovery_codes::endpoint,
    crate::end_second_factor::endpoint,
    crate::step_up::endpoint,
    crate::accept_invitation::endpoint,
    crate::request_password_reset::endpoint,
    crate::reset_password::endpoint,
    crate::me::endpoint,
    crate::show_exchange_rate::endpoint,
    crate::own_rates::list_endpoint,
    crate::own_rates::set_endpoint,
    crate::own_rates::rule_endpoint,
    // Keys
    crate::create_key::endpoint,
    crate::list_keys::endpoint,
    crate::show_key::endpoint,
    crate::change_key::endpoint,
    crate::set_key_scope::endpoint,
    crate::rotate_default_key::endpoint,
    crate::rotate_key::endpoint,
    crate::revoke_key::endpoint,
    // Clients
    crate::create_client::endpoint,
    crate::list_clients::endpoint,
    crate::show_client::endpoint,
    crate::change_client::endpoint,
    crate::client_employees::invite_endpoint,
    crate::client_employees::renew_endpoint,
    crate::client_employees::list_endpoint,
    crate::client_employees::change_endpoint,
    crate::client_employees::remove_endpoint,
    crate::move_account::endpoint,
    // Employees
    crate::invite_employee::endpoint,
    crate::list_employees::endpoint,
    crate::change_employee::endpoint,
    crate::remove_employee::endpoint,
    crate::renew_invitation::endpoint,
    // Limits and activity
    crate::show_credit_limit::endpoint,
    crate::set_credit_limit::endpoint,
    crate::show_client_credit_limit::endpoint,
    crate::set_client_credit_limit::endpoint,
    crate::activity::endpoint,
    crate::activity::own_endpoint,
    crate::activity::employee_endpoint,
    crate::show_credits::endpoint,
    crate::show_plan::endpoint,
    // Bank accounts
    crate::link_account::endpoint,
    crate::list_accounts::endpoint,
    crate::list_platforms::endpoint,
    crate::trash_account::endpoint,
    crate::change_bank_secret::endpoint,
    crate::account_settings::show_endpoint,
    crate::account_settings::set_endpoint,
    crate::close_review::endpoint,
    crate::rotate_push_secret::endpoint,
    crate::take_bank_notification::endpoint,
    crate::list_movements::endpoint,
    crate::read_statement::endpoint,
    crate::list_notifications::endpoint,
    // Payments
    crate::verify::endpoint,
    crate::accept_movement::endpoint,
    crate::show_verification::endpoint,
    crate::list_verifications::endpoint,
    crate::list_refused::endpoint,
    crate::list_payments::endpoint,
    crate::list_receipts::endpoint,
    crate::show_receipt::endpoint,
    crate::show_receipt::void_endpoint,
    crate::show_statistics::endpoint,
    crate::pay_out_change::endpoint,
    crate::pay_out_change::endpoint_of_account,
    crate::pay_out_change::invoice_endpoint,
    // Payment links
    crate::create_link::endpoint,
    crate::list_links::endpoint,
    crate::show_link::endpoint,
    crate::show_link::endpoint_by_short_path,
    crate::change_link::endpoint,
    crate::end_link::cancel_endpoint,
    crate::end_link::stop_endpoint,
    crate::end_link::resume_endpoint,
    crate::end_link::reject_endpoint,
    crate::accept_link::endpoint,
    crate::link_settings::show_endpoint,
    crate::link_settings::set_endpoint,
    // Subscriptions
    crate::make_subscription::endpoint,
    crate::list_subscriptions::endpoint,
    crate::show_subscription::endpoint,
    crate::subscription_cycles::list_endpoint,
    crate::subscription_cycles::renew_endpoint,
    crate::subscription_cycles::waive_endpoint,
    crate::change_subscription::cancel_endpoint,
    crate::change_subscription::undo_endpoint,
    crate::change_subscription::pause_endpoint,
    crate::change_subscription::resume_endpoint,
    crate::change_subscription::price_endpoint,
    crate::change_subscription::unpaid_policy_endpoint,
    crate::subscription_clock::endpoint,
    crate::issue_payer_page::endpoint,
    // Webhooks
    crate::list_deliveries::endpoint,
    crate::list_events::endpoint,
    crate::show_delivery::endpoint,
    crate::show_evidence::endpoint,
    crate::redeliver::endpoint,
    crate::redeliver_failed::endpoint,
    crate::show_redelivery::endpoint,
    crate::test_webhook::endpoint,
    crate::check_receiver::endpoint,
    crate::show_webhook_secret::endpoint,
    crate::rotate_webhook_secret::endpoint,
    crate::show_client_webhook_secret::endpoint,
    crate::issue_client_webhook_secret::endpoint,
    crate::revoke_client_webhook_secret::endpoint,
    crate::webhook_endpoint::show_endpoint_of_owner,
    crate::webhook_endpoint::set_endpoint_of_owner,
    // The owner
    crate::profile::show_endpoint,
    crate::profile::set_endpoint,
    crate::logo::set_endpoint,
    crate::logo::remove_endpoint,
    crate::list_notices::endpoint,
    crate::dismiss_notice::endpoint,
    crate::notice_settings::show_endpoint,
    crate::notice_settings::set_endpoint,
    crate::list_audit::endpoint,
    // The service
    || crate::show_api_document::endpoint(openapi_at),
];

/// Every operation of the API.
#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    OPERATIONS.iter().map(|declare| declare()).collect()
}

/// The OpenAPI document of [`endpoints`], as JSON, wherever it is served. It is made once.
pub fn openapi() -> &'static str {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    DOCUMENT.get_or_init(|| openapi_at("/"))
}

/// The same as a service at that address serves it.
fn openapi_at(base_url: &str) -> String {
    document::of(&endpoints(), base_url).to_string()
}
