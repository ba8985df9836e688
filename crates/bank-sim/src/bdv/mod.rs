//! Banco de Venezuela (0102): "Conciliación" v6 and "API Consulta de Movimientos", as its manuals
//! say and as integrators met it.
//!
//! [`ledger`] is the pure core: payments go in, and at any instant the rows of the extract and the
//! outcome of a validation come out. `wire` and `routes` are the face. What the manuals leave open
//! was decided here, and the guide to the simulated banks says which parts that are.

pub mod extract;
pub mod ledger;
mod notice;
pub(crate) mod routes;
mod rows;
pub mod validation;
mod wire;
pub mod written;

pub use self::ledger::Ledger;
pub(crate) use self::notice::notice;

/// The bank's code, which its account numbers begin with.
pub const CODE: &str = "0102";
