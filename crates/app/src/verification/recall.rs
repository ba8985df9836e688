//! What comes first: whether the account lets the call in, and whether this payment is known already.

use std::sync::Arc;

use bank::Bank;
use domain::access::Verify;
use domain::fingerprint::Fingerprint;
use domain::ids::{FirstReportId, PaymentId, ReceiptId, VerificationId};
use domain::matching::known_claim;
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::REPEAT;
use store::accounts::Account;
use store::fault::Fault;
use store::idempotency::Slot;
use store::movements::ReferenceQuery;
use store::tx::Tx;
use store::verifications;

use super::asked::Asked;
use super::call::{AdmittedBy, Call, Render, ReportedIn, VerifyRequest};
use super::idempotency_slot::{self, Use};
use crate::accounts::reached;
use crate::{Act, App};

/// Result of looking up what is known about a payment.
pub(super) enum Recalled {
    /// The `Idempotency-Key` was used for another call.
    Reused,
    /// The same call was answered, and its `Idempotency-Key` asks for that answer.
    Answered,
    /// The same call is under way, or ended with a payment that was reported to nobody.
    Same(VerificationId),
    /// A payment that is claimed already.
    Claimed(PaymentId),
    /// Nothing known: the bank must be asked.
    Unknown,
}

/// Looks up whatever is known about this payment.
///
/// # Errors
/// A fault of the store.
pub(super) fn recall(tx: &mut Tx<'_>, call: &Call) -> Result<Recalled, Fault> {
    if let Some(slot) = &call.slot {
        match idempotency_slot::look(tx, call.owner, slot, None, call.now)? {
            Use::Free { .. } | Use::Own => {}
            Use::Reused => return Ok(Recalled::Reused),
            Use::Same(first) => return Ok(Recalled::Same(first)),
            Use::Answered(_) => return Ok(Recalled::Answered),
        }
    }
    let claimed = find_claimed(tx, call, call.now)?;
    Ok(claimed.map_or(Recalled::Unknown, Recalled::Claimed))
}

/// The payment that answers this call without a bank: what a call like it was confirmed, or what is
/// claimed under the whole reference.
///
/// # Errors
/// A fault of the store.
pub(super) fn find_claimed(
    tx: &mut Tx<'_>,
    call: &Call,
    now: Timestamp,
) -> Result<Option<PaymentId>, Fault> {
    let rule = call.rule;
    let has_receipts = call.same_bank.is_some();
    let sought: Vec<_> = ReferenceQuery::named(rule, &call.query.reference, has_receipts).collect();
    let same_call = (call.fingerprint, now.minus(REPEAT));
    let identity = call.account.identity;
    let prior = verifications::find_prior_result(tx, call.owner, identity, same_call, &sought)?;
    if prior.payment.is_some() {
        return Ok(prior.payment);
    }
    Ok(known_claim(&call.query, rule, &prior.candidates))
}

/// The call and whom to ask, if the caller may ask about this account, and asks enough. The account comes
/// before the reference: a caller that does not reach it learns nothing else.
pub(super) fn admit(
    app: &App,
    act: &Act<Verify>,
    account: Option<Account>,
    request: VerifyRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<(Call, Arc<dyn Bank>), Refusal> {
    let account = reached(account, act.caller())?;
    if account.is_disabled {
        return Err(Refusal::UserBankDisabled);
    }
    if account.client_is_active == Some(false) {
        return Err(Refusal::ClientNotActive);
    }
    let bank = app.open_bank(&account.provider).ok_or(Refusal::InvalidBankProvider)?;
    let capabilities = bank.capabilities();
    if !capabilities.verifies.contains(&request.query.kind) {
        return Err(Refusal::MovementTypeInvalid);
    }
    let paid_on = day_of(request.query.paid_on, CaracasDate::of(act.now))?;
    // Of the day as it was sent: the same call, sent again after midnight, must be known again.
    let fingerprint = Fingerprint::of(
        act.actor().to_bytes(),
        account.identity,
        capabilities.rule,
        &request.query,
    );
    let mut request = request;
    request.query.paid_on = paid_on;
    let rule = capabilities.rule.with_short_references(account.short_references);
    if request.query.is_too_short(rule) {
        return Err(Refusal::ReferenceTooShort);
    }
    let asked = Asked::of(&request.query, request.source_name.clone());
    let call = Call {
        owner: act.owner(),
        actor: act.actor(),
        admitted: AdmittedBy::Caller(act.caller().clone()),
        caller_client: act.caller().client(),
        account,
        same_bank: capabilities.same_bank(),
        rule,
        query: request.query,
        asked,
        fingerprint,
        received: act.request.received,
        slot,
        first_report: match request.reported_in {
            ReportedIn::Answer => Some(FirstReportId::new(app.ids.as_ref(), act.now)),
            ReportedIn::Page => None,
        },
        receipt: act.actor().key(act.owner()).is_none().then(|| ReceiptId::new(app.ids.as_ref())),
        now: act.now,
        render,
        livemode: capabilities.livemode,
        language: act.request.language,
        link: None,
    };
    Ok((call, Arc::clone(bank)))
}

/// The day of Caracas that a caller means. Tomorrow is today: every evening callers send the day of
/// UTC, which has turned already.
fn day_of(said: Option<CaracasDate>, today: CaracasDate) -> Result<Option<CaracasDate>, Refusal> {
    match said {
        Some(day) if day == today.plus_days(1) => Ok(Some(today)),
        Some(day) if day > today => {
            Err(Refusal::invalid("fecha_pago", ("está en el futuro", "is in the future")))
        }
        said => Ok(said),
    }
}
