//! `/v1`

mod activity;
mod clients_credit_limit;
mod credit_limit;
mod default_rotate;
mod notices;
mod verifications;
