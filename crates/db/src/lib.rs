//! The seam to the database: transactions, statements and rows, the engines beneath them, the migrator, and the hook
//! after a commit. It knows no table but its own list of migrations; what it must know of the others is handed down as a
//! [`Schema`].

mod after_commit;
mod auth_cache;
mod backend;
mod columns;
#[cfg(test)]
mod conformance;
pub mod fault;
mod inline;
mod job;
mod known_owners;
mod lock_order;
mod meter;
mod migrate;
mod opening;
mod options;
mod outer_joins;
pub mod point_query;
pub mod postgres;
mod row_copy;
pub mod row_locks;
pub mod schema;
pub mod sql;
pub mod sqlite;
mod store;
pub mod tx;
pub mod value;
mod writes;

pub use crate::after_commit::CommittedEvent;
pub use crate::backend::{Lane, Metrics};
pub use crate::inline::Mishap;
pub use crate::known_owners::KnownOwners;
pub use crate::meter::Meter;
pub use crate::migrate::MigrateError;
pub use crate::opening::{OnFatal, OpenError};
pub use crate::options::{Engine, Options};
pub use crate::row_copy::{CopyError, RowSink, RowSource};
pub use crate::schema::{Migration, Schema};
pub use crate::store::Store;
pub use crate::writes::Writes;
