//! Bank accounts as owners linked them, and the real accounts behind the links.
//!
//! A movement belongs to the real account, its bank identity, which outlives every link to it.

use domain::ids::{BankId, ClientId, IdentityId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::point_query::{PointQuery, at_most_one};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

/// The account `b` and what its client `d` says, as [`read_from`] reads it.
macro_rules! account_columns {
    () => {
        "b.id, b.identity_id, b.provider, b.description, b.client_id, b.is_trashed, b.is_disabled, \
         d.is_active, d.monthly_credit_limit, b.created_at, b.same_bank_by_payer, b.client_since"
    };
}

pub(crate) use account_columns;

statements! {
    FIND = Sql::new(
        concat!(
            "select ",
            account_columns!(),
            " from user_banks b left join clients d on d.owner_id = $1 and d.id = b.client_id \
         where b.owner_id = $1 and b.id = $2"
        ),
    )
    .reads_auth();

    LIST = Sql::new(
        concat!(
            "select ",
            account_columns!(),
            " from user_banks b left join clients d on d.owner_id = $1 and d.id = b.client_id \
         where b.owner_id = $1 and b.is_trashed = false order by b.id asc limit $2"
        ),
    );

    INSERT = Sql::new(
        "insert into user_banks (owner_id, id, identity_id, provider, description, client_id, \
         client_since, is_trashed, is_disabled, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, $7, false, false, $8, $8)",
    )
    .writes_auth();

    COUNT = Sql::new("select count(*) from user_banks where owner_id = $1 and is_trashed = false");

    // Held until the transaction ends, whether it was there or not.
    HOLD_IDENTITY = Sql::new(
        "insert into bank_identities (owner_id, id, provider, account, revision, created_at) \
         values ($1, $2, $3, $4, 0, $5) on conflict (owner_id, provider, account) do update \
         set revision = bank_identities.revision + 1 returning id",
    );

    LINKS_OF_IDENTITY = Sql::new(
        "select id, client_id, is_trashed from user_banks \
         where owner_id = $1 and identity_id = $2 order by id asc limit 1",
    );

    REVIVE = Sql::new(
        "update user_banks set is_trashed = false, description = $3, client_id = $4, \
         client_since = $5, same_bank_by_payer = false, updated_at = $6 \
         where owner_id = $1 and id = $2 and is_trashed",
    )
    .writes_auth();

    TRASH = Sql::new(
        "update user_banks set is_trashed = true, updated_at = $3 \
         where owner_id = $1 and id = $2 and is_trashed = false returning id",
    )
    .writes_auth();

    MOVE = Sql::new(
        "update user_banks set client_id = $3, client_since = $4, updated_at = $5 \
         where owner_id = $1 and id = $2",
    )
    .writes_auth();

    OF_CLIENTS = Sql::new(
        "select id, client_id from user_banks where owner_id = $1 and is_trashed = false \
         and client_id >= $2 and client_id <= $3 order by id asc",
    );

    CHOOSE_BY_PAYER = Sql::new(
        "update user_banks set same_bank_by_payer = $3, updated_at = $4 \
         where owner_id = $1 and id = $2 and is_trashed = false returning id",
    )
    .writes_auth();

    // Held without being written, and so that rows which refer to it may be written meanwhile. Only
    // `HOLD_IDENTITY`, which writes to hold, advances `revision`.
    LOCK_IDENTITY = Sql::new(
        "select id from bank_identities where owner_id = $1 and id = $2 for no key update",
    );
}

/// How many accounts one owner may link.
pub const ACCOUNTS_MAX: i64 = 1_000;

/// A linked bank account.
#[derive(Clone, Debug)]
pub struct Account {
    /// The link's id.
    pub id: BankId,
    /// The real account.
    pub identity: IdentityId,
    /// Which connector serves it.
    pub provider: String,
    /// The owner's label.
    pub description: String,
    /// The client that it belongs to.
    pub client: Option<ClientId>,
    /// Whether it was put in the trash.
    pub is_trashed: bool,
    /// Whether it is switched off.
    pub is_disabled: bool,
    /// Whether its client may use the service; `None` without a client.
    pub client_is_active: Option<bool>,
    /// Its client's monthly quota.
    pub client_limit: Option<i64>,
    /// When it was linked.
    pub created_at: Timestamp,
    /// Whether a payment between two customers of its bank may be confirmed by payer, amount and day.
    pub same_bank_by_payer: bool,
    /// Since when it is its client's, which sees nothing of before.
    pub client_since: Option<Timestamp>,
}

/// The account of that id, in the trash or not, as a point query.
#[must_use]
pub fn finding(owner: OwnerId, id: BankId) -> PointQuery<Option<Account>> {
    PointQuery::new(&FIND, [owner.into(), id.into()], |rows| {
        at_most_one(rows)?.map(read).transpose()
    })
}

/// The account of that id, in the trash or not.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: BankId) -> Result<Option<Account>, Fault> {
    finding(owner, id).run(tx)
}

/// The owner's accounts outside the trash, oldest first.
///
/// # Errors
/// A fault of the store.
pub fn list(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Vec<Account>, Fault> {
    let rows = tx.query(&LIST, &[owner.into(), ACCOUNTS_MAX.into()])?;
    rows.iter().map(read).collect()
}

/// How many accounts the owner has outside the trash.
///
/// # Errors
/// A fault of the store.
pub fn count(tx: &mut Tx<'_>, owner: OwnerId) -> Result<i64, Fault> {
    tx.query_one(&COUNT, &[owner.into()])?.get(0)
}

/// An account that is about to be linked, and the identity made with it.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The link's id.
    pub id: BankId,
    /// The real account's id.
    pub identity: IdentityId,
    /// Which connector serves it.
    pub provider: String,
    /// What tells the real account from all others of the provider.
    pub account: String,
    /// The owner's label.
    pub description: String,
    /// The client that it belongs to.
    pub client: Option<ClientId>,
}

/// What came of linking an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It is linked under the id that was made for it.
    Made,
    /// It was in the trash, and is linked again under its former id.
    Revived(BankId),
    /// It is linked already, or in the trash of somebody whose links the caller may not revive.
    Taken,
}

/// Links a real account, which has one link at most: its payments hang on it. One in the trash is
/// revived if its client is `may_revive`'s, and belongs from then on to whom it is linked for: whoever
/// had it before does not come by a key of the bank that somebody else brought.
///
/// # Errors
/// A fault of the store.
pub fn link(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: &NewAccount,
    may_revive: impl Fn(Option<ClientId>) -> bool,
    now: Timestamp,
) -> Result<Link, Fault> {
    let identity = [
        owner.into(),
        account.identity.into(),
        account.provider.as_str().into(),
        account.account.as_str().into(),
        now.into(),
    ];
    let identity: IdentityId = tx.query_one(&HOLD_IDENTITY, &identity)?.get(0)?;
    let Some(row) = tx.query_opt(&LINKS_OF_IDENTITY, &[owner.into(), identity.into()])? else {
        write(tx, owner, account, identity, now)?;
        return Ok(Link::Made);
    };
    let id: BankId = row.get(0)?;
    if id == account.id {
        // The same call, whose answer was lost.
        return Ok(Link::Made);
    }
    if !row.get::<bool>(2)? || !may_revive(row.get(1)?) {
        return Ok(Link::Taken);
    }
    let params = [
        owner.into(),
        id.into(),
        account.description.as_str().into(),
        account.client.into(),
        account.client.map(|_| now).into(),
        now.into(),
    ];
    tx.defer(&REVIVE, params, Expect::Rows(1))?;
    Ok(Link::Revived(id))
}

/// Writes a link of a real account that has none.
///
/// # Errors
/// A fault of the store; an account that has a link is one.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: &NewAccount,
    now: Timestamp,
) -> Result<(), Fault> {
    match link(tx, owner, account, |_| false, now)? {
        Link::Made => Ok(()),
        Link::Revived(_) | Link::Taken => Err(Fault::broken("an account that has a link")),
    }
}

fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: &NewAccount,
    identity: IdentityId,
    now: Timestamp,
) -> Result<(), Fault> {
    let link = [
        owner.into(),
        account.id.into(),
        identity.into(),
        account.provider.as_str().into(),
        account.description.as_str().into(),
        account.client.into(),
        account.client.map(|_| now).into(),
        now.into(),
    ];
    tx.defer(&INSERT, link, Expect::Rows(1))
}

/// Puts an account into the trash; answers whether it was outside. Its movements and payments stay.
///
/// # Errors
/// A fault of the store.
pub fn trash(tx: &mut Tx<'_>, owner: OwnerId, id: BankId, now: Timestamp) -> Result<bool, Fault> {
    Ok(tx.query_opt(&TRASH, &[owner.into(), id.into(), now.into()])?.is_some())
}

/// Gives an account to a client, or to none: nothing of before is the client's to see.
///
/// # Errors
/// A fault of the store.
pub fn move_to(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: BankId,
    client: Option<ClientId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let since = client.map(|_| now);
    let params = [owner.into(), id.into(), client.into(), since.into(), now.into()];
    tx.defer(&MOVE, params, Expect::Rows(1))
}

/// The accounts outside the trash of the clients from `first` to `last`, each with its client, oldest first.
///
/// # Errors
/// A fault of the store.
pub fn of_clients(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    first: ClientId,
    last: ClientId,
) -> Result<Vec<(BankId, ClientId)>, Fault> {
    let rows = tx.query(&OF_CLIENTS, &[owner.into(), first.into(), last.into()])?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

/// Keeps whether payments within the account's bank may be confirmed by payer, amount and day; answers whether the
/// account is there, outside the trash.
///
/// # Errors
/// A fault of the store.
pub fn choose_same_bank_by_payer(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: BankId,
    is_chosen: bool,
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), id.into(), is_chosen.into(), now.into()];
    Ok(tx.query_opt(&CHOOSE_BY_PAYER, &params)?.is_some())
}

/// Holds an identity until the transaction ends: whoever reads or writes its movements for a claim holds
/// it first.
///
/// # Errors
/// A fault of the store.
pub(crate) fn hold_identity(tx: &mut Tx<'_>, owner: OwnerId, id: IdentityId) -> Result<(), Fault> {
    tx.defer(&LOCK_IDENTITY, [owner.into(), id.into()], Expect::Any)
}

fn read(row: &Row) -> Result<Account, Fault> {
    read_from(row, 0)
}

/// An account whose columns begin with that one.
pub(crate) fn read_from(row: &Row, first: usize) -> Result<Account, Fault> {
    Ok(Account {
        id: row.get(first)?,
        identity: row.get(first + 1)?,
        provider: row.get(first + 2)?,
        description: row.get(first + 3)?,
        client: row.get(first + 4)?,
        is_trashed: row.get(first + 5)?,
        is_disabled: row.get(first + 6)?,
        client_is_active: row.get(first + 7)?,
        client_limit: row.get(first + 8)?,
        created_at: row.get(first + 9)?,
        same_bank_by_payer: row.get(first + 10)?,
        client_since: row.get(first + 11)?,
    })
}
