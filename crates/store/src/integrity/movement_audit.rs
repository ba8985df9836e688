//! The audit of one owner's movements: each against its seal, and the notices of banks against their movements.

use domain::ids::{IdentityId, MovementId, NotificationId, OwnerId};
use domain::seals::{SEAL_LEN, SealedMovement};

use crate::difference::{Difference, Rule, hold, id, name};
use crate::fault::Fault;
use crate::movements::is_ending;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

statements! {
    // In the order of an index that both engines have, and that lacks nothing: the list of the accounts.
    PAGE = Sql::new(
        "select id, identity_id, reference, reference_zeros, tail, bank_key, amount, paid_on, paid_at, \
         payer_bank, payer_phone, payer_document, payer_account, payer_form, description, seal, \
         receipt, receipt_tail, typed, typed_tail, is_named, contested_with \
         from movements where owner_id = $1 and (identity_id, paid_on, id) > ($2, $3, $4) \
         order by identity_id asc, paid_on asc, id asc limit $5",
    );

    // A row of the bank is known by a receipt because a notice reported it.
    RECEIPTS = Sql::new(
        "select 'receipt' as col, m.id from movements m \
         where m.owner_id = $1 and m.receipt is not null and not exists (\
         select 1 from bank_notifications n where n.owner_id = $1 and n.movement_id = m.id \
         and n.reference = m.receipt and n.receipt_tail = m.receipt_tail) \
         order by m.id asc limit $2",
    );

    NOTICES = Sql::new(
        "select f.col, f.id from (select n.id, case when b.id is null then 'bank_id' \
         when n.movement_id is not null and m.id is null then 'movement_id' \
         when n.identity_id <> m.identity_id then 'identity_id' \
         when n.amount <> m.amount then 'amount' end as col \
         from bank_notifications n left join movements m on m.owner_id = $1 and m.id = n.movement_id \
         left join user_banks b on b.owner_id = $1 and b.id = n.bank_id \
         where n.owner_id = $1) as f \
         where f.col is not null order by f.id asc limit $2",
    );
}

/// How many movements are read at once.
const PAGE_ROWS: i64 = 1_000;

const NOTICES_RULE: Rule = Rule {
    table: "bank_notifications",
    sql: &NOTICES,
    row: id::<NotificationId>,
    says: "not that of its movement, or of any account",
};

const RECEIPTS_RULE: Rule = Rule {
    table: "movements",
    sql: &RECEIPTS,
    row: id::<MovementId>,
    says: "no notice of the bank has it",
};

/// Names what is wrong with the owner's movements.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let first = [[0; 16].into(), i64::MIN.into(), [0; 16].into()];
    let mut place: [Value; 3] = first;
    loop {
        let params = [&[owner.into()], &place[..], &[PAGE_ROWS.into()]].concat();
        let page = tx.query(&PAGE, &params)?;
        for row in &page {
            sealed(owner, row, found)?;
        }
        let Some(last) = page.last().filter(|_| page.len() == PAGE_ROWS as usize) else { break };
        let (id, identity): (MovementId, IdentityId) = (last.get("id")?, last.get("identity_id")?);
        place = [identity.into(), last.get::<i64>("paid_on")?.into(), id.into()];
    }
    hold(tx, owner, &[(&NOTICES_RULE, &[]), (&RECEIPTS_RULE, &[])], found)
}

/// A movement is what was written, and is found by its own ending.
fn sealed(owner: OwnerId, row: &Row, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let (id, identity): (MovementId, IdentityId) = (row.get("id")?, row.get("identity_id")?);
    let (reference, tail): (String, String) = (row.get("reference")?, row.get("tail")?);
    let bank_key: Option<String> = row.get("bank_key")?;
    let payer: [Option<String>; 4] = [
        row.get("payer_bank")?,
        row.get("payer_phone")?,
        row.get("payer_document")?,
        row.get("payer_account")?,
    ];
    let others: [Option<String>; 4] =
        [row.get("receipt")?, row.get("receipt_tail")?, row.get("typed")?, row.get("typed_tail")?];
    let contested_with: Option<Vec<u8>> = row.get("contested_with")?;
    let kept = SealedMovement {
        owner: &owner.to_bytes(),
        id: &id.to_bytes(),
        identity: &identity.to_bytes(),
        reference: &reference,
        reference_zeros: row.get("reference_zeros")?,
        tail: &tail,
        bank_key: bank_key.as_deref(),
        amount: row.get("amount")?,
        paid_on: row.get("paid_on")?,
        paid_at: row.get("paid_at")?,
        payer: payer.each_ref().map(Option::as_deref),
        payer_form: row.get("payer_form")?,
        description: &row.get::<String>("description")?,
        other_references: others.each_ref().map(Option::as_deref),
        is_named: row.get("is_named")?,
        contested_with: contested_with.as_deref(),
    };
    // One of another length is none of ours.
    let seal = <[u8; SEAL_LEN]>::try_from(row.get::<Vec<u8>>("seal")?);
    if seal != Ok(kept.seal()) {
        name(found, "movements.seal", &id.to_string(), "it is not what the bank showed");
    }
    let [receipt, receipt_tail, typed, typed_tail] = others;
    for (column, digits, tail) in [
        ("tail", Some(reference), Some(tail)),
        ("receipt_tail", receipt, receipt_tail),
        ("typed_tail", typed, typed_tail),
    ] {
        if !is_ending(digits.as_deref(), tail.as_deref()) {
            let column = format!("movements.{column}");
            name(found, &column, &id.to_string(), "not the ending of its reference");
        }
    }
    Ok(())
}
