//! Webhooks: what the systems of an owner are told, signed, and told again until they have heard.

mod trouble;

pub use trouble::{Phase, Trouble, Zone};
