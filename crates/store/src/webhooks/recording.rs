//! The results of attempts to deliver, recorded under the lease by which they were made.

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{DeliveryState, Trouble};

use crate::deliveries::LOCK_ORDER;
use crate::delivery_types::{ANSWER_KEPT_MAX, AttemptDigests, Conclusion, Next};
use crate::due::{self, Kind, Lease};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::{Expect, Tx};
use crate::{evidence, failing_receivers, statements};

/// Keeps an attempt, unless it was kept before.
macro_rules! insert_attempt {
    () => {
        "insert into webhook_attempts (owner_id, delivery_id, number, began_at, duration, status, \
         answer, trouble, sent, address, is_reused, phases, answer_head, sent_digest, answer_digest, \
         digest, day) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
         $17) on conflict do nothing"
    };
}

statements! {
    ADVANCE = Sql::new(
        "update webhook_deliveries set state = $3, attempts = $4, step = $5, trouble = $6, \
         ended_at = $7, chain = $8 where owner_id = $1 and id = $2",
    );

    KEEP_ATTEMPT = Sql::new(insert_attempt!()).multi_row_insert();

    // Answers whether it was kept just now.
    KEEP_ATTEMPT_TO_NOTIFY = Sql::new(concat!(insert_attempt!(), " returning number"));
}

/// Records the result of an attempt, and notifies the owner where it is to know, if `lease` still
/// holds; answers whether it did. Doing it again, where the answer of the commit was lost, changes
/// nothing.
///
/// # Errors
/// A fault of the store.
pub fn record(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    lease: Lease,
    conclusion: &Conclusion,
) -> Result<bool, Fault> {
    Ok(record_all(tx, owner, &[(id, lease, conclusion)])? == [true])
}

/// Records the results of these attempts as [`record`] does, with one wait for all of them; answers for
/// each. They come in the order of their deliveries' ids, in which they are locked.
///
/// # Errors
/// A fault of the store.
pub fn record_all(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    made: &[(EventId, Lease, &Conclusion)],
) -> Result<Vec<bool>, Fault> {
    let end = |&(id, lease, conclusion): &(EventId, Lease, &Conclusion)| {
        let then = match conclusion.next {
            Next::At(at) => Some((at, conclusion.attempt.number)),
            Next::Delivered | Next::Exhausted => None,
        };
        due::End { subject: id.to_bytes(), lease, then }
    };
    debug_assert!(made.is_sorted_by_key(|(id, ..)| *id), "{LOCK_ORDER}");
    let ends: Vec<_> = made.iter().map(end).collect();
    let holds = due::conclude_all(tx, owner, Kind::Delivery, &ends)?;
    let held = made.iter().zip(&holds).filter(|(_, holds)| **holds);
    let held: Vec<_> = held.map(|((id, _, conclusion), _)| (*id, *conclusion)).collect();
    write_held(tx, owner, &held)?;
    Ok(holds)
}

/// Records as [`record`] does an attempt that the same holder follows up at once with another. Answers the lease that
/// it has for that one until `until`.
///
/// # Errors
/// A fault of the store.
pub fn record_and_go_on(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    lease: Lease,
    conclusion: &Conclusion,
    until: Timestamp,
) -> Result<Option<Lease>, Fault> {
    let renewed = due::renew(tx, owner, Kind::Delivery, id.to_bytes(), lease, until)?;
    if renewed.is_some() {
        write_held(tx, owner, &[(id, conclusion)])?;
    }
    Ok(renewed)
}

/// Writes the results of attempts whose leases held: first what all deliveries have come to, since to notify
/// of an attempt is to lock a notice, and that comes last, in the order of the notices' slots.
fn write_held(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    made: &[(EventId, &Conclusion)],
) -> Result<(), Fault> {
    for (id, conclusion) in made {
        advance(tx, owner, *id, conclusion)?;
    }
    let mut made: Vec<_> = made.iter().collect();
    made.sort_by_key(|(_, conclusion)| {
        let notice = conclusion.notice.as_ref().map(|(_, notice)| notice);
        notice.map(|notice| (notice.kind.as_str(), notice.slot.as_str()))
    });
    made.iter().try_for_each(|(id, conclusion)| keep_attempt(tx, owner, *id, conclusion))
}

/// Writes what a delivery has come to.
fn advance(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    conclusion: &Conclusion,
) -> Result<(), Fault> {
    let Conclusion { attempt, step, trouble, next, digests, .. } = conclusion;
    let state = next.state();
    let params = [
        owner.into(),
        id.into(),
        state.number().into(),
        i64::from(attempt.number).into(),
        i64::from(*step).into(),
        trouble.map(Trouble::as_str).into(),
        (state != DeliveryState::Pending).then_some(attempt.ended_at()).into(),
        digests.digest.into(),
    ];
    // That there is such a delivery need not be waited for: its attempt refers to it.
    tx.defer(&ADVANCE, params, Expect::Any)
}

/// Keeps an attempt, and notifies the owner of it where it is to know.
fn keep_attempt(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    conclusion: &Conclusion,
) -> Result<(), Fault> {
    let Conclusion { attempt, notice, digests, .. } = conclusion;
    let kept = attempt.answer.get(..ANSWER_KEPT_MAX).unwrap_or(&attempt.answer);
    let AttemptDigests { sent, answer, digest, day } = *digests;
    let row = [
        owner.into(),
        id.into(),
        i64::from(attempt.number).into(),
        attempt.began_at.into(),
        evidence::micros(attempt.duration).into(),
        attempt.status.map(i64::from).into(),
        kept.into(),
        attempt.trouble.map(Trouble::as_str).into(),
        attempt.sent.as_deref().into(),
        attempt.address.map(|address| address.to_string()).into(),
        attempt.is_reused.into(),
        attempt.phases.to_bytes().as_slice().into(),
        attempt.answer_head.as_slice().into(),
        sent.into(),
        answer.into(),
        digest.into(),
        day.into(),
    ];
    let Some((notice_id, notice)) = notice else {
        return tx.defer(&KEEP_ATTEMPT, row, Expect::Any);
    };
    // The owner was notified of an attempt that was kept before.
    if tx.query(&KEEP_ATTEMPT_TO_NOTIFY, &row)?.is_empty() {
        return Ok(());
    }
    failing_receivers::notify(tx, owner, id, (*notice_id, notice), attempt.ended_at())
}
