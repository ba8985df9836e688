//! Multi-row inserts: an `insert` marked as one ([`Sql::multi_row_insert`]) that is deferred several times in a
//! row is run for many rows at once.
//!
//! The server takes longer to begin and end a statement than to write a row. The rows are a list of `values`, which a
//! distributed server sends to where their owner is; rows that it had to compute, as `unnest` of arrays does, would pass
//! through a temporary result. `update` and `delete` are never run like this: while the server believes a table to be
//! small it reads all of it instead of using the index, and keeps that plan.

use std::ops::Range;

use pg::{Answer, Error, Tag};

use crate::sql::Sql;
use crate::value::Value;

/// Numbers of rows that are run as one, the largest first. Each is a statement of its own, which a session prepares once.
const ROWS: [usize; 5] = [ROWS_MAX, 16, 8, 4, 2];

/// The largest of them.
pub(super) const ROWS_MAX: usize = 32;

/// A statement and its parameters.
pub(super) type Statement<'p> = (&'static Sql, &'p [Value]);

/// The statements, as ranges of those that are run as one.
pub(super) fn groups(statements: &[Statement<'_>]) -> Vec<Range<usize>> {
    let mut groups = Vec::with_capacity(statements.len());
    let mut start = 0;
    for run in statements.chunk_by(|(one, _), (other, _)| is_same_insert(one, other)) {
        let end = start + run.len();
        while start < end {
            let rows = ROWS.into_iter().find(|rows| *rows <= end - start).unwrap_or(1);
            groups.push(start..start + rows);
            start += rows;
        }
    }
    groups
}

fn is_same_insert(one: &'static Sql, other: &'static Sql) -> bool {
    one.is_multi_row_insert() && std::ptr::eq(one, other)
}

/// The text that inserts so many rows at once.
///
/// # Errors
/// A statement of another shape.
pub(super) fn text(text: &str, rows: usize) -> Result<String, Error> {
    let unsuitable = || Error::Mismatch(format!("not an insert of many rows: {text}"));
    let (head, tail) = text.split_once(" values (").ok_or_else(unsuitable)?;
    let (values, tail) = tail.split_once(')').ok_or_else(unsuitable)?;
    // `returning` would answer rows that belong to no statement in particular.
    if !["", " on conflict do nothing"].contains(&tail) {
        return Err(unsuitable());
    }
    let number = |value: &str| value.strip_prefix('$')?.parse::<usize>().ok();
    let numbers: Option<Vec<usize>> = values.split(", ").map(number).collect();
    let numbers = numbers.ok_or_else(unsuitable)?;
    let params = numbers.iter().copied().max().ok_or_else(unsuitable)?;
    let row = |row: usize| {
        let values = numbers.iter().map(|number| format!("${}", row * params + number));
        format!("({})", values.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    Ok(format!("{head} values {}{tail}", rows.join(", ")))
}

/// Returns what is known of each of `count` statements that were run as one.
pub(super) fn answers(count: usize) -> impl Iterator<Item = Answer> {
    std::iter::repeat_with(|| Answer { rows: Vec::new(), tag: Tag::Other }).take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    static MARKED: Sql = Sql::shared("insert into a (b, c) values ($2, $1) on conflict do nothing")
        .multi_row_insert();
    static PLAIN: Sql = Sql::shared("insert into a (b) values ($1)");

    fn groups_of(statements: &[&'static Sql]) -> Vec<Range<usize>> {
        groups(&statements.iter().map(|sql| (*sql, [].as_slice())).collect::<Vec<_>>())
    }

    #[test]
    fn marked_inserts_in_a_row_are_run_as_few() {
        let (marked, plain) = (&MARKED, &PLAIN);
        assert_eq!(groups_of(&[marked, marked, marked, plain, marked]), [0..2, 2..3, 3..4, 4..5]);
        assert_eq!(groups_of(&[plain, plain, marked, marked]), [0..1, 1..2, 2..4]);
        assert_eq!(groups_of(&[marked; 77]), [0..32, 32..64, 64..72, 72..76, 76..77]);
        assert_eq!(groups_of(&[]), []);
    }

    #[test]
    fn the_rows_are_a_list_of_values() {
        assert_eq!(
            text(MARKED.text(), 3).unwrap(),
            "insert into a (b, c) values ($2, $1), ($4, $3), ($6, $5) on conflict do nothing"
        );
        for other in [
            "update a set b = $1 where c = $2",
            "insert into a (b) values (1)",
            "insert into a (b) values ($1) returning b",
            "insert into a (b) values ($1) on conflict (b) do update set b = $2",
        ] {
            assert!(text(other, 2).is_err(), "{other}");
        }
    }
}
