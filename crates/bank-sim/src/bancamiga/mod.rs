//! Bancamiga (0172): the interface of pagos móviles, as its manual says and as integrators met it.
//!
//! [`ledger`] is the pure core: payments go in, and at any instant come out what a phone sent, the list of a day and the
//! tokens that are good. `wire` and `routes` are the face. What the manual leaves open was decided here, and the guide to
//! the simulated banks says which parts that are.

pub mod ledger;
mod notice;
pub(crate) mod routes;
mod wire;

pub use self::ledger::Ledger;
pub(crate) use self::notice::notice;

/// The bank's code, which its account numbers begin with.
pub const CODE: &str = "0172";
