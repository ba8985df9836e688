//! Transaction 1: the verification's row, which is the reservation.

use domain::ids::VerificationId;
use domain::matching::Rule;
use domain::money::Credits;
use domain::quota::{Ask, decide};
use domain::refusal::Refusal;
use domain::time::{CaracasMonth, Timestamp};
use domain::verification::{LEASE, RESERVATION};
use store::fault::Fault;
use store::tx::Tx;
use store::verifications::{NewVerification, Opened};
use store::{activity, credits, due, idempotency, verifications};

use super::Call;
use super::recall::find_claimed;
use super::repeat::{REPEATED, answer_repeat};
use super::settle::Settling;
use crate::App;

/// What came of the reservation.
#[derive(Debug)]
pub(super) enum Reservation {
    /// The row is written, its first bank call begun, its lease taken.
    Reserved,
    /// Limits or balance refuse; only the attempt is noted.
    Refused(Refusal),
    /// Limits or balance would refuse, but the payment was claimed since the look-up: a repeat,
    /// noted and answered.
    Repeated(Box<Settling>, Vec<u8>),
    /// Another row with this fingerprint is open.
    Joined(VerificationId),
}

/// Opens the verification and reserves its cost, or notes the refused attempt.
///
/// # Errors
/// A fault of the store.
pub(super) fn reserve(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    rule: Rule,
    id: VerificationId,
    cost: Credits,
    now: Timestamp,
) -> Result<Reservation, Fault> {
    let account = credits::Account {
        actor: call.actor,
        client: call.charged_client(),
        month: CaracasMonth::of(now),
    };
    let new = NewVerification {
        id,
        actor: call.actor,
        bank: call.account.id,
        identity: call.account.identity,
        client: account.client,
        month: account.month,
        cost,
        fingerprint: call.fingerprint,
        query: call.asked.to_json()?,
        deadline: now.plus(RESERVATION),
    };
    match verifications::open(tx, call.owner, &new, now)? {
        Opened::New => {}
        Opened::Already => return Ok(Reservation::Reserved),
        Opened::Other(other) => return Ok(Reservation::Joined(other)),
    }
    let before = credits::reserve(tx, call.owner, account, cost)?;
    let ask = Ask {
        cost,
        key: Some(before.key),
        client: before.client,
        balance: before.balance,
        reserved: before.reserved,
        resets_at: account.month.next().start(),
        tell_balance: call.tells_balance(),
    };
    if let Err(refusal) = decide(&ask) {
        verifications::discard(tx, call.owner, id)?;
        let ordinal = credits::take_back(tx, call.owner, account, cost, &before)?;
        let noted = Noted { month: account.month, ordinal, now };
        return turn_away(tx, app, call, rule, refusal, &noted);
    }
    due::insert(tx, call.owner, due::Kind::Verification, id.to_bytes(), now.plus(LEASE))?;
    if let Some(slot) = &call.slot {
        let expired = now.minus(domain::verification::REPEAT);
        idempotency::begin(tx, call.owner, slot, id.to_bytes(), now, expired)?;
    }
    Ok(Reservation::Reserved)
}

/// Where the attempt is noted.
struct Noted {
    month: CaracasMonth,
    ordinal: i64,
    now: Timestamp,
}

/// Notes an attempt that there is no room for. What left none may be this very payment, claimed
/// since the look-up by a call that was a little faster: that is a repeat, and needs no room.
fn turn_away(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    rule: Rule,
    refusal: Refusal,
    noted: &Noted,
) -> Result<Reservation, Fault> {
    let Noted { month, ordinal, now } = *noted;
    let note = |tx: &mut Tx<'_>, status, code, subject| {
        let entry = call.activity(status, code, now);
        activity::insert(tx, call.owner, call.actor, month, ordinal, &entry, subject)
    };
    let Some(payment) = find_claimed(tx, call, rule, now)? else {
        note(tx, "refused", Some(refusal.code().as_str()), None)?;
        return Ok(Reservation::Refused(refusal));
    };
    let (settling, body) = answer_repeat(tx, app, call, payment, now)?;
    let subject = settling.payment.as_ref().map(|(payment, _)| payment.verification);
    note(tx, REPEATED, None, subject)?;
    Ok(Reservation::Repeated(Box::new(settling), body))
}
