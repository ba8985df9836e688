//! Taking in what banks show. There is one way for scans, answers and notices, so that the same
//! money is one movement, no matter which of them comes first.

use domain::ids::{IdentityId, MovementId, OwnerId};
use domain::matching::{Absorption, Movement, Rule, Sighting, absorb};
use domain::time::Timestamp;
use store::fault::Fault;
use store::movements;
use store::tx::Tx;

/// Whose account the bank shows something of, held by the caller until the transaction ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) owner: OwnerId,
    pub(crate) identity: IdentityId,
    pub(crate) rule: Rule,
    pub(crate) now: Timestamp,
}

/// What a sighting was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ingested {
    /// This movement.
    Movement(MovementId),
    /// One of several, so that nothing was kept of it.
    Several,
    /// Perhaps this movement, reported otherwise; nothing was kept of it, and a person decides.
    Contested(MovementId),
}

/// Takes a sighting in, given the movements `known` that it may be; `id` is for a new one. Answers
/// what it was taken for.
///
/// # Errors
/// A fault of the store.
pub(crate) fn ingest(
    tx: &mut Tx<'_>,
    held: Held,
    known: &mut Vec<Movement>,
    seen: &Sighting,
    id: MovementId,
) -> Result<Ingested, Fault> {
    match absorb(held.rule, known, seen) {
        Absorption::New => {
            movements::insert(tx, held.owner, held.identity, id, seen, held.now)?;
            known.push(seen.clone().into_movement(id));
            Ok(Ingested::Movement(id))
        }
        Absorption::Same { id, learned } => {
            if let Some(learned) = learned {
                movements::enrich(tx, held.owner, held.identity, &learned)?;
                if let Some(movement) = known.iter_mut().find(|movement| movement.id == id) {
                    *movement = *learned;
                }
            }
            Ok(Ingested::Movement(id))
        }
        // Neither adds anything that could be claimed: what it may be is known. A question that fits
        // several is ambiguous, and one that fits what is contested is answered so.
        Absorption::Ambiguous(_) => Ok(Ingested::Several),
        Absorption::Contested(with) => Ok(Ingested::Contested(with)),
    }
}
