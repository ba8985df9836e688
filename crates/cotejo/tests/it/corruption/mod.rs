//! Every column that says something of money is altered by SQL, one at a time: `cotejo check-ledger` or `cotejo
//! check-deliveries` names it, or it stands among the plain facts, with the reason why nothing can detect it.
//!
//! The columns come from the database itself, so that one which is added later is either caught or listed.

mod alterations;
mod facts;
mod file;
mod world;

use std::sync::Arc;

use app::{delivery_audit, ledger_audit};
use domain::time::Timestamp;
use store::Store;
use testkit::database::Database;
use testkit::{Setup, both_engines};

use self::alterations::{BEYOND, Column, TAKEN_AWAY, alterations, columns, nulls, restoring, save};
use self::facts::{BESIDE, OPTIONAL, PLAIN, ROWS, WITHIN};
use self::world::World;

/// Lists the differences that both audits name.
async fn named(store: &Store, now: Timestamp) -> Vec<String> {
    let (mut named, progress) = (Vec::new(), Arc::default());
    let audited = ledger_audit::audit(store, now, &progress, |owner, found| {
        named.extend(found.differences.iter().map(|found| format!("{owner}: {found}")));
        named.extend(found.overdue.iter().map(|id| format!("{owner}: overdue {id}")));
    });
    audited.await.unwrap();
    let audited = delivery_audit::audit(store, |owner, found| {
        let differences = found.differences.iter();
        named.extend(differences.map(|found| format!("{owner}: {}: {}", found.place, found.what)));
    });
    audited.await.unwrap();
    named
}

/// Tells whether this column of this row is in the list.
fn is_listed(list: &[(&str, &str, &str)], row: &str, column: &str) -> bool {
    list.iter().any(|(rows, columns, _)| {
        columns.split(' ').any(|one| one == column)
            && (rows.is_empty() || rows.split(", ").any(|one| one == row))
    })
}

/// Alters the column of the row in each way; answers what is wrong with what the audits say. A plain fact is one that
/// can be altered in some way without anybody naming it.
async fn alter(
    database: &Database,
    (store, now): (&Store, Timestamp),
    (row, at): (&str, &str),
    (column, is_null): (&Column, bool),
) -> Option<String> {
    let (name, mut silent) = (column.to_string(), Vec::new());
    for (how, altered) in alterations(database, column, at, is_null) {
        let Column { table, name: field, .. } = column;
        let restore = restoring(table);
        database.execute_unchecked(&restore);
        let alter = format!("update {table} set {field} = {altered} where {at}");
        // What the database itself refuses nobody has to name.
        if database.breaks_nothing(&alter) && named(store, now).await.is_empty() {
            silent.push(how);
        }
    }
    let is_within = is_listed(WITHIN, row, &name)
        && column.bounded().is_some()
        && silent.iter().all(|how| how != BEYOND && how != TAKEN_AWAY);
    let is_optional = is_listed(OPTIONAL, row, &name) && silent.iter().all(|how| how == TAKEN_AWAY);
    let is_plain = is_listed(PLAIN, row, &name) || is_within || is_optional;
    match (is_plain, silent.is_empty()) {
        (false, false) => Some(format!("{name} of {row}, {}: nobody names it", silent.join(", "))),
        (true, true) => Some(format!("{name} of {row}: it is named, and no plain fact")),
        _ => None,
    }
}

/// The listed rows of a table.
fn rows_of(table: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    ROWS.iter().filter(|(of, ..)| *of == table).copied().collect()
}

/// Alters every column of every listed row that is wanted, by its table and what it is.
async fn alter_all(setup: Setup, is_wanted: impl Fn(&str, &str) -> bool) {
    let world = World::make(setup).await.crash();
    let (database, now) = (world.app().database(), world.app().now());
    let store = database.open_to_read();
    assert_eq!(named(&store, now).await, [""; 0], "the world is not in order");

    let columns = columns(database);
    let mut tables: Vec<_> = columns.iter().map(|column| column.table.as_str()).collect();
    tables.dedup();
    tables.retain(|table| {
        let rows = rows_of(table);
        rows.is_empty() && is_wanted(table, "")
            || rows.iter().any(|(_, row, _)| is_wanted(table, row))
    });
    save(database, &tables);
    let mut wrong = Vec::new();
    for table in tables {
        let of_table: Vec<_> = columns.iter().filter(|column| column.table == table).collect();
        let rows = rows_of(table);
        if rows.is_empty() != BESIDE.iter().any(|(beside, _)| *beside == table) {
            wrong.push(format!("{table}: it is either altered or beside money, with a reason"));
        }
        for (_, row, at) in rows.into_iter().filter(|(_, row, _)| is_wanted(table, row)) {
            let at = at.replace("OWNER", &world.owner_id());
            let count = database.number(&format!("select count(*) from {table} where {at}"));
            if count != 1 {
                wrong.push(format!("{table}: {count} rows are the {row}"));
                continue;
            }
            let nulls = nulls(database, &of_table, &at);
            for column in of_table.iter().copied().zip(nulls) {
                wrong.extend(alter(database, (&store, now), (row, &at), column).await);
            }
            database.execute_unchecked(&restoring(table));
        }
    }
    let facts =
        PLAIN.iter().chain(WITHIN).chain(OPTIONAL).flat_map(|(_, facts, _)| facts.split(' '));
    let is_known = |fact: &&str| columns.iter().any(|column| column.to_string() == *fact);
    wrong.extend(facts.filter(|fact| !is_known(fact)).map(|fact| format!("{fact}: no column")));
    assert_eq!(named(&store, now).await, [""; 0], "the world is not as it was");
    store.close();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Tables and rows altered in tests of their own, since every alteration is an audit. New ones are in the last test.
const MOVEMENTS: &[&str] = &["bank_notifications", "movements"];
const VERIFICATIONS: &[&str] = &["verifications"];
const CONFIRMED: &[&str] = &["confirmed", "check of a link", "of an employee"];
const LINKS: &[&str] =
    &["payment_links", "rate_locks", "receipt_numbers", "receipts", "refused_attempts"];
const PAID_OR_FAILED: &[&str] =
    &["paid", "paid after it was canceled", "paid in dollars", "failed", "failed untold"];
const CHARGES: &[&str] =
    &["activity", "credit_movements", "owners", "payment_sums", "payments", "recent_calls"];
const DELIVERIES: &[&str] =
    &["webhook_attempts", "webhook_days", "webhook_deliveries", "webhook_feeds"];

both_engines! {
    async fn whatever_is_altered_of_movements_is_named_or_a_plain_fact(setup: Setup) {
        alter_all(setup, |table, _| MOVEMENTS.contains(&table)).await;
    }

    async fn whatever_is_altered_of_confirmed_verifications_is_named_or_a_plain_fact(setup: Setup) {
        alter_all(setup, |table, row| VERIFICATIONS.contains(&table) && CONFIRMED.contains(&row)).await;
    }

    async fn whatever_is_altered_of_other_verifications_is_named_or_a_plain_fact(setup: Setup) {
        alter_all(setup, |table, row| VERIFICATIONS.contains(&table) && !CONFIRMED.contains(&row)).await;
    }

    async fn whatever_is_altered_of_paid_and_failed_links_is_named_or_a_plain_fact(setup: Setup) {
        alter_all(setup, |table, row| LINKS.contains(&table) && PAID_OR_FAILED.contains(&row)).await;
    }

    async fn whatever_is_altered_of_other_links_is_named_or_a_plain_fact(setup: Setup) {
        alter_all(setup, |table, row| LINKS.contains(&table) && !PAID_OR_FAILED.contains(&row)).await;
    }

    async fn whatever_is_altered_of_charges_is_named_or_a_plain_fact(setup: Setup) {
        alter_all(setup, |table, _| CHARGES.contains(&table)).await;
    }

    async fn whatever_is_altered_of_deliveries_is_named_or_a_plain_fact(setup: Setup) {
        alter_all(setup, |table, _| DELIVERIES.contains(&table)).await;
    }

    async fn whatever_else_is_altered_is_named_or_a_plain_fact(setup: Setup) {
        let apart = [MOVEMENTS, VERIFICATIONS, LINKS, CHARGES, DELIVERIES].concat();
        alter_all(setup, |table, _| !apart.contains(&table)).await;
    }
}
