//! The activity of a key: one entry for every attempt at a bank, whatever its end. Of an attempt that is charged
//! the line of the ledger is the entry; the table has all others.

use domain::ids::{BankId, KeyId, LinkId, OwnerId, VerificationId};
use domain::time::{CaracasMonth, Timestamp};

use crate::credits::Ordinals;
use crate::fault::Fault;
use crate::ledger::reached;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    INSERT = Sql::new(
        "insert into activity (owner_id, key_id, month, ordinal, created_at, request_type, \
         provider, bank_id, status, error_code, latency_us, verification_id) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    );

    PAGE = Sql::new(
        "select ordinal, created_at, request_type, provider, bank_id, status, error_code, latency_us \
         from activity where owner_id = $1 and key_id = $2 and month = $3 \
         and ordinal > $4 and ordinal <= $5",
    );

    // The numbers of attempts rise with those of lines. What is crossed SQLite takes in this order.
    CHARGED = Sql::new(concat!(
        reached!(
            "l.request, l.created_at, l.verification_id",
            from "s.ordinal >= $4 and s.request >= $6",
            while "reached.request - 1 > $5"
        ),
        "select reached.request, reached.created_at, v.link_id, b.provider, v.bank_id, v.asked_at \
         from reached cross join verifications v \
         join user_banks b on b.owner_id = $1 and b.id = v.bank_id \
         where reached.request > $5 and reached.request <= $6 \
         and v.owner_id = $1 and v.id = reached.verification_id",
    ));
}

/// What one attempt was and how it ended.
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

/// Writes the entry with the ordinal that the key's month has just given out.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: KeyId,
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

/// An attempt that was charged, as its line and its verification tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// When it ended.
    pub created_at: Timestamp,
    /// The link that it was a check of.
    pub link: Option<LinkId>,
    /// Which connector serves the account.
    pub provider: String,
    /// The account.
    pub bank: BankId,
    /// From receipt to end, in microseconds.
    pub latency_us: i64,
}

/// Those attempts of a key's month in the range that were not charged, each with its ordinal, in no order.
///
/// # Errors
/// A fault of the store.
pub fn entries(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: KeyId,
    month: CaracasMonth,
    numbers: Ordinals,
) -> Result<Vec<(i64, Entry)>, Fault> {
    let Ordinals { above, up_to } = numbers;
    let params = [owner.into(), actor.into(), month.as_i64().into(), above.into(), up_to.into()];
    tx.query(&PAGE, &params)?
        .iter()
        .map(|row| {
            let entry = Entry {
                created_at: row.get(1)?,
                request_type: row.get(2)?,
                provider: row.get(3)?,
                bank: row.get(4)?,
                status: row.get(5)?,
                error_code: row.get(6)?,
                latency_us: row.get(7)?,
            };
            Ok((row.get(0)?, entry))
        })
        .collect()
}

/// Those attempts of a key's month in the range that were charged, each with its ordinal, in no order. No line of the
/// last attempt of the range or of a later one has a number below `lines_from`.
///
/// # Errors
/// A fault of the store.
pub fn charged(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: KeyId,
    month: CaracasMonth,
    numbers: Ordinals,
    lines_from: i64,
) -> Result<Vec<(i64, Charged)>, Fault> {
    let params = [
        owner.into(),
        actor.into(),
        month.as_i64().into(),
        lines_from.into(),
        numbers.above.into(),
        numbers.up_to.into(),
    ];
    tx.query(&CHARGED, &params)?
        .iter()
        .map(|row| {
            let created_at: Timestamp = row.get(1)?;
            let latency = created_at.since(row.get(5)?).as_micros();
            let charged = Charged {
                created_at,
                link: row.get(2)?,
                provider: row.get(3)?,
                bank: row.get(4)?,
                latency_us: i64::try_from(latency).unwrap_or(i64::MAX),
            };
            Ok((row.get(0)?, charged))
        })
        .collect()
}
