//! The list of an owner's payments, in the order in which they came to be there. Nothing is ever added to it but at the
//! end: it is ordered by the lines of the ledger that charge payments, which are given under the lock of the owner's
//! row, and which no clock spoils. So a reader who has read up to one has missed nothing before it.

use std::ops::Range;

use domain::ids::{ActorId, BankId, ClientId, LinkId, OwnerId, PaymentId};
use domain::money::Bolivars;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::list::find_each;
use crate::payments::{self, Payment, payment_columns, payment_tables};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// The columns that decide whether a payment is wanted, of those after the line `$2` and before `$3`.
macro_rules! looked_at {
    () => {
        "select p.line, p.id, p.bank_id, p.client_id, p.actor_id, p.created_at, \
         v.client_id as verification_client_id \
         from payments p join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         where p.owner_id = $1 and p.line > $2 and p.line < $3 "
    };
}

/// The same of payments before the line `$2` and after `$3`, and the amounts that came in.
macro_rules! looked_back_at {
    () => {
        "select p.line, p.id, p.bank_id, p.client_id, p.actor_id, p.created_at, \
         v.client_id as verification_client_id, m.amount \
         from payments p join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         join movements m on m.owner_id = $1 and m.id = p.movement_id \
         where p.owner_id = $1 and p.line < $2 and p.line > $3 "
    };
}

statements! {
    LOOK_BACK =
        Sql::new(concat!(looked_back_at!(), "order by p.line desc limit $4"));

    LOOK_BACK_OF_CLIENT = Sql::new(concat!(
        looked_back_at!(),
        "and p.client_id = $4 order by p.line desc limit $5"
    ));

    LOOK = Sql::new(concat!(looked_at!(), "order by p.line asc limit $4"));

    LOOK_OF_CLIENT = Sql::new(concat!(
        looked_at!(),
        "and p.client_id = $4 order by p.line asc limit $5"
    ));

    LAST_BEFORE = Sql::new(
        "select line from payments where owner_id = $1 and updated_at < $2 \
         order by updated_at desc limit 1",
    );

    FIRST_SINCE = Sql::new(
        "select line from payments where owner_id = $1 and updated_at >= $2 and updated_at < $3 \
         order by updated_at asc limit 1",
    );

    LOOK_OF_LINK = Sql::new(concat!(
        looked_at!(),
        "and p.id = (select l.payment_id from payment_links l where l.owner_id = $1 and l.id = $4)"
    ));

    FIND = Sql::new(concat!(
        "select ",
        payment_columns!(),
        ", b.provider",
        payment_tables!(),
        "join user_banks b on b.owner_id = $1 and b.id = p.bank_id \
         where p.owner_id = $1 and p.id = $2"
    ));
}

/// Facts that decide whether a payment is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its place in the list.
    pub line: i64,
    /// Its id.
    pub id: PaymentId,
    /// The account that it came to.
    pub bank: BankId,
    /// The client of the caller that claimed it.
    pub claimed_for: Option<ClientId>,
    /// Who claimed it.
    pub actor: ActorId,
    /// When it was claimed.
    pub created_at: Timestamp,
    /// The client that it counts against.
    pub client: Option<ClientId>,
}

/// A payment as it is listed.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The payment.
    pub payment: Payment,
    /// Our name of the account's provider.
    pub provider: String,
}

/// The lines beside an instant: of the latest payment before it, and of the first one from it on and before `until`.
/// Where a clock was ahead or behind, payments between the two may be of other times.
///
/// # Errors
/// A fault of the store.
pub fn lines_beside(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    Range { start, end }: Range<Timestamp>,
) -> Result<(Option<i64>, Option<i64>), Fault> {
    let before = tx.query_opt(&LAST_BEFORE, &[owner.into(), start.into()])?;
    let since = tx.query_opt(&FIRST_SINCE, &[owner.into(), start.into(), end.into()])?;
    let line = |row: Row| row.get::<i64>("line");
    Ok((before.map(line).transpose()?, since.map(line).transpose()?))
}

/// The first `limit` payments behind one line and before another, those alone that callers of a client have claimed
/// where one is named.
///
/// # Errors
/// A fault of the store.
pub fn look(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    Range { start, end }: Range<i64>,
    claimed_for: Option<ClientId>,
    limit: i64,
) -> Result<Vec<Entry>, Fault> {
    let mut params: Vec<Value> = vec![owner.into(), start.into(), end.into()];
    params.extend(claimed_for.map(Value::from));
    params.push(limit.into());
    let sql = if claimed_for.is_some() { &LOOK_OF_CLIENT } else { &LOOK };
    tx.query(sql, &params)?.iter().map(read_entry).collect()
}

/// The payment of a link, where it is paid, behind one line and before another; and claimed by callers of a client,
/// where one is named.
///
/// # Errors
/// A fault of the store.
pub fn look_of_link(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    Range { start, end }: Range<i64>,
    claimed_for: Option<ClientId>,
    link: LinkId,
) -> Result<Option<Entry>, Fault> {
    let params = [owner.into(), start.into(), end.into(), link.into()];
    let row = tx.query_opt(&LOOK_OF_LINK, &params)?;
    let entry = row.map(|row| read_entry(&row)).transpose()?;
    Ok(entry.filter(|entry| claimed_for.is_none() || entry.claimed_for == claimed_for))
}

/// The last `limit` payments between these lines, the latest first, each with the amount that came in; those alone
/// that callers of a client have claimed where one is named.
///
/// # Errors
/// A fault of the store.
pub fn look_back(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    Range { start, end }: Range<i64>,
    claimed_for: Option<ClientId>,
    limit: i64,
) -> Result<Vec<(Entry, Bolivars)>, Fault> {
    let mut params: Vec<Value> = vec![owner.into(), end.into(), start.into()];
    params.extend(claimed_for.map(Value::from));
    params.push(limit.into());
    let sql = if claimed_for.is_some() { &LOOK_BACK_OF_CLIENT } else { &LOOK_BACK };
    let read = |row: &Row| Ok((read_entry(row)?, Bolivars::from_hundredths(row.get("amount")?)));
    tx.query(sql, &params)?.iter().map(read).collect()
}

fn read_entry(row: &Row) -> Result<Entry, Fault> {
    Ok(Entry {
        line: row.get("line")?,
        id: row.get("id")?,
        bank: row.get("bank_id")?,
        claimed_for: row.get("client_id")?,
        actor: row.get("actor_id")?,
        created_at: row.get("created_at")?,
        client: row.get("verification_client_id")?,
    })
}

/// These payments, in this order.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, ids: &[PaymentId]) -> Result<Vec<Listed>, Fault> {
    let read =
        |row: Row| Ok(Listed { payment: payments::read(&row)?, provider: row.get("provider")? });
    find_each(tx, &FIND, owner, ids.iter().copied())?.into_iter().map(read).collect()
}
