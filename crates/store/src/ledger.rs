//! The ledger: one line for every change of an owner's balance, never changed and never removed.
//!
//! The lines of a key's month are linked: the month's row has the newest, and each line the one before it. A line of a
//! key is always that of a verification, by which it is found. Every 25th has an entry in an index
//! (`credit_movements_steps`), where a walk begins. That is as many as a page of an activity has (`app::activity::PAGE`), so
//! that a page reads less than two such steps; an entry for each line would lie in as many places as there are keys.

use domain::ids::{ClientId, KeyId, OwnerId, VerificationId};
use domain::time::{CaracasMonth, Timestamp};

use crate::credits::Ordinals;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

/// Names `reached`: the lines `l` of the key `$2` in the month `$3`, each with these columns, from the first step `s` of
/// which what is said of it holds, or else from the newest, down to where what is said of `reached` holds no more. A link
/// that does not lead back ends the walk, so that whatever is written in a line no walk goes round.
macro_rules! reached {
    ($columns:literal, from $step:literal, while $holds:literal) => {
        concat!(
            "with recursive reached as (select l.key_id, l.month, l.ordinal, l.previous, ",
            $columns,
            " from credit_movements l where l.owner_id = $1 and l.key_id = $2 and l.month = $3 \
             and l.verification_id = coalesce((select s.verification_id from credit_movements s \
             where s.owner_id = $1 and s.key_id = $2 and s.month = $3 and s.ordinal % 25 = 0 and ",
            $step,
            " order by s.ordinal asc limit 1), (select k.newest_line from key_months k \
             where k.owner_id = $1 and k.key_id = $2 and k.month = $3)) \
             union all select l.key_id, l.month, l.ordinal, l.previous, ",
            $columns,
            " from reached join credit_movements l \
             on l.owner_id = $1 and l.verification_id = reached.previous \
             and l.key_id = reached.key_id and l.month = reached.month \
             and l.ordinal < reached.ordinal where ",
            $holds,
            ") "
        )
    };
}

pub(crate) use reached;

statements! {
    INSERT = Sql::new(
        "insert into credit_movements (owner_id, line, amount, balance_after, movement_type, \
         origin, description, verification_id, client_id, key_id, month, ordinal, request, \
         previous, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    );

    PAGE = Sql::new(concat!(
        reached!(
            "l.amount, l.balance_after, l.movement_type, l.origin, l.description, l.created_at",
            from "s.ordinal >= $5",
            while "reached.ordinal - 1 > $4"
        ),
        "select amount, balance_after, movement_type, origin, description, created_at \
         from reached where ordinal > $4 and ordinal <= $5 order by ordinal desc",
    ));
}

/// A line that is about to be written.
pub(crate) struct Line {
    pub(crate) line: i64,
    pub(crate) amount: i64,
    pub(crate) balance_after: i64,
    pub(crate) movement_type: &'static str,
    pub(crate) origin: &'static str,
    pub(crate) description: &'static str,
    pub(crate) verification: Option<VerificationId>,
    pub(crate) client: Option<ClientId>,
    pub(crate) key: Option<OfKey>,
    pub(crate) month: CaracasMonth,
}

/// The key that a line charges, and what the line is among those of its month.
pub(crate) struct OfKey {
    pub(crate) key: KeyId,
    /// Which of its lines.
    pub(crate) ordinal: i64,
    /// Which of its attempts.
    pub(crate) request: i64,
    /// The verification of the line before it.
    pub(crate) previous: Option<VerificationId>,
}

/// Writes a line. Its balance follows from the line before, under the lock of the owner's row.
///
/// # Errors
/// A fault of the store.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    line: &Line,
    now: Timestamp,
) -> Result<(), Fault> {
    let of_key = line.key.as_ref();
    let params = [
        owner.into(),
        line.line.into(),
        line.amount.into(),
        line.balance_after.into(),
        line.movement_type.into(),
        line.origin.into(),
        line.description.into(),
        line.verification.into(),
        line.client.into(),
        of_key.map(|of_key| of_key.key).into(),
        line.month.as_i64().into(),
        of_key.map(|of_key| of_key.ordinal).into(),
        of_key.map(|of_key| of_key.request).into(),
        of_key.and_then(|of_key| of_key.previous).into(),
        now.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// A line of the ledger as the activity of a key shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Negative when spent.
    pub amount: i64,
    /// The owner's balance after it.
    pub balance_after: i64,
    /// debit, refund, purchase or adjustment.
    pub movement_type: String,
    /// verification or admin.
    pub origin: String,
    /// For people.
    pub description: String,
    /// When.
    pub created_at: Timestamp,
}

/// The ledger lines of a key's month with ordinals above `from` up to `to`, newest first.
///
/// # Errors
/// A fault of the store.
pub fn entries(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: KeyId,
    month: CaracasMonth,
    numbers: Ordinals,
) -> Result<Vec<Entry>, Fault> {
    let Ordinals { above, up_to } = numbers;
    let params = [owner.into(), actor.into(), month.as_i64().into(), above.into(), up_to.into()];
    tx.query(&PAGE, &params)?
        .iter()
        .map(|row| {
            Ok(Entry {
                amount: row.get(0)?,
                balance_after: row.get(1)?,
                movement_type: row.get(2)?,
                origin: row.get(3)?,
                description: row.get(4)?,
                created_at: row.get(5)?,
            })
        })
        .collect()
}
