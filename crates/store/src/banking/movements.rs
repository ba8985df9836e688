//! Movements: what banks have shown, each once, whether claimed or not.

mod reference_query;
mod row;

use domain::ids::{IdentityId, MovementId, OwnerId};
use domain::matching::{Movement, PayerFacts};
use domain::payer::{AccountNumber, BankCode, Phone};
use domain::reference::{BankReference, TypedReference};
use domain::seals::{Seal, SealedMovement};
use domain::time::Timestamp;

pub use self::reference_query::ReferenceQuery;
pub(crate) use self::reference_query::{reversed_suffix, tail_range};
pub(crate) use self::row::{read, read_each};
use crate::accounts;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Value;

/// The movements of the real account `$2`, each with the payment that claims it; `m` is the movement.
macro_rules! selected {
    () => {
        $crate::movements::selected!("movements m")
    };
    ($from:expr) => {
        concat!(
            "select m.id, m.reference, m.bank_key, m.amount, m.paid_on, m.paid_at, m.payer_bank, \
             m.payer_phone, m.payer_document, m.payer_account, p.id as payment_id, \
             m.reference_zeros, m.description, m.receipt, m.typed, m.payer_form, m.is_named, \
             m.contested_with from ",
            $from,
            " left join payments p on p.owner_id = $1 and p.movement_id = m.id \
             where m.owner_id = $1 and m.identity_id = $2 "
        )
    };
}

pub(crate) use selected;

statements! {
    WHOLE = Sql::new(concat!(
        selected!(),
        "and m.tail = $3 and m.reference = $4 limit $5"
    ));

    // Only what may be meant counts against the limit: where an account's references all end alike,
    // those that merely share a tail would crowd it out. The plus in what they are ordered by keeps both databases from
    // walking through the account's days in their order.
    ONE_WITH = Sql::new(concat!(
        selected!(),
        "and m.tail = $3 and (m.reference like $4 or $5 like '%' || m.reference) \
         order by +m.paid_on desc, m.id desc limit $6"
    ));

    // A range of the index, which many may be in. The latest count: questions are about those. Who claimed them is
    // asked of these alone, by their ids: SQLite keeps the order of a cross join.
    WITH_SHORT_ENDING = Sql::new(concat!(
        selected!(
            "(select id from movements where owner_id = $1 and identity_id = $2 \
             and tail between $3 and $4 order by +paid_on desc, id desc limit $5) latest \
             cross join movements m"
        ),
        "and m.id = latest.id order by m.paid_on desc, m.id desc"
    ));

    pub(crate) BY_ID = Sql::new(concat!(selected!(), "and m.id = $3"));

    // Who claimed them is asked of the latest alone. A join by their ids would lead PostgreSQL, as long as it has no
    // statistics, through all of the account's.
    WITH_RECEIPT = Sql::new(concat!(
        selected!(
            "(select * from movements where owner_id = $1 and identity_id = $2 \
             and receipt_tail between $3 and $4 order by +paid_on desc, id desc limit $5) m"
        ),
        "order by m.paid_on desc, m.id desc"
    ));

    WITH_TYPED = Sql::new(concat!(
        selected!(
            "(select * from movements where owner_id = $1 and identity_id = $2 \
             and typed_tail between $3 and $4 order by +paid_on desc, id desc limit $5) m"
        ),
        "order by m.paid_on desc, m.id desc"
    ));

    WITH_BANK_KEY = Sql::new(concat!(selected!(), "and m.bank_key = $3 limit $4"));

    INSERT = Sql::new(
        "insert into movements (owner_id, id, identity_id, reference, tail, bank_key, amount, \
         paid_on, paid_at, payer_bank, payer_phone, payer_document, payer_account, created_at, \
         reference_zeros, description, is_named, seal, payer_form, contested_with) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
    )
    .multi_row_insert();

    LEARN = Sql::new(
        "update movements set reference = $2, tail = $3, bank_key = $4, paid_at = $5, \
         payer_bank = $6, payer_phone = $7, payer_document = $8, payer_account = $9, \
         reference_zeros = $11, description = $12, is_named = $13, seal = $14, payer_form = $15 \
         where owner_id = $1 and id = $10",
    );

    NAME = Sql::new(
        "update movements set is_named = true, seal = $3 where owner_id = $1 and id = $2",
    );

    NAME_BY_RECEIPT = Sql::new(
        "update movements set receipt = $3, receipt_tail = $4, payer_phone = $5, \
         is_named = true, seal = $6 where owner_id = $1 and id = $2 and receipt is null",
    );

    NAME_AS_TYPED = Sql::new(
        "update movements set typed = $3, typed_tail = $4, is_named = true, seal = $5 \
         where owner_id = $1 and id = $2 and typed is null",
    );
}

/// How many movements that one reference fits are looked at, the latest. A reference that more of
/// them fit is ambiguous whatever the others are.
pub const CANDIDATES_MAX: i64 = 200;

/// The statement that finds the movements sought, and its parameters.
pub(crate) fn candidates(
    owner: OwnerId,
    identity: IdentityId,
    sought: &ReferenceQuery,
) -> (&'static Sql, Vec<Value>) {
    let (sql, by) = match sought {
        ReferenceQuery::Whole(digits) => {
            (&WHOLE, vec![reversed_suffix(digits).into(), digits.as_str().into()])
        }
        ReferenceQuery::OneWith(digits) => {
            let longer = format!("%{digits}");
            (&ONE_WITH, vec![reversed_suffix(digits).into(), longer.into(), digits.as_str().into()])
        }
        ReferenceQuery::ShortEnding(digits) => (&WITH_SHORT_ENDING, tail_range(digits)),
        ReferenceQuery::Receipt(digits) => (&WITH_RECEIPT, tail_range(digits)),
        ReferenceQuery::Typed(digits) => (&WITH_TYPED, tail_range(digits)),
        ReferenceQuery::BankKey(key) => (&WITH_BANK_KEY, vec![key.as_str().into()]),
    };
    let mut params = vec![owner.into(), identity.into()];
    params.extend(by);
    params.push(CANDIDATES_MAX.into());
    (sql, params)
}

/// The movements sought, claimed or not.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    sought: &ReferenceQuery,
) -> Result<Vec<Movement>, Fault> {
    let (sql, params) = candidates(owner, identity, sought);
    tx.query(sql, &params)?.iter().map(read).collect()
}

/// The movements that are known by a receipt, or by what was typed, which ends as one of these receipts does.
///
/// # Errors
/// A fault of the store.
pub fn known_by<'a>(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    receipts: impl Iterator<Item = &'a BankReference>,
) -> Result<Vec<Movement>, Fault> {
    known_by_ending(tx, owner, identity, receipts.map(BankReference::digits))
}

/// The same of what was typed now.
///
/// # Errors
/// A fault of the store.
pub fn known_as(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    typed: &TypedReference,
) -> Result<Vec<Movement>, Fault> {
    known_by_ending(tx, owner, identity, std::iter::once(typed.digits()))
}

fn known_by_ending<'a>(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    digits: impl Iterator<Item = &'a str>,
) -> Result<Vec<Movement>, Fault> {
    let sought = digits.flat_map(|one| {
        [ReferenceQuery::Receipt(one.to_owned()), ReferenceQuery::Typed(one.to_owned())]
    });
    let searches: Vec<_> = sought.map(|sought| candidates(owner, identity, &sought)).collect();
    if searches.is_empty() {
        return Ok(Vec::new());
    }
    let statements: Vec<_> =
        searches.iter().map(|(sql, params)| (*sql, params.as_slice())).collect();
    read_each(tx.query_all(&statements)?.into_iter().flatten())
}

/// One movement of an account.
///
/// # Errors
/// A fault of the store.
pub fn find_one(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    id: MovementId,
) -> Result<Option<Movement>, Fault> {
    let one = [owner.into(), identity.into(), id.into()];
    tx.query_opt(&BY_ID, &one)?.map(|row| read(&row)).transpose()
}

/// One movement of an account, which is held until the transaction ends: nobody else claims any of
/// its movements meanwhile.
///
/// # Errors
/// A fault of the store.
pub fn find_held(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    id: MovementId,
) -> Result<Option<Movement>, Fault> {
    accounts::hold_identity(tx, owner, identity)?;
    find_one(tx, owner, identity, id)
}

/// The movements that any of these may be, each once, of an account that is held until the transaction ends.
///
/// # Errors
/// A fault of the store.
pub fn find_all_held<'a>(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    sought: impl Iterator<Item = &'a ReferenceQuery>,
) -> Result<Vec<Movement>, Fault> {
    accounts::hold_identity(tx, owner, identity)?;
    let searches: Vec<_> = sought.map(|sought| candidates(owner, identity, sought)).collect();
    let statements: Vec<_> =
        searches.iter().map(|(sql, params)| (*sql, params.as_slice())).collect();
    read_each(tx.query_all(&statements)?.into_iter().flatten())
}

/// Writes a movement that was seen for the first time, by nothing but a day that was read unless it is named.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    seen: &Movement,
    now: Timestamp,
) -> Result<(), Fault> {
    let [bank, phone, document, account] = payer_values(&seen.payer);
    let id = seen.id;
    let params = [
        owner.into(),
        id.into(),
        identity.into(),
        seen.reference.digits().into(),
        reversed_suffix(seen.reference.digits()).into(),
        seen.bank_key.clone().into(),
        seen.amount.hundredths().into(),
        seen.paid_on.days().into(),
        seen.paid_at.into(),
        bank,
        phone,
        document,
        account,
        now.into(),
        i64::from(seen.reference.zeros()).into(),
        seen.description.as_str().into(),
        seen.is_named.into(),
        seal(owner, identity, seen).as_slice().into(),
        seen.payer.form.number().into(),
        seen.contested_with.into(),
    ];
    tx.defer(&INSERT, params, Expect::Any)
}

/// Notes that a movement was named, which is as the caller holds it.
///
/// # Errors
/// A fault of the store.
pub fn name(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    movement: &Movement,
) -> Result<(), Fault> {
    let seal = seal_named(owner, identity, movement);
    tx.defer(&NAME, [owner.into(), movement.id.into(), seal.as_slice().into()], Expect::Rows(1))
}

/// Keeps what a later sighting showed of a movement.
///
/// # Errors
/// A fault of the store.
pub fn enrich(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    learned: &Movement,
) -> Result<(), Fault> {
    let [bank, phone, document, account] = payer_values(&learned.payer);
    let params = [
        owner.into(),
        learned.reference.digits().into(),
        reversed_suffix(learned.reference.digits()).into(),
        learned.bank_key.clone().into(),
        learned.paid_at.into(),
        bank,
        phone,
        document,
        account,
        learned.id.into(),
        i64::from(learned.reference.zeros()).into(),
        learned.description.as_str().into(),
        learned.is_named.into(),
        seal(owner, identity, learned).as_slice().into(),
        learned.payer.form.number().into(),
    ];
    tx.defer(&LEARN, params, Expect::Rows(1))
}

/// Makes a movement known, for good, by the receipt's reference that a notice reported, and by the phone in it.
///
/// # Errors
/// A fault of the store; a movement that has a receipt is one.
pub fn name_by_receipt(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    named: &Movement,
) -> Result<(), Fault> {
    let receipt = named.receipt.as_ref().map(BankReference::digits);
    let params = [
        owner.into(),
        named.id.into(),
        receipt.into(),
        receipt.map(reversed_suffix).into(),
        named.payer.phone.as_ref().map(Phone::as_str).into(),
        seal_named(owner, identity, named).as_slice().into(),
    ];
    tx.defer(&NAME_BY_RECEIPT, params, Expect::Rows(1))
}

/// Makes a movement known, for good, by the reference that was typed when it was confirmed by its payer or by its owner's acceptance.
///
/// # Errors
/// A fault of the store; a movement that has such a reference is one.
pub fn name_as_typed(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    named: &Movement,
) -> Result<(), Fault> {
    let typed = named.typed.as_ref().map(TypedReference::typed);
    let params = [
        owner.into(),
        named.id.into(),
        typed.into(),
        typed.map(reversed_suffix).into(),
        seal_named(owner, identity, named).as_slice().into(),
    ];
    tx.defer(&NAME_AS_TYPED, params, Expect::Rows(1))
}

/// Tells whether the ending is that of the reference, or there is neither.
pub(crate) fn is_ending(digits: Option<&str>, tail: Option<&str>) -> bool {
    // Digits alone, so that no ending begins within a character.
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match (digits, tail) {
        (Some(digits), Some(tail)) => is_digits(digits) && tail == reversed_suffix(digits),
        (digits, tail) => digits.is_none() && tail.is_none(),
    }
}

/// The seal of the movement once it is named.
fn seal_named(owner: OwnerId, identity: IdentityId, movement: &Movement) -> Seal {
    seal(owner, identity, &Movement { is_named: true, ..movement.clone() })
}

/// The seal over what is kept of a movement.
fn seal(owner: OwnerId, identity: IdentityId, movement: &Movement) -> Seal {
    let payer = &movement.payer;
    let document = payer.document.as_ref().map(ToString::to_string);
    let receipt = movement.receipt.as_ref().map(BankReference::digits);
    let typed = movement.typed.as_ref().map(TypedReference::typed);
    let contested_with = movement.contested_with.map(MovementId::to_bytes);
    let [receipt_tail, typed_tail] = [receipt, typed].map(|digits| digits.map(reversed_suffix));
    SealedMovement {
        owner: &owner.to_bytes(),
        id: &movement.id.to_bytes(),
        identity: &identity.to_bytes(),
        reference: movement.reference.digits(),
        reference_zeros: movement.reference.zeros().into(),
        tail: &reversed_suffix(movement.reference.digits()),
        bank_key: movement.bank_key.as_deref(),
        amount: movement.amount.hundredths(),
        paid_on: movement.paid_on.days(),
        paid_at: movement.paid_at.map(Timestamp::as_micros),
        payer: [
            payer.bank.as_ref().map(BankCode::as_str),
            payer.phone.as_ref().map(Phone::as_str),
            document.as_deref(),
            payer.account.as_ref().map(AccountNumber::as_str),
        ],
        payer_form: payer.form.number(),
        description: movement.description.as_str(),
        other_references: [receipt, receipt_tail.as_deref(), typed, typed_tail.as_deref()],
        is_named: movement.is_named,
        contested_with: contested_with.as_ref().map(<[u8; 16]>::as_slice),
    }
    .seal()
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

#[cfg(test)]
mod tests;
