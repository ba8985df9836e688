//! The only crate that names a database.

pub mod due;
pub mod fault;
mod inline;
mod job;
pub mod locators;
pub mod manifest;
mod meter;
mod migrate;
mod options;
mod postgres;
mod registry;
pub mod sql;
mod sqlite;
mod store;
pub mod tx;
pub mod value;

pub use crate::meter::Meter;
pub use crate::migrate::MigrateError;
pub use crate::options::{Engine, OnFatal, OpenError, Options};
pub use crate::postgres::{AddressError, Batch, Settings as PostgresSettings, TlsError};
pub use crate::sqlite::Settings as SqliteSettings;
pub use crate::store::{Gauges, Lane, Store};
