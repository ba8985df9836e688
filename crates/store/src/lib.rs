//! The tables: a module for each aggregate, with its statements and rows. With `db` beneath it, the only crate that names
//! a database.

pub mod account_use;
pub mod accounts;
pub mod activity;
pub mod admission;
pub mod audit;
pub mod bank_access;
pub mod bank_notifications;
pub mod bank_push;
mod charge_audit;
pub mod clients;
#[cfg(test)]
mod conformance;
pub mod credits;
pub mod deliveries;
pub mod deliveries_ahead;
pub mod delivery_audit;
pub mod delivery_lines;
pub mod delivery_pages;
mod delivery_types;
pub mod difference;
pub mod due;
mod due_audit;
pub mod email_changes;
pub mod employees;
pub mod event_feed;
pub mod evidence;
pub mod exchange_rates;
mod failing_receivers;
pub mod idempotency;
pub mod installation;
pub mod key_uses;
pub mod keys;
pub mod ledger;
pub mod ledger_audit;
pub mod ledger_pages;
pub mod link_audit;
pub mod link_pages;
pub mod link_settings;
pub mod links;
pub mod list;
pub mod locator_audit;
pub mod locators;
pub mod logos;
pub mod mails;
pub mod manifest;
mod month_audit;
mod movement_audit;
pub mod movement_pages;
pub mod movements;
pub mod notice_mails;
pub mod notice_settings;
pub mod notices;
pub mod notification_pages;
mod open;
pub mod owner_rates;
pub mod owners;
pub mod password_resets;
pub mod payment_pages;
pub mod payment_sums;
pub mod payments;
pub mod people;
pub mod plans;
pub mod public_profiles;
pub mod query_audit;
pub mod rate_address;
pub mod rate_locks;
pub mod recent_calls;
pub mod recording;
pub mod redeliveries;
pub mod redelivery_jobs;
pub mod refused_attempts;
mod registry;
pub mod reserving;
pub mod retention;
mod schema;
pub mod scope;
mod seal_audit;
pub mod sealed_days;
pub mod second_factors;
pub mod sessions;
pub mod settling;
pub mod sign_in_failures;
pub mod sign_in_networks;
mod sum_audit;
pub mod tenant_audit;
pub mod unresponsive_banks;
mod verification_audit;
pub mod verification_leases;
pub mod verification_pages;
pub mod verifications;
pub mod webhook_endpoints;
pub mod webhook_secrets;
pub mod webhook_trials;

pub use db::fault;
pub use db::point_query;
pub use db::postgres::{Batch, Settings as PostgresSettings};
pub use db::sql;
pub use db::sqlite::Settings as SqliteSettings;
pub use db::tx;
pub use db::{
    CommittedEvent, Engine, Lane, Meter, Metrics, MigrateError, Mishap, OnFatal, OpenError,
    Options, Store,
};

pub use db::value;

pub(crate) use db::statements;

pub use crate::open::{inline, inline_with, open, open_to_read};
