//! API keys: their records, and what a request needs to know of one in a single statement.

mod columns;

use domain::ids::{ActorId, BankId, ClientId, KeyId, OwnerId};
use domain::keys::KeyHash;
use domain::money::Credits;
use domain::permissions::Permissions;
use domain::time::Timestamp;

use self::columns::{read, read_permissions, read_selection, write_selection};
use crate::ended::{self, EndedThing};
use crate::fault::Fault;
use crate::issuers::Issuer;
use crate::key_uses::Use;
use crate::point_query::{PointQuery, at_most_one};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

/// What decides about a call of the key `k`, of the owner's profile `p` and of its client `c`, as
/// [`read_standing`] reads it.
macro_rules! standing_columns {
    () => {
        "k.hash, k.is_default, k.is_active, k.revoked_at, k.expires_at, k.client_id, k.user_banks, \
         k.permissions, k.monthly_credit_limit, p.is_active as owner_is_active, \
         c.is_active as client_is_active, c.payments_enabled"
    };
}

pub(crate) use standing_columns;

/// The keys of the owner `$1`, as [`read_locked`] reads them.
macro_rules! selected_keys {
    () => {
        "select id, name, hint, is_default, is_active, client_id, user_banks, permissions, \
         monthly_credit_limit, created_at, updated_at, expires_at, hash, revoked_at, \
         (select u.last_used_at from key_uses u where u.owner_id = $1 and u.key_id = api_keys.id) \
         as last_used_at, \
         (select u.last_used_from from key_uses u where u.owner_id = $1 and u.key_id = api_keys.id) \
         as last_used_from, \
         former_hash, issued_by, issued_at, issued_session, issued_from \
         from api_keys where owner_id = $1 "
    };
}

pub(crate) use selected_keys;

statements! {
    // What decides about a request: the key's own row, its owner and its client.
    FIND_STANDING = Sql::new(concat!(
        "select ",
        standing_columns!(),
        " from api_keys k join owner_profiles p on p.owner_id = $1 \
         left join clients c on c.owner_id = $1 and c.id = k.client_id \
         where k.owner_id = $1 and k.id = $2",
    ))
    .reads_auth();

    FIND = Sql::new(concat!(selected_keys!(), "and id = $2 and revoked_at is null"));

    CLIENT_OF = Sql::new("select client_id from api_keys where owner_id = $1 and id = $2");

    // Of a key that was revoked the history stays.
    EXISTS = Sql::new("select id from api_keys where owner_id = $1 and id = $2");

    // A revoked one, too: a caller that revokes it again learns that it is revoked.
    LOCK = Sql::new(concat!(selected_keys!(), "and id = $2 for update"));

    LIST =
        Sql::new(concat!(selected_keys!(), "and revoked_at is null order by id asc limit $2"));

    LIST_OF_CLIENT = Sql::new(concat!(
        selected_keys!(),
        "and client_id = $2 and revoked_at is null order by id asc limit $3"
    ));

    INSERT = Sql::new(
        "insert into api_keys (owner_id, id, name, hash, hint, is_default, is_active, client_id, \
         user_banks, permissions, monthly_credit_limit, expires_at, created_at, updated_at, issued_at, \
         issued_by, issued_session, issued_from) \
         values ($1, $2, $3, $4, $5, $6, true, $7, $8, $9, $10, $11, $12, $12, $12, $13, $14, $15)",
    )
    .writes_auth();

    COUNT = Sql::new(
        "select count(*) as total from api_keys where owner_id = $1 and revoked_at is null",
    );

    FIND_DEFAULT =
        Sql::new("select id from api_keys where owner_id = $1 and is_default = true");

    LOCK_DEFAULT = Sql::new(
        "select id from api_keys where owner_id = $1 and is_default = true for update",
    );

    REPLACE_HASH = Sql::new(
        "update api_keys set former_hash = hash, hash = $2, hint = $3, updated_at = $4, issued_at = $4, \
         issued_by = $6, issued_session = $7, issued_from = $8 where owner_id = $1 and id = $5",
    )
    .writes_auth();

    SET_LIMIT = Sql::new(
        "update api_keys set monthly_credit_limit = $2, updated_at = $3 \
         where owner_id = $1 and id = $4 and client_id is null and revoked_at is null \
         returning id",
    )
    .writes_auth();

    REVOKE = Sql::new(
        "update api_keys set revoked_at = $2, updated_at = $2 where owner_id = $1 and id = $3",
    )
    .writes_auth();

    HOLD_ALL = Sql::new(
        "update api_keys set is_active = false, updated_at = $2 \
         where owner_id = $1 and is_active = true and revoked_at is null",
    )
    .writes_auth();

    HOLD = Sql::new(
        "update api_keys set is_active = false, updated_at = $2 \
         where owner_id = $1 and id = $3 and revoked_at is null",
    )
    .writes_auth();

    SET_SCOPE = Sql::new(
        "update api_keys set client_id = $2, user_banks = $3, permissions = $4, updated_at = $5 \
         where owner_id = $1 and id = $6",
    )
    .writes_auth();

    CHANGE = Sql::new(
        "update api_keys set name = $2, is_active = $3, permissions = $4, expires_at = $5, \
         updated_at = $6 where owner_id = $1 and id = $7",
    )
    .writes_auth();
}

/// How many keys one owner may have, those that were revoked aside: a listing shows them all.
pub const KEYS_MAX: i64 = 1_000;

/// How many keys a client may have when its own people issue another: nobody takes all that its owner may have.
pub const CLIENT_KEYS_MAX: i64 = 100;

/// Facts that decide whether a key's request is admitted, and how far it reaches.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The hash of the key's current text.
    pub hash: KeyHash,
    /// Whether it is the owner's default key.
    pub is_default: bool,
    /// Whether it is switched on.
    pub is_active: bool,
    /// When it was revoked for good.
    pub revoked_at: Option<Timestamp>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// The client that it is bound to.
    pub client: Option<ClientId>,
    /// The accounts that it is limited to; empty: all of its scope.
    pub selection: Vec<BankId>,
    /// What it may do.
    pub permissions: Permissions,
    /// Its own monthly limit, out of force while it is bound to a client.
    pub monthly_credit_limit: Option<i64>,
    /// Whether its owner may use the service.
    pub owner_is_active: bool,
    /// Whether its client may; `None` without a client.
    pub client_is_active: Option<bool>,
    /// Whether its client may verify payments; false without a client.
    pub client_payments_enabled: bool,
}

/// A key's record as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its id, kept on rotation.
    pub id: KeyId,
    /// Its label.
    pub name: String,
    /// The last four characters of its text.
    pub hint: String,
    /// Whether it is the owner's default key.
    pub is_default: bool,
    /// Whether it is switched on.
    pub is_active: bool,
    /// The client that it is bound to.
    pub client: Option<ClientId>,
    /// The accounts that it is limited to; empty: all of its scope.
    pub selection: Vec<BankId>,
    /// What it may do.
    pub permissions: Permissions,
    /// Its own monthly limit, whether in force or not.
    pub monthly_credit_limit: Option<i64>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// Its last use, as far as that is written.
    pub last_use: Option<Use>,
    /// Who got its present text.
    pub issuer: Issuer,
    /// When that was.
    pub issued_at: Timestamp,
}

/// A key whose row is locked.
#[derive(Clone, Debug)]
pub struct Locked {
    /// Its record.
    pub key: Key,
    /// The hash of its current text.
    pub hash: KeyHash,
    /// The hash of the text before, if it had another.
    pub former_hash: Option<KeyHash>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// The key's standing.
#[must_use]
pub fn standing(owner: OwnerId, id: KeyId) -> PointQuery<Option<Standing>> {
    PointQuery::new(&FIND_STANDING, [owner.into(), id.into()], |rows| {
        at_most_one(rows)?.map(read_standing).transpose()
    })
}

pub(crate) fn read_standing(row: &Row) -> Result<Standing, Fault> {
    Ok(Standing {
        hash: KeyHash::from_bytes(row.get("hash")?),
        is_default: row.get("is_default")?,
        is_active: row.get("is_active")?,
        revoked_at: row.get("revoked_at")?,
        expires_at: row.get("expires_at")?,
        client: row.get("client_id")?,
        selection: read_selection(&row.get::<Vec<u8>>("user_banks")?)?,
        permissions: read_permissions(row.get("permissions")?)?,
        monthly_credit_limit: row.get("monthly_credit_limit")?,
        owner_is_active: row.get("owner_is_active")?,
        client_is_active: row.get("client_is_active")?,
        client_payments_enabled: row.get::<Option<bool>>("payments_enabled")?.unwrap_or(false),
    })
}

/// The key's record, unless it is revoked.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId) -> Result<Option<Key>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// Tells whether the owner has or had such a key. A revoked one counts.
///
/// # Errors
/// A fault of the store.
pub fn exists(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId) -> Result<bool, Fault> {
    Ok(tx.query_opt(&EXISTS, &[owner.into(), id.into()])?.is_some())
}

/// The client that the actor is bound to, if the actor is a key that is bound to one.
///
/// # Errors
/// A fault of the store.
pub fn client_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: ActorId,
) -> Result<Option<ClientId>, Fault> {
    let row = tx.query_opt(&CLIENT_OF, &[owner.into(), actor.into()])?;
    Ok(row.map(|row| row.get("client_id")).transpose()?.flatten())
}

/// The owner's keys, oldest first; those of one client where one is named.
///
/// # Errors
/// A fault of the store.
pub fn list(tx: &mut Tx<'_>, owner: OwnerId, client: Option<ClientId>) -> Result<Vec<Key>, Fault> {
    let rows = match client {
        None => tx.query(&LIST, &[owner.into(), KEYS_MAX.into()])?,
        Some(client) => {
            tx.query(&LIST_OF_CLIENT, &[owner.into(), client.into(), KEYS_MAX.into()])?
        }
    };
    rows.iter().map(read).collect()
}

/// How many keys the owner has that are not revoked. A caller that counts before it writes another
/// one holds the default key's row, or two callers would count alike.
///
/// # Errors
/// A fault of the store.
pub fn count(tx: &mut Tx<'_>, owner: OwnerId) -> Result<i64, Fault> {
    tx.query_one(&COUNT, &[owner.into()])?.get("total")
}

/// A key that is about to be written.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its id.
    pub id: KeyId,
    /// Its label.
    pub name: String,
    /// The hash of its text.
    pub hash: KeyHash,
    /// The last four characters of its text.
    pub hint: String,
    /// Whether it is the owner's default key.
    pub is_default: bool,
    /// The client that it is bound to.
    pub client: Option<ClientId>,
    /// The accounts that it is limited to; empty: all of its scope.
    pub selection: Vec<BankId>,
    /// What it may do.
    pub permissions: Permissions,
    /// Its monthly limit, where it has one of its own.
    pub monthly_credit_limit: Option<Credits>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// Who gets its text.
    pub issuer: Issuer,
}

/// Writes a new key.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, key: &NewKey, now: Timestamp) -> Result<(), Fault> {
    let params = [
        owner.into(),
        key.id.into(),
        key.name.as_str().into(),
        (&key.hash.to_bytes()).into(),
        key.hint.as_str().into(),
        key.is_default.into(),
        key.client.into(),
        write_selection(&key.selection).into(),
        key.permissions.bits().into(),
        key.monthly_credit_limit.map(Credits::get).into(),
        key.expires_at.into(),
        now.into(),
        key.issuer.by.into(),
        key.issuer.session.into(),
        key.issuer.address.clone().into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// The id of the owner's default key, which never changes.
///
/// # Errors
/// A fault of the store.
pub fn find_default(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<KeyId>, Fault> {
    tx.query_opt(&FIND_DEFAULT, &[owner.into()])?.map(|row| row.get("id")).transpose()
}

/// The id of the owner's default key, the row locked. Whatever issues, changes or ends a key of the owner does this
/// first, so that none of it happens beside another.
///
/// # Errors
/// A fault of the store; an owner without a default key is one.
pub fn lock_default(tx: &mut Tx<'_>, owner: OwnerId) -> Result<KeyId, Fault> {
    tx.query_one(&LOCK_DEFAULT, &[owner.into()])?.get("id")
}

/// A key of the owner that is about to be changed or ended, its row and that of the default key locked.
///
/// # Errors
/// A fault of the store.
pub fn lock(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId) -> Result<Option<Locked>, Fault> {
    lock_default(tx, owner)?;
    tx.query_opt(&LOCK, &[owner.into(), id.into()])?.as_ref().map(read_locked).transpose()
}

/// Gives the key another text, and whoever gets that as its issuer. The former one opens nothing once this has
/// committed.
///
/// # Errors
/// A fault of the store.
pub fn replace_hash(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: KeyId,
    (hash, hint, issuer): (KeyHash, &str, &Issuer),
    now: Timestamp,
) -> Result<(), Fault> {
    ended::note(tx, owner, EndedThing::KeyText(id), now);
    let params = [
        owner.into(),
        (&hash.to_bytes()).into(),
        hint.into(),
        now.into(),
        id.into(),
        issuer.by.into(),
        issuer.session.into(),
        issuer.address.clone().into(),
    ];
    tx.defer(&REPLACE_HASH, params, Expect::Rows(1))
}

/// Sets a standalone key's monthly limit; answers whether there is such a key.
///
/// # Errors
/// A fault of the store.
pub fn set_limit(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: KeyId,
    limit: Option<Credits>,
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), limit.map(Credits::get).into(), now.into(), id.into()];
    Ok(!tx.query(&SET_LIMIT, &params)?.is_empty())
}

/// Revokes a key for good.
///
/// # Errors
/// A fault of the store.
pub fn revoke(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId, now: Timestamp) -> Result<(), Fault> {
    ended::note(tx, owner, EndedThing::Key(id), now);
    tx.defer(&REVOKE, [owner.into(), now.into(), id.into()], Expect::Rows(1))
}

/// Switches every key of the owner off; answers how many were on.
///
/// # Errors
/// A fault of the store.
pub fn hold_all(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<u64, Fault> {
    tx.execute(&HOLD_ALL, &[owner.into(), now.into()])
}

/// Switches a key off, if there is one that was not revoked.
///
/// # Errors
/// A fault of the store.
pub fn hold(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&HOLD, [owner.into(), now.into(), id.into()], Expect::Any)
}

/// Keeps the client, the selection and the permissions of a key as they are in the record.
///
/// # Errors
/// A fault of the store.
pub fn set_scope(tx: &mut Tx<'_>, owner: OwnerId, key: &Key) -> Result<(), Fault> {
    let params = [
        owner.into(),
        key.client.into(),
        write_selection(&key.selection).into(),
        key.permissions.bits().into(),
        key.updated_at.into(),
        key.id.into(),
    ];
    tx.defer(&SET_SCOPE, params, Expect::Rows(1))
}

/// Keeps the name, the permissions, the end and whether a key is switched on, as they are in the record.
///
/// # Errors
/// A fault of the store.
pub fn change(tx: &mut Tx<'_>, owner: OwnerId, key: &Key) -> Result<(), Fault> {
    let params = [
        owner.into(),
        key.name.as_str().into(),
        key.is_active.into(),
        key.permissions.bits().into(),
        key.expires_at.into(),
        key.updated_at.into(),
        key.id.into(),
    ];
    tx.defer(&CHANGE, params, Expect::Rows(1))
}

/// Reads [`selected_keys`].
pub(crate) fn read_locked(row: &Row) -> Result<Locked, Fault> {
    Ok(Locked {
        key: read(row)?,
        hash: KeyHash::from_bytes(row.get("hash")?),
        former_hash: row.get::<Option<[u8; 32]>>("former_hash")?.map(KeyHash::from_bytes),
        revoked_at: row.get("revoked_at")?,
    })
}
