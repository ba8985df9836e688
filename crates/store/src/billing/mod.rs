//! Credits, the ledger, what keys did, and what plans and limits refused.

pub mod activity;
pub mod credits;
pub mod ledger;
pub mod ledger_pages;
pub mod out_of_credits;
pub mod payment_counts;
pub mod payment_sums;
pub mod plans;
pub mod refused_attempts;
