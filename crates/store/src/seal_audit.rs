//! The audit of the seals of one owner's bank accounts, bank notifications, payment links, payments and rate locks: each
//! row is what was written.

use domain::ids::{
    ActorId, BankId, ClientId, IdentityId, LinkId, MovementId, NotificationId, OwnerId, PaymentId,
    RateLockId, VerificationId,
};
use domain::links::State;
use domain::money::Bolivars;
use domain::rates::Rate;
use domain::seals::{
    Seal, SealedAccount, SealedLink, SealedNotification, SealedPayment, SealedRateLock,
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
         same_bank_by_payer, created_at, seal \
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
         state, status_detail, updated_at, canceled_at \
         from payment_links where owner_id = $1 and id > $2 order by id asc limit $3",
    );

    // In the order of the list of payments, for which both engines have an index.
    PAYMENTS = Sql::new(
        "select id, movement_id, verification_id, seal, updated_at from payments \
         where owner_id = $1 and updated_at > $2 order by updated_at asc limit $3",
    );

    RATE_LOCKS = Sql::new(
        "select id, link_id, currency, source, amount, rate, value_date, owed, locked_at, ends_at, seal \
         from rate_locks where owner_id = $1 and id > $2 order by id asc limit $3",
    );
}

/// How many rows are read at once.
const PAGE_ROWS: i64 = 500;

/// Names what is wrong with a row, which begins with its id.
type Check = fn(OwnerId, &Row, &mut Vec<Difference>) -> Result<(), Fault>;

/// Each statement that reads a page of sealed rows, by which column it goes on, and what looks at one of them.
const SEALED: [(&Sql, usize, Check); 5] = [
    (&ACCOUNTS, 0, account),
    (&NOTIFICATIONS, 0, notification),
    (&LINKS, 0, link),
    (&PAYMENTS, 4, payment),
    (&RATE_LOCKS, 0, rate_lock),
];

/// Names the owner's rows that are not what was written.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    for (sql, place, check) in SEALED {
        let mut after: Value = if place == 0 { [0; 16].into() } else { i64::MIN.into() };
        loop {
            let page = tx.query(sql, &[owner.into(), after.clone(), PAGE_ROWS.into()])?;
            for row in &page {
                after = match place {
                    0 => row.get::<[u8; 16]>(place)?.into(),
                    _ => row.get::<i64>(place)?.into(),
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

/// Whether the column has that seal. One of another length, or none, is none of ours.
fn is_sealed(row: &Row, column: usize, seal: Seal) -> Result<bool, Fault> {
    Ok(row.get::<Option<Vec<u8>>>(column)?.is_some_and(|kept| kept == seal))
}

fn account(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, identity): (BankId, IdentityId) = (row.get(0)?, row.get(1)?);
    let texts: [String; 2] = [row.get(2)?, row.get(3)?];
    let client = row.get::<Option<ClientId>>(4)?.map(ClientId::to_bytes);
    let kept = SealedAccount {
        ids: [&owner.to_bytes(), &id.to_bytes(), &identity.to_bytes()],
        texts: texts.each_ref().map(String::as_str),
        client: client.as_ref().map(<[u8; 16]>::as_slice),
        client_since: row.get(5)?,
        flags: [row.get(6)?, row.get(7)?, row.get(8)?],
        created_at: row.get(9)?,
    };
    if !is_sealed(row, 10, kept.seal())? {
        name(found, "user_banks.seal", &id.to_string(), "it is not what its owner chose last");
    }
    Ok(())
}

fn notification(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let id: NotificationId = row.get(0)?;
    let (identity, bank): (IdentityId, BankId) = (row.get(1)?, row.get(2)?);
    let (status, reference): (String, String) = (row.get(3)?, row.get(4)?);
    let payer: [Option<String>; 3] = [row.get(8)?, row.get(9)?, row.get(10)?];
    let tail: Option<String> = row.get(12)?;
    let texts: [String; 2] = [row.get(13)?, row.get(14)?];
    let kept = SealedNotification {
        ids: [&owner.to_bytes(), &id.to_bytes(), &identity.to_bytes(), &bank.to_bytes()],
        status: &status,
        reference: &reference,
        amount: row.get(5)?,
        paid_on: row.get(6)?,
        paid_at: row.get(7)?,
        payer: payer.each_ref().map(Option::as_deref),
        is_contested: row.get(11)?,
        receipt_tail: tail.as_deref(),
        texts: texts.each_ref().map(String::as_str),
        created_at: row.get(15)?,
    };
    if !is_sealed(row, 16, kept.seal())? {
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

/// Whether the movement of a notice, if it has one, is known by the reference of the notice: as its receipt, where the
/// bank's statement has another, and else by its ending. What has a stable id may have come under any.
fn is_known_by(row: &Row, has_receipt: bool, reference: &str) -> Result<bool, Fault> {
    let Some(tail) = row.get::<Option<String>>(17)? else { return Ok(true) };
    let (receipt, key): (Option<String>, Option<String>) = (row.get(18)?, row.get(19)?);
    Ok(match has_receipt {
        true => receipt.as_deref() == Some(reference),
        false => key.is_some() || is_ending(Some(reference), Some(&tail)),
    })
}

fn link(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let id: LinkId = row.get(0)?;
    let (bank, actor): (BankId, ActorId) = (row.get(1)?, row.get(2)?);
    let client = row.get::<Option<ClientId>>(3)?.map(ClientId::to_bytes);
    let texts: [String; 5] = [row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?];
    let urls: [Option<String>; 2] = [row.get(9)?, row.get(10)?];
    let has_failed = row.get::<i64>(19)? == State::Failed.number();
    let detail: Option<String> = row.get(20)?;
    let kept = SealedLink {
        ids: [&owner.to_bytes(), &id.to_bytes(), &bank.to_bytes(), &actor.to_bytes()],
        client: client.as_ref().map(<[u8; 16]>::as_slice),
        texts: texts.each_ref().map(String::as_str),
        urls: urls.each_ref().map(Option::as_deref),
        amount: row.get(11)?,
        livemode: row.get(12)?,
        expiry: [row.get(13)?, row.get(14)?],
        rate_minutes: row.get(15)?,
        created_at: row.get(16)?,
        failed: (detail.as_deref(), if has_failed { row.get(21)? } else { None }),
        canceled_at: row.get(22)?,
    };
    if !is_sealed(row, 17, kept.seal())? {
        let says = "it is not what was asked for, or did not end so";
        name(found, "payment_links.seal", &id.to_string(), says);
    }
    if row.get::<String>(18)? != search_text(id, &texts[0], &texts[1]) {
        let says = "not made of its id, name and description";
        name(found, "payment_links.search", &id.to_string(), says);
    }
    Ok(())
}

fn payment(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, movement): (PaymentId, MovementId) = (row.get(0)?, row.get(1)?);
    let verification: VerificationId = row.get(2)?;
    let ids = [owner.to_bytes(), id.to_bytes(), movement.to_bytes(), verification.to_bytes()];
    let kept = SealedPayment { ids: ids.each_ref().map(<[u8; 16]>::as_slice) };
    if !is_sealed(row, 3, kept.seal())? {
        name(found, "payments.seal", &id.to_string(), "it is not the movement that was claimed");
    }
    Ok(())
}

fn rate_lock(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, link): (RateLockId, LinkId) = (row.get(0)?, row.get(1)?);
    let texts: [String; 2] = [row.get(2)?, row.get(3)?];
    let (price, rate, owed): (i64, i64, i64) = (row.get(4)?, row.get(5)?, row.get(7)?);
    let kept = SealedRateLock {
        ids: [&owner.to_bytes(), &link.to_bytes(), &id.to_bytes()],
        texts: texts.each_ref().map(String::as_str),
        numbers: [price, rate, row.get(6)?, owed, row.get(8)?, row.get(9)?],
    };
    if !is_sealed(row, 10, kept.seal())? {
        name(found, "rate_locks.seal", &id.to_string(), "it is not what its payer was told");
    }
    let exact = Rate::from_units(rate).and_then(|rate| rate.owed(price));
    if exact.map(Bolivars::hundredths) != Some(owed) {
        name(found, "rate_locks.owed", &id.to_string(), "not its price at its rate");
    }
    Ok(())
}
