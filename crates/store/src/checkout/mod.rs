//! Payment links, what payers see, and exchange rates.

pub mod exchange_rates;
pub mod link_pages;
pub mod link_settings;
pub mod links;
pub mod logos;
pub mod owner_rates;
pub mod public_profiles;
pub mod rate_address;
pub mod rate_locks;
pub mod receipts;
pub mod subscription_cycles;
pub mod subscription_income;
pub mod subscription_pages;
pub mod subscription_sums;
pub mod subscriptions;
