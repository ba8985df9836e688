//! What `check-ledger` reads: the rules that rows must keep, as statements that return those which do not.

pub(crate) mod charge_audit;
pub mod delivery_audit;
pub mod difference;
pub(crate) mod due_audit;
pub mod ledger_audit;
pub mod link_audit;
pub mod locator_audit;
pub(crate) mod month_audit;
pub(crate) mod movement_audit;
pub mod query_audit;
pub(crate) mod receipt_audit;
pub(crate) mod seal_audit;
pub(crate) mod subscription_audit;
pub(crate) mod sum_audit;
pub mod tenant_audit;
pub(crate) mod verification_audit;
