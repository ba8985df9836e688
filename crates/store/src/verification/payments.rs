//! Payments: movements that were verified and claimed. That a movement has one payment at most, which the
//! table holds as unique, is the rule that no movement is accepted twice.

use domain::ids::{
    ActorId, BankId, ClientId, LinkId, MovementId, OwnerId, PaymentId, ReceiptId, VerificationId,
};
use domain::links::{Currency, Price};
use domain::money::{Bolivars, Credits};
pub use domain::rates::PaidPrice;
use domain::rates::{Rate, RateSource};
use domain::reference::BankReference;
use domain::seals::{Seal, SealedPayment};
use domain::secret::PersonalText;
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::links::Link;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

/// What is read of the payment `p`, its movement `m` and its verification `v`, and of the link `l` that it paid in another
/// currency, by the rate `r`; and its receipt `c`.
macro_rules! payment_columns {
    () => {
        "p.id, p.movement_id, p.verification_id, p.bank_id, p.actor_id, p.client_id, \
         p.credit_cost, p.params, p.created_at, p.updated_at, m.reference, m.amount, m.paid_on, \
         m.paid_at, v.fingerprint, v.client_id as charged_client_id, v.link_id, \
         m.reference_zeros, p.is_by_payer, \
         l.amount as priced, l.currency as priced_in, r.rate, r.value_date, r.source as rate_source, \
         c.id as receipt_id"
    };
}

macro_rules! payment_tables {
    () => {
        " from payments p join movements m on m.owner_id = $1 and m.id = p.movement_id \
         join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id and l.currency <> 'VEF' \
         left join rate_locks r on r.owner_id = $1 and r.link_id = l.id and r.id = l.rate_lock_id \
         left join receipts c on c.owner_id = $1 and c.payment_id = p.id "
    };
}

pub(crate) use {payment_columns, payment_tables};

statements! {
    FIND = Sql::new(concat!(
        "select ",
        payment_columns!(),
        payment_tables!(),
        "where p.owner_id = $1 and p.id = $2"
    ));

    INSERT = Sql::new(
        "insert into payments (owner_id, id, movement_id, verification_id, bank_id, actor_id, \
         client_id, credit_cost, params, created_at, updated_at, is_by_payer, seal, line) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    );
}

/// A bank payment, with what its movement shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Payment {
    /// Its id.
    pub id: PaymentId,
    /// The movement that it claims.
    pub movement: MovementId,
    /// The verification that claimed it.
    pub verification: VerificationId,
    /// The account as it was linked then.
    pub bank: BankId,
    /// Who claimed it.
    pub actor: ActorId,
    /// The client of the caller that claimed it.
    pub client: Option<ClientId>,
    /// The client that it counts against.
    pub charged_client: Option<ClientId>,
    /// The link that it paid.
    pub link: Option<LinkId>,
    /// What it cost.
    pub credit_cost: Credits,
    /// What the first claimant asked with, as JSON.
    pub params: PersonalText,
    /// When it was claimed.
    pub created_at: Timestamp,
    /// When it was claimed, or right behind the payment before it.
    pub updated_at: Timestamp,
    /// The bank's whole reference, as the bank shows it.
    pub reference: String,
    /// What the bank credited.
    pub amount: Bolivars,
    /// When, by the bank: its instant, or the midnight in Caracas of its day.
    pub paid_at: Timestamp,
    /// The fingerprint of the verification that claimed it.
    pub fingerprint: [u8; 32],
    /// Whether its movement was found by who paid, not by a reference, and is known by what was typed.
    pub is_by_payer: bool,
    /// The price that was asked for, where that was in another currency.
    pub price: Option<PaidPrice>,
    /// The receipt of it, where it is of a link or of a person.
    pub receipt: Option<ReceiptId>,
}

/// The price of a link which was paid, and its rate; nothing where it asked for bolívares.
#[must_use]
pub fn paid_price(link: &Link) -> Option<PaidPrice> {
    let held = link.held_rate.as_ref().filter(|_| link.price.currency != Currency::Vef)?;
    let (rate, value_date, source) = (held.rate, held.value_date, held.source.clone());
    Some(PaidPrice { price: link.price, rate, value_date, source })
}

/// The payment of that id.
///
/// # Errors
/// A fault of the store; no such payment is one, since ids of payments come from the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: PaymentId) -> Result<Payment, Fault> {
    read(&tx.query_one(&FIND, &[owner.into(), id.into()])?)
}

/// A payment that is about to be written.
#[derive(Clone, Debug)]
pub struct NewPayment {
    /// Its id.
    pub id: PaymentId,
    /// The movement that it claims.
    pub movement: MovementId,
    /// The verification that claims it.
    pub verification: VerificationId,
    /// The account as it is linked.
    pub bank: BankId,
    /// Who claims it.
    pub actor: ActorId,
    /// The client of the caller that claims it.
    pub client: Option<ClientId>,
    /// What it costs.
    pub credit_cost: Credits,
    /// What it was asked with, as JSON.
    pub params: PersonalText,
    /// Whether its movement was found by who paid, not by a reference, and is known by what was typed.
    pub is_by_payer: bool,
    /// The line of the ledger that charges it: its place in the list of payments.
    pub line: i64,
    /// Its instant, which the charge has given it.
    pub updated_at: Timestamp,
}

/// Claims a movement. The caller holds its identity and knows it unclaimed.
///
/// # Errors
/// A fault of the store; a movement claimed already is one.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    payment: &NewPayment,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        payment.id.into(),
        payment.movement.into(),
        payment.verification.into(),
        payment.bank.into(),
        payment.actor.into(),
        payment.client.into(),
        payment.credit_cost.get().into(),
        payment.params.as_str().into(),
        now.into(),
        payment.updated_at.into(),
        payment.is_by_payer.into(),
        seal(owner, payment).as_slice().into(),
        payment.line.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// The seal over which movement is claimed.
fn seal(owner: OwnerId, payment: &NewPayment) -> Seal {
    let ids = [
        owner.to_bytes(),
        payment.id.to_bytes(),
        payment.movement.to_bytes(),
        payment.verification.to_bytes(),
    ];
    SealedPayment { ids: ids.each_ref().map(<[u8; 16]>::as_slice) }.seal()
}

pub(crate) fn read(row: &Row) -> Result<Payment, Fault> {
    let day = CaracasDate::from_days(row.get("paid_on")?)
        .ok_or_else(|| Fault::broken("a movement with a broken date"))?;
    let reference: String = row.get("reference")?;
    let reference = BankReference::from_stored(&reference, row.get("reference_zeros")?)
        .map_err(|_| Fault::broken("a movement with a broken reference"))?;
    Ok(Payment {
        id: row.get("id")?,
        movement: row.get("movement_id")?,
        verification: row.get("verification_id")?,
        bank: row.get("bank_id")?,
        actor: row.get("actor_id")?,
        client: row.get("client_id")?,
        charged_client: row.get("charged_client_id")?,
        link: row.get("link_id")?,
        credit_cost: Credits::new(row.get("credit_cost")?),
        params: PersonalText::new(row.get("params")?),
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        reference: reference.shown().to_owned(),
        amount: Bolivars::from_hundredths(row.get("amount")?),
        paid_at: row.get::<Option<Timestamp>>("paid_at")?.unwrap_or_else(|| day.start()),
        fingerprint: row.get("fingerprint")?,
        is_by_payer: row.get("is_by_payer")?,
        price: read_price(row)?,
        receipt: row.get("receipt_id")?,
    })
}

/// The price that a row has, by the names of the columns of payments.
pub(crate) fn read_price(row: &Row) -> Result<Option<PaidPrice>, Fault> {
    let (Some(units), Some(hundredths)) = (row.get("rate")?, row.get("priced")?) else {
        return Ok(None);
    };
    let broken = |what: &str| Fault::broken(format!("a payment by a broken {what}"));
    let currency: String = row.get("priced_in")?;
    let currency = Currency::parse(&currency).ok_or_else(|| broken("currency"))?;
    let value_date = CaracasDate::from_days(row.get("value_date")?);
    let source: String = row.get("rate_source")?;
    Ok(Some(PaidPrice {
        price: Price { hundredths, currency },
        rate: Rate::from_units(units).ok_or_else(|| broken("rate"))?,
        value_date: value_date.ok_or_else(|| broken("day"))?,
        source: RateSource::parse(&source).map_err(|_| broken("source"))?,
    }))
}
