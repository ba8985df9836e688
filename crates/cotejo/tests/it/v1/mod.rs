//! `/v1`

mod account_client;
mod activity;
mod client_employees;
mod clients;
mod clients_credit_limit;
mod credit_limit;
mod default_rotate;
mod employees;
mod key_changes;
mod key_scope;
mod notices;
mod verifications;
