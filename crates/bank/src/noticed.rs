//! Accounts that no bank is asked about, and that notices alone feed.

/// The provider of accounts that are fed by texts of a bank which somebody sends on.
pub const NOTIFICATION_ACCOUNT: &str = "NOTIFICATION_ACCOUNT";

/// Evidence of a payment that the bank has shown or notified of by itself.
pub const SHOWN_BY_BANK: &str = "bank";

/// Tells whether accounts of that provider know of payments by such texts alone, which can be faked.
#[must_use]
pub fn is_fed_by_notices(provider: &str) -> bool {
    provider == NOTIFICATION_ACCOUNT
}

/// The word for what payments on accounts of that provider are known by.
#[must_use]
pub fn evidence_of(provider: &str) -> &'static str {
    if is_fed_by_notices(provider) { "notice" } else { SHOWN_BY_BANK }
}
