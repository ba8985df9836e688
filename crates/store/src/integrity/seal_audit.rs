//! The audit of the seals of one owner's bank accounts, bank notifications, payment links, payments, receipts and rate locks: each
//! row is what was written.

use domain::ids::{
    ActorId, BankId, ClientId, IdentityId, LinkId, MovementId, NotificationId, OwnerId, PaymentId,
    RateLockId, ReceiptId, SubscriptionId, VerificationId,
};
use domain::links::State;
use domain::money::Bolivars;
use domain::rates::Rate;
use domain::seals::{
    Seal, SealedAccount, SealedLink, SealedNotification, SealedPayment, SealedRateLock,
    SealedReceipt,
};

use crate::difference::{Difference, name};
use crate::fault::Fault;
use crate::links::search_text;
use crate::movements::is_ending;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

statements! {
    ACCOUNTS = Sql::new(
        "select id, identity_id, provider, description, client_id, client_since, is_trashed, is_disabled, \
         same_bank_by_payer, short_references, created_at, seal \
         from user_banks where owner_id = $1 and id > $2 order by id asc limit $3",
    );

    NOTIFICATIONS = Sql::new(
        "select n.id, n.identity_id, n.bank_id, n.status, n.reference, n.amount, n.paid_on, n.paid_at, n.payer_bank, \
         n.payer_phone, n.payer_document, n.is_contested, n.receipt_tail, n.message, n.raw, n.created_at, n.seal, \
         m.tail, m.receipt, m.bank_key from bank_notifications n \
         left join movements m on m.owner_id = $1 and m.id = n.movement_id \
         where n.owner_id = $1 and n.id > $2 order by n.id asc limit $3",
    );

    LINKS = Sql::new(
        "select id, bank_id, actor_id, client_id, name, description, currency, metadata, origin, webhook_url, \
         redirect_url, amount, livemode, expiration_minutes, expires_at, rate_minutes, created_at, seal, search, \
         state, status_detail, updated_at, canceled_at, subscription_id, cycle \
         from payment_links where owner_id = $1 and id > $2 order by id asc limit $3",
    );

    // In the order of the list of payments, for which both engines have an index.
    PAYMENTS = Sql::new(
        "select id, movement_id, verification_id, seal, line from payments \
         where owner_id = $1 and line > $2 order by line asc limit $3",
    );

    RECEIPTS = Sql::new(
        "select id, payment_id, number, livemode, merchant, document, reference, paid_at, payer_bank, payer_phone, \
         payer_document, issued_at, issued_by, voided_at, void_reason, seal \
         from receipts where owner_id = $1 and id > $2 order by id asc limit $3",
    );

    RATE_LOCKS = Sql::new(
        "select id, link_id, currency, source, amount, rate, value_date, owed, locked_at, ends_at, seal \
         from rate_locks where owner_id = $1 and id > $2 order by id asc limit $3",
    );
}

/// How many rows are read at once.
const PAGE_ROWS: i64 = 500;

/// Names what is wrong with a row.
type Check = fn(OwnerId, &Row, &mut Vec<Difference>) -> Result<(), Fault>;

/// Each statement that reads a page of sealed rows, by which column it goes on, and what looks at one of them.
const SEALED: [(&Sql, &str, Check); 6] = [
    (&ACCOUNTS, "id", account),
    (&NOTIFICATIONS, "id", notification),
    (&LINKS, "id", link),
    (&PAYMENTS, "line", payment),
    (&RATE_LOCKS, "id", rate_lock),
    (&RECEIPTS, "id", receipt),
];

/// Names the owner's rows that are not what was written.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    for (sql, column, check) in SEALED {
        let mut after: Value = if column == "id" { [0; 16].into() } else { i64::MIN.into() };
        loop {
            let page = tx.query(sql, &[owner.into(), after.clone(), PAGE_ROWS.into()])?;
            for row in &page {
                after = match column {
                    "id" => row.get::<[u8; 16]>(column)?.into(),
                    _ => row.get::<i64>(column)?.into(),
                };
                check(owner, row, found)?;
            }
            if page.len() < PAGE_ROWS as usize {
                break;
            }
        }
    }
    Ok(())
}

/// Tells whether the row has that seal. One of another length, or none, is none of ours.
fn is_sealed(row: &Row, seal: Seal) -> Result<bool, Fault> {
    Ok(row.get::<Option<Vec<u8>>>("seal")?.is_some_and(|kept| kept == seal))
}

fn account(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, identity): (BankId, IdentityId) = (row.get("id")?, row.get("identity_id")?);
    let texts: [String; 2] = [row.get("provider")?, row.get("description")?];
    let client = row.get::<Option<ClientId>>("client_id")?.map(ClientId::to_bytes);
    let kept = SealedAccount {
        ids: [&owner.to_bytes(), &id.to_bytes(), &identity.to_bytes()],
        texts: texts.each_ref().map(String::as_str),
        client: client.as_ref().map(<[u8; 16]>::as_slice),
        client_since: row.get("client_since")?,
        flags: [
            row.get("is_trashed")?,
            row.get("is_disabled")?,
            row.get("same_bank_by_payer")?,
            row.get("short_references")?,
        ],
        created_at: row.get("created_at")?,
    };
    if !is_sealed(row, kept.seal())? {
        name(found, "user_banks.seal", &id.to_string(), "it is not what its owner chose last");
    }
    Ok(())
}

fn notification(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let id: NotificationId = row.get("id")?;
    let (identity, bank): (IdentityId, BankId) = (row.get("identity_id")?, row.get("bank_id")?);
    let (status, reference): (String, String) = (row.get("status")?, row.get("reference")?);
    let payer: [Option<String>; 3] =
        [row.get("payer_bank")?, row.get("payer_phone")?, row.get("payer_document")?];
    let tail: Option<String> = row.get("receipt_tail")?;
    let texts: [String; 2] = [row.get("message")?, row.get("raw")?];
    let kept = SealedNotification {
        ids: [&owner.to_bytes(), &id.to_bytes(), &identity.to_bytes(), &bank.to_bytes()],
        status: &status,
        reference: &reference,
        amount: row.get("amount")?,
        paid_on: row.get("paid_on")?,
        paid_at: row.get("paid_at")?,
        payer: payer.each_ref().map(Option::as_deref),
        is_contested: row.get("is_contested")?,
        receipt_tail: tail.as_deref(),
        texts: texts.each_ref().map(String::as_str),
        created_at: row.get("created_at")?,
    };
    if !is_sealed(row, kept.seal())? {
        let says = "it is not what the bank reported";
        name(found, "bank_notifications.seal", &id.to_string(), says);
    }
    // Notices are found by the endings of their own references.
    if tail.is_some() && !is_ending(Some(&reference), tail.as_deref()) {
        let says = "not the ending of its reference";
        name(found, "bank_notifications.receipt_tail", &id.to_string(), says);
    }
    if !is_known_by(row, tail.is_some(), &reference)? {
        let says = "that movement is not known by its reference";
        name(found, "bank_notifications.movement_id", &id.to_string(), says);
    }
    Ok(())
}

/// Tells whether the movement of a notice, if there is one, is known by the reference of the notice: as its receipt,
/// where the bank's statement has another reference, and else by its ending. A movement with a stable id may have come
/// under any reference.
fn is_known_by(row: &Row, has_receipt: bool, reference: &str) -> Result<bool, Fault> {
    let Some(tail) = row.get::<Option<String>>("tail")? else { return Ok(true) };
    let (receipt, key): (Option<String>, Option<String>) =
        (row.get("receipt")?, row.get("bank_key")?);
    Ok(match has_receipt {
        true => receipt.as_deref() == Some(reference),
        false => key.is_some() || is_ending(Some(reference), Some(&tail)),
    })
}

fn link(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let id: LinkId = row.get("id")?;
    let (bank, actor): (BankId, ActorId) = (row.get("bank_id")?, row.get("actor_id")?);
    let client = row.get::<Option<ClientId>>("client_id")?.map(ClientId::to_bytes);
    let texts: [String; 5] = [
        row.get("name")?,
        row.get("description")?,
        row.get("currency")?,
        row.get("metadata")?,
        row.get("origin")?,
    ];
    let urls: [Option<String>; 2] = [row.get("webhook_url")?, row.get("redirect_url")?];
    let subscription: Option<SubscriptionId> = row.get("subscription_id")?;
    let subscription = subscription.map(SubscriptionId::to_bytes);
    let number: Option<i64> = row.get("cycle")?;
    let has_failed = row.get::<i64>("state")? == State::Failed.number();
    let detail: Option<String> = row.get("status_detail")?;
    let kept = SealedLink {
        ids: [&owner.to_bytes(), &id.to_bytes(), &bank.to_bytes(), &actor.to_bytes()],
        client: client.as_ref().map(<[u8; 16]>::as_slice),
        texts: texts.each_ref().map(String::as_str),
        urls: urls.each_ref().map(Option::as_deref),
        amount: row.get("amount")?,
        livemode: row.get("livemode")?,
        expiry: [row.get("expiration_minutes")?, row.get("expires_at")?],
        rate_minutes: row.get("rate_minutes")?,
        created_at: row.get("created_at")?,
        failed: (detail.as_deref(), if has_failed { row.get("updated_at")? } else { None }),
        canceled_at: row.get("canceled_at")?,
        cycle: subscription.as_ref().map(<[u8; 16]>::as_slice).zip(number),
    };
    if !is_sealed(row, kept.seal())? {
        let says = "it is not what was asked for, or did not end so";
        name(found, "payment_links.seal", &id.to_string(), says);
    }
    if row.get::<String>("search")? != search_text(id, &texts[0], &texts[1]) {
        let says = "not made of its id, name and description";
        name(found, "payment_links.search", &id.to_string(), says);
    }
    Ok(())
}

fn payment(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, movement): (PaymentId, MovementId) = (row.get("id")?, row.get("movement_id")?);
    let verification: VerificationId = row.get("verification_id")?;
    let ids = [owner.to_bytes(), id.to_bytes(), movement.to_bytes(), verification.to_bytes()];
    let kept = SealedPayment { ids: ids.each_ref().map(<[u8; 16]>::as_slice) };
    if !is_sealed(row, kept.seal())? {
        name(found, "payments.seal", &id.to_string(), "it is not the movement that was claimed");
    }
    Ok(())
}

fn receipt(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, payment): (ReceiptId, PaymentId) = (row.get("id")?, row.get("payment_id")?);
    let (merchant, reference): (String, String) = (row.get("merchant")?, row.get("reference")?);
    let document: Option<String> = row.get("document")?;
    let payer: [Option<String>; 3] =
        [row.get("payer_bank")?, row.get("payer_phone")?, row.get("payer_document")?];
    let reason: Option<String> = row.get("void_reason")?;
    let issued_by: Option<[u8; 16]> = row.get("issued_by")?;
    let kept = SealedReceipt {
        ids: [&owner.to_bytes(), &id.to_bytes(), &payment.to_bytes()],
        number: row.get("number")?,
        livemode: row.get("livemode")?,
        merchant: &merchant,
        document: document.as_deref(),
        reference: &reference,
        instants: [row.get("paid_at")?, row.get("issued_at")?],
        issued_by: issued_by.as_ref().map(<[u8; 16]>::as_slice),
        payer: payer.each_ref().map(Option::as_deref),
        voided: (row.get("voided_at")?, reason.as_deref()),
    };
    if !is_sealed(row, kept.seal())? {
        name(found, "receipts.seal", &id.to_string(), "it is not what its payer was given");
    }
    Ok(())
}

fn rate_lock(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, link): (RateLockId, LinkId) = (row.get("id")?, row.get("link_id")?);
    let texts: [String; 2] = [row.get("currency")?, row.get("source")?];
    let (price, rate, owed): (i64, i64, i64) =
        (row.get("amount")?, row.get("rate")?, row.get("owed")?);
    let (locked_at, ends_at): (i64, i64) = (row.get("locked_at")?, row.get("ends_at")?);
    let kept = SealedRateLock {
        ids: [&owner.to_bytes(), &link.to_bytes(), &id.to_bytes()],
        texts: texts.each_ref().map(String::as_str),
        numbers: [price, rate, row.get("value_date")?, owed, locked_at, ends_at],
    };
    if !is_sealed(row, kept.seal())? {
        name(found, "rate_locks.seal", &id.to_string(), "it is not what its payer was told");
    }
    let exact = Rate::from_units(rate).and_then(|rate| rate.owed(price));
    if exact.map(Bolivars::hundredths) != Some(owed) {
        name(found, "rate_locks.owed", &id.to_string(), "not its price at its rate");
    }
    Ok(())
}
