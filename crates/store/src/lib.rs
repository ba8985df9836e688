//! The only crate that names a database.

pub mod accounts;
pub mod activity;
pub mod audit;
pub mod bank_access;
pub mod bank_notifications;
pub mod bank_push;
pub mod clients;
#[cfg(test)]
mod conformance;
pub mod credits;
pub mod due;
pub mod fault;
pub mod idempotency;
mod inline;
pub mod installation;
mod job;
pub mod keys;
pub mod ledger;
pub mod ledger_check;
pub mod locators;
pub mod manifest;
mod meter;
mod migrate;
pub mod movements;
pub mod notification_pages;
mod options;
pub mod owners;
pub mod payments;
mod postgres;
pub mod recalling;
mod registry;
pub mod reserving;
pub mod sessions;
pub mod settling;
pub mod sql;
mod sqlite;
mod store;
pub mod tx;
pub mod value;
pub mod verifications;

pub use crate::meter::Meter;
pub use crate::migrate::MigrateError;
pub use crate::options::{Engine, OnFatal, OpenError, Options};
pub use crate::postgres::{AddressError, Batch, Settings as PostgresSettings, TlsError};
pub use crate::sqlite::Settings as SqliteSettings;
pub use crate::store::{Gauges, Lane, Store};
