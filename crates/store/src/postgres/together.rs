//! Rows that are written together: an `insert` that is put off next to others like it is run once, for
//! all of them.
//!
//! The server takes longer to begin and end a statement than to write a row, so the parameters of those
//! that are alike travel as arrays, from which the one statement takes row after row. Nothing else is
//! run like that: what looks for rows by an array goes by other ways the fewer rows the server believes
//! a table to have, and keeps to them when it has many.

use std::ops::Range;

use super::exchange::{Answer, Tag, Trouble};
use super::values::Kind;
use crate::sql::Sql;
use crate::value::Value;

/// How many are quicker as one; fewer are as quick one by one.
const MANY: usize = 3;

/// A statement and its parameters.
pub(super) type Statement<'p> = (&'static Sql, &'p [Value]);

/// The statements, as ranges of those that are run as one.
pub(super) fn groups(statements: &[Statement<'_>]) -> Vec<Range<usize>> {
    let mut groups = Vec::with_capacity(statements.len());
    let mut start = 0;
    for run in statements.chunk_by(|(one, _), (other, _)| is_alike(one, other)) {
        let end = start + run.len();
        if run.len() < MANY {
            groups.extend((start..end).map(|at| at..at + 1));
        } else {
            groups.push(start..end);
        }
        start = end;
    }
    groups
}

/// Where a statement goes among those that were put off before it: to the end, or next to those that it
/// is written together with, since it needs nothing that is put off behind them.
pub(super) fn place(
    sql: &'static Sql,
    mut put_off: impl DoubleEndedIterator<Item = &'static Sql> + ExactSizeIterator,
) -> usize {
    let end = put_off.len();
    if !sql.is_written_together() {
        return end;
    }
    put_off.rposition(|other| is_alike(sql, other)).map_or(end, |last| last + 1)
}

fn is_alike(one: &'static Sql, other: &'static Sql) -> bool {
    one.is_written_together() && std::ptr::eq(one, other)
}

/// The text that writes many rows of an `insert` at once, given the kinds of its parameters.
///
/// # Errors
/// A statement of another shape.
pub(super) fn text(text: &str, kinds: &[Kind]) -> Result<String, Trouble> {
    let another = || Trouble::Mismatch(format!("no rows to be written together: {text}"));
    let (head, tail) = text.split_once(" values (").ok_or_else(another)?;
    let (values, tail) = tail.split_once(')').ok_or_else(another)?;
    // Rows that it answered would be nobody's, and parameters there are no arrays' to fill.
    if !["", " on conflict do nothing"].contains(&tail) {
        return Err(another());
    }
    let array = |value: &str| {
        let number: usize = value.strip_prefix('$')?.parse().ok()?;
        let kind = kinds.get(number.checked_sub(1)?)?;
        Some(format!("unnest({value}::{}[])", kind.name()))
    };
    let arrays: Option<Vec<String>> = values.split(", ").map(array).collect();
    Ok(format!("{head} select {}{tail}", arrays.ok_or_else(another)?.join(", ")))
}

/// What is known of each of so many that were run as one.
pub(super) fn answers(count: usize) -> impl Iterator<Item = Answer> {
    std::iter::repeat_with(|| Answer { rows: Vec::new(), tag: Tag::Other }).take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    static TOGETHER: Sql =
        Sql::shared("insert into a (b, c) values ($2, $1) on conflict do nothing")
            .written_together();
    static ALONE: Sql = Sql::shared("insert into a (b) values ($1)");

    fn groups_of(statements: &[&'static Sql]) -> Vec<Range<usize>> {
        groups(&statements.iter().map(|sql| (*sql, [].as_slice())).collect::<Vec<_>>())
    }

    #[test]
    fn what_follows_itself_often_enough_is_run_as_one() {
        let (one, other) = (&TOGETHER, &ALONE);
        assert_eq!(groups_of(&[one, one, one, other, one]), [0..3, 3..4, 4..5]);
        assert_eq!(groups_of(&[one, one, other, other, other]), [0..1, 1..2, 2..3, 3..4, 4..5]);
        assert_eq!(groups_of(&[]), []);
    }

    #[test]
    fn it_is_put_next_to_the_last_like_it_and_what_is_not_to_the_end() {
        let put_off = [&ALONE, &TOGETHER, &TOGETHER, &ALONE];
        let place = |sql, count: usize| place(sql, put_off[..count].iter().copied());
        assert_eq!([0, 1, 2, 3, 4].map(|count| place(&TOGETHER, count)), [0, 1, 2, 3, 3]);
        assert_eq!([0, 1, 4].map(|count| place(&ALONE, count)), [0, 1, 4]);
    }

    #[test]
    fn its_rows_come_from_arrays() {
        let many = text(TOGETHER.text(), &[Kind::Int, Kind::Text]).unwrap();
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
            assert!(text(other, &[Kind::Int, Kind::Int]).is_err(), "{other}");
        }
    }
}
