//! Answers that are kept for an `Idempotency-Key`, of operations that do all they do in one
//! transaction: whoever finds the slot used finds the answer in it.

use domain::ids::OwnerId;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::verification::REPEAT;
use store::fault::Fault;
use store::idempotency::{self, Kept, Slot};
use store::tx::Tx;

use crate::vault::Place;
use crate::{App, Error};

/// What the slot says to a call that comes with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It was free, and is this call's now.
    Begun,
    /// The same call was answered with this, sealed.
    Answered(Vec<u8>),
    /// The same call made this, and was answered with a secret, which is told once.
    Withheld([u8; 16]),
    /// It is another call's, or another call is under way with it.
    Refused(Refusal),
}

/// Takes the slot for what the call is about to make.
///
/// # Errors
/// A fault of the store.
pub(crate) fn begin(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: &Slot,
    subject: [u8; 16],
    now: Timestamp,
) -> Result<Use, Fault> {
    let expired = now.minus(REPEAT);
    if idempotency::begin(tx, owner, slot, subject, now, expired, None)? {
        return Ok(Use::Begun);
    }
    Ok(used(slot, idempotency::find(tx, owner, slot, expired)?))
}

fn used(slot: &Slot, kept: Option<Kept>) -> Use {
    match kept {
        Some(kept) if kept.body_hash != slot.body_hash => {
            Use::Refused(Refusal::IdempotencyKeyReused)
        }
        Some(Kept { answer: Some(answer), .. }) => Use::Answered(answer),
        // All was done in the transaction that took the slot: what is missing was left out.
        Some(Kept { answer: None, subject, .. }) => Use::Withheld(subject),
        None => Use::Refused(Refusal::RequestInProgress),
    }
}

/// Seals an answer for its slot.
pub(crate) fn seal(app: &App, owner: OwnerId, slot: &Slot, answer: &[u8]) -> Vec<u8> {
    app.vault.seal(&*app.ids, place(owner, slot), answer)
}

/// Opens an answer that was sealed for the slot.
///
/// # Errors
/// Where it does not open: it was moved, or its master key is not at hand.
pub(crate) fn open(
    app: &App,
    owner: OwnerId,
    slot: &Slot,
    sealed: &[u8],
) -> Result<Vec<u8>, Error> {
    let opened = app.vault.open(place(owner, slot), sealed);
    opened.map_err(|error| Fault::broken(format!("a kept answer: {error}")).into())
}

fn place(owner: OwnerId, slot: &Slot) -> Place<'_> {
    Place { table: "idempotent_answers", column: "answer", owner: Some(owner), row: &slot.key_hash }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_used_slot_tells_the_same_call_its_answer_and_no_other() {
        let slot = Slot { caller: [1; 16], operation: "A", key_hash: [2; 32], body_hash: [3; 32] };
        let kept = Kept { body_hash: [3; 32], subject: [4; 16], answer: Some(vec![5]), news: None };
        let in_progress = Use::Refused(Refusal::RequestInProgress);
        assert_eq!(used(&slot, Some(kept.clone())), Use::Answered(vec![5]));
        let withheld = Kept { answer: None, ..kept.clone() };
        assert_eq!(used(&slot, Some(withheld)), Use::Withheld([4; 16]));
        assert_eq!(used(&slot, None), in_progress);
        let other = Kept { body_hash: [9; 32], ..kept };
        assert_eq!(used(&slot, Some(other)), Use::Refused(Refusal::IdempotencyKeyReused));
    }
}
