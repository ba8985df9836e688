//! Which rows are altered, what no audit can detect, and why.

/// The rows that are altered: a table, what the row is, and where it stands. `OWNER` is the owner's id.
pub(super) const ROWS: &[(&str, &str, &str)] = &[
    (
        "activity",
        "charged",
        "status = 'confirmed' and verification_id = (select id from verifications where query like '%1167890%')",
    ),
    (
        "activity",
        "not found",
        "verification_id = (select id from verifications where query like '%555555%')",
    ),
    (
        "activity",
        "refused",
        "status = 'refused' and verification_id is null and request_type = 'payment_verification'",
    ),
    ("activity", "repeat", "status = 'repeat'"),
    ("bank_identities", "of the bank", "provider <> 'BANK_TEST'"),
    ("bank_notifications", "claimed", "reference = '678912'"),
    ("bank_notifications", "of the same bank", "reference = '79912345'"),
    ("bank_notifications", "open", "reference = '79967890'"),
    ("client_months", "of the client", "posted > 0"),
    (
        "credit_movements",
        "charge",
        "verification_id = (select id from verifications where query like '%1167890%')",
    ),
    ("credit_movements", "grant", "owner_id = OWNER and amount = 10"),
    ("due", "delivery", "owner_id = OWNER and kind = 2"),
    (
        "due",
        "expiry",
        "kind = 3 and subject_id = (select id from payment_links where state = 0 and expired_at is null)",
    ),
    ("due", "month", "owner_id = OWNER and kind = 4"),
    ("due", "daily work", "owner_id = OWNER and kind = 5"),
    (
        "actor_months",
        "of an employee",
        "actor_id = (select id from employees where accepted_at is not null)",
    ),
    (
        "actor_months",
        "of the default key",
        "actor_id = (select id from api_keys where owner_id = OWNER and is_default)",
    ),
    (
        "locators",
        "key",
        "kind = 1 and hash = (select hash from api_keys where owner_id = OWNER and is_default)",
    ),
    ("locators", "address", "kind = 2 and subject_id = OWNER"),
    (
        "locators",
        "address of an employee",
        "kind = 2 and subject_id = (select id from employees where accepted_at is not null)",
    ),
    (
        "locators",
        "link",
        "kind = 3 and subject_id = (select id from payment_links where state = 3)",
    ),
    ("locators", "notices", "kind = 4"),
    ("locators", "invitation", "kind = 5"),
    ("locators", "logo", "kind = 6"),
    ("movements", "claimed", "reference = '1167890'"),
    ("movements", "unclaimed", "reference = '110001'"),
    ("movements", "known by its receipt", "amount = 9900"),
    ("movements", "known as typed", "amount = 9800"),
    ("owners", "owner", "owner_id = OWNER"),
    (
        "payment_links",
        "paid",
        "state = 1 and client_id is null and canceled_at is null and currency = 'VEF'",
    ),
    ("payment_links", "paid after it was canceled", "state = 1 and canceled_at is not null"),
    ("payment_links", "paid in dollars", "currency = 'USD'"),
    ("payment_links", "failed", "id = (select subject_id from webhook_deliveries where state = 2)"),
    ("payment_links", "failed untold", "state = 2 and webhook_url is null"),
    ("payment_links", "canceled", "state = 3"),
    ("payment_links", "expired", "expired_at is not null"),
    ("payment_links", "pending", "state = 0 and expired_at is null"),
    ("payment_sums", "of an account at a bank", "payments > 2"),
    (
        "payments",
        "of a call",
        "verification_id = (select id from verifications where query like '%1167890%')",
    ),
    (
        "payments",
        "of a link",
        "verification_id = (select id from verifications where link_id is not null and query like '%267890%')",
    ),
    ("payments", "by payer", "movement_id = (select id from movements where amount = 9800)"),
    ("rate_locks", "held", "owner_id = OWNER"),
    ("receipt_numbers", "of money", "owner_id = OWNER and livemode"),
    ("receipts", "of a link", "owner_id = OWNER and livemode and number = 1"),
    (
        "recent_calls",
        "confirmed",
        "verification_id = (select id from verifications where query like '%767890%')",
    ),
    ("refused_attempts", "refused call", "link_id is null"),
    ("refused_attempts", "refused check", "link_id is not null"),
    (
        "user_banks",
        "of the sandbox",
        "id = (select bank_id from verifications where query like '%1167890%')",
    ),
    ("verifications", "confirmed", "query like '%1167890%'"),
    (
        "verifications",
        "of an employee",
        "actor_id = (select id from employees where accepted_at is not null)",
    ),
    ("verifications", "check of a link", "link_id is not null and query like '%267890%'"),
    ("verifications", "open", "state = 0"),
    ("verifications", "not found", "query like '%555555%'"),
    ("verifications", "of the same bank", "query like '%8880001%'"),
    ("verifications", "other amount", "bank_amount is not null"),
    ("verifications", "several", "digits_needed is not null"),
    (
        "webhook_attempts",
        "heard",
        "delivery_id = (select d.id from webhook_deliveries d join payment_links l on l.id = d.subject_id where l.state = 1 and l.client_id is null and l.canceled_at is null and l.currency = 'VEF' and d.event = 'payment_link.paid')",
    ),
    ("webhook_days", "sealed", "owner_id = OWNER"),
    (
        "webhook_deliveries",
        "delivered",
        "subject_id = (select id from payment_links where state = 1 and client_id is null and canceled_at is null and currency = 'VEF')",
    ),
    ("webhook_deliveries", "given up", "state = 2"),
    ("webhook_deliveries", "waiting", "state = 0"),
    ("webhook_feeds", "feed", "owner_id = OWNER"),
];

/// Facts that no audit can detect: of which rows (of all, where none are named), which columns, and why.
pub(super) const PLAIN: &[(&str, &str, &str)] = &[
    (
        "refused, repeat",
        "activity.created_at activity.latency_us activity.bank_id activity.request_type",
        "an attempt without a verification of its own stands nowhere else",
    ),
    ("refused", "activity.error_code", "what was told stands nowhere else"),
    (
        "repeat",
        "activity.status",
        "an attempt that joined the search of another call looks the same",
    ),
    ("repeat", "activity.verification_id", "one that was answered as before names none"),
    ("", "bank_identities.revision", "a counter that makes ingestions wait for each other"),
    ("", "bank_identities.created_at user_banks.updated_at", "decides nothing"),
    (
        "",
        "bank_identities.reviewed_until",
        "what the owner has looked through; the audit trail has who said so",
    ),
    ("", "credit_movements.description", "a text for people"),
    (
        "grant",
        "credit_movements.month credit_movements.created_at",
        "nothing but the balance follows from a grant, and that is in the chain",
    ),
    ("expiry, month, daily work", "due.fence", "a fence need only be another than before"),
    ("", "due.tries", "tries that came to nothing leave no other trace"),
    (
        "",
        "refused_attempts.id refused_attempts.link_id refused_attempts.refused_at",
        "it is one more of the attempts that a link has in an hour, and of its link alone; a clock that was ahead may have written it",
    ),
    (
        "",
        "refused_attempts.actor_id refused_attempts.caller_client_id refused_attempts.client_id refused_attempts.bank_id refused_attempts.query refused_attempts.error_code",
        "what was refused, for people; nothing was reserved for it",
    ),
    ("", "movements.created_at", "when the row was written; the bank's own day has the seal"),
    ("expired, pending", "payment_links.updated_at", "decides nothing"),
    ("", "owners.notice_below", "what the owner has chosen; the audit trail has who chose it"),
    ("", "payment_links.is_stopped", "a switch of the owner's; the audit trail has who used it"),
    (
        "open",
        "verifications.id",
        "only the slot of an Idempotency-Key refers to one before it ends, and where that leads nowhere the call runs again",
    ),
    (
        "open",
        "verifications.caller_client_id",
        "the client that the key was bound to when it called, and need not be any more: its payment is listed as that \
         client's, and charged to the one that it is reserved of",
    ),
    (
        "not found, of the same bank, other amount, several",
        "verifications.caller_client_id",
        "the client that the key was bound to, of a call that was not charged",
    ),
    (
        "not found, of the same bank, other amount, several",
        "verifications.client_id verifications.cost",
        "what was reserved was given back",
    ),
    (
        "not found, of the same bank",
        "verifications.same_bank",
        "it was told, and decides nothing any more",
    ),
    (
        "",
        "verifications.short_reference",
        "it was counted, and decides how many more a caller may ask for within the hour",
    ),
    ("other amount", "verifications.bank_amount", "it was told, and decides nothing any more"),
    ("", "verifications.is_answered", "whether the bank answered, for people alone"),
    ("several", "verifications.digits_needed", "it was told, and decides nothing any more"),
    ("", "webhook_days.sealed_at", "when somebody came to it"),
    ("", "webhook_feeds.rounds", "it need only be no less than the round of any event"),
];

/// Facts that may be missing and may not be anything else: of which rows, which columns, and why.
pub(super) const OPTIONAL: &[(&str, &str, &str)] = &[(
    "claimed",
    "bank_notifications.movement_id",
    "a notice of which nobody can know the movement has none",
)];

/// Facts that can be detected only beyond a bound: of which rows, which columns, and why not within it.
pub(super) const WITHIN: &[(&str, &str, &str)] = &[
    (
        "delivery, expiry, daily work",
        "due.due_at",
        "when work is tried next, after a pause with chance in it, up to the longest of its kind",
    ),
    ("delivery", "due.fence", "it counts what was taken, too, of which no trace is left"),
    (
        "open",
        "verifications.lease_until",
        "whoever works on it holds it a little longer each time, up to when its reservation lapses",
    ),
    (
        "",
        "verifications.calls",
        "how often the bank was asked, which stands nowhere else, up to how often it may be",
    ),
    ("", "webhook_deliveries.feed_round", "it need only be no more than the rounds of its feed"),
    (
        "",
        "webhook_deliveries.step",
        "not every attempt is a step, and which were stands nowhere else",
    ),
];

/// Columns in which the smallest change may mean nothing, and what is put there besides: of instants and counters
/// with a bound, what passes it; of numbers in sequence, one that no neighbour has. That much is always named.
pub(super) const BOUNDED: &[(&str, &str)] = &[
    ("due.due_at verifications.lease_until payment_links.expired_at", "253402300799000000"),
    ("due.kind", "kind + 90"),
    ("due.fence", "fence + 38654705664"),
    ("verifications.query", r#"replace(query, '"reference":"', '"reference":"1')"#),
    ("verifications.calls", "calls + 9"),
    ("activity.ordinal credit_movements.ordinal", "coalesce(ordinal, 0) + 1000"),
    ("credit_movements.line", "line + 1000"),
    ("webhook_attempts.number", "number + 1000"),
    ("webhook_deliveries.step", "step + 9"),
    ("webhook_deliveries.feed_round", "feed_round + 9"),
];

/// Columns whose numbers or words are few: each of them is put there.
pub(super) const WORDS: &[&str] = &[
    "state",
    "kind",
    "status",
    "event",
    "currency",
    "origin",
    "request_type",
    "error_code",
    "movement_type",
    "provider",
];

/// References of which each is tried: what is alike in all but one of them is the hardest to distinguish.
pub(super) const EACH: &[&str] = &["movement_id"];

/// Which rows a column may refer to.
pub(super) const REFERENCES: &[(&str, &str)] = &[
    (
        "actor_id",
        "select id from api_keys union select owner_id as id from owners union select id from employees",
    ),
    ("client_id caller_client_id", "select id from clients"),
    ("bank_id", "select id from user_banks"),
    ("identity_id", "select id from bank_identities"),
    ("link_id", "select id from payment_links"),
    ("subject_id", "select id from payment_links union select id from employees"),
    ("movement_id", "select id from movements"),
    ("payment_id", "select id from payments"),
    ("verification_id", "select id from verifications"),
    ("delivery_id", "select id from webhook_deliveries"),
];

/// Tables that say nothing of money, movements, links or deliveries, and why an altered one moves none.
pub(super) const BESIDE: &[(&str, &str)] = &[
    ("api_keys", "who may ask, and how much; what leads to a key is a locator"),
    ("audit", "the trail of what was done to settings"),
    (
        "bank_access",
        "how an account is reached: its secrets are sealed, and the facts that payers pay to are compared with nothing (0057)",
    ),
    ("bank_push", "which bank may send notices; what leads to it is a locator"),
    ("bank_tokens", "what a bank gave for a while, sealed; what does not open is obtained anew"),
    ("client_webhook_secrets", "what webhooks are signed with for a client, sealed"),
    ("clients", "who may ask, and how much"),
    ("doubtful_rates", "rates that nobody took"),
    ("email_changes", "addresses that wait for being confirmed, with the hash of a link"),
    ("employees", "who may sign in, and what it may do; what leads to it is a locator"),
    ("exchange_rates", "what other currencies cost; what is owed by one stands in its lock"),
    ("idempotent_answers", "answers of a day, sealed"),
    ("installation", "keys of the installation, sealed or compared at every start"),
    ("key_uses", "when a key was last used, for people"),
    ("logos", "a picture that payers are shown; what leads to it is a locator"),
    ("mails", "what people are written; what waits has its work in due"),
    ("notice_rules", "what an owner has chosen"),
    ("notice_settings", "what an owner has chosen"),
    ("notices", "what an owner is told of"),
    (
        "owner_plans",
        "what an owner has agreed; it limits new charges, and no charge is altered by it",
    ),
    (
        "owner_rates",
        "what other currencies cost for an owner's links; what is owed by one stands in its lock",
    ),
    ("owner_profiles", "who an owner is; what leads to it is a locator"),
    ("password_resets", "links for another password, by their hashes"),
    ("payment_link_settings", "what an owner has chosen"),
    ("plans", "what owners can agree; it limits new charges, and no charge is altered by it"),
    ("public_profiles", "what payers are shown of an owner"),
    ("rate_address", "when rates are asked for"),
    ("recovery_codes", "what signs in once, hashed"),
    ("second_factors", "what people show besides the password; its secret is sealed"),
    ("sessions", "who is signed in"),
    ("sign_in_failures", "a limit of a day, of hashes that lead to nobody"),
    ("sign_in_networks", "where people have signed in from"),
    (
        "subscription_cycles",
        "which links ask for what recurs: each is compared with its link, and what that asks for has its seal",
    ),
    (
        "subscriptions",
        "what is asked for later; what was asked for stands in links, with which its figures are compared",
    ),
    ("webhook_day_blocks", "shortcuts to a proof, which whoever gets it checks by the day's root"),
    ("webhook_endpoints", "what an owner has chosen"),
    ("webhook_redeliveries", "how far a job has come"),
    ("webhook_retention", "how far a job has come"),
    ("webhook_secrets", "what webhooks are signed with, sealed"),
    ("webhook_trials", "a limit of a minute"),
];
