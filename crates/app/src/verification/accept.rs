//! A movement that a person accepts, for a link or as a payment of its own: a verification that is opened and confirmed
//! in one transaction, since what it would ask the bank is known. It reserves, claims and charges by the
//! same code as one that had to ask.

use domain::access::Guarded;
use domain::fingerprint::Fingerprint;
use domain::ids::{
    ActorId, FirstReportId, IdentityId, OwnerId, PaymentId, RateLockId, ReceiptId, VerificationId,
};
use domain::language::Language;
use domain::links::State as LinkState;
use domain::matching::{Movement, Query, Rule, claimed_twin};
use domain::reference::TypedReference;
use domain::refusal::{MovementRefusal, Refusal};
use domain::time::Timestamp;
use store::accounts::Account;
use store::fault::Fault;
use store::idempotency::Slot;
use store::links::Link;
use store::movements::ReferenceQuery;
use store::tx::Tx;
use store::{contested, movements, verifications};

use super::asked::Asked;
use super::call::{AdmittedBy, Call, Confirmed, Render};
use super::in_review;
use super::reserve::{Reservation, open};
use super::settle::claim;
use super::settlement::{Claim, EndContext, SettleResult};
use crate::links::LinkEvents;
use crate::outcome::Outcome;
use crate::{Act, App};

/// To whom the payment that a person makes of a movement is reported as new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedTo {
    /// To the person, in the answer to the call.
    Answer,
    /// To the person, by the page of the verification.
    Page,
    /// To the next caller who asks for the movement.
    NextCaller,
}

/// Data that accepting needs besides link and movement. Ids are made beforehand, so that a second run writes the same
/// rows.
#[derive(Clone, Debug)]
pub(crate) struct Acceptance {
    pub(crate) owner: OwnerId,
    pub(crate) now: Timestamp,
    received: Timestamp,
    verification: VerificationId,
    payment: PaymentId,
    receipt: ReceiptId,
    first_report: FirstReportId,
    events: LinkEvents,
    language: Language,
    /// Whether the one who accepts may know the owner's credits.
    knows_credits: bool,
}

impl Acceptance {
    pub(crate) fn new<O: Guarded>(app: &App, act: &Act<O>) -> Self {
        let (owner, received, now) = (act.owner(), act.request.received, act.now);
        let ids = app.ids.as_ref();
        Self {
            owner,
            now,
            received,
            verification: VerificationId::new(ids, now),
            payment: PaymentId::new(ids, now),
            receipt: ReceiptId::new(ids),
            first_report: FirstReportId::new(ids, now),
            events: LinkEvents::new(app, now),
            language: act.request.language,
            knows_credits: act.caller().knows_credits(),
        }
    }

    /// Checks that no row which may be the same money as the movement, which is held, is a payment already, other than
    /// the one that the person has looked at.
    ///
    /// # Errors
    /// The payment that it may be, or a fault of the store.
    pub(crate) fn check_rival(
        &self,
        tx: &mut Tx<'_>,
        of: (IdentityId, Rule),
        movement: &Movement,
        other_than: Option<PaymentId>,
    ) -> Outcome<()> {
        match find_rival(tx, self.owner, of, movement)? {
            Some(rival) if other_than != Some(rival) => {
                Err(Refusal::Movement(MovementRefusal::RivalAccepted(rival)).into())
            }
            _ => Ok(()),
        }
    }

    /// Answers whether it is this acceptance that made the payment.
    pub(super) fn made(&self, payment: PaymentId) -> bool {
        self.payment == payment
    }

    /// Pays the link, which is held and may be paid, with the movement, which is held, unclaimed and of its amount,
    /// by that rate lock where it asks for another currency; unless credits refuse, which leaves the attempt on
    /// record. From then on the movement is known by what its payer typed, if anything.
    ///
    /// # Errors
    /// A refusal for want of credits, why the movement could not be claimed, or a fault of the store.
    pub(crate) fn pay_link(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        (link, lock): (&Link, Option<RateLockId>),
        account: Account,
        rule: Rule,
        movement: &Movement,
    ) -> Outcome<()> {
        let query = query(movement)?;
        // The movement stands where a key's id would, so that no payer's check is joined, nor one that asks for the
        // same reference.
        let same_call = Fingerprint::of(movement.id.to_bytes(), account.identity, rule, &query);
        let call = Call {
            caller_client: link.client,
            asked: Asked::of(&query, Some(link.id.to_string())),
            link: Some(link.id),
            ..self.call((link.actor, same_call), (account, rule, link.livemode), query)
        };
        let (was, is_by_payer) = (link.standing.state, movement.typed.is_some());
        let paid = Claim {
            payment: self.payment,
            receipt: self.receipt,
            livemode: link.livemode,
            first_report: None,
            was,
            lock,
            is_answered: false,
            is_by_payer,
        };
        self.confirm(tx, app, &call, &paid, movement)?;
        if is_by_payer {
            movements::name_as_typed(tx, self.owner, call.account.identity, movement)?;
        }
        Ok(())
    }

    /// Makes a payment of the movement, which is held and unclaimed, by that call; unless credits refuse, which leaves
    /// the attempt on record.
    ///
    /// # Errors
    /// A refusal for want of credits, why the movement could not be claimed, or a fault of the store.
    pub(super) fn make_payment(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        call: &Call,
        movement: &Movement,
    ) -> Outcome<SettleResult> {
        let made = Claim {
            payment: self.payment,
            receipt: self.receipt,
            livemode: call.livemode,
            first_report: call.first_report,
            was: LinkState::Pending,
            lock: None,
            is_answered: false,
            is_by_payer: false,
        };
        self.confirm(tx, app, call, &made, movement)
    }

    /// The call by which a person makes a payment of the movement, of that account and whether its money exists.
    ///
    /// # Errors
    /// A movement whose reference cannot be read.
    pub(super) fn call_of_person(
        &self,
        acceptor: ActorId,
        account: (Account, Rule, bool),
        movement: &Movement,
        reported_to: ReportedTo,
        (slot, render): (Option<Slot>, Render),
    ) -> Result<Call, Fault> {
        let acceptor_named = Some(acceptor).filter(|_| reported_to != ReportedTo::NextCaller);
        let same_call = Fingerprint::of_acceptance(movement.id, acceptor_named);
        Ok(Call {
            first_report: (reported_to == ReportedTo::Answer).then_some(self.first_report),
            receipt: Some(self.receipt),
            slot,
            render,
            ..self.call((acceptor, same_call), account, query(movement)?)
        })
    }

    /// Opens the verification of the call, and confirms it with the movement.
    fn confirm(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        call: &Call,
        claimed: &Claim,
        movement: &Movement,
    ) -> Outcome<SettleResult> {
        let Self { owner, now, .. } = *self;
        let cost = in_review::price(tx, app, call, movement)?;
        match open(tx, app, call, (self.verification, cost), None, now)? {
            Reservation::Reserved => {}
            Reservation::Refused(refusal) => return Err(refusal.into()),
            Reservation::Joined(_) | Reservation::Repeated(..) | Reservation::Changed => {
                return Err(Fault::broken("a movement that is being accepted twice").into());
            }
        }
        let row = verifications::find(tx, owner, self.verification)?;
        let row = row.ok_or_else(|| Fault::broken("a verification that was just opened"))?;
        let events = Some(&self.events);
        let ending = EndContext { owner, provider: &call.account.provider, events, now };
        let settled = claim(tx, &ending, claimed, &row, movement)?;
        match &settled.settled.result {
            Ok(_) => Ok(settled),
            Err(failed) => Err(failed.refusal(usize::MAX).into()),
        }
    }

    /// A call that asks no bank, about that account, whose money exists or does not.
    fn call(
        &self,
        (actor, fingerprint): (ActorId, Fingerprint),
        (account, rule, livemode): (Account, Rule, bool),
        query: Query,
    ) -> Call {
        Call {
            owner: self.owner,
            actor,
            admitted: AdmittedBy::Here { knows_credits: self.knows_credits },
            caller_client: None,
            asked: Asked::of(&query, None),
            fingerprint,
            account,
            // No reference is looked for.
            same_bank: None,
            rule,
            query,
            received: self.received,
            slot: None,
            first_report: None,
            receipt: None,
            now: self.now,
            render: |_: &Confirmed| Vec::new(),
            livemode,
            language: self.language,
            link: None,
        }
    }
}

/// The payment that was made of a row which may be the same money as the movement: one that contests it or is contested
/// by it, or one of which the bank said so little at first that neither contests the other.
///
/// # Errors
/// A fault of the store.
pub(crate) fn find_rival(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (identity, rule): (IdentityId, Rule),
    movement: &Movement,
) -> Result<Option<PaymentId>, Fault> {
    if let Some(payment) = contested::accepted_rival(tx, owner, movement)? {
        return Ok(Some(payment));
    }
    let mut known = Vec::new();
    for sought in ReferenceQuery::named(rule, &query(movement)?.reference, true) {
        known.extend(movements::find(tx, owner, identity, &sought)?);
    }
    Ok(claimed_twin(rule, movement, &known).and_then(|twin| twin.claimed))
}

/// The question that the movement answers.
fn query(movement: &Movement) -> Result<Query, Fault> {
    let reference = TypedReference::parse(movement.reference.digits())
        .map_err(|_| Fault::broken("a movement with a broken reference"))?;
    Ok(Query { amount: Some(movement.amount), ..Query::new(reference) })
}
