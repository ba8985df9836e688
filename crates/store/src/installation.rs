//! What the installation keeps of itself: its id, the check value of its master key, its keys, that it has had an owner.

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    FIND = Sql::shared("select value from installation where name = $1");

    INSERT = Sql::shared(
        "insert into installation (name, value) values ($1, $2) on conflict do nothing \
         returning name",
    );

    REPLACE = Sql::shared(
        "update installation set value = $2 where name = $1 and value = $3 returning name",
    );

    REMOVE = Sql::shared("delete from installation where name = $1");
}

/// The value kept under `name`.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, name: &str) -> Result<Option<Vec<u8>>, Fault> {
    tx.query_opt(&FIND, &[name.into()])?.map(|row| row.get("value")).transpose()
}

/// Looks whether the database answers. It asks for nothing of an owner's, which may be on another server.
///
/// # Errors
/// A fault of the store.
pub fn look(tx: &mut Tx<'_>) -> Result<(), Fault> {
    find(tx, "").map(drop)
}

/// Keeps `value` under `name`, unless something is kept there; answers whether it was kept.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, name: &str, value: &[u8]) -> Result<bool, Fault> {
    Ok(!tx.query(&INSERT, &[name.into(), value.into()])?.is_empty())
}

/// Puts `value` in the place of `former`; answers whether that was still there.
///
/// # Errors
/// A fault of the store.
pub fn replace(tx: &mut Tx<'_>, name: &str, former: &[u8], value: &[u8]) -> Result<bool, Fault> {
    let params = [name.into(), value.into(), former.into()];
    Ok(!tx.query(&REPLACE, &params)?.is_empty())
}

/// Forgets what is kept under `name`.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, name: &str) -> Result<(), Fault> {
    tx.defer(&REMOVE, [name.into()], Expect::Any)
}
