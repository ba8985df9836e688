//! How SQLite goes about each statement. It has no statistics to decide by, and an `order by` can lead it to an
//! index that walks through all that an owner or an account has ever had, where another leads to what is sought.

use std::collections::{BTreeSet, HashMap};

use db::sqlite::{in_memory, text};
use rusqlite::{Connection, params_from_iter, types};

use super::ALL;
use crate::manifest::{Kind, TABLES};
use crate::schema::SCHEMA;

/// Tenant tables of which an owner has few rows. Any other grows for as long as the owner works.
const SMALL: &[&str] = &[
    "actor_months",
    "api_keys",
    "bank_access",
    "bank_identities",
    "bank_push",
    "bank_tokens",
    "client_months",
    "client_webhook_secrets",
    "clients",
    "email_changes",
    "employees",
    "key_uses",
    "logos",
    "notice_rules",
    "notice_settings",
    "owner_plans",
    "owner_profiles",
    "owners",
    "password_resets",
    "payment_link_settings",
    "public_profiles",
    "second_factors",
    "sign_in_networks",
    "user_banks",
    "webhook_day_blocks",
    "webhook_days",
    "webhook_endpoints",
    "webhook_feeds",
    "webhook_redeliveries",
    "webhook_retention",
    "webhook_secrets",
    "webhook_trials",
];

/// Columns that do not tell one row of an owner from most others.
const COARSE: &[&str] = &["owner_id", "identity_id", "bank_id"];

const AUDIT: &str = "the audit reads all that there is";
const FIRST: &str = "the first is enough, whether an account has rows that refer to it";
const PAGE: &str = "a page in its order, or how many there are up to a limit";
const LAST: &str = "the last one alone, at the end of an index";
const SWEEP: &str = "what is old is deleted, so that there is never more than a while's";

/// The statements that go through a table which grows by such columns alone, as `module.NAME table`, and why they may.
const WALKS: &[(&str, &str)] = &[
    ("charge_audit.ATTEMPTS activity", AUDIT),
    ("charge_audit.CHARGED_LINES credit_movements", AUDIT),
    ("charge_audit.ENDED activity", AUDIT),
    ("charge_audit.ENDED verifications", AUDIT),
    ("charge_audit.ENTRIES activity", AUDIT),
    ("charge_audit.LISTED credit_movements", AUDIT),
    ("charge_audit.PAYMENTS payments", AUDIT),
    ("due_audit.MISSING mails", AUDIT),
    ("due_audit.MISSING payment_links", AUDIT),
    ("due_audit.MISSING subscriptions", AUDIT),
    ("due_audit.WAITING due", AUDIT),
    ("link_audit.REFUSALS refused_attempts", AUDIT),
    ("link_audit.SIGNED_FOR webhook_deliveries", AUDIT),
    ("link_audit.STATES payment_links", AUDIT),
    ("link_audit.UNFOUNDED webhook_deliveries", AUDIT),
    ("link_audit.UNTOLD payment_links", AUDIT),
    ("link_audit.UNTOLD_EXPIRY payment_links", AUDIT),
    ("movement_audit.NOTICES bank_notifications", AUDIT),
    ("movement_audit.RECEIPTS movements", AUDIT),
    ("verification_audit.INSTANTS verifications", AUDIT),
    ("verification_audit.REFERENCES verifications", AUDIT),
    ("verification_audit.STATES verifications", AUDIT),
    ("accounts.HOLD_IDENTITY bank_notifications", FIRST),
    ("accounts.HOLD_IDENTITY movements", FIRST),
    ("idempotency.DELETE_EXPIRED idempotent_answers", SWEEP),
    (
        "links.OWING payment_links",
        "the newest 1,000 links of an account, when a person accepts money",
    ),
    ("unnamed_movements.DELETE_OLD movements", SWEEP),
    ("ledger_audit.BROKEN_CHAIN credit_movements", AUDIT),
    ("month_audit.CLIENT_LINES credit_movements", AUDIT),
    ("month_audit.CLIENT_RESERVATIONS verifications", AUDIT),
    ("month_audit.ACTOR_ACTIVITY activity", AUDIT),
    ("month_audit.ACTOR_RESERVATIONS verifications", AUDIT),
    ("ledger_audit.MISLED_CALLS recent_calls", AUDIT),
    ("ledger_audit.OVERDUE verifications", AUDIT),
    ("ledger_audit.TOTALS credit_movements", AUDIT),
    ("ledger_audit.TOTALS payments", AUDIT),
    ("ledger_audit.TOTALS verifications", AUDIT),
    ("ledger_audit.UNCLAIMED verifications", AUDIT),
    ("ledger_audit.UNFOUNDED_LINES credit_movements", AUDIT),
    ("ledger_audit.UNFOUNDED_LINKS payment_links", AUDIT),
    ("ledger_audit.UNLISTED credit_movements", AUDIT),
    ("ledger_audit.UNPAID payments", AUDIT),
    ("ledger_audit.UNPAID_LINKS verifications", AUDIT),
    ("mails.DROP mails", SWEEP),
    ("mails.DROP_WORK mails", SWEEP),
    ("mails.END_EXPIRED mails", SWEEP),
    ("mails.EXPIRED_TO mails", SWEEP),
    ("mails.FORGET_EXPIRED mails", SWEEP),
    ("mails.SEALED mails", SWEEP),
    ("refused_attempts.DELETE_OLD refused_attempts", SWEEP),
    ("sessions.COUNT sessions", SWEEP),
    ("sessions.PAGE sessions", SWEEP),
    ("sessions.WITH_OPEN sessions", "the first is enough, whether an owner has one that is open"),
    ("receipt_audit.FACTS receipts", AUDIT),
    ("receipt_audit.MISSING payments", AUDIT),
    ("receipt_audit.NUMBERS receipt_numbers", AUDIT),
    ("receipt_audit.UNCOUNTED receipts", AUDIT),
    ("subscription_audit.CYCLES subscription_cycles", AUDIT),
    ("subscription_audit.FIGURES subscriptions", AUDIT),
    ("subscription_audit.LINKS payment_links", AUDIT),
    ("subscription_pages.COUNT subscriptions", PAGE),
    ("subscription_pages.COUNT_OF_ACCOUNT subscriptions", PAGE),
    ("subscription_pages.PAGE subscriptions", PAGE),
    ("sum_audit.CLAIMED payments", AUDIT),
    ("sum_audit.KEPT payment_sums", AUDIT),
    ("notices.NOTIFY notices", LAST),
    ("notices.NOTIFY_COUNT notices", LAST),
    ("owner_rates.COUNT owner_rates", PAGE),
    ("owner_rates.PAGE owner_rates", PAGE),
    ("sessions.DELETE_OVER sessions", SWEEP),
    ("sessions.END_ALL sessions", "all that an owner has, of some months"),
    ("sessions.END_OTHERS sessions", "all that an owner has, of some months"),
    ("sessions.END_OWN sessions", "all that an owner has, of some months"),
    ("sessions.END_SOME sessions", "all that an owner has, of some months"),
    ("account_use.LINK payment_links", "of an index that has the pending ones of clients alone"),
    ("account_use.VERIFICATION verifications", "of an index that has the open ones alone"),
    (
        "reserve.COUNTERS_AND_LIMITS verifications",
        "of an index that has the open ones alone, and for plans that limit charges",
    ),
    (
        "verification_leases.SCAN_FROM_THE_START verifications",
        "of an index that has the open ones alone",
    ),
];

/// The steps of a statement, in SQLite's words.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("explain query plan {sql}")).unwrap();
    let nothing = vec![types::Value::Null; statement.parameter_count()];
    let steps = statement.query_map(params_from_iter(nothing), |row| row.get("detail"));
    steps.unwrap().map(Result::unwrap).collect()
}

/// Each index and its table, of those tables that grow.
fn growing(connection: &Connection) -> HashMap<String, String> {
    let text = "select name, tbl_name from sqlite_schema where type = 'index'";
    let mut statement = connection.prepare(text).unwrap();
    let pairs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let grows = |table: &str| TABLES.contains(&(table, Kind::Tenant)) && !SMALL.contains(&table);
    pairs.unwrap().map(Result::unwrap).filter(|(_, table): &(_, String)| grows(table)).collect()
}

/// Returns the columns by which a step such as `SEARCH m USING INDEX movements_tail (owner_id=? AND tail>?)` searches.
fn columns(step: &str) -> impl Iterator<Item = &str> {
    let by = step.rsplit_once(" (").and_then(|(_, by)| by.split_once(')'));
    let parts = by.map_or("", |(by, _)| by).split(" AND ");
    parts.filter_map(|part| part.split(['=', '<', '>']).next()).filter(|name| !name.is_empty())
}

/// The table that a step walks through by an index, if it is one that grows.
fn walked<'a>(growing: &'a HashMap<String, String>, step: &str) -> Option<&'a str> {
    let index = step.split_once("INDEX ")?.1.split(' ').next()?;
    let table = growing.get(index)?;
    columns(step).all(|column| COARSE.contains(&column)).then_some(table)
}

/// Tells whether a step reads a table from end to end, as a subselect that the plan has made before may be read. The
/// name in a step is the statement's own for the table, so any other is refused.
fn scans(plan: &[String], step: &str) -> bool {
    let Some(rest) = step.strip_prefix("SCAN ") else { return step.contains("AUTOMATIC") };
    let made = |step: &'_ String| {
        ["CO-ROUTINE ", "MATERIALIZE "].iter().any(|way| step.strip_prefix(way) == Some(rest))
    };
    let is_made = plan.iter().any(made);
    !(is_made || rest == "CONSTANT ROW" || rest.contains(" INDEX "))
}

#[test]
fn no_statement_walks_through_a_history_that_is_not_listed() {
    let connection = in_memory(&SCHEMA).unwrap();
    let growing = growing(&connection);
    let mut found = BTreeSet::new();
    for &(module, statements) in ALL {
        for (name, sql) in statements {
            let plan = plan(&connection, &text(sql));
            for step in &plan {
                assert!(!scans(&plan, step), "{module}.{name}: {step}");
                // This one reads an index of every table from end to end.
                if let Some(table) = walked(&growing, step).filter(|_| module != "tenant_audit") {
                    found.insert(format!("{module}.{name} {table}"));
                }
            }
        }
    }
    let listed: BTreeSet<_> = WALKS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, listed);
}

#[test]
fn a_walk_and_a_scan_are_noticed() {
    let connection = in_memory(&SCHEMA).unwrap();
    let in_order =
        "select id from payment_links where owner_id = ?1 and payment_id = ?2 order by id limit 1";
    let step = plan(&connection, in_order).remove(0);
    assert_eq!(walked(&growing(&connection), &step), Some("payment_links"), "{step}");
    let unindexed = plan(&connection, "select params from payments p where p.credit_cost = ?1");
    assert!(scans(&unindexed, &unindexed[0]), "{unindexed:?}");
}

#[test]
fn lists_of_links_go_along_the_index_of_whom_they_are_for() {
    let connection = in_memory(&SCHEMA).unwrap();
    let &(_, lists) = ALL.iter().find(|(name, _)| *name == "link_pages").unwrap();
    for (name, sql) in lists {
        let plan = plan(&connection, &text(sql));
        let index = match name {
            name if name.ends_with("_OF_CLIENT") => "payment_links_newest_of_client (",
            name if name.ends_with("_OF_ACCOUNT") => "payment_links_newest_of_account (",
            _ => "payment_links_newest (",
        };
        assert!(plan.iter().any(|step| step.contains(index)), "{name}: {plan:?}");
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{name}: {plan:?}");
    }
}

#[test]
fn sums_of_subscriptions_walk_through_those_that_live_alone() {
    let connection = in_memory(&SCHEMA).unwrap();
    let &(_, sums) = ALL.iter().find(|(name, _)| *name == "subscription_sums").unwrap();
    for (name, sql) in sums {
        let plan = plan(&connection, &text(sql));
        let by = match *name {
            "LIVING_OF_CLIENT" => "(owner_id=? AND livemode=? AND bank_id=? AND client_id=?)",
            "LIVING_OF_ACCOUNT" => "(owner_id=? AND livemode=? AND bank_id=?)",
            _ => "(owner_id=? AND livemode=?)",
        };
        let wanted = format!("INDEX subscriptions_living {by}");
        assert!(plan.iter().any(|step| step.contains(&wanted)), "{name}: {plan:?}");
        // No more are put in order than were read.
        let sorts: Vec<_> = plan.iter().filter(|step| step.contains("TEMP B-TREE")).collect();
        assert!(sorts.len() <= 1, "{name}: {plan:?}");
    }
}

#[test]
fn the_scan_for_verifications_walks_through_the_open_ones_alone() {
    let connection = in_memory(&SCHEMA).unwrap();
    let &(_, scans) = ALL.iter().find(|(name, _)| *name == "verification_leases").unwrap();
    for (name, sql) in scans.iter().filter(|(name, _)| name.starts_with("SCAN")) {
        let plan = plan(&connection, &text(sql));
        assert!(
            plan.len() == 1 && plan[0].contains("INDEX verifications_open"),
            "{name}: {plan:?}"
        );
    }
}
