//! The networks that people have signed in from lately: guesses from elsewhere do not hold them up there.

use domain::ids::{ActorId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    NOTE = Sql::new(
        "insert into sign_in_networks (owner_id, person_id, network, seen_at) values ($1, $2, $3, $4) \
         on conflict (owner_id, person_id, network) do update set seen_at = excluded.seen_at",
    );

    FORGET = Sql::new("delete from sign_in_networks where owner_id = $1 and person_id = $2");

    OLD_OWNERS = Sql::across_owners(
        "select owner_id, seen_at from sign_in_networks where seen_at <= $1 \
         order by seen_at asc limit $2",
        "the janitor looks for owners whose people have signed in from somewhere long ago",
    );

    DELETE_OLD = Sql::new(
        "delete from sign_in_networks where owner_id = $1 and (person_id, network) in \
         (select n.person_id, n.network from sign_in_networks n \
         where n.owner_id = $1 and n.seen_at <= $2 limit $3)",
    );
}

/// Notes that a person has signed in from a network.
///
/// # Errors
/// A fault of the store.
pub fn note(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
    network: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&NOTE, [owner.into(), person.into(), network.into(), now.into()], Expect::Any)
}

/// Forgets where a person has signed in from: somebody else may have known its password.
///
/// # Errors
/// A fault of the store.
pub fn forget(tx: &mut Tx<'_>, (owner, person): (OwnerId, ActorId)) -> Result<(), Fault> {
    tx.defer(&FORGET, [owner.into(), person.into()], Expect::Any)
}

/// Owners whose people have signed in from somewhere last by `until`, at most `limit` networks looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_old(
    tx: &mut Tx<'_>,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&OLD_OWNERS, &[until.into(), limit.into()])?)
}

/// Deletes an owner's networks that were seen last by `until`, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn delete_old(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    until: Timestamp,
    limit: i64,
) -> Result<u64, Fault> {
    tx.execute(&DELETE_OLD, &[owner.into(), until.into(), limit.into()])
}
