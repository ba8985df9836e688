//! Listing the keys of an owner.

use store::keys::{self, Key};
use store::{Meter, owners, tx::Tx};

use super::{AdminError, Operator, OwnerName, locate};

/// The owner's keys that were not revoked, oldest first.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], and what the store fails with.
pub async fn list_keys(operator: &Operator<'_>, name: &OwnerName) -> Result<Vec<Key>, AdminError> {
    let owner = locate(operator, name).await?;
    let list = move |tx: &mut Tx<'_>| {
        if owners::find(tx, owner)?.is_none() {
            return Ok(None);
        }
        keys::list(tx, owner, None).map(Some)
    };
    let listed = operator.store.look_up(&Meter::default(), list).await?;
    listed.ok_or_else(|| AdminError::NoSuchOwner(name.clone()))
}
