//! How far an owner has looked through the movements of an account that may have been claimed before the store was put back
//! from a copy.

use domain::ids::{IdentityId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    FIND = Sql::new("select reviewed_until from bank_identities where owner_id = $1 and id = $2");

    CLOSE = Sql::new(
        "update bank_identities set reviewed_until = $3 where owner_id = $1 and id = $2 \
         and (reviewed_until is null or reviewed_until < $3) returning id",
    );

    REOPEN_ALL = Sql::new(
        "update bank_identities set reviewed_until = null \
         where owner_id = $1 and reviewed_until is not null",
    );
}

/// The putting back of a copy up to which the account was looked through; nothing where none was.
///
/// # Errors
/// A fault of the store.
pub fn reviewed_until(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
) -> Result<Option<Timestamp>, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into(), identity.into()])?;
    Ok(row.map(|row| row.get::<Option<Timestamp>>("reviewed_until")).transpose()?.flatten())
}

/// Keeps that the account was looked through up to then; answers whether that is new. Waits for whatever claims a
/// movement of the account.
///
/// # Errors
/// A fault of the store.
pub fn close(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    until: Timestamp,
) -> Result<bool, Fault> {
    Ok(!tx.query(&CLOSE, &[owner.into(), identity.into(), until.into()])?.is_empty())
}

/// Forgets how far any account of the owner was looked through: the store was put back again, and the clock by which that was
/// kept may have been ahead.
///
/// # Errors
/// A fault of the store.
pub fn reopen_all(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&REOPEN_ALL, [owner.into()], Expect::Any)
}
