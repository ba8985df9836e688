//! Answers that are kept for an `Idempotency-Key`, of operations that do all they do in one transaction: a call that
//! finds the slot used finds the answer in it.

use domain::access::Guarded;
use domain::ids::{BankId, OwnerId};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::verification::REPEAT;
use store::fault::Fault;
use store::idempotency::{self, Kept, Slot};
use store::tx::Tx;

use crate::outcome::{JobError, Outcome};
use crate::vault::Place;
use crate::{Act, App, Error};

/// The id of what an earlier use of the slot made, whatever it was used for. `None` where nothing is known of one.
///
/// # Errors
/// A failure of the store.
pub async fn made_before<O: Guarded>(
    app: &App,
    act: &Act<O>,
    slot: Slot,
) -> Result<Option<[u8; 16]>, Error> {
    let (owner, since) = (act.owner(), act.now.minus(REPEAT));
    let find = move |tx: &mut Tx<'_>| idempotency::find(tx, owner, &slot, since);
    Ok(app.store.look_up(act.meter(), find).await?.map(|kept| kept.subject))
}

/// The slot of a call that sends a secret. What is kept of its body is a hash. A person who has
/// the database alone cannot try guesses against it.
pub(crate) fn of_secret_call(app: &App, slot: &Slot) -> Slot {
    Slot { body_hash: app.vault.keyed_hash(&slot.body_hash), ..slot.clone() }
}

/// The answer that an earlier use of the slot left, if there was one.
///
/// # Errors
/// What it left to be answered instead; a fault of the store, and an answer that does not open is one.
pub(crate) fn find(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    slot: &Slot,
    now: Timestamp,
) -> Outcome<Option<Vec<u8>>> {
    let kept = idempotency::find(tx, owner, slot, now.minus(REPEAT))?;
    let Some(kept) = kept else { return Ok(None) };
    let sealed = same_answer(slot, kept)?;
    let opened = app.vault.open(place(owner, slot), &sealed);
    let answer = opened.map_err(|error| Fault::broken(format!("a kept answer: {error}")))?;
    Ok(Some(answer))
}

/// Takes the slot for what the call is about to make. Answers what an earlier use answered, if it was taken before.
///
/// # Errors
/// What an earlier use left to be answered instead, or a fault of the store.
pub(crate) fn begin(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    slot: &Slot,
    subject: [u8; 16],
    now: Timestamp,
) -> Outcome<Option<Vec<u8>>> {
    if idempotency::begin(tx, owner, slot, subject, now, now.minus(REPEAT), None)? {
        return Ok(None);
    }
    let earlier = find(tx, app, owner, slot, now)?;
    Ok(Some(earlier.ok_or(Refusal::RequestInProgress)?))
}

/// Does `work` about `subject` once for a slot, if there is one: its answer is kept for the next use, and a refusal
/// releases the slot.
///
/// # Errors
/// What `work` refuses, what an earlier use left to be reported instead of an answer, or a fault of the store.
pub(crate) fn once(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    slot: Option<&Slot>,
    subject: [u8; 16],
    now: Timestamp,
    work: impl FnOnce(&mut Tx<'_>) -> Outcome<Vec<u8>>,
) -> Outcome<Vec<u8>> {
    let Some(slot) = slot else { return work(tx) };
    if let Some(earlier) = begin(tx, app, owner, slot, subject, now)? {
        return Ok(earlier);
    }
    let outcome = work(tx);
    let answer = release_if_refused(tx, owner, Some(slot), outcome)?;
    keep(tx, app, owner, slot, &answer, subject)?;
    Ok(answer)
}

/// Hands on what a call's work came to. A refusal releases the slot that the call has begun, if it has one.
///
/// # Errors
/// Those of the outcome, or a fault of the store.
pub(crate) fn release_if_refused<T>(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: Option<&Slot>,
    outcome: Outcome<T>,
) -> Outcome<T> {
    if let (Err(JobError::Refused(_)), Some(slot)) = (&outcome, slot) {
        idempotency::forget(tx, owner, slot)?;
    }
    outcome
}

/// Keeps the answer about `subject` in the slot, which the call has begun.
///
/// # Errors
/// A fault of the store.
pub(crate) fn keep(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    slot: &Slot,
    answer: &[u8],
    subject: [u8; 16],
) -> Result<(), Fault> {
    let sealed = app.vault.seal(&*app.ids, place(owner, slot), answer);
    idempotency::keep(tx, owner, slot, &sealed, subject, None)
}

/// Notes in the slot, which the call has begun, that an answer about `subject` is given once: it
/// holds a secret.
///
/// # Errors
/// A fault of the store.
pub(crate) fn withhold(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: &Slot,
    subject: [u8; 16],
    now: Timestamp,
) -> Result<(), Fault> {
    idempotency::forget(tx, owner, slot)?;
    idempotency::begin(tx, owner, slot, subject, now, now.minus(REPEAT), None).map(drop)
}

/// The sealed answer for the same call, or why this one has none.
fn same_answer(slot: &Slot, kept: Kept) -> Result<Vec<u8>, Refusal> {
    if kept.body_hash != slot.body_hash {
        return Err(Refusal::IdempotencyKeyReused);
    }
    // All was done in the transaction that took the slot: what is missing was withheld.
    let made = BankId::from_bytes(kept.subject);
    kept.answer.ok_or_else(|| Refusal::Conflict { id: made.to_string() })
}

/// The refusal of a caller who comes again with an `Idempotency-Key` where the answer holds a secret
/// and is given once; `id` says what was made.
fn used_before(slot: &Slot, kept: Option<&Kept>, id: impl Fn([u8; 16]) -> String) -> Refusal {
    match kept {
        Some(kept) if kept.body_hash == slot.body_hash => {
            Refusal::Conflict { id: id(kept.subject) }
        }
        Some(_) => Refusal::IdempotencyKeyReused,
        None => Refusal::RequestInProgress,
    }
}

/// Takes the slot, if there is one, for an answer about `subject` that holds a secret and is given once.
///
/// # Errors
/// Where it was taken before, the refusal of a second use, in which `id` names what the first one made; or a fault of
/// the store.
pub(crate) fn take(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: Option<&Slot>,
    subject: [u8; 16],
    now: Timestamp,
    id: impl Fn([u8; 16]) -> String,
) -> Outcome<()> {
    let Some(slot) = slot else { return Ok(()) };
    let expired = now.minus(REPEAT);
    if idempotency::begin(tx, owner, slot, subject, now, expired, None)? {
        return Ok(());
    }
    let kept = idempotency::find(tx, owner, slot, expired)?;
    Err(used_before(slot, kept.as_ref(), id).into())
}

/// Returns the place to which an answer is sealed.
pub(crate) fn place(owner: OwnerId, slot: &Slot) -> Place<'_> {
    Place { table: "idempotent_answers", column: "answer", owner: Some(owner), row: &slot.key_hash }
}

#[cfg(test)]
mod tests {
    use domain::ids::KeyId;

    use super::*;

    #[test]
    fn a_used_slot_gives_the_same_call_its_answer_and_no_other() {
        let slot = Slot { caller: [1; 16], operation: "A", key_hash: [2; 32], body_hash: [3; 32] };
        let kept = Kept {
            body_hash: [3; 32],
            subject: [4; 16],
            answer: Some(vec![5]),
            first_report: None,
        };
        assert_eq!(same_answer(&slot, kept.clone()), Ok(vec![5]));
        let unanswered = Kept { answer: None, ..kept.clone() };
        let made = BankId::from_bytes([4; 16]).to_string();
        assert_eq!(same_answer(&slot, unanswered), Err(Refusal::Conflict { id: made }));
        let other = Kept { body_hash: [9; 32], ..kept };
        assert_eq!(same_answer(&slot, other), Err(Refusal::IdempotencyKeyReused));
    }

    #[test]
    fn an_answer_that_is_given_once_leaves_what_was_made() {
        let slot =
            Slot { caller: [1; 16], operation: "CreateKey", key_hash: [2; 32], body_hash: [3; 32] };
        let made = KeyId::from_bytes([4; 16]);
        let kept =
            Kept { body_hash: [3; 32], subject: made.to_bytes(), answer: None, first_report: None };
        let name = |made| KeyId::from_bytes(made).to_string();
        let conflict = Refusal::Conflict { id: made.to_string() };
        assert_eq!(used_before(&slot, Some(&kept), name), conflict);
        let other = Kept { body_hash: [9; 32], ..kept };
        assert_eq!(used_before(&slot, Some(&other), name), Refusal::IdempotencyKeyReused);
        assert_eq!(used_before(&slot, None, name), Refusal::RequestInProgress);
    }
}
