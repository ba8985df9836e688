//! In which order transactions lock rows: the owner's row before any other row of that owner, and owners in the
//! order of their ids. So of all that write an owner's rows one goes on and the others wait, and hold nothing of
//! that owner which it could want.
//!
//! On PostgreSQL the engine locks that row ([`crate::owners::hold`]) before the owner's jobs of a batch run. Taking
//! deliveries and keeping what came of them do without, since a receiver's answer is not to wait for a charge. They
//! lock rows of [`WITHOUT_OWNER`] alone, in that order, and within a table in the order of ids; those who hold the
//! owner skip what is due and locked, so that they never wait for these.

use crate::fault::Fault;
use crate::sql::{Sql, is_at};

/// The tables that hold what a job may lock without its owner's row, in the order of locks.
pub(crate) const WITHOUT_OWNER: [&str; 4] =
    ["due", "webhook_deliveries", "webhook_secrets", "notices"];

/// What a statement locks of the rows that are there. A row that it inserts is nobody else's yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locks {
    Nothing,
    /// Rows of a table of [`WITHOUT_OWNER`], by its place there.
    Listed(usize),
    /// Rows of another table.
    Other,
}

/// What a job has locked that does not hold its owner's row.
#[derive(Debug, Default)]
pub(crate) struct LockOrder {
    has: [bool; WITHOUT_OWNER.len()],
}

impl LockOrder {
    /// Notes what the statement locks.
    ///
    /// # Errors
    /// Rows that are not to be locked without the owner's, or not after what was locked before. A table may be
    /// come back to, for rows that are locked already.
    pub(crate) fn lock(&mut self, sql: &Sql) -> Result<(), Fault> {
        let table = match sql.locks() {
            Locks::Nothing => return Ok(()),
            Locks::Listed(table) => table,
            Locks::Other => return Err(out_of_order("without the owner's row", sql)),
        };
        let (up_to, after) = self.has.split_at_mut(table + 1);
        if !up_to[table] && after.contains(&true) {
            return Err(out_of_order("out of order", sql));
        }
        up_to[table] = true;
        Ok(())
    }
}

fn out_of_order(how: &str, sql: &Sql) -> Fault {
    Fault::broken(format!("a statement that locks rows {how}: {}", sql.text()))
}

/// What a statement of this text locks.
pub(crate) const fn locks(text: &str) -> Locks {
    if is_at(text.as_bytes(), 0, "insert into ") {
        return if find(text, " do update ").is_some() {
            named("insert into ".len(), text)
        } else {
            Locks::Nothing
        };
    }
    if is_at(text.as_bytes(), 0, "update ") {
        return named("update ".len(), text);
    }
    if is_at(text.as_bytes(), 0, "delete from ") {
        return named("delete from ".len(), text);
    }
    let mut strength = 0;
    while strength < STRENGTHS.len() {
        if find(text, STRENGTHS[strength]).is_some()
            && let Some(from) = find(text, " from ")
        {
            return named(from + " from ".len(), text);
        }
        strength += 1;
    }
    Locks::Nothing
}

/// What has a `select` lock rows.
const STRENGTHS: [&str; 4] = [" for update", " for no key update", " for share", " for key share"];

/// The table that is named at that place.
const fn named(at: usize, text: &str) -> Locks {
    let bytes = text.as_bytes();
    let mut table = 0;
    while table < WITHOUT_OWNER.len() {
        let end = at + WITHOUT_OWNER[table].len();
        if is_at(bytes, at, WITHOUT_OWNER[table]) && (end == bytes.len() || bytes[end] == b' ') {
            return Locks::Listed(table);
        }
        table += 1;
    }
    Locks::Other
}

/// Where `words` first stand in the text.
const fn find(text: &str, words: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        if is_at(text.as_bytes(), at, words) {
            return Some(at);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_locked_is_told_by_the_text() {
        for (text, locked) in [
            ("select a from due where owner_id = $1", Locks::Nothing),
            ("select a from due where owner_id = $1 for update skip locked", Locks::Listed(0)),
            ("select a from webhook_secrets where owner_id = $1 for key share", Locks::Listed(2)),
            ("select a from owners where owner_id = $1 for no key update", Locks::Other),
            ("insert into notices (owner_id) values ($1)", Locks::Nothing),
            ("insert into due (a) values ($1) on conflict do nothing", Locks::Nothing),
            (
                "insert into notices (a) values ($1) on conflict (a) do update set a = 1",
                Locks::Listed(3),
            ),
            ("update webhook_deliveries set step = 0 where owner_id = $1", Locks::Listed(1)),
            ("delete from due where owner_id = $1", Locks::Listed(0)),
            ("update due_days set a = 1 where owner_id = $1", Locks::Other),
            ("begin", Locks::Nothing),
        ] {
            assert_eq!(locks(text), locked, "{text}");
        }
    }
}
