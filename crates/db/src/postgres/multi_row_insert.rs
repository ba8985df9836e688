//! Multi-row inserts: an `insert` marked as one ([`Sql::multi_row_insert`]) that is deferred several times in a
//! row is run once, for all its rows.
//!
//! The server takes longer to begin and end a statement than to write a row, so the parameters travel as arrays,
//! and the one statement takes row after row from them. `update` and `delete` are never run like this: while the
//! server believes a table to be small it reads all of it instead of using the index, and keeps that plan.

use std::ops::Range;

use pg::{Answer, Error, ParamType, Tag};

use crate::sql::Sql;
use crate::value::Value;

/// From how many rows on one statement is quicker.
const ROWS_AT_LEAST: usize = 3;

/// A statement and its parameters.
pub(super) type Statement<'p> = (&'static Sql, &'p [Value]);

/// The statements, as ranges of those that are run as one.
pub(super) fn groups(statements: &[Statement<'_>]) -> Vec<Range<usize>> {
    let mut groups = Vec::with_capacity(statements.len());
    let mut start = 0;
    for run in statements.chunk_by(|(one, _), (other, _)| is_same_insert(one, other)) {
        let end = start + run.len();
        if run.len() < ROWS_AT_LEAST {
            groups.extend((start..end).map(|at| at..at + 1));
        } else {
            groups.push(start..end);
        }
        start = end;
    }
    groups
}

fn is_same_insert(one: &'static Sql, other: &'static Sql) -> bool {
    one.is_multi_row_insert() && std::ptr::eq(one, other)
}

/// The text that inserts many rows at once, given the types of the parameters.
///
/// # Errors
/// A statement of another shape.
pub(super) fn text(text: &str, types: &[ParamType]) -> Result<String, Error> {
    let unsuitable = || Error::Mismatch(format!("not an insert of many rows: {text}"));
    let (head, tail) = text.split_once(" values (").ok_or_else(unsuitable)?;
    let (values, tail) = tail.split_once(')').ok_or_else(unsuitable)?;
    // `returning` would answer rows that belong to no statement in particular.
    if !["", " on conflict do nothing"].contains(&tail) {
        return Err(unsuitable());
    }
    let array = |value: &str| {
        let number: usize = value.strip_prefix('$')?.parse().ok()?;
        match types.get(number.checked_sub(1)?)? {
            ParamType::One(of) => Some(format!("unnest({value}::{}[])", of.name())),
            ParamType::Array(_) => None,
        }
    };
    let arrays: Option<Vec<String>> = values.split(", ").map(array).collect();
    Ok(format!("{head} select {}{tail}", arrays.ok_or_else(unsuitable)?.join(", ")))
}

/// Returns what is known of each of `count` statements that were run as one.
pub(super) fn answers(count: usize) -> impl Iterator<Item = Answer> {
    std::iter::repeat_with(|| Answer { rows: Vec::new(), tag: Tag::Other }).take(count)
}

#[cfg(test)]
mod tests {
    use pg::Type;

    use super::*;

    const INT: ParamType = ParamType::One(Type::Int);
    const TEXT: ParamType = ParamType::One(Type::Text);

    static MARKED: Sql = Sql::shared("insert into a (b, c) values ($2, $1) on conflict do nothing")
        .multi_row_insert();
    static PLAIN: Sql = Sql::shared("insert into a (b) values ($1)");

    fn groups_of(statements: &[&'static Sql]) -> Vec<Range<usize>> {
        groups(&statements.iter().map(|sql| (*sql, [].as_slice())).collect::<Vec<_>>())
    }

    #[test]
    fn three_marked_inserts_in_a_row_are_run_as_one() {
        let (marked, plain) = (&MARKED, &PLAIN);
        assert_eq!(groups_of(&[marked, marked, marked, plain, marked]), [0..3, 3..4, 4..5]);
        assert_eq!(
            groups_of(&[marked, marked, plain, plain, plain]),
            [0..1, 1..2, 2..3, 3..4, 4..5]
        );
        assert_eq!(groups_of(&[]), []);
    }

    #[test]
    fn the_rows_come_from_arrays() {
        let many = text(MARKED.text(), &[INT, TEXT]).unwrap();
        assert_eq!(
            many,
            "insert into a (b, c) select unnest($2::text[]), unnest($1::bigint[]) \
             on conflict do nothing"
        );
        for other in [
            "update a set b = $1 where c = $2",
            "insert into a (b) values (1)",
            "insert into a (b) values ($1) returning b",
            "insert into a (b) values ($1) on conflict (b) do update set b = $2",
        ] {
            assert!(text(other, &[INT, INT]).is_err(), "{other}");
        }
    }
}
