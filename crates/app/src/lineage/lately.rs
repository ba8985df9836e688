//! Issued lately: what a person looks at after a change of its password, since whoever knew the former one may have left
//! something behind.

use std::time::Duration;

use domain::access::Guarded;
use domain::ids::{ActorId, OwnerId};
use domain::time::Timestamp;
use store::fault::Fault;
use store::lineage::{self, Lineage};
use store::tx::Tx;

use super::{IssuedList, Reader};
use crate::{Act, App, Error};

/// How far back is looked.
const LATELY: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Finds what a person has issued lately and what that has issued, as far as it lives.
pub(crate) fn lately(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    person: ActorId,
    now: Timestamp,
) -> Result<Lineage, Fault> {
    lineage::follow(tx, owner, person, now.minus(LATELY))
}

/// Lists what the caller has issued lately and what that has issued, as far as it lives, the newest first: so what came
/// since the password last changed comes before the rest.
///
/// # Errors
/// A failure of the store.
pub async fn issued_lately<O: Guarded>(app: &App, act: &Act<O>) -> Result<IssuedList, Error> {
    let (owner, person, now) = (act.owner(), act.actor(), act.now);
    let find = move |tx: &mut Tx<'_>| lately(tx, owner, person, now);
    let found = app.store.read(act.meter(), find).await?;
    Ok(IssuedList::of(found, Reader::of(act)))
}
