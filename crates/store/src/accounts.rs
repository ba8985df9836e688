//! Bank accounts as owners linked them, and the real accounts behind the links.
//!
//! A movement belongs to the real account, its bank identity, which outlives every link to it.

use domain::ids::{BankId, ClientId, IdentityId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    FIND = Sql::new(
        "select b.id, b.identity_id, b.provider, b.description, b.client_id, b.is_trashed, \
         b.is_disabled, c.is_active, c.monthly_credit_limit, b.created_at \
         from user_banks b left join clients c on c.owner_id = $1 and c.id = b.client_id \
         where b.owner_id = $1 and b.id = $2",
    );

    LIST = Sql::new(
        "select b.id, b.identity_id, b.provider, b.description, b.client_id, b.is_trashed, \
         b.is_disabled, c.is_active, c.monthly_credit_limit, b.created_at \
         from user_banks b left join clients c on c.owner_id = $1 and c.id = b.client_id \
         where b.owner_id = $1 and b.is_trashed = false order by b.id asc limit $2",
    );

    INSERT = Sql::new(
        "insert into user_banks (owner_id, id, identity_id, provider, description, client_id, \
         is_trashed, is_disabled, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, false, false, $7, $7)",
    );

    COUNT = Sql::new("select count(*) from user_banks where owner_id = $1 and is_trashed = false");

    INSERT_IDENTITY = Sql::new(
        "insert into bank_identities (owner_id, id, provider, account, revision, created_at) \
         values ($1, $2, $3, $4, 0, $5)",
    );

    LOCK_IDENTITY = Sql::new(
        "update bank_identities set revision = revision + 1 where owner_id = $1 and id = $2 \
         returning revision",
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
}

/// The account of that id, in the trash or not.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: BankId) -> Result<Option<Account>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
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

/// Writes a link and its identity.
///
/// # Errors
/// A fault of the store; an identity that exists is one.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: &NewAccount,
    now: Timestamp,
) -> Result<(), Fault> {
    let identity = [
        owner.into(),
        account.identity.into(),
        account.provider.as_str().into(),
        account.account.as_str().into(),
        now.into(),
    ];
    tx.defer(&INSERT_IDENTITY, identity, Expect::Rows(1))?;
    let link = [
        owner.into(),
        account.id.into(),
        account.identity.into(),
        account.provider.as_str().into(),
        account.description.as_str().into(),
        account.client.into(),
        now.into(),
    ];
    tx.defer(&INSERT, link, Expect::Rows(1))
}

/// The statement that holds an identity until the transaction ends, and its parameters: whoever
/// reads or writes its movements for a claim holds it first.
pub(crate) fn lock_identity(owner: OwnerId, id: IdentityId) -> (&'static Sql, [Value; 2]) {
    (&LOCK_IDENTITY, [owner.into(), id.into()])
}

fn read(row: &Row) -> Result<Account, Fault> {
    Ok(Account {
        id: row.get(0)?,
        identity: row.get(1)?,
        provider: row.get(2)?,
        description: row.get(3)?,
        client: row.get(4)?,
        is_trashed: row.get(5)?,
        is_disabled: row.get(6)?,
        client_is_active: row.get(7)?,
        client_limit: row.get(8)?,
        created_at: row.get(9)?,
    })
}
