//! The audit of what belongs to nobody: rows whose owner is not there. No audit of an owner would see them.

use domain::ids::OwnerId;

use crate::difference::Difference;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

/// Why these statements look at the rows of many owners.
const REASON: &str = "the audit looks for rows of owners that are not there";

/// The owners of a table that are not there. It reads all of an index that begins with the owner. Going from one owner to
/// the next, by a recursive statement, would read less, but a distributed server refuses that over all owners, and the
/// rest of the audit reads most of these rows.
macro_rules! stray {
    ($table:literal) => {
        concat!(
            "select s.id from (select distinct owner_id as id from ",
            $table,
            ") s left join owners o on o.owner_id = s.id \
             where o.owner_id is null order by s.id asc limit $1"
        )
    };
}

// Each has the name of its table.
statements! {
    ACTIVITY = Sql::across_owners(stray!("activity"), REASON);
    ACTOR_MONTHS = Sql::across_owners(stray!("actor_months"), REASON);
    API_KEYS = Sql::across_owners(stray!("api_keys"), REASON);
    AUDIT = Sql::across_owners(stray!("audit"), REASON);
    BANK_ACCESS = Sql::across_owners(stray!("bank_access"), REASON);
    BANK_IDENTITIES = Sql::across_owners(stray!("bank_identities"), REASON);
    BANK_NOTIFICATIONS = Sql::across_owners(stray!("bank_notifications"), REASON);
    BANK_PUSH = Sql::across_owners(stray!("bank_push"), REASON);
    BANK_TOKENS = Sql::across_owners(stray!("bank_tokens"), REASON);
    CLIENT_MONTHS = Sql::across_owners(stray!("client_months"), REASON);
    CLIENT_WEBHOOK_SECRETS = Sql::across_owners(stray!("client_webhook_secrets"), REASON);
    CLIENTS = Sql::across_owners(stray!("clients"), REASON);
    CREDIT_MOVEMENTS = Sql::across_owners(stray!("credit_movements"), REASON);
    DUE = Sql::across_owners(stray!("due"), REASON);
    EMAIL_CHANGES = Sql::across_owners(stray!("email_changes"), REASON);
    EMPLOYEES = Sql::across_owners(stray!("employees"), REASON);
    IDEMPOTENT_ANSWERS = Sql::across_owners(stray!("idempotent_answers"), REASON);
    KEY_USES = Sql::across_owners(stray!("key_uses"), REASON);
    LOGOS = Sql::across_owners(stray!("logos"), REASON);
    MAILS = Sql::across_owners(stray!("mails"), REASON);
    MOVEMENTS = Sql::across_owners(stray!("movements"), REASON);
    NOTICE_RULES = Sql::across_owners(stray!("notice_rules"), REASON);
    NOTICE_SETTINGS = Sql::across_owners(stray!("notice_settings"), REASON);
    NOTICES = Sql::across_owners(stray!("notices"), REASON);
    OWNER_PLANS = Sql::across_owners(stray!("owner_plans"), REASON);
    OWNER_PROFILES = Sql::across_owners(stray!("owner_profiles"), REASON);
    OWNER_RATES = Sql::across_owners(stray!("owner_rates"), REASON);
    PASSWORD_RESETS = Sql::across_owners(stray!("password_resets"), REASON);
    PAYMENT_LINK_SETTINGS = Sql::across_owners(stray!("payment_link_settings"), REASON);
    PAYMENT_LINKS = Sql::across_owners(stray!("payment_links"), REASON);
    PAYMENT_SUMS = Sql::across_owners(stray!("payment_sums"), REASON);
    PAYMENTS = Sql::across_owners(stray!("payments"), REASON);
    PUBLIC_PROFILES = Sql::across_owners(stray!("public_profiles"), REASON);
    RATE_LOCKS = Sql::across_owners(stray!("rate_locks"), REASON);
    RECEIPT_NUMBERS = Sql::across_owners(stray!("receipt_numbers"), REASON);
    RECEIPTS = Sql::across_owners(stray!("receipts"), REASON);
    RECENT_CALLS = Sql::across_owners(stray!("recent_calls"), REASON);
    RECOVERY_CODES = Sql::across_owners(stray!("recovery_codes"), REASON);
    REFUSED_ATTEMPTS = Sql::across_owners(stray!("refused_attempts"), REASON);
    SECOND_FACTORS = Sql::across_owners(stray!("second_factors"), REASON);
    SESSIONS = Sql::across_owners(stray!("sessions"), REASON);
    SIGN_IN_NETWORKS = Sql::across_owners(stray!("sign_in_networks"), REASON);
    SUBSCRIPTION_CYCLES = Sql::across_owners(stray!("subscription_cycles"), REASON);
    SUBSCRIPTIONS = Sql::across_owners(stray!("subscriptions"), REASON);
    USER_BANKS = Sql::across_owners(stray!("user_banks"), REASON);
    VERIFICATIONS = Sql::across_owners(stray!("verifications"), REASON);
    WEBHOOK_ATTEMPTS = Sql::across_owners(stray!("webhook_attempts"), REASON);
    WEBHOOK_DAY_BLOCKS = Sql::across_owners(stray!("webhook_day_blocks"), REASON);
    WEBHOOK_DAYS = Sql::across_owners(stray!("webhook_days"), REASON);
    WEBHOOK_DELIVERIES = Sql::across_owners(stray!("webhook_deliveries"), REASON);
    WEBHOOK_ENDPOINTS = Sql::across_owners(stray!("webhook_endpoints"), REASON);
    WEBHOOK_FEEDS = Sql::across_owners(stray!("webhook_feeds"), REASON);
    WEBHOOK_REDELIVERIES = Sql::across_owners(stray!("webhook_redeliveries"), REASON);
    WEBHOOK_RETENTION = Sql::across_owners(stray!("webhook_retention"), REASON);
    WEBHOOK_SECRETS = Sql::across_owners(stray!("webhook_secrets"), REASON);
    WEBHOOK_TRIALS = Sql::across_owners(stray!("webhook_trials"), REASON);
}

/// How many owners that are not there are named for each table.
const NAMED_MAX: i64 = 100;

/// Names the owners that are not there and have rows, table by table.
///
/// # Errors
/// A fault of the store.
pub fn check(tx: &mut Tx<'_>) -> Result<Vec<(OwnerId, Difference)>, Fault> {
    let mut found = Vec::new();
    for (name, sql) in STATEMENTS {
        let table = name.to_lowercase();
        for row in tx.query(sql, &[NAMED_MAX.into()])? {
            let owner: OwnerId = row.get("id")?;
            let what = format!("{table}.owner_id of rows of {owner}: there is no such owner");
            found.push((owner, Difference { what, figures: None }));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use crate::manifest::{self, Kind};

    #[test]
    fn every_table_of_owners_is_looked_at() {
        let of_owners = manifest::TABLES.iter().filter(|(_, kind)| *kind == Kind::Tenant);
        let wanted: Vec<_> =
            of_owners.map(|(table, _)| *table).filter(|table| *table != "owners").collect();
        let looked_at: Vec<_> =
            super::STATEMENTS.iter().map(|(name, _)| name.to_lowercase()).collect();
        assert_eq!(looked_at, wanted);
    }
}
