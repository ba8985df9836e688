//! Listing the clients of an owner.

use store::clients::{self, Client};
use store::{Meter, owners, tx::Tx};

use super::{AdminError, Operator, OwnerName, locate};

/// How many clients one look finds.
pub const CLIENTS_AT_ONCE: i64 = 100;

/// The owner's clients, the newest first, [`CLIENTS_AT_ONCE`] at most, without those that were listed before.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], and what the store fails with.
pub async fn list_clients(
    operator: &Operator<'_>,
    name: &OwnerName,
    listed: u32,
) -> Result<Vec<Client>, AdminError> {
    let owner = locate(operator, name).await?;
    let list = move |tx: &mut Tx<'_>| {
        if owners::find(tx, owner)?.is_none() {
            return Ok(None);
        }
        clients::page(tx, owner, (CLIENTS_AT_ONCE, listed.into())).map(Some)
    };
    let listed = operator.store.look_up(&Meter::default(), list).await?;
    listed.ok_or_else(|| AdminError::NoSuchOwner(name.clone()))
}
