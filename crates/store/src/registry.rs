//! Every statement of the program, by module. The engines prepare them when they open, so that one
//! that the schema does not know is found at the start; tests hold them to the rules.

use crate::sql::Sql;
use crate::{
    account_use, accounts, activity, admission, audit, bank_access, bank_notifications, bank_push,
    charge_check, clients, credits, deliveries, deliveries_ahead, delivery_lines, delivery_pages,
    due, due_check, email_changes, employees, event_feed, evidence, exchange_rates, idempotency,
    installation, key_uses, keys, ledger, ledger_check, ledger_pages, link_check, link_settings,
    links, locator_check, locators, mails, movement_check, movement_pages, movements, notice_mails,
    notice_settings, notices, notification_pages, owner_rates, owners, password_resets,
    payment_pages, payment_sums, payments, people, plans, public_profiles, query_check,
    rate_address, rate_locks, recent_calls, redeliveries, redelivery_jobs, refused_attempts,
    reserving, retention, seal_check, sealed_days, second_factors, sessions, sign_in_failures,
    sign_in_networks, silences, sum_check, tenant_check, verification_check, verification_leases,
    verification_pages, verifications, webhook_endpoints, webhook_secrets, webhook_trials,
};

/// A module's name and its statements, each with its own name.
pub(crate) type Module = (&'static str, &'static [(&'static str, &'static Sql)]);

/// Every module that has statements.
const ALL: &[Module] = &[
    ("account_use", account_use::STATEMENTS),
    ("accounts", accounts::STATEMENTS),
    ("activity", activity::STATEMENTS),
    ("admission", admission::STATEMENTS),
    ("audit", audit::STATEMENTS),
    ("bank_access", bank_access::STATEMENTS),
    ("bank_notifications", bank_notifications::STATEMENTS),
    ("bank_push", bank_push::STATEMENTS),
    ("charge_check", charge_check::STATEMENTS),
    ("clients", clients::STATEMENTS),
    ("credits", credits::STATEMENTS),
    ("deliveries", deliveries::STATEMENTS),
    ("deliveries_ahead", deliveries_ahead::STATEMENTS),
    ("delivery_lines", delivery_lines::STATEMENTS),
    ("delivery_pages", delivery_pages::STATEMENTS),
    ("due", due::STATEMENTS),
    ("due_check", due_check::STATEMENTS),
    ("email_changes", email_changes::STATEMENTS),
    ("employees", employees::STATEMENTS),
    ("event_feed", event_feed::STATEMENTS),
    ("evidence", evidence::STATEMENTS),
    ("exchange_rates", exchange_rates::STATEMENTS),
    ("idempotency", idempotency::STATEMENTS),
    ("installation", installation::STATEMENTS),
    ("key_uses", key_uses::STATEMENTS),
    ("keys", keys::STATEMENTS),
    ("ledger", ledger::STATEMENTS),
    ("ledger_check", ledger_check::STATEMENTS),
    ("ledger_pages", ledger_pages::STATEMENTS),
    ("link_check", link_check::STATEMENTS),
    ("link_settings", link_settings::STATEMENTS),
    ("links", links::STATEMENTS),
    ("locator_check", locator_check::STATEMENTS),
    ("locators", locators::STATEMENTS),
    ("mails", mails::STATEMENTS),
    ("movement_check", movement_check::STATEMENTS),
    ("movement_pages", movement_pages::STATEMENTS),
    ("movements", movements::STATEMENTS),
    ("notice_mails", notice_mails::STATEMENTS),
    ("notice_settings", notice_settings::STATEMENTS),
    ("notices", notices::STATEMENTS),
    ("notification_pages", notification_pages::STATEMENTS),
    ("owner_rates", owner_rates::STATEMENTS),
    ("owners", owners::STATEMENTS),
    ("password_resets", password_resets::STATEMENTS),
    ("payment_pages", payment_pages::STATEMENTS),
    ("payment_sums", payment_sums::STATEMENTS),
    ("payments", payments::STATEMENTS),
    ("people", people::STATEMENTS),
    ("plans", plans::STATEMENTS),
    ("public_profiles", public_profiles::STATEMENTS),
    ("query_check", query_check::STATEMENTS),
    ("rate_address", rate_address::STATEMENTS),
    ("rate_locks", rate_locks::STATEMENTS),
    ("recent_calls", recent_calls::STATEMENTS),
    ("redeliveries", redeliveries::STATEMENTS),
    ("redelivery_jobs", redelivery_jobs::STATEMENTS),
    ("refused_attempts", refused_attempts::STATEMENTS),
    ("reserving", reserving::STATEMENTS),
    ("retention", retention::STATEMENTS),
    ("seal_check", seal_check::STATEMENTS),
    ("sealed_days", sealed_days::STATEMENTS),
    ("second_factors", second_factors::STATEMENTS),
    ("sessions", sessions::STATEMENTS),
    ("sign_in_failures", sign_in_failures::STATEMENTS),
    ("sign_in_networks", sign_in_networks::STATEMENTS),
    ("silences", silences::STATEMENTS),
    ("sum_check", sum_check::STATEMENTS),
    ("tenant_check", tenant_check::STATEMENTS),
    ("verification_check", verification_check::STATEMENTS),
    ("verification_leases", verification_leases::STATEMENTS),
    ("verification_pages", verification_pages::STATEMENTS),
    ("verifications", verifications::STATEMENTS),
    ("webhook_endpoints", webhook_endpoints::STATEMENTS),
    ("webhook_secrets", webhook_secrets::STATEMENTS),
    ("webhook_trials", webhook_trials::STATEMENTS),
];

/// Every module that has statements.
pub(crate) fn all() -> Vec<Module> {
    ALL.to_vec()
}

#[cfg(test)]
mod tests;
