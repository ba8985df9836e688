//! Transaction 1: the verification's row, which is the reservation.

use domain::ids::VerificationId;
use domain::money::Credits;
use domain::notices::Notice;
use domain::quota::{Ask, decide};
use domain::refusal::Refusal;
use domain::secret::PersonalText;
use domain::time::{CaracasMonth, Timestamp};
use domain::verification::{LEASE, REPEAT, RESERVATION};
use store::fault::Fault;
use store::tx::Tx;
use store::verifications::{NewVerification, ReserveOutcome};
use store::{activity, idempotency, notices, verifications};

use super::call::{AdmittedBy, Call};
use super::charged_client::charged_client;
use super::idempotency_slot::{self, Use};
use super::link_rules::{self, Admission};
use super::recall::find_claimed;
use super::refused;
use super::repeat::{REFUSED, Repeated, answer_repeat, note};
use super::settlement::{SettleResult, notice_of};
use super::short;
use crate::App;

/// The outcome of the reservation.
#[derive(Debug)]
pub(super) enum Reservation {
    /// The row is written, its first bank call begun, its lease taken.
    Reserved,
    /// Limits or balance refuse; only the attempt is noted.
    Refused(Refusal),
    /// Limits or balance would refuse, but the payment was claimed since the look-up: a repeat,
    /// noted and answered.
    Repeated(Box<SettleResult>, Vec<u8>),
    /// Another row with this fingerprint is open.
    Joined(VerificationId),
    /// What let the call in has changed since: nothing is written.
    Changed,
}

/// Opens the verification and reserves its cost, or notes the refused attempt.
///
/// # Errors
/// A fault of the store.
pub(super) fn reserve(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    id: VerificationId,
    cost: Credits,
    now: Timestamp,
) -> Result<Reservation, Fault> {
    match link_rules::admit(tx, call, id, now)? {
        Admission::Admitted => {}
        Admission::Begun => return Ok(Reservation::Reserved),
        Admission::Refused(refusal) => return Ok(Reservation::Refused(refusal)),
    }
    let replaces = match &call.slot {
        None => None,
        Some(slot) => match idempotency_slot::look(tx, call.owner, slot, Some(id), now)? {
            Use::Free { replaces } => replaces,
            Use::Own => return Ok(Reservation::Reserved),
            Use::Reused => {
                let refusal = Refusal::IdempotencyKeyReused;
                note(tx, call, (REFUSED, Some(refusal.code().as_str())), None, now)?;
                return Ok(Reservation::Refused(refusal));
            }
            Use::Same(first) => return Ok(Reservation::Joined(first)),
            Use::Answered(kept) => {
                return Ok(Reservation::Joined(VerificationId::from_bytes(kept.subject)));
            }
        },
    };
    let reservation = open(tx, app, call, (id, cost), replaces, now)?;
    if matches!(reservation, Reservation::Refused(Refusal::ReferenceTooShort)) {
        let notice = Notice::short_references(call.actor, call.account.id, now);
        notices::notify(tx, call.owner, notice_of(id), &notice, now)?;
    }
    if let Reservation::Refused(refusal) = &reservation
        && refused::keep(tx, call, (id, refusal), now)?
        && let Some(link) = call.link
    {
        link_rules::notify_refused(tx, call.owner, link, (id, refusal), now)?;
    }
    Ok(reservation)
}

/// Writes the row and reserves its cost, whatever let it begin; or notes the refused attempt.
/// `replaces` is what the slot of the call was used for before.
///
/// # Errors
/// A fault of the store.
pub(super) fn open(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    (id, cost): (VerificationId, Credits),
    replaces: Option<[u8; 16]>,
    now: Timestamp,
) -> Result<Reservation, Fault> {
    let new = NewVerification {
        id,
        actor: call.actor,
        bank: call.account.id,
        identity: call.account.identity,
        caller_client: call.caller_client,
        client: charged_client(tx, call)?,
        month: CaracasMonth::of(now),
        cost,
        fingerprint: call.fingerprint,
        query: PersonalText::new(call.asked.to_json()?),
        deadline: now.plus(RESERVATION),
        lease_until: now.plus(LEASE),
        link: call.link,
        short_reference: short::reference(call),
    };
    let (outcome, stands) = begin(tx, call, &new, now)?;
    let before = match (outcome, stands) {
        (ReserveOutcome::Reserved(before), true) => before,
        (ReserveOutcome::Reserved(before), false) => {
            verifications::undo_reservation(tx, call.owner, &new, &before)?;
            return Ok(Reservation::Changed);
        }
        (ReserveOutcome::Replayed, _) => return Ok(Reservation::Reserved),
        (ReserveOutcome::DuplicateOpen(other), true) => return Ok(Reservation::Joined(other)),
        (ReserveOutcome::DuplicateOpen(_), false) => return Ok(Reservation::Changed),
    };
    let ask = Ask {
        cost,
        plan: before.plan,
        key: Some(before.actor),
        client: before.client,
        balance: before.balance,
        reserved: before.reserved,
        resets_at: new.month.next().start(),
        now,
        knows_balance: call.knows_balance(),
    };
    let decided = match decide(&ask) {
        Ok(_) => short::decide(tx, call, &new, now)?,
        Err(refusal) => Err(refusal),
    };
    if let Err(refusal) = decided {
        verifications::discard(tx, call.owner, id)?;
        let ordinal = verifications::release_refused(tx, call.owner, new.account(), cost, &before)?;
        let noted = Noted { month: new.month, ordinal, now };
        return record_refusal(tx, app, call, refusal, &noted);
    }
    if let Some(slot) = &call.slot {
        let (subject, expired) = (id.to_bytes(), now.minus(REPEAT));
        if !idempotency::begin(tx, call.owner, slot, subject, now, expired, replaces)? {
            return Err(idempotency_slot::used_elsewhere());
        }
    }
    Ok(Reservation::Reserved)
}

/// Begins it in the store, and answers whether what let the call in is still so: read behind the counters, under the
/// locks of all that is counted.
fn begin(
    tx: &mut Tx<'_>,
    call: &Call,
    new: &NewVerification,
    now: Timestamp,
) -> Result<(ReserveOutcome, bool), Fault> {
    let deciding = call.deciding();
    let (outcome, present) = verifications::reserve(tx, call.owner, new, deciding.as_ref(), now)?;
    Ok((outcome, deciding.is_none() || call.is_still_admitted(present, now)))
}

/// Place in the activity where the attempt is noted.
struct Noted {
    month: CaracasMonth,
    ordinal: i64,
    now: Timestamp,
}

/// Notes an attempt that there is no room for. What left none may be this very payment, claimed
/// since the look-up by a call that was a little faster: that is a repeat, and needs no room.
fn record_refusal(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    refusal: Refusal,
    noted: &Noted,
) -> Result<Reservation, Fault> {
    let Noted { month, ordinal, now } = *noted;
    let note_here = |tx: &mut Tx<'_>, (status, code), subject| {
        let entry = call.activity(status, code, now);
        activity::insert(tx, call.owner, call.actor, month, ordinal, &entry, subject)
    };
    // What is claimed pays no link, so that a payer's check is never a repeat; nor is an acceptance, whose movement is
    // known to be claimed by nobody.
    let claimed = match call.admitted {
        AdmittedBy::Caller(_) => find_claimed(tx, call, now)?,
        AdmittedBy::Link | AdmittedBy::Here { .. } => None,
    };
    let Some(payment) = claimed else {
        note_here(tx, (REFUSED, Some(refusal.code().as_str())), None)?;
        return Ok(Reservation::Refused(refusal));
    };
    let repeated = answer_repeat(tx, app, call, payment, now)?;
    note_here(tx, repeated.status(), repeated.subject())?;
    match repeated {
        Repeated::Known(settling, body) => Ok(Reservation::Repeated(settling, body)),
        Repeated::Refused(refusal) => Ok(Reservation::Refused(refusal)),
        // The slot was free when this transaction began: another node has just used it.
        Repeated::Replayed(_) => Err(idempotency_slot::used_elsewhere()),
    }
}
