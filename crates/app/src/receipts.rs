//! The operations on receipts: a payer looks at one by its address, and a merchant lists, shows and voids its own.

use std::sync::Arc;

use domain::access::{Caller, ListReceipts, ShowReceipt, ViewReceipt, VoidReceipt};
use domain::ids::{LinkId, OwnerId, PaymentId, ReceiptId};
use domain::logo::Logo;
use domain::payer::TaxNumber;
use domain::profile::PublicProfile;
use domain::receipts::{ReceiptAddress, VoidReason};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use serde_json::{Value, json};
use store::fault::Fault;
use store::payments::Payment;
pub use store::receipts::{Paid, Payer, Voided};
use store::tx::Tx;
use store::{audit, logos, payment_pages, payments, public_profiles, receipts};

use crate::accounts::{Banks, scope};
use crate::audit_entry::audited;
use crate::changes::{Facts, changed};
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// Among how many receipts those are looked for that a caller reaches, for one page.
const LOOKED_MAX: usize = 5_000;

const NOT_FOUND: Refusal = Refusal::NotFound("receipt");

/// A receipt with the payment that it is of.
#[derive(Clone, Debug)]
pub struct Receipt {
    /// The end of its page's address.
    pub address: ReceiptAddress,
    /// The number that people know it by: of its owner, and of money that exists or does not.
    pub number: i64,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// The merchant's name, as it was then.
    pub merchant: String,
    /// The merchant's tax number, as it was then.
    pub document: Option<TaxNumber>,
    /// When it was made.
    pub issued_at: Timestamp,
    /// When it became void, if it did.
    pub voided: Option<Voided>,
    /// The payment, as it is.
    pub payment: Payment,
    /// What the link was for.
    pub concept: Option<String>,
    /// The link that was paid.
    pub link: Option<LinkId>,
    /// The name of the bank that received the money.
    pub bank: Option<&'static str>,
    /// The reference, the instant and the payer, as the bank showed them then.
    pub paid: Paid,
}

/// A receipt as its payer sees it.
#[derive(Clone, Debug)]
pub struct Open {
    /// The receipt.
    pub receipt: Receipt,
    /// What its owner says to payers today, such as how to reach it.
    pub profile: PublicProfile,
}

/// Receipts that are asked for, those with the highest numbers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// Below which number; from the latest on, where none is said.
    pub before: Option<i64>,
    /// Those of money that exists, or those of the test bank's.
    pub livemode: bool,
    /// How many at most.
    pub limit: usize,
}

/// A page of receipts.
#[derive(Clone, Debug)]
pub struct Page {
    /// The receipts.
    pub receipts: Vec<Receipt>,
    /// The number that was read down to; nothing where there is none.
    pub next: Option<i64>,
    /// Whether there is more to ask for at once. A page may be short or empty though there is.
    pub has_more: bool,
}

impl App {
    /// Returns the address of an owner's logo.
    #[must_use]
    pub fn logo_url(&self, logo: &Logo) -> String {
        format!("{}{}", self.settings.base_url, logo.path())
    }
}

/// Shows a receipt to whoever has its address.
///
/// # Errors
/// Not found; or a failure of the store.
pub async fn open(
    app: &App,
    act: &Act<ViewReceipt>,
    address: ReceiptAddress,
) -> Result<Open, Error> {
    let banks = Arc::clone(&app.banks);
    let look = move |tx: &mut Tx<'_>| {
        let ReceiptAddress { owner, id } = address;
        let Some(row) = receipts::find(tx, owner, id)? else { return Ok(None) };
        let receipt = with_payment(tx, owner, row, &banks)?;
        Ok(Some(Open { receipt, profile: public_profiles::find(tx, owner)? }))
    };
    app.store.look_up(act.meter(), look).await?.ok_or_else(|| NOT_FOUND.into())
}

/// Reads the logo that the merchant of a receipt has today, with its bytes; nothing where it has none.
///
/// # Errors
/// A failure of the store.
pub async fn logo(
    app: &App,
    act: &Act<ViewReceipt>,
    of: &Open,
) -> Result<Option<(Logo, Vec<u8>)>, Error> {
    let owner = of.receipt.address.owner;
    let Some(logo) = of.profile.logo else { return Ok(None) };
    let read = move |tx: &mut Tx<'_>| logos::bytes(tx, owner, logo.hash, logo.kind);
    // Another one was set in between where there are no bytes.
    Ok(app.store.look_up(act.meter(), read).await?.map(|bytes| (logo, bytes)))
}

/// Lists receipts of accounts that the caller reaches, and to a client's caller those of payments that callers of its
/// client have claimed.
///
/// # Errors
/// A failure of the store.
pub async fn list(app: &App, act: &Act<ListReceipts>, asked: Question) -> Result<Page, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let banks = Arc::clone(&app.banks);
    act.read(app, move |tx| Ok(page(tx, owner, &caller, asked, &banks)?)).await
}

fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    caller: &Caller,
    asked: Question,
    banks: &Banks,
) -> Result<Page, Fault> {
    let scope = scope(tx, owner, caller)?;
    let is_all = scope.is_all() && caller.client().is_none();
    let looked = if is_all { asked.limit } else { LOOKED_MAX };
    // One more than is looked at, by which it is known that there are more.
    let limit = i64::try_from(looked + 1).unwrap_or(i64::MAX);
    let before = asked.before.unwrap_or(i64::MAX);
    let mut entries = receipts::look_back(tx, owner, asked.livemode, before, limit)?;
    let mut has_more = entries.len() > looked;
    entries.truncate(looked);
    let (mut rows, mut next) = (Vec::new(), asked.before);
    for (at, entry) in entries.iter().enumerate() {
        next = Some(entry.number);
        if scope.has(entry.bank) && caller.sees_made_for(entry.client) {
            let row = receipts::find(tx, owner, entry.id)?;
            rows.push(row.ok_or_else(|| Fault::broken("a receipt without its payment"))?);
            if rows.len() == asked.limit {
                has_more = has_more || at + 1 < entries.len();
                break;
            }
        }
    }
    let ids: Vec<_> = rows.iter().map(|row| row.payment).collect();
    let payments = payment_pages::find(tx, owner, &ids)?.into_iter().map(|listed| listed.payment);
    let receipts = rows.into_iter().zip(payments);
    let receipts = receipts.map(|(row, payment)| whole(owner, row, payment, banks)).collect();
    Ok(Page { receipts, next, has_more })
}

/// Shows a receipt of an account that the caller reaches.
///
/// # Errors
/// Not found, also where it is out of reach; or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowReceipt>, id: ReceiptId) -> Result<Receipt, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let banks = Arc::clone(&app.banks);
    act.read(app, move |tx| {
        let row = reached(tx, owner, &caller, id)?;
        Ok(with_payment(tx, owner, row, &banks)?)
    })
    .await
}

/// Makes a receipt void: it stays listed, and its page says so. The payment stays a payment. The same again changes
/// nothing.
///
/// # Errors
/// Not found, also where it is out of reach; it is void for another reason; or a failure of the store.
pub async fn void(
    app: &App,
    act: &Act<VoidReceipt>,
    id: ReceiptId,
    reason: VoidReason,
) -> Result<Receipt, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let (banks, entry) = (Arc::clone(&app.banks), audited(app, act, id.to_string()));
    let write = act.write(app, move |tx| {
        let mut row = reached(tx, owner, &caller, id)?;
        match &row.voided {
            Some(voided) if voided.reason != reason.as_str() => {
                return Err(Refusal::ReceiptIsVoid.into());
            }
            Some(_) => {}
            None => {
                receipts::void(tx, owner, &row, &reason, now)?;
                let voided = Voided { at: now, reason: reason.as_str().to_owned() };
                let change = changed(&IsVoid(None), &IsVoid(Some(voided.reason.clone())));
                audit::insert_change(tx, owner, &entry, &change, now)?;
                row.voided = Some(voided);
            }
        }
        Ok(with_payment(tx, owner, row, &banks)?)
    });
    write.await
}

/// Reason for which a receipt is void.
struct IsVoid(Option<String>);

impl Facts for IsVoid {
    fn facts(&self) -> Value {
        json!({ "void_reason": self.0 })
    }
}

/// The receipt, if the caller reaches the account and sees what was claimed for its client.
fn reached(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    caller: &Caller,
    id: ReceiptId,
) -> Outcome<receipts::Receipt> {
    let row = receipts::find(tx, owner, id)?.ok_or(NOT_FOUND)?;
    if scope(tx, owner, caller)?.has(row.bank) && caller.sees_made_for(row.client) {
        Ok(row)
    } else {
        Err(NOT_FOUND.into())
    }
}

/// The receipt of a payment, if it has one.
///
/// # Errors
/// A fault of the store; no such payment is one.
pub(crate) fn of_payment(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    payment: PaymentId,
    banks: &Banks,
) -> Result<Option<Receipt>, Fault> {
    let payment = payments::find(tx, owner, payment)?;
    let Some(id) = payment.receipt else { return Ok(None) };
    let row = receipts::find(tx, owner, id)?;
    Ok(row.map(|row| whole(owner, row, payment, banks)))
}

fn with_payment(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    row: receipts::Receipt,
    banks: &Banks,
) -> Result<Receipt, Fault> {
    let payment = payments::find(tx, owner, row.payment)?;
    Ok(whole(owner, row, payment, banks))
}

fn whole(owner: OwnerId, row: receipts::Receipt, payment: Payment, banks: &Banks) -> Receipt {
    Receipt {
        address: ReceiptAddress { owner, id: row.id },
        number: row.number,
        livemode: row.livemode,
        merchant: row.merchant.name,
        document: row.merchant.document,
        issued_at: row.issued_at,
        voided: row.voided,
        payment,
        concept: row.concept,
        link: row.link,
        bank: banks.get(&row.provider).map(|bank| bank.capabilities().platform),
        paid: row.paid,
    }
}
