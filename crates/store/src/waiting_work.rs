//! How much work of a kind waits, for those who watch. A walk along the end of an index, up to a limit.

use domain::time::Timestamp;

use crate::due::Kind;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    NEXT = Sql::across_owners(
        "select due_at from due where kind = $1 \
         order by due_at asc, owner_id asc, subject_id asc limit $2",
        "those who watch count what waits of all owners, up to a limit",
    );
}

/// How many subjects of a kind are counted at most.
pub const COUNTED_MAX: i64 = 1_000;

/// Work of one kind that waits, or is leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingWork {
    /// The kind.
    pub kind: Kind,
    /// How many subjects: [`COUNTED_MAX`] stands for that many or more.
    pub count: u64,
    /// When the first of them is due, or was.
    pub first_due_at: Option<Timestamp>,
}

/// Counts what waits, of every kind.
///
/// # Errors
/// A fault of the store.
pub fn count(tx: &mut Tx<'_>) -> Result<Vec<WaitingWork>, Fault> {
    Kind::ALL.into_iter().map(|kind| count_one(tx, kind)).collect()
}

fn count_one(tx: &mut Tx<'_>, kind: Kind) -> Result<WaitingWork, Fault> {
    let rows = tx.query(&NEXT, &[kind.number().into(), COUNTED_MAX.into()])?;
    let first_due_at = rows.first().map(|row| row.get("due_at")).transpose()?;
    Ok(WaitingWork { kind, count: rows.len() as u64, first_due_at })
}
