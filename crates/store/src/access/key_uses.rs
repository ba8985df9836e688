//! When keys were last used, and from where: beside the keys, so that writing it has nobody's access read again.

use std::net::IpAddr;

use domain::ids::{KeyId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    // Nodes write what each has seen: the latest stays.
    KEEP = Sql::new(
        "insert into key_uses (owner_id, key_id, last_used_at, last_used_from) \
         values ($1, $2, $3, $4) on conflict (owner_id, key_id) do update set \
         last_used_at = excluded.last_used_at, last_used_from = excluded.last_used_from \
         where excluded.last_used_at > key_uses.last_used_at",
    );
}

/// A use of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// When.
    pub at: Timestamp,
    /// The address that the request came from.
    pub from: Option<IpAddr>,
}

impl Use {
    /// Reads a use from two columns of a row, if they hold one.
    pub(crate) fn read(at: Option<Timestamp>, from: Option<String>) -> Result<Option<Self>, Fault> {
        let Some(at) = at else { return Ok(None) };
        let from = from.map(|from| from.parse()).transpose();
        let from = from.map_err(|_| Fault::broken("a key used from what is no address"))?;
        Ok(Some(Self { at, from }))
    }
}

/// Keeps that a key was used, unless it was used later.
///
/// # Errors
/// A fault of the store.
pub fn keep(tx: &mut Tx<'_>, owner: OwnerId, key: KeyId, last: Use) -> Result<(), Fault> {
    let from = last.from.map(|from| from.to_string());
    let params = [owner.into(), key.into(), last.at.into(), from.as_deref().into()];
    tx.defer(&KEEP, params, Expect::Any)
}
