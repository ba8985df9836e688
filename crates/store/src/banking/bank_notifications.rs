//! What banks have reported of payments by themselves, each payment once.

mod kept;
mod notification;

use domain::ids::{IdentityId, MovementId, NotificationId, OwnerId};
use domain::matching::{Movement, SameBankNotice};
use domain::money::Bolivars;
use domain::payer::{BankCode, Phone};
use domain::push_secret::PushSecretHash;
use domain::reference::{BankReference, TypedReference};
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::movements::{self, ReferenceQuery, reversed_suffix, tail_range};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};
use crate::{accounts, bank_push};

pub use kept::KeptNotice;
pub use notification::BankNotification;
use notification::payer;

/// The columns of notices of payments between two customers of the bank `$2`.
macro_rules! same_bank {
    () => {
        "select id, reference, amount, paid_on, paid_at, payer_bank, payer_phone, payer_document, \
         movement_id, is_contested from bank_notifications where owner_id = $1 and identity_id = $2 "
    };
}

statements! {
    FIND = Sql::new(
        "select id, movement_id, bank_id, paid_at, payer_bank, payer_phone, payer_document, is_contested, \
         receipt_tail, message, raw, created_at from bank_notifications \
         where owner_id = $1 and identity_id = $2 and reference = $3 and paid_on = $4 and amount = $5",
    );

    // Any will do: an order would lead SQLite through all of the owner's.
    FIND_BY_MOVEMENT = Sql::new(
        "select id from bank_notifications where owner_id = $1 and movement_id = $2 limit 1",
    );

    INSERT = Sql::new(
        "insert into bank_notifications (owner_id, id, identity_id, bank_id, movement_id, status, \
         reference, amount, paid_on, payer_bank, payer_phone, message, raw, created_at, paid_at, \
         payer_document, receipt_tail, seal) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    );

    SAME_BANK_BY_RECEIPT = Sql::new(concat!(
        same_bank!(),
        "and receipt_tail between $3 and $4 order by +paid_on desc, id desc limit $5"
    ));

    // Any that many: an order would lead SQLite through all of the owner's.
    SAME_BANK_BY_AMOUNT = Sql::new(concat!(
        same_bank!(),
        "and receipt_tail is not null and paid_on = $3 and amount = $4 \
         and movement_id is null limit $5"
    ));

    REWRITE = Sql::new(
        "update bank_notifications set paid_at = $3, payer_bank = $4, payer_phone = $5, payer_document = $6, \
         receipt_tail = $7, is_contested = $8, seal = $9 where owner_id = $1 and id = $2",
    );

    PAIR = Sql::new(
        "update bank_notifications set movement_id = $3 \
         where owner_id = $1 and id = $2 and movement_id is null",
    );
}

/// Facts that decide about a notice, while nobody else takes anything in for its account.
#[derive(Debug)]
pub struct Locked {
    /// What the bank must show.
    pub secret: Option<PushSecretHash>,
    /// What was kept of this notice before, if it was; none that names another bank of the payer.
    pub kept: Option<KeptNotice>,
    /// The account's movements that it may be about.
    pub candidates: Vec<Movement>,
}

/// Holds the real account, then reads in one wait what decides about a notice.
///
/// # Errors
/// A fault of the store.
pub fn lock(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    notice: &BankNotification,
    sought: &[ReferenceQuery],
) -> Result<Locked, Fault> {
    let identity = notice.identity;
    accounts::hold_identity(tx, owner, identity)?;
    let (secret, secret_params) = bank_push::secret(owner, notice.bank);
    let same = [
        owner.into(),
        identity.into(),
        notice.reference.digits().into(),
        notice.paid_on.days().into(),
        notice.amount.hundredths().into(),
    ];
    let searches: Vec<(&'static Sql, Vec<Value>)> =
        sought.iter().map(|sought| movements::candidates(owner, identity, sought)).collect();
    let mut statements: Vec<(&'static Sql, &[Value])> =
        vec![(secret, &secret_params), (&FIND, &same)];
    statements.extend(searches.iter().map(|(sql, params)| (*sql, params.as_slice())));
    let mut answers = tx.query_all(&statements)?.into_iter();

    let secret = answers.next().and_then(|mut rows| rows.pop());
    let kept = answers.next().unwrap_or_default();
    let candidates = movements::read_each(answers.flatten())?;
    let secret = secret.map(|row| bank_push::read(&row)).transpose()?;
    let kept =
        kept.iter().map(|row| KeptNotice::read(row, notice)).collect::<Result<Vec<_>, _>>()?;
    // A kept notice with another bank of the payer is of another payment. One without a bank may be of this payment,
    // if none with this bank is kept.
    let is_same = |kept: &KeptNotice| !kept.notice.payer.are_of_other_bank(&notice.payer);
    let kept = kept.into_iter().filter(is_same);
    let kept = kept.max_by_key(|kept| kept.notice.payer.bank == notice.payer.bank);
    Ok(Locked { secret, kept, candidates })
}

/// Tells whether a notice of that movement was kept before. The caller holds its account.
///
/// # Errors
/// A fault of the store.
pub fn exists_for(tx: &mut Tx<'_>, owner: OwnerId, movement: MovementId) -> Result<bool, Fault> {
    Ok(tx.query_opt(&FIND_BY_MOVEMENT, &[owner.into(), movement.into()])?.is_some())
}

/// Keeps a notice, which is of `movement` where that is certain.
///
/// # Errors
/// A fault of the store; one that was kept before is one.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    notice: &BankNotification,
    movement: Option<MovementId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let seal = kept::seal(owner, notice, false, now);
    let [payer_bank, phone, document, tail] = payer_values(notice);
    let params = [
        owner.into(),
        notice.id.into(),
        notice.identity.into(),
        notice.bank.into(),
        movement.into(),
        kept::STATUS.into(),
        notice.reference.digits().into(),
        notice.amount.hundredths().into(),
        notice.paid_on.days().into(),
        payer_bank,
        phone,
        notice.message.as_str().into(),
        notice.raw.as_str().into(),
        now.into(),
        notice.paid_at.into(),
        document,
        tail,
        seal.as_slice().into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Writes what a notice that came again changed: [`KeptNotice::completed_by`] it, or [`KeptNotice::contested`].
///
/// # Errors
/// A fault of the store.
pub fn rewrite(tx: &mut Tx<'_>, owner: OwnerId, kept: &KeptNotice) -> Result<(), Fault> {
    let [bank, phone, document, tail] = payer_values(&kept.notice);
    let params = [
        owner.into(),
        kept.notice.id.into(),
        kept.notice.paid_at.into(),
        bank,
        phone,
        document,
        tail,
        kept.is_contested.into(),
        kept.seal(owner).as_slice().into(),
    ];
    tx.defer(&REWRITE, params, Expect::Rows(1))
}

/// The columns of a payer: bank, phone, document; and the receipt's tail, where the payer is of the same bank.
fn payer_values(notice: &BankNotification) -> [Value; 4] {
    [
        notice.payer.bank.as_ref().map(BankCode::as_str).into(),
        notice.payer.phone.as_ref().map(Phone::as_str).into(),
        notice.payer.document.as_ref().map(ToString::to_string).into(),
        notice.is_same_bank.then(|| reversed_suffix(notice.reference.digits())).into(),
    ]
}

/// How many notices of one ending, or open ones of one amount and day, are looked at.
pub const SAME_BANK_MAX: i64 = 1_000;

/// The notices of payments between two customers of the bank whose references end as the typed one, the latest first.
///
/// # Errors
/// A fault of the store.
pub fn same_bank_by_receipt(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    typed: &TypedReference,
) -> Result<Vec<SameBankNotice>, Fault> {
    let mut params = vec![owner.into(), identity.into()];
    params.extend(tail_range(typed.digits()));
    params.push(SAME_BANK_MAX.into());
    tx.query(&SAME_BANK_BY_RECEIPT, &params)?.iter().map(read_same_bank).collect()
}

/// The notices without a movement of payments between two customers of the bank, of these days and amounts; none at
/// all, where one of these has more than can be looked at: it could not be known whether one is missing.
///
/// # Errors
/// A fault of the store.
pub fn same_bank_by_amount(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    days: &[(CaracasDate, Bolivars)],
) -> Result<Vec<SameBankNotice>, Fault> {
    let params: Vec<[Value; 5]> = days
        .iter()
        .map(|(day, amount)| {
            let (day, amount) = (day.days().into(), amount.hundredths().into());
            [owner.into(), identity.into(), day, amount, SAME_BANK_MAX.into()]
        })
        .collect();
    let all: Vec<(&'static Sql, &[Value])> =
        params.iter().map(|params| (&SAME_BANK_BY_AMOUNT, params.as_slice())).collect();
    let found = tx.query_all(&all)?;
    if found.iter().any(|rows| rows.len() as i64 >= SAME_BANK_MAX) {
        return Ok(Vec::new());
    }
    found.iter().flatten().map(read_same_bank).collect()
}

/// Notes for good which movement a notice is of. The caller holds its account.
///
/// # Errors
/// A fault of the store; a notice that is of one already is one.
pub fn pair(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NotificationId,
    movement: MovementId,
) -> Result<(), Fault> {
    tx.defer(&PAIR, [owner.into(), id.into(), movement.into()], Expect::Rows(1))
}

fn read_same_bank(row: &Row) -> Result<SameBankNotice, Fault> {
    let broken = |what: &str| Fault::broken(format!("a notice with a broken {what}"));
    let mut payer = payer(row)?;
    // Where two payers were reported, neither is certain.
    if row.get("is_contested")? {
        payer.document = None;
    }
    Ok(SameBankNotice {
        id: row.get("id")?,
        receipt: BankReference::parse(&row.get::<String>("reference")?)
            .map_err(|_| broken("reference"))?,
        amount: Bolivars::from_hundredths(row.get("amount")?),
        paid_on: CaracasDate::from_days(row.get("paid_on")?).ok_or_else(|| broken("day"))?,
        paid_at: row.get("paid_at")?,
        payer,
        movement: row.get("movement_id")?,
    })
}
