//! Receipts: one for each payment of a link and for each that a person verified, be it after a key, numbered by owner
//! without gaps. Those of test money are numbered by themselves.

use std::fmt;

use domain::ids::{ActorId, BankId, ClientId, LinkId, OwnerId, PaymentId, ReceiptId};
use domain::matching::{Movement, PayerFacts};
use domain::payer::TaxNumber;
use domain::receipts::VoidReason;
use domain::seals::{Seal, SealedReceipt};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::list::find_each;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    // The row is held until the transaction ends, so that no number is left out.
    NEXT_NUMBER = Sql::new(
        "insert into receipt_numbers (owner_id, livemode, last) values ($1, $2, 1) \
         on conflict (owner_id, livemode) do update set last = receipt_numbers.last + 1 returning last",
    );

    SKIP = Sql::new(
        "insert into receipt_numbers (owner_id, livemode, last, skipped) values ($1, $2, $3, $3) \
         on conflict (owner_id, livemode) do update \
         set last = receipt_numbers.last + $3, skipped = receipt_numbers.skipped + $3",
    );

    INSERT = Sql::new(
        "insert into receipts (owner_id, id, payment_id, number, livemode, merchant, document, reference, \
         paid_at, payer_bank, payer_phone, payer_document, issued_at, issued_by, seal) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    );

    FIND = Sql::new(
        "select c.id, c.payment_id, c.number, c.livemode, c.merchant, c.document, c.reference, c.paid_at, \
         c.payer_bank, c.payer_phone, c.payer_document, c.issued_at, c.issued_by, c.voided_at, c.void_reason, \
         v.link_id, l.description as concept, b.provider, p.bank_id, p.client_id \
         from receipts c \
         join payments p on p.owner_id = $1 and p.id = c.payment_id \
         join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         join user_banks b on b.owner_id = $1 and b.id = p.bank_id \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id \
         where c.owner_id = $1 and c.id = $2",
    );

    LOOK_BACK = Sql::new(
        "select c.number, c.id, p.bank_id, p.client_id from receipts c \
         join payments p on p.owner_id = $1 and p.id = c.payment_id \
         where c.owner_id = $1 and c.livemode = $2 and c.number < $3 order by c.number desc limit $4",
    );

    OF_PAYMENT = Sql::new(
        "select c.id, c.voided_at from payments p \
         left join receipts c on c.owner_id = $1 and c.payment_id = p.id \
         where p.owner_id = $1 and p.id = $2",
    );

    VOID = Sql::new(
        "update receipts set voided_at = $3, void_reason = $4, seal = $5 \
         where owner_id = $1 and id = $2 and voided_at is null",
    );
}

/// The merchant, as a receipt names it for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merchant {
    /// The name.
    pub name: String,
    /// The tax number.
    pub document: Option<TaxNumber>,
}

/// Void receipt's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voided {
    /// When.
    pub at: Timestamp,
    /// Why, in the merchant's words.
    pub reason: String,
}

/// Payer as the bank showed them when the receipt was made.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Payer {
    /// The bank that it was paid from.
    pub bank: Option<String>,
    /// The phone.
    pub phone: Option<String>,
    /// The document.
    pub document: Option<String>,
}

/// Shows nothing of the payer.
impl fmt::Debug for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Payer")
    }
}

/// Payment as the bank showed it when the receipt was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paid {
    /// The reference.
    pub reference: String,
    /// When: the bank's instant, or the midnight in Caracas of its day.
    pub at: Timestamp,
    /// The payer.
    pub payer: Payer,
}

impl Paid {
    /// The payment as a movement shows it now.
    #[must_use]
    pub fn of(movement: &Movement) -> Self {
        let PayerFacts { bank, phone, document, .. } = &movement.payer;
        Self {
            reference: movement.reference.shown().to_owned(),
            at: movement.paid_at.unwrap_or_else(|| movement.paid_on.start()),
            payer: Payer {
                bank: bank.as_ref().map(|bank| bank.as_str().to_owned()),
                phone: phone.as_ref().map(|phone| phone.as_str().to_owned()),
                document: document.as_ref().map(ToString::to_string),
            },
        }
    }
}

/// A receipt, with what its page shows besides the payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its id, which leads to its page.
    pub id: ReceiptId,
    /// The payment that it is of.
    pub payment: PaymentId,
    /// The number that people know it by: of its owner, and of money that exists or does not.
    pub number: i64,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// The merchant, as it was then.
    pub merchant: Merchant,
    /// When it was made.
    pub issued_at: Timestamp,
    /// The person who had it made, where the payment had none.
    pub issued_by: Option<ActorId>,
    /// When it became void, if it did.
    pub voided: Option<Voided>,
    /// The link that was paid.
    pub link: Option<LinkId>,
    /// What that was for.
    pub concept: Option<String>,
    /// Our name of the provider of the account.
    pub provider: String,
    /// The payment, as the bank showed it then.
    pub paid: Paid,
    /// The account that it was paid to.
    pub bank: BankId,
    /// The client of the caller that claimed the payment.
    pub client: Option<ClientId>,
}

/// Receipt that is about to be written.
#[derive(Clone, Debug)]
pub struct NewReceipt {
    /// Its id.
    pub id: ReceiptId,
    /// The payment that it is of, which is written.
    pub payment: PaymentId,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// The merchant, as it is.
    pub merchant: Merchant,
    /// The payment, as the bank shows it.
    pub paid: Paid,
    /// The person who has it made, where it is not made with the payment.
    pub issued_by: Option<ActorId>,
}

/// Entry of the list of receipts: what decides who sees one.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its number.
    pub number: i64,
    /// Its id.
    pub id: ReceiptId,
    /// The account that was paid to.
    pub bank: BankId,
    /// The client of the caller that claimed the payment.
    pub client: Option<ClientId>,
}

/// Writes the receipt of a payment, with the owner's next number.
///
/// # Errors
/// A fault of the store; a payment that has one is one.
pub fn issue(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &NewReceipt,
    now: Timestamp,
) -> Result<(), Fault> {
    let number: i64 =
        tx.query_one(&NEXT_NUMBER, &[owner.into(), new.livemode.into()])?.get("last")?;
    let document = new.merchant.document.as_ref().map(ToString::to_string);
    let seal = seal(owner, (new, number), document.as_deref(), (now, None));
    let Paid { reference, at, payer } = &new.paid;
    let params = [
        owner.into(),
        new.id.into(),
        new.payment.into(),
        number.into(),
        new.livemode.into(),
        new.merchant.name.as_str().into(),
        document.as_deref().into(),
        reference.as_str().into(),
        (*at).into(),
        payer.bank.as_deref().into(),
        payer.phone.as_deref().into(),
        payer.document.as_deref().into(),
        now.into(),
        new.issued_by.into(),
        seal.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Leaves out so many numbers, of money that exists or of the test bank's: where the store was put back from a copy, receipts
/// may have had those that come next.
///
/// # Errors
/// A fault of the store.
pub fn skip(tx: &mut Tx<'_>, owner: OwnerId, livemode: bool, numbers: i64) -> Result<(), Fault> {
    tx.defer(&SKIP, [owner.into(), livemode.into(), numbers.into()], Expect::Rows(1))
}

/// The seal of a receipt of that number, made then, and void since, perhaps.
fn seal(
    owner: OwnerId,
    (of, number): (&NewReceipt, i64),
    document: Option<&str>,
    (issued_at, voided): (Timestamp, Option<(Timestamp, &str)>),
) -> Seal {
    let Paid { reference, at, payer } = &of.paid;
    let issued_by = of.issued_by.map(ActorId::to_bytes);
    let sealed = SealedReceipt {
        ids: [&owner.to_bytes(), &of.id.to_bytes(), &of.payment.to_bytes()],
        number,
        livemode: of.livemode,
        merchant: &of.merchant.name,
        document,
        reference,
        instants: [at.as_micros(), issued_at.as_micros()],
        issued_by: issued_by.as_ref().map(<[u8; 16]>::as_slice),
        payer: [payer.bank.as_deref(), payer.phone.as_deref(), payer.document.as_deref()],
        voided: (voided.map(|(at, _)| at.as_micros()), voided.map(|(_, reason)| reason)),
    };
    sealed.seal()
}

/// Finds a receipt.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: ReceiptId) -> Result<Option<Receipt>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// Finds the receipt of each payment, in this order, and tells whether it is void; nothing of one that has none.
///
/// # Errors
/// A fault of the store; no such payment is one.
pub fn of_payments(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    payments: &[PaymentId],
) -> Result<Vec<Option<(ReceiptId, bool)>>, Fault> {
    let rows = find_each(tx, &OF_PAYMENT, owner, payments.iter().copied())?;
    let read = |row: Row| {
        let (id, voided_at): (Option<ReceiptId>, Option<Timestamp>) =
            (row.get("id")?, row.get("voided_at")?);
        Ok(id.map(|id| (id, voided_at.is_some())))
    };
    rows.into_iter().map(read).collect()
}

/// Lists the last `limit` receipts with a lower number, of money that exists or of that which does not.
///
/// # Errors
/// A fault of the store.
pub fn look_back(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    livemode: bool,
    before: i64,
    limit: i64,
) -> Result<Vec<Entry>, Fault> {
    let params = [owner.into(), livemode.into(), before.into(), limit.into()];
    let read = |row: &Row| {
        Ok(Entry {
            number: row.get("number")?,
            id: row.get("id")?,
            bank: row.get("bank_id")?,
            client: row.get("client_id")?,
        })
    };
    tx.query(&LOOK_BACK, &params)?.iter().map(read).collect()
}

/// Makes a receipt void, which is not yet.
///
/// # Errors
/// A fault of the store; one that is void already is one.
pub fn void(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    receipt: &Receipt,
    reason: &VoidReason,
    now: Timestamp,
) -> Result<(), Fault> {
    let of = NewReceipt {
        id: receipt.id,
        payment: receipt.payment,
        livemode: receipt.livemode,
        merchant: receipt.merchant.clone(),
        paid: receipt.paid.clone(),
        issued_by: receipt.issued_by,
    };
    let document = of.merchant.document.as_ref().map(ToString::to_string);
    let voided = (receipt.issued_at, Some((now, reason.as_str())));
    let seal = seal(owner, (&of, receipt.number), document.as_deref(), voided);
    let params = [owner.into(), receipt.id.into(), now.into(), reason.as_str().into(), seal.into()];
    tx.defer(&VOID, params, Expect::Rows(1))
}

fn read(row: &Row) -> Result<Receipt, Fault> {
    let document: Option<String> = row.get("document")?;
    let document = document.map(|text| TaxNumber::parse(&text)).transpose();
    let (at, reason): (Option<Timestamp>, Option<String>) =
        (row.get("voided_at")?, row.get("void_reason")?);
    Ok(Receipt {
        id: row.get("id")?,
        payment: row.get("payment_id")?,
        number: row.get("number")?,
        livemode: row.get("livemode")?,
        merchant: Merchant {
            name: row.get("merchant")?,
            document: document.map_err(|_| Fault::broken("a receipt with a broken document"))?,
        },
        issued_at: row.get("issued_at")?,
        issued_by: row.get("issued_by")?,
        voided: at.map(|at| Voided { at, reason: reason.unwrap_or_default() }),
        link: row.get("link_id")?,
        concept: row.get("concept")?,
        provider: row.get("provider")?,
        paid: Paid {
            reference: row.get("reference")?,
            at: row.get("paid_at")?,
            payer: Payer {
                bank: row.get("payer_bank")?,
                phone: row.get("payer_phone")?,
                document: row.get("payer_document")?,
            },
        },
        bank: row.get("bank_id")?,
        client: row.get("client_id")?,
    })
}
