//! Bank accounts as owners linked them, and the real accounts behind the links.
//!
//! A movement belongs to the real account, its bank identity, which outlives every link to it.

use domain::ids::{BankId, ClientId, IdentityId, MovementId, OwnerId};
use domain::seals::{Seal, SealedAccount};
use domain::time::Timestamp;

use crate::account_use;
use crate::fault::Fault;
use crate::point_query::{PointQuery, at_most_one};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

/// The account `b` and what its client `d` says, as [`read`] reads it.
macro_rules! account_columns {
    () => {
        "b.id as account_id, b.identity_id, b.provider, b.description, b.client_id as account_client_id, \
         b.is_trashed, b.is_disabled, d.is_active as account_client_is_active, \
         d.monthly_credit_limit as account_client_limit, b.created_at as account_created_at, \
         b.same_bank_by_payer, b.short_references, b.client_since"
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

    OF_MOVEMENT = Sql::new(
        concat!(
            "select ",
            account_columns!(),
            " from movements m join user_banks b on b.owner_id = $1 and b.identity_id = m.identity_id \
         left join clients d on d.owner_id = $1 and d.id = b.client_id \
         where m.owner_id = $1 and m.id = $2"
        ),
    );

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
         client_since, is_trashed, is_disabled, seal, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, $7, false, false, $8, $9, $9)",
    )
    .writes_auth();

    PROVIDERS = Sql::new(
        "select id, client_id, provider from user_banks where owner_id = $1 order by id asc",
    )
    .reads_auth();

    COUNT = Sql::new(
        "select count(*) as total from user_banks where owner_id = $1 and is_trashed = false",
    );

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

    REWRITE = Sql::new(
        "update user_banks set description = $3, client_id = $4, client_since = $5, is_trashed = $6, \
         same_bank_by_payer = $7, seal = $8, updated_at = $9, short_references = $10 \
         where owner_id = $1 and id = $2",
    )
    .writes_auth();

    OF_CLIENTS = Sql::new(
        "select id, client_id from user_banks where owner_id = $1 and is_trashed = false \
         and client_id >= $2 and client_id <= $3 order by id asc",
    );

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
    /// Says whether four digits of a reference do with an amount.
    pub short_references: bool,
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

/// The account that a movement came to, in the trash or not: a real account has one link at most.
///
/// # Errors
/// A fault of the store.
pub fn of_movement(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    movement: MovementId,
) -> Result<Option<Account>, Fault> {
    let row = tx.query_opt(&OF_MOVEMENT, &[owner.into(), movement.into()])?;
    row.map(|row| read(&row)).transpose()
}

/// The owner's accounts outside the trash, oldest first.
///
/// # Errors
/// A fault of the store.
pub fn list(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Vec<Account>, Fault> {
    let rows = tx.query(&LIST, &[owner.into(), ACCOUNTS_MAX.into()])?;
    rows.iter().map(read).collect()
}

/// Which connector serves an account, in the trash or not.
#[derive(Clone, Debug)]
pub struct Served {
    /// The account.
    pub id: BankId,
    /// The client that it belongs to.
    pub client: Option<ClientId>,
    /// Our name of its provider.
    pub provider: String,
}

/// Which connector serves each account of the owner, also those in the trash, as a point query.
#[must_use]
pub fn served(owner: OwnerId) -> PointQuery<Vec<Served>> {
    PointQuery::new(&PROVIDERS, [owner.into()], |rows| rows.iter().map(read_served).collect())
}

fn read_served(row: &Row) -> Result<Served, Fault> {
    Ok(Served { id: row.get("id")?, client: row.get("client_id")?, provider: row.get("provider")? })
}

/// How many accounts the owner has outside the trash.
///
/// # Errors
/// A fault of the store.
pub fn count(tx: &mut Tx<'_>, owner: OwnerId) -> Result<i64, Fault> {
    tx.query_one(&COUNT, &[owner.into()])?.get("total")
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
    /// What distinguishes the real account from all others of the provider.
    pub account: String,
    /// The owner's label.
    pub description: String,
    /// The client that it belongs to.
    pub client: Option<ClientId>,
}

/// The outcome of linking an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It is linked under the id that was made for it.
    Made,
    /// It was in the trash, and is linked again under its former id.
    Revived(BankId),
    /// It is linked already, or in the trash of somebody whose links the caller may not revive.
    Taken,
    /// It is in the trash, and a client that it would be taken from has something open on it.
    InUse,
}

/// Links a real account, which has one link at most: its payments hang on it. One in the trash is
/// revived if its client is `may_revive`'s, and belongs from then on to whom it is linked for: its former
/// holder does not get a key of the bank that somebody else brought.
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
    let identity: IdentityId = tx.query_one(&HOLD_IDENTITY, &identity)?.get("id")?;
    let Some(row) = tx.query_opt(&LINKS_OF_IDENTITY, &[owner.into(), identity.into()])? else {
        write(tx, owner, account, identity, now)?;
        return Ok(Link::Made);
    };
    let id: BankId = row.get("id")?;
    if id == account.id {
        // The same call, whose answer was lost.
        return Ok(Link::Made);
    }
    if !row.get::<bool>("is_trashed")? || !may_revive(row.get("client_id")?) {
        return Ok(Link::Taken);
    }
    if account_use::is_in_use_by_another(tx, owner, id, account.client, now)? {
        return Ok(Link::InUse);
    }
    let trashed = find(tx, owner, id)?.ok_or_else(|| Fault::broken("an account that is gone"))?;
    let revived = Account {
        description: account.description.clone(),
        client: account.client,
        client_since: account.client.map(|_| now),
        is_trashed: false,
        same_bank_by_payer: false,
        short_references: false,
        ..trashed
    };
    rewrite(tx, owner, &revived, now)?;
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
        Link::Revived(_) | Link::Taken | Link::InUse => {
            Err(Fault::broken("an account that has a link"))
        }
    }
}

fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: &NewAccount,
    identity: IdentityId,
    now: Timestamp,
) -> Result<(), Fault> {
    let written = Account {
        id: account.id,
        identity,
        provider: account.provider.clone(),
        description: account.description.clone(),
        client: account.client,
        is_trashed: false,
        is_disabled: false,
        client_is_active: None,
        client_limit: None,
        created_at: now,
        same_bank_by_payer: false,
        short_references: false,
        client_since: account.client.map(|_| now),
    };
    let link = [
        owner.into(),
        written.id.into(),
        identity.into(),
        written.provider.as_str().into(),
        written.description.as_str().into(),
        written.client.into(),
        written.client_since.into(),
        seal(owner, &written).as_slice().into(),
        now.into(),
    ];
    tx.defer(&INSERT, link, Expect::Rows(1))
}

/// Writes what may change of an account. The caller holds its owner's lock, so that what was read of it holds.
fn rewrite(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    changed: &Account,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        changed.id.into(),
        changed.description.as_str().into(),
        changed.client.into(),
        changed.client_since.into(),
        changed.is_trashed.into(),
        changed.same_bank_by_payer.into(),
        seal(owner, changed).as_slice().into(),
        now.into(),
        changed.short_references.into(),
    ];
    tx.defer(&REWRITE, params, Expect::Rows(1))
}

/// The seal over what is kept of an account.
fn seal(owner: OwnerId, account: &Account) -> Seal {
    let client = account.client.map(ClientId::to_bytes);
    SealedAccount {
        ids: [&owner.to_bytes(), &account.id.to_bytes(), &account.identity.to_bytes()],
        texts: [&account.provider, &account.description],
        client: client.as_ref().map(<[u8; 16]>::as_slice),
        client_since: account.client_since.map(Timestamp::as_micros),
        flags: [
            account.is_trashed,
            account.is_disabled,
            account.same_bank_by_payer,
            account.short_references,
        ],
        created_at: account.created_at.as_micros(),
    }
    .seal()
}

/// Puts an account into the trash; answers whether it was outside. Its movements and payments stay.
///
/// # Errors
/// A fault of the store.
pub fn trash(tx: &mut Tx<'_>, owner: OwnerId, id: BankId, now: Timestamp) -> Result<bool, Fault> {
    let Some(account) = find(tx, owner, id)?.filter(|account| !account.is_trashed) else {
        return Ok(false);
    };
    rewrite(tx, owner, &Account { is_trashed: true, ..account }, now)?;
    Ok(true)
}

/// Gives an account to a client, or to none: nothing of before is the client's to see.
///
/// # Errors
/// A fault of the store; no such account is one.
pub fn move_to(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: BankId,
    client: Option<ClientId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let account = find(tx, owner, id)?.ok_or_else(|| Fault::broken("an account that is gone"))?;
    let moved = Account { client, client_since: client.map(|_| now), ..account };
    rewrite(tx, owner, &moved, now)
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
    rows.iter().map(|row| Ok((row.get("id")?, row.get("client_id")?))).collect()
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
    let Some(account) = find(tx, owner, id)?.filter(|account| !account.is_trashed) else {
        return Ok(false);
    };
    rewrite(tx, owner, &Account { same_bank_by_payer: is_chosen, ..account }, now)?;
    Ok(true)
}

/// Keeps whether four digits of a reference do with an amount on this account; answers whether that is there.
///
/// # Errors
/// A fault of the store.
pub fn choose_short_references(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: BankId,
    is_chosen: bool,
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some(account) = find(tx, owner, id)?.filter(|account| !account.is_trashed) else {
        return Ok(false);
    };
    rewrite(tx, owner, &Account { short_references: is_chosen, ..account }, now)?;
    Ok(true)
}

/// Holds an identity until the transaction ends: a transaction that reads or writes its movements for a
/// claim holds it first.
///
/// # Errors
/// A fault of the store.
pub(crate) fn hold_identity(tx: &mut Tx<'_>, owner: OwnerId, id: IdentityId) -> Result<(), Fault> {
    tx.defer(&LOCK_IDENTITY, [owner.into(), id.into()], Expect::Any)
}

/// Reads [`account_columns`].
pub(crate) fn read(row: &Row) -> Result<Account, Fault> {
    Ok(Account {
        id: row.get("account_id")?,
        identity: row.get("identity_id")?,
        provider: row.get("provider")?,
        description: row.get("description")?,
        client: row.get("account_client_id")?,
        is_trashed: row.get("is_trashed")?,
        is_disabled: row.get("is_disabled")?,
        client_is_active: row.get("account_client_is_active")?,
        client_limit: row.get("account_client_limit")?,
        created_at: row.get("account_created_at")?,
        same_bank_by_payer: row.get("same_bank_by_payer")?,
        short_references: row.get("short_references")?,
        client_since: row.get("client_since")?,
    })
}
