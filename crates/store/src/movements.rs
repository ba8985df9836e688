//! Movements: what banks have shown, each once, whether claimed or not.

use domain::ids::{IdentityId, MovementId, OwnerId, PaymentId};
use domain::matching::{Movement, PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::BankReference;
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    WITH_TAIL = Sql::new(
        "select m.id, m.reference, m.bank_key, m.amount, m.paid_on, m.paid_at, m.payer_bank, \
         m.payer_phone, m.payer_document, m.payer_account, p.id \
         from movements m left join payments p on p.owner_id = $1 and p.movement_id = m.id \
         where m.owner_id = $1 and m.identity_id = $2 and m.tail = $3 limit $4",
    );

    // References that are too short for the index: the few of some days that end so.
    WITH_SHORT_ENDING = Sql::new(
        "select m.id, m.reference, m.bank_key, m.amount, m.paid_on, m.paid_at, m.payer_bank, \
         m.payer_phone, m.payer_document, m.payer_account, p.id \
         from movements m left join payments p on p.owner_id = $1 and p.movement_id = m.id \
         where m.owner_id = $1 and m.identity_id = $2 and m.tail like $3 limit $4",
    );

    INSERT = Sql::new(
        "insert into movements (owner_id, id, identity_id, reference, tail, bank_key, amount, \
         paid_on, paid_at, payer_bank, payer_phone, payer_document, payer_account, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    );

    LEARN = Sql::new(
        "update movements set reference = $2, tail = $3, bank_key = $4, paid_at = $5, \
         payer_bank = $6, payer_phone = $7, payer_document = $8, payer_account = $9 \
         where owner_id = $1 and id = $10",
    );
}

/// How many movements with the same last digits are looked at. A reference that more of them fit
/// is ambiguous whatever the others are.
pub const CANDIDATES_MAX: i64 = 200;

/// The statement that finds the movements ending in `tail`, and its parameters. Tails shorter than
/// six digits find the movements whose own tail ends so.
pub(crate) fn candidates(
    owner: OwnerId,
    identity: IdentityId,
    tail: &str,
) -> (&'static Sql, [Value; 4]) {
    let common = |tail: String| [owner.into(), identity.into(), tail.into(), CANDIDATES_MAX.into()];
    if tail.len() < domain::reference::TAIL_DIGITS {
        (&WITH_SHORT_ENDING, common(format!("%{tail}")))
    } else {
        (&WITH_TAIL, common(tail.to_owned()))
    }
}

/// The movements of the account that end in `tail`, claimed or not.
///
/// # Errors
/// A fault of the store.
pub fn find_candidates(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    tail: &str,
) -> Result<Vec<Movement>, Fault> {
    let (sql, params) = candidates(owner, identity, tail);
    tx.query(sql, &params)?.iter().map(read).collect()
}

/// Writes a movement that was seen for the first time.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    id: MovementId,
    seen: &Sighting,
    now: Timestamp,
) -> Result<(), Fault> {
    let [bank, phone, document, account] = payer_values(&seen.payer);
    let params = [
        owner.into(),
        id.into(),
        identity.into(),
        seen.reference.digits().into(),
        seen.reference.tail().into(),
        seen.bank_key.clone().into(),
        seen.amount.hundredths().into(),
        seen.paid_on.days().into(),
        seen.paid_at.into(),
        bank,
        phone,
        document,
        account,
        now.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Keeps what a later sighting told of a movement.
///
/// # Errors
/// A fault of the store.
pub fn learn(tx: &mut Tx<'_>, owner: OwnerId, learned: &Movement) -> Result<(), Fault> {
    let [bank, phone, document, account] = payer_values(&learned.payer);
    let params = [
        owner.into(),
        learned.reference.digits().into(),
        learned.reference.tail().into(),
        learned.bank_key.clone().into(),
        learned.paid_at.into(),
        bank,
        phone,
        document,
        account,
        learned.id.into(),
    ];
    tx.defer(&LEARN, params, Expect::Rows(1))
}

/// The columns of a payer: bank, phone, document, account.
fn payer_values(payer: &PayerFacts) -> [Value; 4] {
    [
        payer.bank.as_ref().map(BankCode::as_str).into(),
        payer.phone.as_ref().map(Phone::as_str).into(),
        payer.document.as_ref().map(ToString::to_string).into(),
        payer.account.as_ref().map(AccountNumber::as_str).into(),
    ]
}

pub(crate) fn read(row: &Row) -> Result<Movement, Fault> {
    let broken = |what: &str| Fault::broken(format!("a movement with a broken {what}"));
    let reference: String = row.get(1)?;
    let bank: Option<String> = row.get(6)?;
    let phone: Option<String> = row.get(7)?;
    let document: Option<String> = row.get(8)?;
    let account: Option<String> = row.get(9)?;
    Ok(Movement {
        id: row.get(0)?,
        reference: BankReference::parse(&reference).map_err(|_| broken("reference"))?,
        bank_key: row.get(2)?,
        amount: Bolivars::from_hundredths(row.get(3)?),
        paid_on: CaracasDate::from_days(row.get(4)?).ok_or_else(|| broken("date"))?,
        paid_at: row.get(5)?,
        payer: PayerFacts {
            bank: bank
                .map(|text| BankCode::parse(&text))
                .transpose()
                .map_err(|_| broken("bank"))?,
            phone: phone
                .map(|text| Phone::parse(&text))
                .transpose()
                .map_err(|_| broken("phone"))?,
            document: document
                .map(|text| Document::parse(&text))
                .transpose()
                .map_err(|_| broken("document"))?,
            account: account
                .map(|text| AccountNumber::parse(&text))
                .transpose()
                .map_err(|_| broken("account"))?,
        },
        claimed: row.get::<Option<PaymentId>>(10)?,
    })
}
