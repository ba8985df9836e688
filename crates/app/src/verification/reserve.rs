//! Transaction 1: the verification's row, which is the reservation.

use domain::ids::VerificationId;
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

/// What came of the reservation.
#[derive(Debug)]
pub(super) enum Reservation {
    /// The row is written, its first bank call begun, its lease taken.
    Reserved,
    /// Limits or balance refuse; only the attempt is noted.
    Refused(Refusal),
    /// Another row with this fingerprint is open.
    Joined(VerificationId),
}

/// Opens the verification and reserves its cost, or notes the refused attempt.
///
/// # Errors
/// A fault of the store.
pub(super) fn reserve(
    tx: &mut Tx<'_>,
    call: &Call,
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
        let entry = call.activity("refused", Some(refusal.code().as_str()), now);
        activity::insert(tx, call.owner, call.actor, account.month, ordinal, &entry, None)?;
        return Ok(Reservation::Refused(refusal));
    }
    due::insert(tx, call.owner, due::Kind::Verification, id.to_bytes(), now.plus(LEASE))?;
    if let Some(slot) = &call.slot {
        let expired = now.minus(domain::verification::REPEAT);
        idempotency::begin(tx, call.owner, slot, id.to_bytes(), now, expired)?;
    }
    Ok(Reservation::Reserved)
}
