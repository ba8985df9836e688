//! When keys were last used: beside the keys, so that it is written without anybody's access being read anew.

use domain::ids::{KeyId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    // Nodes write what each has seen: the latest stays.
    KEEP = Sql::new(
        "insert into key_uses (owner_id, key_id, last_used_at) values ($1, $2, $3) \
         on conflict (owner_id, key_id) do update set last_used_at = excluded.last_used_at \
         where excluded.last_used_at > key_uses.last_used_at",
    );
}

/// Keeps that a key was used at that instant, unless it was used later.
///
/// # Errors
/// A fault of the store.
pub fn keep(tx: &mut Tx<'_>, owner: OwnerId, key: KeyId, at: Timestamp) -> Result<(), Fault> {
    tx.defer(&KEEP, [owner.into(), key.into(), at.into()], Expect::Any)
}
