//! Listing the owners of the installation.

use domain::ids::OwnerId;
use store::owners::{self, Listed};
use store::{Meter, tx::Tx};

use super::{AdminError, Operator};

/// How many owners one look finds.
pub const OWNERS_AT_ONCE: i64 = 100;

/// The owners after that one, oldest first, [`OWNERS_AT_ONCE`] at most; from the first where none is named.
///
/// # Errors
/// A failure of the store.
pub async fn list_owners(
    operator: &Operator<'_>,
    after: Option<OwnerId>,
) -> Result<Vec<Listed>, AdminError> {
    let after = after.unwrap_or(OwnerId::from_bytes([0; 16]));
    let list = move |tx: &mut Tx<'_>| owners::list(tx, after, OWNERS_AT_ONCE);
    Ok(operator.store.look_up(&Meter::default(), list).await?)
}
