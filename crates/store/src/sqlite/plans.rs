//! How SQLite goes about each statement. It has no statistics to decide by, and an `order by` can lead it to an
//! index that walks through all that an owner or an account has ever had, where another leads to what is sought.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params_from_iter, types};

use crate::registry;
use crate::sqlite::connection::text;
use crate::sqlite::setup;

/// Tables that grow for as long as an owner works.
const GROWING: &[&str] = &[
    "activity",
    "audit",
    "bank_notifications",
    "credit_movements",
    "idempotent_answers",
    "link_refusals",
    "movements",
    "notices",
    "payment_links",
    "payments",
    "sessions",
    "verifications",
    "webhook_attempts",
    "webhook_deliveries",
];

/// What does not tell one row of an owner from most others.
const COARSE: &[&str] = &["owner_id", "identity_id", "bank_id"];

/// The statements that walk through such a table, and why they may.
const WALKS: &[&str] = &[
    // Whether an account has rows that refer to it: the first is enough.
    "accounts.HOLD_IDENTITY bank_notifications",
    "accounts.HOLD_IDENTITY movements",
    // What is deleted when it is old, and is never older.
    "idempotency.DELETE_EXPIRED idempotent_answers",
    // The audit reads all that there is.
    "ledger_check.BROKEN_CHAIN credit_movements",
    "ledger_check.CLIENT_LINES credit_movements",
    "ledger_check.CLIENT_RESERVATIONS verifications",
    "ledger_check.KEY_ACTIVITY activity",
    "ledger_check.KEY_RESERVATIONS verifications",
    "ledger_check.OVERDUE verifications",
    "ledger_check.TOTALS credit_movements",
    "ledger_check.TOTALS verifications",
    "ledger_check.UNCLAIMED verifications",
    "ledger_check.UNFOUNDED_LINES credit_movements",
    "ledger_check.UNFOUNDED_LINKS payment_links",
    "ledger_check.UNPAID movements",
    "link_refusals.DELETE_OLD link_refusals",
    // A page, in its order, and how many there are up to a limit.
    "links.COUNT payment_links",
    "links.PAGE payment_links",
    // The latest few of an index that has nothing else.
    "links.VAIN_ATTEMPT verifications",
    // An ending that is too short for the index.
    "movements.WITH_SHORT_ENDING movements",
    "sessions.DELETE_OVER sessions",
];

/// What it searches by, of a line such as `SEARCH m USING INDEX movements_day (owner_id=? AND paid_on>?)`.
fn columns(step: &str) -> impl Iterator<Item = &str> {
    let by = step.rsplit_once(" (").and_then(|(_, by)| by.split_once(')')).map_or("", |(by, _)| by);
    let names = by.split(" AND ").filter_map(|part| part.split(['=', '<', '>']).next());
    names.filter(|name| !name.is_empty())
}

/// The table that the step goes through by nothing more than an owner's or an account's id, if it is one that grows.
fn walked<'a>(tables: &'a HashMap<String, String>, step: &str) -> Option<&'a str> {
    let index = step.split_once("INDEX ")?.1.split(' ').next()?;
    let table = tables.get(index)?.as_str();
    let is_walk = GROWING.contains(&table) && columns(step).all(|column| COARSE.contains(&column));
    is_walk.then_some(table)
}

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("explain query plan {sql}")).unwrap();
    let nothing = vec![types::Value::Null; statement.parameter_count()];
    let steps = statement.query_map(params_from_iter(nothing), |row| row.get("detail"));
    steps.unwrap().map(Result::unwrap).collect()
}

fn tables_of_indexes(connection: &Connection) -> HashMap<String, String> {
    let text = "select name, tbl_name from sqlite_schema where type = 'index'";
    let mut statement = connection.prepare(text).unwrap();
    let pairs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    pairs.unwrap().map(Result::unwrap).collect()
}

#[test]
fn no_statement_walks_through_a_history_that_is_not_listed() {
    let connection = setup::in_memory().unwrap();
    let tables = tables_of_indexes(&connection);
    let mut found = BTreeSet::new();
    for (module, statements) in registry::all() {
        for (name, sql) in statements {
            for step in plan(&connection, text(sql)) {
                let scanned = step.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
                let is_scan = scanned.is_some_and(|table| GROWING.contains(&table));
                assert!(!is_scan, "{module}.{name}: {step}");
                if let Some(table) = walked(&tables, &step) {
                    found.insert(format!("{module}.{name} {table}"));
                }
            }
        }
    }
    assert!(found.iter().map(String::as_str).eq(WALKS.iter().copied()), "{found:#?}");
}
