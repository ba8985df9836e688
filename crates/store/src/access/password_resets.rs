//! Links by which a person may set another password.

use domain::ids::{ActorId, ClientId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    INSERT = Sql::new(
        "insert into password_resets (owner_id, person_id, token_hash, created_at, expires_at) \
         values ($1, $2, $3, $4, $5)",
    );

    FIND = Sql::new(
        "select expires_at from password_resets \
         where owner_id = $1 and person_id = $2 and token_hash = $3",
    );

    COUNT = Sql::new(
        "select count(*) as total from password_resets where owner_id = $1 and person_id = $2 and expires_at > $3",
    );

    REMOVE = Sql::new("delete from password_resets where owner_id = $1 and person_id = $2");

    REMOVE_OF_CLIENT = Sql::new(
        "delete from password_resets where owner_id = $1 and person_id in \
         (select e.id from employees e where e.owner_id = $1 and e.client_id = $2 and e.removed_at is null)",
    );

    REMOVE_ALL = Sql::new("delete from password_resets where owner_id = $1");

    OLD_OWNERS = Sql::across_owners(
        "select owner_id, expires_at from password_resets where expires_at <= $1 \
         order by expires_at asc limit $2",
        "the janitor looks for owners with links for passwords that are over",
    );

    DELETE_OLD = Sql::new(
        "delete from password_resets where owner_id = $1 and (person_id, token_hash) in \
         (select r.person_id, r.token_hash from password_resets r \
         where r.owner_id = $1 and r.expires_at <= $2 limit $3)",
    );
}

/// Writes a link that opens until `expires_at`.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
    hash: &[u8; 32],
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), person.into(), hash.into(), now.into(), expires_at.into()];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Tells whether the person has that link, and it is not over.
///
/// # Errors
/// A fault of the store.
pub fn is_good(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<bool, Fault> {
    let found = tx.query_opt(&FIND, &[owner.into(), person.into(), hash.into()])?;
    let expires_at = found.map(|row| row.get::<Timestamp>("expires_at")).transpose()?;
    Ok(expires_at.is_some_and(|expires_at| now < expires_at))
}

/// How many links of the person are not over.
///
/// # Errors
/// A fault of the store.
pub fn count(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
    now: Timestamp,
) -> Result<i64, Fault> {
    tx.query_one(&COUNT, &[owner.into(), person.into(), now.into()])?.get("total")
}

/// Takes all links of the person away: its password has changed, or what it signs in with.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, (owner, person): (OwnerId, ActorId)) -> Result<(), Fault> {
    tx.defer(&REMOVE, [owner.into(), person.into()], Expect::Any)
}

/// Takes the links of a client's people away.
///
/// # Errors
/// A fault of the store.
pub fn remove_of_client(tx: &mut Tx<'_>, owner: OwnerId, client: ClientId) -> Result<(), Fault> {
    tx.defer(&REMOVE_OF_CLIENT, [owner.into(), client.into()], Expect::Any)
}

/// Takes all links of the owner and its people away.
///
/// # Errors
/// A fault of the store.
pub fn remove_all(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&REMOVE_ALL, [owner.into()], Expect::Any)
}

/// Owners that have links which were over by `until`, at most `limit` links looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_over(
    tx: &mut Tx<'_>,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&OLD_OWNERS, &[until.into(), limit.into()])?)
}

/// Deletes an owner's links which were over by `until`, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn delete_over(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    until: Timestamp,
    limit: i64,
) -> Result<u64, Fault> {
    tx.execute(&DELETE_OLD, &[owner.into(), until.into(), limit.into()])
}
