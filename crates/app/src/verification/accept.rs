//! A link that a person pays with a movement: a verification that is opened and confirmed in one
//! transaction, since what it would ask the bank is known. It reserves, claims and charges by the
//! same code as one that had to ask.

use domain::access::AcceptLink;
use domain::fingerprint::Fingerprint;
use domain::ids::{OwnerId, PaymentId, RateLockId, VerificationId};
use domain::matching::{Movement, Query, Rule};
use domain::reference::TypedReference;
use domain::time::Timestamp;
use store::accounts::Account;
use store::fault::Fault;
use store::links::Link;
use store::tx::Tx;
use store::{movements, verifications};

use super::asked::Asked;
use super::call::{AdmittedBy, Call, Confirmed};
use super::reserve::{Reservation, open};
use super::settle::claim;
use super::settlement::{Claim, EndContext};
use crate::links::LinkEvents;
use crate::outcome::Outcome;
use crate::{Act, App};

/// What accepting needs besides link and movement. Ids are made beforehand, so that running it again
/// writes the same rows.
#[derive(Clone, Debug)]
pub(crate) struct Acceptance {
    pub(crate) owner: OwnerId,
    pub(crate) now: Timestamp,
    received: Timestamp,
    verification: VerificationId,
    payment: PaymentId,
    events: LinkEvents,
    /// Whether the one who accepts may know the owner's credits.
    knows_credits: bool,
}

impl Acceptance {
    pub(crate) fn new(app: &App, act: &Act<AcceptLink>) -> Self {
        let (owner, received, now) = (act.owner(), act.request.received, act.now);
        let ids = app.ids.as_ref();
        Self {
            owner,
            now,
            received,
            verification: VerificationId::new(ids, now),
            payment: PaymentId::new(ids, now),
            events: LinkEvents::new(app, now),
            knows_credits: act.caller().knows_credits(),
        }
    }

    /// Pays the link, which is held and may be paid, with the movement, which is held, unclaimed and of its amount,
    /// by that rate lock where it asks for another currency; unless credits refuse, which leaves the attempt on
    /// record. From then on the movement is known by what its payer typed, if anything.
    ///
    /// # Errors
    /// What credits refuse, why the movement could not be claimed, or a fault of the store.
    pub(crate) fn write(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        (link, lock): (&Link, Option<RateLockId>),
        account: Account,
        rule: Rule,
        movement: &Movement,
    ) -> Outcome<()> {
        let Self { owner, now, .. } = *self;
        let call = self.call(link, account, rule, movement)?;
        let cost = call.price(&app.settings);
        match open(tx, app, &call, (self.verification, cost), None, now)? {
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
        let was = link.standing.state;
        let is_by_payer = movement.typed.is_some();
        let paid = Claim { payment: self.payment, first_report: None, was, lock, is_by_payer };
        let settled = claim(tx, &ending, &paid, &row, movement)?.settled.result;
        if is_by_payer && settled.is_ok() {
            movements::name_as_typed(tx, owner, call.account.identity, movement)?;
        }
        settled.map(drop).map_err(|failed| failed.refusal(usize::MAX).into())
    }

    /// What would have been asked. The movement stands in the fingerprint where a key's id would, so
    /// that no payer's check is joined, nor one that asks for the same reference.
    fn call(
        &self,
        link: &Link,
        account: Account,
        rule: Rule,
        movement: &Movement,
    ) -> Result<Call, Fault> {
        let reference = TypedReference::parse(movement.reference.digits())
            .map_err(|_| Fault::broken("a movement with a broken reference"))?;
        let query = Query { amount: Some(movement.amount), ..Query::new(reference) };
        Ok(Call {
            owner: self.owner,
            actor: link.actor,
            admitted: AdmittedBy::Here { knows_credits: self.knows_credits },
            caller_client: link.client,
            asked: Asked::of(&query, Some(link.id.to_string())),
            fingerprint: Fingerprint::of(movement.id.to_bytes(), account.identity, rule, &query),
            account,
            // No bank is asked, and no reference looked for.
            same_bank: None,
            rule,
            query,
            received: self.received,
            slot: None,
            first_report: None,
            now: self.now,
            render: |_: &Confirmed| Vec::new(),
            link: Some(link.id),
        })
    }
}
