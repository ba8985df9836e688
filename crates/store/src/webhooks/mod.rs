//! Deliveries, their evidence, the event feed, and where they go.

pub mod client_webhook_secrets;
pub mod deliveries;
pub mod deliveries_ahead;
pub mod delivery_lines;
pub mod delivery_pages;
pub(crate) mod delivery_types;
pub mod event_feed;
pub mod evidence;
pub(crate) mod failing_receivers;
pub mod recording;
pub mod redeliveries;
pub mod redelivery_jobs;
pub mod retention;
pub mod sealed_days;
pub mod webhook_endpoints;
pub mod webhook_secrets;
pub mod webhook_trials;
