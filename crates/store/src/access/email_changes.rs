//! Addresses that people want to sign in with, until a reader of the mail there has confirmed it.

use domain::ids::{ActorId, ClientId, OwnerId, SessionId};
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    // Of a person there is one: what was wished for before is over.
    REPLACE = Sql::new(
        "insert into email_changes (owner_id, person_id, token_hash, email, session_id, created_at, expires_at) \
         values ($1, $2, $3, $4, $5, $6, $7) on conflict (owner_id, person_id) do update set \
         token_hash = excluded.token_hash, email = excluded.email, session_id = excluded.session_id, \
         created_at = excluded.created_at, expires_at = excluded.expires_at",
    );

    FIND = Sql::new(
        "select email, session_id, expires_at from email_changes \
         where owner_id = $1 and person_id = $2 and token_hash = $3",
    );

    OF_PERSON =
        Sql::new("select email from email_changes where owner_id = $1 and person_id = $2");

    REMOVE = Sql::new("delete from email_changes where owner_id = $1 and person_id = $2");

    REMOVE_OF_CLIENT = Sql::new(
        "delete from email_changes where owner_id = $1 and person_id in \
         (select e.id from employees e where e.owner_id = $1 and e.client_id = $2 and e.removed_at is null)",
    );

    REMOVE_ALL = Sql::new("delete from email_changes where owner_id = $1");

    OLD_OWNERS = Sql::across_owners(
        "select owner_id, expires_at from email_changes where expires_at <= $1 \
         order by expires_at asc limit $2",
        "the janitor looks for owners whose people have confirmed no address in time",
    );

    DELETE_OLD = Sql::new(
        "delete from email_changes where owner_id = $1 and person_id in \
         (select c.person_id from email_changes c where c.owner_id = $1 and c.expires_at <= $2 limit $3)",
    );
}

/// An address that somebody wants to sign in with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailChange {
    /// The address.
    pub email: PersonalText,
    /// The session that it was asked for in, which goes on.
    pub session: SessionId,
    /// Until when it can be confirmed.
    pub expires_at: Timestamp,
}

/// Writes what a person wants to sign in with, in the place of what it wanted before.
///
/// # Errors
/// A fault of the store.
pub fn replace(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
    hash: &[u8; 32],
    change: &EmailChange,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        person.into(),
        hash.into(),
        change.email.as_str().into(),
        change.session.into(),
        now.into(),
        change.expires_at.into(),
    ];
    tx.defer(&REPLACE, params, Expect::Rows(1))
}

/// Finds the change of address that the person asked for by that link, if it is not over.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<EmailChange>, Fault> {
    let Some(row) = tx.query_opt(&FIND, &[owner.into(), person.into(), hash.into()])? else {
        return Ok(None);
    };
    let change = EmailChange {
        email: PersonalText::new(row.get("email")?),
        session: row.get("session_id")?,
        expires_at: row.get("expires_at")?,
    };
    Ok(Some(change).filter(|change| now < change.expires_at))
}

/// The address that a person wants, or has got by its link.
///
/// # Errors
/// A fault of the store.
pub fn wanted(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
) -> Result<Option<PersonalText>, Fault> {
    let row = tx.query_opt(&OF_PERSON, &[owner.into(), person.into()])?;
    row.map(|row| Ok(PersonalText::new(row.get("email")?))).transpose()
}

/// Removes what a person wants: somebody whose sessions were ended may have asked for it.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, (owner, person): (OwnerId, ActorId)) -> Result<(), Fault> {
    tx.defer(&REMOVE, [owner.into(), person.into()], Expect::Any)
}

/// Removes what a client's people want.
///
/// # Errors
/// A fault of the store.
pub fn remove_of_client(tx: &mut Tx<'_>, owner: OwnerId, client: ClientId) -> Result<(), Fault> {
    tx.defer(&REMOVE_OF_CLIENT, [owner.into(), client.into()], Expect::Any)
}

/// Removes what the owner and its people want.
///
/// # Errors
/// A fault of the store.
pub fn remove_all(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&REMOVE_ALL, [owner.into()], Expect::Any)
}

/// Owners whose people have wishes that were over by `until`, at most `limit` of them looked at.
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

/// Deletes an owner's that were over by `until`, at most `limit` of them.
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
