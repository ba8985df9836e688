//! The tables and what kind each is of: what a distributed database needs to know, and what the
//! rules about statements are checked against.

/// How the rows of a table are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each row belongs to one owner, who comes first in its keys, but for `IDS_FIRST_ON_SQLITE`.
    Tenant,
    /// Routes what arrives without an owner, or counts it; spread by this column of its own key.
    Locator(&'static str),
    /// Small, written by the operator only, the same everywhere.
    Reference,
    /// The installation's own, kept in one place.
    Control,
}

/// Every table.
pub const TABLES: &[(&str, Kind)] = &[
    ("activity", Kind::Tenant),
    ("actor_months", Kind::Tenant),
    ("api_keys", Kind::Tenant),
    ("audit", Kind::Tenant),
    ("bank_access", Kind::Tenant),
    ("bank_identities", Kind::Tenant),
    ("bank_notifications", Kind::Tenant),
    ("bank_push", Kind::Tenant),
    ("bank_tokens", Kind::Tenant),
    ("client_months", Kind::Tenant),
    ("client_webhook_secrets", Kind::Tenant),
    ("clients", Kind::Tenant),
    ("credit_movements", Kind::Tenant),
    ("doubtful_rates", Kind::Control),
    ("due", Kind::Tenant),
    ("email_changes", Kind::Tenant),
    ("employees", Kind::Tenant),
    ("exchange_rates", Kind::Reference),
    ("idempotent_answers", Kind::Tenant),
    ("installation", Kind::Control),
    ("key_uses", Kind::Tenant),
    ("locators", Kind::Locator("hash")),
    ("logos", Kind::Tenant),
    ("mails", Kind::Tenant),
    ("migrations", Kind::Control),
    ("movements", Kind::Tenant),
    ("notice_rules", Kind::Tenant),
    ("notice_settings", Kind::Tenant),
    ("notices", Kind::Tenant),
    ("owner_plans", Kind::Tenant),
    ("owner_profiles", Kind::Tenant),
    ("owner_rates", Kind::Tenant),
    ("owners", Kind::Tenant),
    ("password_resets", Kind::Tenant),
    ("payment_link_settings", Kind::Tenant),
    ("payment_links", Kind::Tenant),
    ("payment_sums", Kind::Tenant),
    ("payments", Kind::Tenant),
    ("plans", Kind::Reference),
    ("public_profiles", Kind::Tenant),
    ("rate_address", Kind::Control),
    ("rate_locks", Kind::Tenant),
    ("receipt_numbers", Kind::Tenant),
    ("receipts", Kind::Tenant),
    ("recent_calls", Kind::Tenant),
    ("recovery_codes", Kind::Tenant),
    ("refused_attempts", Kind::Tenant),
    ("second_factors", Kind::Tenant),
    ("sessions", Kind::Tenant),
    ("sign_in_failures", Kind::Locator("subject")),
    ("sign_in_networks", Kind::Tenant),
    ("subscription_cycles", Kind::Tenant),
    ("subscriptions", Kind::Tenant),
    ("user_banks", Kind::Tenant),
    ("verifications", Kind::Tenant),
    ("webhook_attempts", Kind::Tenant),
    ("webhook_day_blocks", Kind::Tenant),
    ("webhook_days", Kind::Tenant),
    ("webhook_deliveries", Kind::Tenant),
    ("webhook_endpoints", Kind::Tenant),
    ("webhook_feeds", Kind::Tenant),
    ("webhook_redeliveries", Kind::Tenant),
    ("webhook_retention", Kind::Tenant),
    ("webhook_secrets", Kind::Tenant),
    ("webhook_trials", Kind::Tenant),
];

/// The tables that say who may call, and about which account. No payment writes them: on SQLite what they answer is
/// cached until one of them is written.
pub const AUTH_TABLES: &[&str] = &[
    "api_keys",
    "clients",
    "employees",
    "owner_profiles",
    "second_factors",
    "sessions",
    "user_banks",
];

/// The indexes of tenant tables that on both engines begin with something else than the owner: those
/// of background work, which looks for whatever is due or old, whosesoever it is.
pub const BACKGROUND_INDEXES: &[(&str, &str)] = &[
    ("client_webhook_secrets_over", "previous_until"),
    ("due_at", "kind"),
    ("email_changes_over", "expires_at"),
    ("idempotent_answers_age", "created_at"),
    ("mails_age", "created_at"),
    ("mails_waiting", "expires_at"),
    ("movements_unnamed", "created_at"),
    ("notices_age", "updated_at"),
    ("notices_to_mail", "mail_due_at"),
    ("password_resets_over", "expires_at"),
    ("recent_calls_age", "ended_at"),
    ("refused_attempts_age", "refused_at"),
    ("sessions_over", "expires_at"),
    ("sign_in_networks_age", "seen_at"),
    ("webhook_secrets_over", "previous_until"),
];

/// The keys of tenant tables that on SQLite begin with an id instead of the owner, and with which: ids
/// grow with time, so what all owners write at a time is written to the same pages. On PostgreSQL the same
/// columns stand with the owner first.
pub const IDS_FIRST_ON_SQLITE: &[(&str, &str)] = &[
    ("credit_movements", "verification_id"),
    ("movements", "id"),
    ("payments", "id"),
    ("payments", "movement_id"),
    ("payments", "verification_id"),
    ("verifications", "id"),
];

/// The kind of a table, if there is one of this name.
#[must_use]
pub fn kind(table: &str) -> Option<Kind> {
    TABLES.iter().find(|(name, _)| *name == table).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests;
