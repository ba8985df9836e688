//! The activity of a key: one entry for every attempt at a bank, whatever its end and whether it was charged.

use domain::ids::{ActorId, BankId, OwnerId, VerificationId};
use domain::time::{CaracasMonth, Timestamp};

use crate::fault::Fault;
use crate::ledger::Ordinals;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    INSERT = Sql::new(
        "insert into activity (owner_id, actor_id, month, ordinal, created_at, request_type, \
         provider, bank_id, status, error_code, latency_us, verification_id) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    );

    PAGE = Sql::new(
        "select created_at, request_type, provider, bank_id, status, error_code, latency_us \
         from activity where owner_id = $1 and actor_id = $2 and month = $3 \
         and ordinal > $4 and ordinal <= $5 order by ordinal desc",
    );
}

/// Record of one attempt: its kind and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it ended.
    pub created_at: Timestamp,
    /// What kind of operation it was.
    pub request_type: String,
    /// Which connector served the account.
    pub provider: String,
    /// The account.
    pub bank: BankId,
    /// The verification's state as a word, or `repeat`, or `refused`.
    pub status: String,
    /// The code of its refusal.
    pub error_code: Option<String>,
    /// From receipt to end, in microseconds.
    pub latency_us: i64,
}

/// Writes the entry with the ordinal that the actor's month has just given out.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: ActorId,
    month: CaracasMonth,
    ordinal: i64,
    entry: &Entry,
    verification: Option<VerificationId>,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        actor.into(),
        month.as_i64().into(),
        ordinal.into(),
        entry.created_at.into(),
        entry.request_type.as_str().into(),
        entry.provider.as_str().into(),
        entry.bank.into(),
        entry.status.as_str().into(),
        entry.error_code.clone().into(),
        entry.latency_us.into(),
        verification.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// The attempts of an actor's month with ordinals in the range, newest first.
///
/// # Errors
/// A fault of the store.
pub fn entries(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: ActorId,
    month: CaracasMonth,
    numbers: Ordinals,
) -> Result<Vec<Entry>, Fault> {
    let Ordinals { above, up_to } = numbers;
    let params = [owner.into(), actor.into(), month.as_i64().into(), above.into(), up_to.into()];
    tx.query(&PAGE, &params)?
        .iter()
        .map(|row| {
            Ok(Entry {
                created_at: row.get("created_at")?,
                request_type: row.get("request_type")?,
                provider: row.get("provider")?,
                bank: row.get("bank_id")?,
                status: row.get("status")?,
                error_code: row.get("error_code")?,
                latency_us: row.get("latency_us")?,
            })
        })
        .collect()
}
