//! What owners' webhooks are signed with, sealed.

use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    FIND = Sql::new("select secret from webhook_secrets where owner_id = $1");

    INSERT = Sql::new(
        "insert into webhook_secrets (owner_id, secret, created_at) values ($1, $2, $3) \
         on conflict do nothing",
    );
}

/// The sealed secret of an owner, if one was made.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<Vec<u8>>, Fault> {
    tx.query_opt(&FIND, &[owner.into()])?.map(|row| row.get(0)).transpose()
}

/// Keeps the sealed secret of an owner, unless it has one; answers the one that is kept.
///
/// # Errors
/// A fault of the store.
pub fn make(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    sealed: &[u8],
    now: Timestamp,
) -> Result<Vec<u8>, Fault> {
    tx.defer(&INSERT, [owner.into(), sealed.into(), now.into()], Expect::Any)?;
    find(tx, owner)?.ok_or_else(|| Fault::broken("a webhook secret that was written is missing"))
}
