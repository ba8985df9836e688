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
    /// Whether a question is answered by it or a notice brings it; otherwise a day was read that has it.
    pub(crate) is_named: bool,
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
            let new = Movement { is_named: held.is_named, ..seen.clone().into_movement(id) };
            movements::insert_movement(tx, held.owner, held.identity, &new, held.now)?;
            known.push(new);
            Ok(Ingested::Movement(id))
        }
        Absorption::Same { id, learned } => {
            let before = known.iter_mut().find(|movement| movement.id == id);
            let before = before.ok_or_else(|| Fault::broken("what is absorbed is not known"))?;
            let is_named_now = held.is_named && !before.is_named;
            if let Some(learned) = learned {
                *before = Movement { is_named: before.is_named || held.is_named, ..*learned };
                movements::enrich(tx, held.owner, held.identity, before)?;
            } else if is_named_now {
                before.is_named = true;
                movements::name(tx, held.owner, held.identity, before)?;
            }
            Ok(Ingested::Movement(id))
        }
        // Neither adds anything that could be claimed: what it may be is known. A question that fits
        // several is ambiguous, and one that fits what is contested is answered so.
        Absorption::Ambiguous(_) => Ok(Ingested::Several),
        Absorption::Contested(with) => {
            let known = known.iter_mut().find(|one| one.id == with && !one.is_named);
            if let Some(movement) = known.filter(|_| held.is_named) {
                movement.is_named = true;
                movements::name(tx, held.owner, held.identity, movement)?;
            }
            Ok(Ingested::Contested(with))
        }
    }
}
