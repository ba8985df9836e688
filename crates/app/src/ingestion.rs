//! Taking in what banks show. There is one way for scans, answers and notices, so that the same
//! money is one movement, no matter which of them comes first.

use domain::ids::{IdentityId, MovementId, OwnerId};
use domain::matching::{Absorption, Movement, Rule, Sighting, absorb};
use domain::time::Timestamp;
use store::fault::Fault;
use store::movements;
use store::tx::Tx;

/// Account of which the bank shows something, held by the caller until the transaction ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) owner: OwnerId,
    pub(crate) identity: IdentityId,
    pub(crate) rule: Rule,
    pub(crate) now: Timestamp,
    /// Says whether a question is answered by it or a notice brings it; otherwise a day was read that has it.
    pub(crate) is_named: bool,
}

/// Outcome of taking a sighting in: the movement that it was taken for, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ingested {
    /// This movement.
    Movement(MovementId),
    /// One of several, so that nothing was kept of it.
    Several,
    /// Perhaps another movement, reported otherwise: it is kept as contested, and a person decides.
    Contested {
        /// The movement that it may be.
        with: MovementId,
        /// Says whether it was not known before.
        is_new: bool,
    },
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
            movements::insert(tx, held.owner, held.identity, &new, held.now)?;
            known.push(new);
            Ok(Ingested::Movement(id))
        }
        Absorption::Same { id, learned: None } => {
            name(tx, held, known, id)?;
            Ok(Ingested::Movement(id))
        }
        Absorption::Same { id, learned: Some(learned) } => {
            let before = known.iter_mut().find(|movement| movement.id == id);
            let before = before.ok_or_else(|| Fault::broken("what is absorbed is not known"))?;
            *before = Movement { is_named: before.is_named || held.is_named, ..*learned };
            movements::enrich(tx, held.owner, held.identity, before)?;
            Ok(Ingested::Movement(id))
        }
        // It adds nothing that could be claimed: what it may be is known, and a question that fits several is ambiguous.
        Absorption::Ambiguous(_) => Ok(Ingested::Several),
        Absorption::Contested(with) => {
            name(tx, held, known, with)?;
            // A stable id stays with the one that had it first.
            let has_key = |one: &Movement| one.bank_key.is_some() && one.bank_key == seen.bank_key;
            let bank_key = seen.bank_key.clone().filter(|_| !known.iter().any(has_key));
            let (is_named, contested_with) = (held.is_named, Some(with));
            let seen = seen.clone().into_movement(id);
            let new = Movement { is_named, contested_with, bank_key, ..seen };
            movements::insert(tx, held.owner, held.identity, &new, held.now)?;
            known.push(new);
            Ok(Ingested::Contested { with, is_new: true })
        }
        Absorption::ContestedAgain(id) => {
            let kept = known.iter().find(|one| one.id == id).and_then(|one| one.contested_with);
            let with = kept.ok_or_else(|| Fault::broken("what is contested with nothing"))?;
            name(tx, held, known, with)?;
            name(tx, held, known, id)?;
            Ok(Ingested::Contested { with, is_new: false })
        }
    }
}

/// Notes that what is shown named the movement, unless a day was read that has it.
fn name(tx: &mut Tx<'_>, held: Held, known: &mut [Movement], id: MovementId) -> Result<(), Fault> {
    let unnamed = known.iter_mut().find(|one| one.id == id && !one.is_named);
    let Some(movement) = unnamed.filter(|_| held.is_named) else { return Ok(()) };
    movement.is_named = true;
    movements::name(tx, held.owner, held.identity, movement)
}
