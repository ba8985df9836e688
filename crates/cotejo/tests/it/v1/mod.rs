//! `/v1`

mod accept_movement;
mod account_client;
mod activity;
mod client_employees;
mod client_statistics;
mod clients;
mod clients_credit_limit;
mod credit_limit;
mod credits;
mod default_rotate;
mod employees;
mod key_changes;
mod key_scope;
mod lineage;
mod livemode;
mod notices;
mod payments;
pub(crate) mod plans;
mod statistics;
mod subscription_statistics;
mod verifications;
mod verifications_listed;
mod verifications_refused;
