//! The only crate that names a database.
pub mod fault;
mod job;
pub mod sql;
pub mod tx;
pub mod value;
