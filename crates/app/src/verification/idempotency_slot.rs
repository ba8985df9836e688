//! The slot of an `Idempotency-Key`: what it says to a call that comes with it, and the answer that is kept in it.

use domain::ids::{OwnerId, VerificationId};
use domain::time::Timestamp;
use domain::verification::{REPEAT, State};
use store::fault::{Fault, FaultKind};
use store::idempotency::{Kept, Slot};
use store::tx::Tx;
use store::{idempotency, verifications};

use super::call::Call;
use super::settlement::SettleResult;
use crate::App;
use crate::kept_answers::place;

/// State of a slot, as a call finds it.
pub(super) enum Use {
    /// It is free; a former use that came to nothing may be replaced.
    Free {
        /// What that use made.
        replaces: Option<[u8; 16]>,
    },
    /// This very call began it, and the answer of the commit was lost.
    Own,
    /// It was used with another body.
    Reused,
    /// The same call is under way, or ended with a payment that was reported to nobody.
    Same(VerificationId),
    /// The same call was answered.
    Answered(Kept),
}

/// Looks at the slot. `own` is the verification that the call is about to make.
///
/// # Errors
/// A fault of the store.
pub(super) fn look(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: &Slot,
    own: Option<VerificationId>,
    now: Timestamp,
) -> Result<Use, Fault> {
    let Some(kept) = idempotency::find(tx, owner, slot, now.minus(REPEAT))? else {
        return Ok(Use::Free { replaces: None });
    };
    let subject = VerificationId::from_bytes(kept.subject);
    if own == Some(subject) {
        return Ok(Use::Own);
    }
    let is_same = kept.body_hash == slot.body_hash;
    if kept.answer.is_some() {
        return Ok(if is_same { Use::Answered(kept) } else { Use::Reused });
    }
    let row = verifications::find(tx, owner, subject)?;
    Ok(match row.map(|row| row.state) {
        Some(State::Asking | State::Confirmed) if is_same => Use::Same(subject),
        Some(State::Asking | State::Confirmed) => Use::Reused,
        // Only an answer with a payment is kept; after any other, the call runs again.
        _ => Use::Free { replaces: Some(kept.subject) },
    })
}

/// Another node uses the same `Idempotency-Key` at this very moment: a caller that tries again joins it.
pub(super) fn used_elsewhere() -> Fault {
    Fault::new(FaultKind::Conflict, "the same Idempotency-Key is being used on another node")
}

/// Answers the same call again with the bytes that it was answered with. A first report in them is handed
/// over to this call for good: a caller that lost the first answer may ask for it again by the same key,
/// so nobody gives it back any more; unless it is this call's own, whose first answer is still to come. `None` where the
/// slot was forgotten by `now`.
///
/// # Errors
/// A fault of the store; an answer that does not open is one.
pub(super) fn replay(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    now: Timestamp,
) -> Result<Option<Vec<u8>>, Fault> {
    let Some(slot) = &call.slot else { return Ok(None) };
    let kept = idempotency::find(tx, call.owner, slot, now.minus(REPEAT))?;
    let Some(kept) = kept.filter(|kept| kept.body_hash == slot.body_hash) else { return Ok(None) };
    let Some(sealed) = &kept.answer else { return Ok(None) };
    let body = app
        .vault
        .open(place(call.owner, slot), sealed)
        .map_err(|error| Fault::broken(format!("a kept answer: {error}")))?;
    let reports = kept.first_report.zip(call.first_report);
    if let Some((former, first_report)) = reports.filter(|(former, own)| former != own) {
        let about = VerificationId::from_bytes(kept.subject);
        verifications::hand_over(tx, call.owner, about, former, first_report)?;
        idempotency::settle_first_report(tx, call.owner, slot)?;
    }
    Ok(Some(body))
}

impl Call {
    /// Renders and keeps the answer where the call came with an `Idempotency-Key`; one that is kept already, as where the
    /// commit that kept it was lost, is the answer, byte for byte.
    pub(super) fn keep_answer(
        &self,
        app: &App,
        tx: &mut Tx<'_>,
        settling: &SettleResult,
    ) -> Result<Option<Vec<u8>>, Fault> {
        if self.slot.is_none() {
            return Ok(None);
        }
        if settling.had_ended
            && let Some(body) = replay(tx, app, self, self.now)?
        {
            return Ok(Some(body));
        }
        let confirmed = self.confirmed(settling, &app.settings.base_url)?;
        let Some(confirmed) = confirmed else { return Ok(None) };
        let body = (self.render)(&confirmed);
        self.keep(app, tx, &body, confirmed.verification, confirmed.is_new)?;
        Ok(Some(body))
    }

    /// Keeps the answer in its slot, which the call has begun.
    ///
    /// # Errors
    /// A fault of the store.
    pub(super) fn keep(
        &self,
        app: &App,
        tx: &mut Tx<'_>,
        body: &[u8],
        about: VerificationId,
        is_new: bool,
    ) -> Result<(), Fault> {
        let Some(slot) = &self.slot else { return Ok(()) };
        let sealed = app.vault.seal(app.ids.as_ref(), place(self.owner, slot), body);
        let first_report = self.first_report.filter(|_| is_new);
        idempotency::keep(tx, self.owner, slot, &sealed, about.to_bytes(), first_report)
    }
}
