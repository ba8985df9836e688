//! What may answer a call without a bank, read in one wait.

use domain::fingerprint::Fingerprint;
use domain::ids::{IdentityId, OwnerId, PaymentId};
use domain::matching::Movement;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::movements::{self, Sought};
use crate::tx::Tx;
use crate::verifications;

/// What is known of a payment that is asked about.
#[derive(Debug)]
pub struct Known {
    /// The payment that a verification which was asked the same has claimed or found claimed.
    pub confirmed: Option<PaymentId>,
    /// The account's movements that may be meant, claimed or not.
    pub candidates: Vec<Movement>,
}

/// Reads what is known: of calls with this fingerprint that ended after `since`, and of the
/// movements that are `sought`.
///
/// Who claimed a movement is found by it, since whoever asks the same seeks the same movements. A
/// confirmed verification that is not surely found so has an entry by its fingerprint. Each of the
/// two statements may see another commit: the entry is looked for last, so that whoever no longer
/// sees the reference by which it sought sees the entry that came with the new one.
///
/// # Errors
/// A fault of the store.
pub fn recall(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    (fingerprint, since): (Fingerprint, Timestamp),
    sought: &Sought,
) -> Result<Known, Fault> {
    let (confirmed, confirmed_params) = verifications::confirmed(owner, fingerprint, since);
    let (candidates, candidates_params) = movements::candidates(owner, identity, sought);
    let statements =
        [(candidates, candidates_params.as_slice()), (confirmed, confirmed_params.as_slice())];
    let mut answers = tx.query_all(&statements)?.into_iter();
    let candidates = answers.next().unwrap_or_default();
    let candidates: Vec<Movement> =
        candidates.iter().map(movements::read).collect::<Result<_, _>>()?;
    let confirmed = answers.flatten().next().map(|row| row.get(0)).transpose()?;
    let claims = candidates.iter().filter_map(|movement| movement.claimed);
    let mut same = claims.filter(|claim| claim.fingerprint == fingerprint && claim.at > since);
    Ok(Known { confirmed: confirmed.or_else(|| Some(same.next()?.payment)), candidates })
}
