//! Who an owner is, who may call for it, and what leads to it.

pub mod audit;
pub mod clients;
pub mod email_changes;
pub mod employees;
pub mod ended;
pub mod idempotency;
pub mod issuers;
pub mod key_uses;
pub mod keys;
pub mod lineage;
pub mod locators;
pub mod owners;
pub mod password_resets;
pub mod people;
pub mod second_factors;
pub mod session_browsers;
pub mod sessions;
pub mod sign_in_failures;
pub mod sign_in_networks;
