//! What comes before anything else: whether the account lets the call in, and whether this payment is known already.

use std::collections::HashMap;
use std::sync::Arc;

use bank::Bank;
use domain::access::Caller;
use domain::fingerprint::Fingerprint;
use domain::ids::{KeyId, NewsId, OwnerId, PaymentId, VerificationId};
use domain::matching::{Lacking, Rule, whole_match};
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::REPEAT;
use store::accounts::Account;
use store::fault::Fault;
use store::idempotency::Slot;
use store::movements::Sought;
use store::recalling;
use store::tx::Tx;

use super::slot::{self, Use};
use super::{Asked, Call, Render, VerifyRequest};
use crate::accounts::reached;

/// What a call needs before it is looked at.
pub(super) struct Inquiry<'a> {
    pub(super) caller: &'a Caller,
    pub(super) owner: OwnerId,
    pub(super) actor: KeyId,
    pub(super) request: VerifyRequest,
    pub(super) slot: Option<Slot>,
    pub(super) news: NewsId,
    pub(super) render: Render,
    pub(super) received: Timestamp,
    pub(super) now: Timestamp,
    pub(super) allow_test_bank: bool,
}

/// What the look-up found.
pub(super) enum Recalled {
    /// The `Idempotency-Key` was used for another call.
    Refused(Refusal),
    /// The same call was answered, and its `Idempotency-Key` asks for that answer.
    Answered,
    /// The same call is under way, or ended with a payment that nobody was told of.
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
pub(super) fn recall(
    tx: &mut Tx<'_>,
    call: &Call,
    rule: Rule,
    now: Timestamp,
) -> Result<Recalled, Fault> {
    if let Some(slot) = &call.slot {
        match slot::look(tx, call.owner, slot, None, now)? {
            Use::Free { .. } | Use::Own => {}
            Use::Reused => return Ok(Recalled::Refused(Refusal::IdempotencyKeyReused)),
            Use::Same(first) => return Ok(Recalled::Same(first)),
            Use::Answered(_) => return Ok(Recalled::Answered),
        }
    }
    let claimed = find_claimed(tx, call, rule, now)?;
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
    rule: Rule,
    now: Timestamp,
) -> Result<Option<PaymentId>, Fault> {
    let sought = Sought::typed(rule, &call.query.reference);
    let same_call = (call.fingerprint, now.minus(REPEAT));
    let known = recalling::recall(tx, call.owner, call.account.identity, same_call, &sought)?;
    if known.confirmed.is_some() {
        return Ok(known.confirmed);
    }
    let candidates = known.candidates.iter();
    let mut whole = candidates.filter(|movement| whole_match(&call.query, rule, movement));
    // Two movements of one whole reference are for the bank and the matching rules to tell apart.
    Ok(match (whole.next().and_then(|movement| movement.claimed), whole.next()) {
        (Some(claimed), None) => Some(claimed.payment),
        _ => None,
    })
}

/// The call and whom to ask, if the caller may ask about this account, and asks enough. The account comes
/// before the reference: whoever does not reach it learns nothing else.
pub(super) fn admit(
    account: Option<Account>,
    banks: &HashMap<&'static str, Arc<dyn Bank>>,
    inquiry: Inquiry<'_>,
) -> Result<(Call, Arc<dyn Bank>), Refusal> {
    let account = reached(account, inquiry.caller)?;
    if account.is_disabled {
        return Err(Refusal::UserBankDisabled);
    }
    if account.client_is_active == Some(false) {
        return Err(Refusal::ClientNotActive);
    }
    let bank = banks.get(account.provider.as_str()).ok_or(Refusal::InvalidBankProvider)?;
    let capabilities = bank.capabilities();
    if !capabilities.livemode && !inquiry.allow_test_bank {
        return Err(Refusal::InvalidBankProvider);
    }
    let request = &inquiry.request;
    if !capabilities.verifies.contains(&request.query.kind) {
        return Err(Refusal::MovementTypeInvalid);
    }
    if request.query.paid_on.is_some_and(|day| day > CaracasDate::of(inquiry.now)) {
        return Err(Refusal::invalid("fecha_pago", "is in the future"));
    }
    match request.query.lacks(capabilities.rule) {
        None => {}
        Some(Lacking::Amount) => {
            return Err(Refusal::invalid("amount", "is needed with so few digits"));
        }
        Some(Lacking::Payer) => {
            return Err(Refusal::invalid(
                "phone_pagador",
                "is needed, or dni_pagador, with so few digits",
            ));
        }
    }
    let asked = Asked::of(&request.query, request.source_name.clone());
    let fingerprint = Fingerprint::of(
        inquiry.actor.to_bytes(),
        account.identity,
        capabilities.rule,
        &request.query,
    );
    let call = Call {
        owner: inquiry.owner,
        actor: inquiry.actor,
        caller_client: inquiry.caller.client(),
        account,
        query: inquiry.request.query,
        asked,
        fingerprint,
        received: inquiry.received,
        slot: inquiry.slot,
        news: inquiry.news,
        now: inquiry.now,
        render: inquiry.render,
        link: None,
    };
    Ok((call, Arc::clone(bank)))
}
