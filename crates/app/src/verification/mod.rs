//! Verifying a payment: match first, reserve, ask the bank, post or void.
//!
//! - [`verify`]: the operation. It answers repeats at once and otherwise waits for a run.
//! - `run`: carries a verification through the machine of [`domain::verification`], in a task that
//!   the request only waits for. A caller that hangs up changes nothing.
//! - `call`: what was asked, by whom; `settlement`: what a verification ends with.
//! - `recall`, `reserve`, `settle`, `repeat`: the look-up before and the three transactions.
//! - [`link_check`]: a payer's check of a payment link, which is the same run in another's name; `link_rules`: whether it may begin.
//! - [`report`]: the page that reports a payment as new, to the person who was led there.
//! - `same_bank`: payments between two customers of one bank, by notice or by payer.
//! - [`refused`]: what limits, balance or plan left no room for, before any bank was asked.
//! - `receipt`: what payers keep, made with a payment or, of a key's, when a person verifies it `by_hand`, too.
//! - `accept`: a movement that a person accepts, without asking a bank; [`accept_movement`] as a payment of its own.
//! - `in_review`: what nobody claims by a question, since the store was put back from a copy.
//! - [`janitor`]: takes over what nobody carries any more, and lets reservations lapse.

pub(crate) mod accept;
pub mod accept_movement;
pub(crate) mod asked;
mod by_hand;
mod call;
mod charged_client;
pub mod explain;
mod first_report;
mod idempotency_slot;
mod in_review;
pub mod janitor;
mod judge;
pub mod link_check;
mod link_paid;
mod link_rules;
pub mod list;
mod recall;
mod receipt;
pub mod refused;
mod repeat;
pub mod report;
mod reserve;
mod run;
pub(crate) mod same_bank;
mod settle;
mod settlement;
mod short;
pub mod show;
#[cfg(test)]
pub(crate) mod simulation;
pub mod unresponsive_banks;
mod verify;
mod whole;
mod wire_payment;

pub use accept::ReportedTo;
pub use asked::Asked;
pub use call::{Confirmed, Render, ReportedIn, VerifyRequest};
pub use first_report::FirstReportGuard;
pub(crate) use show::shown_to;
pub(crate) use verify::STARTS_MAX;
pub use verify::{Answered, verify};
pub(crate) use whole::whole;
pub use whole::{Around, Whole};
pub(crate) use wire_payment::PaymentParams;
pub use wire_payment::WirePayment;
