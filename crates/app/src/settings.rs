//! Prices and switches that the operator sets.

use std::time::Duration;

use domain::money::Credits;

/// Prices and switches that the operator sets.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What a new verification costs.
    pub verification_price: Credits,
    /// What a payment link costs that is paid.
    pub link_price: Credits,
    /// Where payers reach this service, without a slash at the end.
    pub base_url: String,
    /// Whether the sandbox bank is open.
    pub allow_test_bank: bool,
    /// How much work one password hash takes.
    pub password_cost: PasswordCost,
    /// How long what was sent to receivers, and what they answered, is kept.
    pub delivery_retention: Duration,
    /// How long movements are kept that nobody asked about and nothing claimed.
    pub movement_retention: Duration,
    /// Says whether keys see those too.
    pub unnamed_movements_for_keys: bool,
}

/// How long movements are kept that nobody asked about, unless the operator wants something else.
pub const MOVEMENT_RETENTION: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// How long contents of deliveries are kept unless the operator wants something else.
pub const DELIVERY_RETENTION: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The parameters of Argon2id.
#[derive(Clone, Copy, Debug)]
pub struct PasswordCost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over it.
    pub passes: u32,
}

impl PasswordCost {
    /// Cost that OWASP recommends: 19 MiB, two passes, one lane.
    pub const RECOMMENDED: Self = Self { memory_kib: 19 * 1024, passes: 2 };

    /// The least memory in KiB that makes up for so many passes, by OWASP's table of equal strength.
    #[must_use]
    pub const fn least_memory_kib(passes: u32) -> u32 {
        match passes {
            0 | 1 => 46 * 1024,
            2 => 19 * 1024,
            3 => 12 * 1024,
            4 => 9 * 1024,
            _ => 7 * 1024,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            verification_price: Credits::new(1),
            link_price: Credits::new(1),
            base_url: "http://127.0.0.1:8080".to_owned(),
            allow_test_bank: true,
            password_cost: PasswordCost::RECOMMENDED,
            delivery_retention: DELIVERY_RETENTION,
            movement_retention: MOVEMENT_RETENTION,
            unnamed_movements_for_keys: false,
        }
    }
}
