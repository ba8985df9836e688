//! Long lists, written straight into the tables of a SQLite file while no server runs: each row a copy of one that
//! the service has made itself, with another id, another instant and a few other values.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use domain::ids::OwnerId;
use domain::time::{CaracasDate, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params_from_iter};

use crate::chance::Chance;

/// Over how many milliseconds the rows of a list are spread, up to now: thirty days.
const SPAN_MS: usize = 30 * 24 * 3_600 * 1_000;

/// A column whose values differ from row to row: its name, and its value in the row of that number, made at that
/// instant.
type Changed = (&'static str, fn(usize, i64) -> Value);

/// A list's table, and what its rows differ in. A column that the table does not have is left out.
struct List {
    table: &'static str,
    /// How many of an owner's first rows are copied, in turns.
    originals: usize,
    /// How many copies there are at most.
    copies_max: usize,
    changed: &'static [Changed],
}

const LISTS: &[List] = &[
    List {
        table: "bank_notifications",
        originals: 1,
        copies_max: usize::MAX,
        changed: &[
            ("reference", |number, _| Value::Text(format!("9{number:011}"))),
            ("movement_id", |_, _| Value::Null),
            ("created_at", |_, at| Value::Integer(at)),
        ],
    },
    List {
        table: "payment_links",
        // The owner's, the client's, and the owner's on the small client's account.
        originals: 3,
        copies_max: usize::MAX,
        changed: &[
            // One in ten was called off, the others failed, as the first has.
            ("state", |number, _| Value::Integer(if number % 10 == 0 { 3 } else { 2 })),
            ("name", |number, _| Value::Text(format!("Order {number}"))),
            ("search", |number, _| Value::Text(format!("order {number} order"))),
            ("created_at", |_, at| Value::Integer(at)),
            ("updated_at", |_, at| Value::Integer(at)),
        ],
    },
    List {
        table: "webhook_deliveries",
        originals: 1,
        copies_max: usize::MAX,
        changed: &[
            // One in a hundred was given up, the others were delivered.
            ("state", |number, _| Value::Integer(if number % 100 == 0 { 2 } else { 1 })),
            ("created_at", |_, at| Value::Integer(at)),
            ("ended_at", |_, at| Value::Integer(at)),
        ],
    },
    List {
        table: "refused_attempts",
        originals: 1,
        copies_max: usize::MAX,
        changed: &[("refused_at", |_, at| Value::Integer(at))],
    },
    List {
        table: "audit",
        originals: 1,
        copies_max: usize::MAX,
        changed: &[("created_at", |_, at| Value::Integer(at))],
    },
    List {
        table: "payment_sums",
        originals: 1,
        // Ten keys on each of thirty days.
        copies_max: 300,
        changed: &[
            ("day", |_, at| Value::Integer(CaracasDate::of(Timestamp::from_micros(at)).days())),
            ("actor_id", |number, _| Value::Blob(vec![u8::try_from(number % 10).unwrap_or(0); 16])),
        ],
    },
];

/// Gives each of these owners, who has one row in each list, so many more, the newest of now.
pub(super) fn write(data: &Path, owners: &[OwnerId], each: usize, now: Timestamp) -> Result<()> {
    let mut connection = Connection::open(data.join("cotejo.sqlite"))?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "cache_size", -(1 << 20))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 1 << 16, |_| Ok(()))?;
    for list in LISTS {
        let mut chance = Chance::new(each as u64 + 1);
        for owner in owners {
            let transaction = connection.transaction()?;
            let copy = list.copy(&transaction, *owner, each, now, &mut chance);
            copy.with_context(|| list.table)?;
            transaction.commit()?;
        }
    }
    connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error).context("the lists")
}

impl List {
    fn copy(
        &self,
        transaction: &Transaction<'_>,
        owner: OwnerId,
        each: usize,
        now: Timestamp,
        chance: &mut Chance,
    ) -> Result<()> {
        let Self { table, changed, .. } = self;
        let each = each.min(self.copies_max);
        let originals = self.originals(transaction, owner)?;
        let columns = columns(transaction, table)?;
        let changed: Vec<_> = changed
            .iter()
            .filter(|(name, _)| columns.iter().any(|column| column == name))
            .collect();
        // The copied row is the first parameter, the id the second.
        let value = |column: &String| {
            let at = changed.iter().position(|(name, _)| name == column);
            match (column.as_str(), at) {
                ("id", _) => "?2".to_owned(),
                (_, Some(at)) => format!("?{}", at + 3),
                (_, None) => column.clone(),
            }
        };
        let values: Vec<_> = columns.iter().map(value).collect();
        let (columns, values) = (columns.join(", "), values.join(", "));
        let insert = format!(
            "insert into {table} ({columns}) select {values} from {table} where rowid = ?1"
        );
        let mut insert = transaction.prepare(&insert)?;
        for number in 0..each {
            let millis =
                now.as_micros() / 1_000 - i64::try_from(SPAN_MS - SPAN_MS / each * number)?;
            let id = chance.id(u64::try_from(millis)?).to_vec();
            let rest = changed.iter().map(|(_, value)| value(number, millis * 1_000));
            let original = Value::Integer(originals[number % originals.len()]);
            let values = [original, Value::Blob(id)].into_iter().chain(rest);
            insert.execute(params_from_iter(values))?;
        }
        Ok(())
    }

    /// The rows that are copied.
    fn originals(&self, transaction: &Transaction<'_>, owner: OwnerId) -> Result<Vec<i64>> {
        let Self { table, originals, .. } = self;
        let text = format!(
            "select rowid from {table} where owner_id = ?1 order by rowid limit {originals}"
        );
        let mut statement = transaction.prepare(&text)?;
        let rows = statement.query_map([owner.to_bytes()], |row| row.get(0))?;
        let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        ensure!(rows.len() == *originals, "{} instead of {originals}", rows.len());
        Ok(rows)
    }
}

fn columns(transaction: &Transaction<'_>, table: &str) -> Result<Vec<String>> {
    let mut names = transaction.prepare("select name from pragma_table_info(?1)")?;
    let names = names.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_copied_with_other_ids_and_instants() {
        let mut connection = Connection::open_in_memory().unwrap();
        let table = "create table payment_links (owner_id blob, id blob, amount integer, state integer, \
            created_at integer, primary key (owner_id, id)) strict";
        connection.execute(table, []).unwrap();
        let owner = OwnerId::from_bytes([7; 16]);
        let first = "insert into payment_links values (?1, x'00', 150, 2, 0), (?1, x'01', 250, 2, 0), \
            (?1, x'02', 350, 2, 0)";
        connection.execute(first, [owner.to_bytes()]).unwrap();
        let transaction = connection.transaction().unwrap();
        let list = LISTS.iter().find(|list| list.table == "payment_links").unwrap();
        let now = Timestamp::from_micros(1_800_000_000_000_000);
        list.copy(&transaction, owner, 21, now, &mut Chance::new(1)).unwrap();
        let counts = "select count(*), count(distinct id), count(distinct created_at), sum(amount), \
            sum(state = 3) from payment_links";
        let counts: [i64; 5] = transaction
            .query_row(counts, [], |row| {
                Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?])
            })
            .unwrap();
        assert_eq!(counts, [24, 24, 22, 8 * (150 + 250 + 350), 3]);
    }
}
