//! The tables: a module for each aggregate, with its statements and rows, in a folder for each subject. The folders are for
//! readers; everything is named from the crate's root. With `pg` and `db` beneath it, the only crate that
//! names a database.

mod access;
mod banking;
mod billing;
mod checkout;
#[cfg(test)]
mod conformance;
pub mod distribution;
pub mod due;
pub mod installation;
mod integrity;
pub mod list;
pub mod manifest;
mod messages;
pub mod one_by_one;
mod open;
mod registry;
mod schema;
pub mod scope;
mod verification;
mod webhooks;

pub use db::postgres::{Batch, Settings as PostgresSettings};
pub use db::sqlite::Settings as SqliteSettings;
pub(crate) use db::statements;
pub use db::{
    CommittedEvent, CopyError, Engine, Lane, Meter, Metrics, MigrateError, Mishap, OnFatal,
    OpenError, Options, RowSink, RowSource, Store,
};
pub use db::{fault, point_query, sql, tx, value};

pub use crate::access::{
    audit, clients, email_changes, employees, ended, idempotency, issuers, key_uses, keys, lineage,
    locators, owners, password_resets, people, second_factors, sessions, sign_in_failures,
    sign_in_networks,
};
pub use crate::banking::{
    account_use, accounts, bank_access, bank_notifications, bank_push, bank_tokens, contested,
    movement_pages, movements, notification_pages, reviews, unnamed_movements, unresponsive_banks,
};
pub use crate::billing::{
    activity, credits, ledger, ledger_pages, payment_counts, payment_sums, plans, refused_attempts,
};
pub use crate::checkout::{
    exchange_rates, link_pages, link_settings, links, logos, owner_rates, public_profiles,
    rate_address, rate_locks, receipts, subscription_cycles, subscription_income,
    subscription_pages, subscription_sums, subscriptions,
};
pub(crate) use crate::integrity::{
    charge_audit, due_audit, month_audit, movement_audit, receipt_audit, seal_audit,
    subscription_audit, sum_audit, verification_audit,
};
pub use crate::integrity::{
    delivery_audit, difference, ledger_audit, link_audit, locator_audit, query_audit, tenant_audit,
};
pub use crate::messages::{mails, notice_mails, notice_settings, notices};
pub use crate::open::{copy_in, copy_out, inline, inline_with, open, open_to_read, schema_digest};
pub use crate::verification::{
    admission, payment_pages, payments, recent_calls, short_references, verification_leases,
    verification_pages, verifications,
};
pub use crate::webhooks::{
    client_webhook_secrets, deliveries, deliveries_ahead, delivery_lines, delivery_pages,
    event_feed, evidence, recording, redeliveries, redelivery_jobs, retention, sealed_days,
    webhook_endpoints, webhook_secrets, webhook_trials,
};
pub(crate) use crate::webhooks::{delivery_types, failing_receivers};
