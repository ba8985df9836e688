//! `/v1`

mod activity;
mod clients_credit_limit;
mod credit_limit;
mod default_rotate;
mod key_changes;
mod key_scope;
mod notices;
mod verifications;
