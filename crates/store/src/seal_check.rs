//! The audit of the seals of one owner's bank notifications and payment links: each row is what was written.

use domain::ids::{ActorId, BankId, ClientId, IdentityId, LinkId, NotificationId, OwnerId};
use domain::seals::link::Kept as Link;
use domain::seals::notification::Kept as Notification;

use crate::fault::Fault;
use crate::ledger_check::{Difference, name};
use crate::links::search_text;
use crate::movements::is_ending;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    NOTIFICATIONS = Sql::new(
        "select id, identity_id, bank_id, status, reference, amount, paid_on, paid_at, payer_bank, payer_phone, \
         payer_document, is_contested, receipt_tail, message, raw, created_at, seal \
         from bank_notifications where owner_id = $1 and id > $2 order by id asc limit $3",
    );

    LINKS = Sql::new(
        "select id, bank_id, key_id, client_id, name, description, currency, metadata, origin, webhook_url, \
         redirect_url, amount, livemode, expiration_minutes, expires_at, rate_minutes, created_at, seal, bank, search \
         from payment_links where owner_id = $1 and id > $2 order by id asc limit $3",
    );
}

/// How many rows are read at once.
const PAGE_ROWS: i64 = 500;

/// Names the owner's bank notifications and payment links that are not what was written.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    notifications(tx, owner, found)?;
    links(tx, owner, found)
}

fn notifications(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut after = NotificationId::from_bytes([0; 16]);
    loop {
        let page = tx.query(&NOTIFICATIONS, &[owner.into(), after.into(), PAGE_ROWS.into()])?;
        for row in &page {
            after = row.get(0)?;
            notification(owner, after, row, found)?;
        }
        if page.len() < PAGE_ROWS as usize {
            return Ok(());
        }
    }
}

fn notification(
    owner: OwnerId,
    id: NotificationId,
    row: &Row,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let (identity, bank): (IdentityId, BankId) = (row.get(1)?, row.get(2)?);
    let (status, reference): (String, String) = (row.get(3)?, row.get(4)?);
    let payer: [Option<String>; 3] = [row.get(8)?, row.get(9)?, row.get(10)?];
    let tail: Option<String> = row.get(12)?;
    let texts: [String; 2] = [row.get(13)?, row.get(14)?];
    let kept = Notification {
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
    if row.get::<Vec<u8>>(16)? != kept.seal() {
        let says = "it is not what the bank reported";
        name(found, "bank_notifications.seal", &id.to_string(), says);
    }
    // Notices are found by the endings of their own references.
    if tail.is_some() && !is_ending(Some(&reference), tail.as_deref()) {
        let says = "not the ending of its reference";
        name(found, "bank_notifications.receipt_tail", &id.to_string(), says);
    }
    Ok(())
}

fn links(tx: &mut Tx<'_>, owner: OwnerId, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let mut after = LinkId::from_bytes([0; 16]);
    loop {
        let page = tx.query(&LINKS, &[owner.into(), after.into(), PAGE_ROWS.into()])?;
        for row in &page {
            after = row.get(0)?;
            link(owner, after, row, found)?;
        }
        if page.len() < PAGE_ROWS as usize {
            return Ok(());
        }
    }
}

fn link(owner: OwnerId, id: LinkId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (bank, actor): (BankId, ActorId) = (row.get(1)?, row.get(2)?);
    let client = row.get::<Option<ClientId>>(3)?.map(ClientId::to_bytes);
    let texts: [String; 5] = [row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?];
    let urls: [Option<String>; 2] = [row.get(9)?, row.get(10)?];
    let kept = Link {
        ids: [&owner.to_bytes(), &id.to_bytes(), &bank.to_bytes(), &actor.to_bytes()],
        client: client.as_ref().map(<[u8; 16]>::as_slice),
        texts: texts.each_ref().map(String::as_str),
        urls: urls.each_ref().map(Option::as_deref),
        amount: row.get(11)?,
        livemode: row.get(12)?,
        expiry: [row.get(13)?, row.get(14)?],
        rate_minutes: row.get(15)?,
        created_at: row.get(16)?,
    };
    if row.get::<Vec<u8>>(17)? != kept.seal() {
        name(found, "payment_links.seal", &id.to_string(), "it is not what was asked for");
    }
    if row.get::<String>(18)? != bank.to_string() {
        name(found, "payment_links.bank", &id.to_string(), "not the text of its bank_id");
    }
    if row.get::<String>(19)? != search_text(id, &texts[0], &texts[1]) {
        let says = "not made of its id, name and description";
        name(found, "payment_links.search", &id.to_string(), says);
    }
    Ok(())
}
