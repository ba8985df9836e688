//! What settling works on, and what comes of it.

use std::ops::RangeInclusive;

use domain::ids::{
    BankId, FirstReportId, IdentityId, LinkId, MovementId, NoticeId, OwnerId, PaymentId,
    RateLockId, ReceiptId, VerificationId,
};
use domain::links::State as LinkState;
use domain::matching::{Movement, Query, Rule, SameBank, Verdict};
use domain::money::Credits;
use domain::review::ReviewWindow;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Settled, searched_from};
use store::payments::Payment;
use store::verifications::Verification;

use super::by_hand::ByHand;
use crate::links::LinkEvents;

/// Data that settling needs. Ids are made beforehand, so that a second run writes the same rows.
#[derive(Clone, Debug)]
pub(super) struct SettleInput {
    pub(super) owner: OwnerId,
    pub(super) verification: VerificationId,
    pub(super) identity: IdentityId,
    /// The link that it is a payer's check of, and how its owner is notified.
    pub(super) link: Option<(LinkId, LinkEvents)>,
    pub(super) provider: &'static str,
    /// Whether its money exists.
    pub(super) livemode: bool,
    /// The window in which movements may have been claimed that are not known as claimed, where there is one.
    pub(super) review: Option<ReviewWindow>,
    /// The account as it is linked.
    pub(super) bank: BankId,
    /// The bank's code, where it lists payments between two customers of its own under references that no receipt has.
    pub(super) same_bank: Option<&'static str>,
    pub(super) query: Query,
    pub(super) rule: Rule,
    pub(super) days_back: i32,
    pub(super) answer: Answer,
    /// The first report of the call that asked, if one did.
    pub(super) first_report: Option<FirstReportId>,
    /// Whether its caller is waiting and will be answered.
    pub(super) is_awaited: bool,
    pub(super) payment: PaymentId,
    pub(super) receipt: ReceiptId,
    /// One for each sighting.
    pub(super) movements: Vec<MovementId>,
    pub(super) now: Timestamp,
}

/// Result of settling.
#[derive(Clone, Debug)]
pub(super) struct SettleResult {
    pub(super) settled: Settled,
    /// The payment, where there is one.
    pub(super) payment: Option<Payment>,
    /// The owner's balance afterwards, where there is a payment.
    pub(super) balance: Credits,
    /// Says whether it had its end before: an answer may have been kept with that.
    pub(super) had_ended: bool,
}

/// Owner, provider and instant of a verification's end, and how the owner of its link is notified.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndContext<'a> {
    pub(super) owner: OwnerId,
    pub(super) provider: &'a str,
    pub(super) events: Option<&'a LinkEvents>,
    pub(super) now: Timestamp,
}

/// Data that a movement is claimed with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) payment: PaymentId,
    /// The receipt that is made with it, where it is of a link or of a person.
    pub(super) receipt: ReceiptId,
    /// Whether its money exists.
    pub(super) livemode: bool,
    /// The first report of the caller that is answered.
    pub(super) first_report: Option<FirstReportId>,
    /// What the link that it pays was, if it pays one.
    pub(super) was: LinkState,
    /// The rate lock that it pays by, if the link asks for another currency.
    pub(super) lock: Option<RateLockId>,
    /// Says whether the bank answered; otherwise a person accepted the movement, or what was known of it was enough.
    pub(super) is_answered: bool,
    /// Whether the movement was distinguished by who paid, not by a reference, and is known by what was typed.
    pub(super) is_by_payer: bool,
}

impl SettleInput {
    pub(super) fn ending(&self) -> EndContext<'_> {
        let Self { owner, provider, now, .. } = *self;
        EndContext { owner, provider, events: self.link.as_ref().map(|(_, events)| events), now }
    }

    pub(super) fn claim(&self) -> Claim {
        let first_report = self.first_report.filter(|_| self.is_awaited);
        let was = LinkState::Pending;
        let Self { payment, receipt, livemode, .. } = *self;
        let (lock, is_answered, is_by_payer) = (None, self.is_answered(), false);
        Claim { payment, receipt, livemode, first_report, was, lock, is_answered, is_by_payer }
    }

    /// Returns the person whose verification it is, if one verifies by hand.
    pub(super) fn by_hand(&self, row: &Verification) -> Option<ByHand> {
        let is_by_person = row.link.is_none() && row.actor.key(self.owner).is_none();
        is_by_person.then_some(ByHand {
            receipt: self.receipt,
            person: row.actor,
            client: row.caller_client,
            identity: self.identity,
            livemode: self.livemode,
        })
    }

    pub(super) const fn is_answered(&self) -> bool {
        !matches!(self.answer, Answer::Failed(_))
    }
}

/// Movements of the account that are known once the bank's answer is taken in.
pub(super) struct Seen {
    /// Every movement that may be meant, and what is contested with one of them.
    pub(super) known: Vec<Movement>,
    /// Those of them that the bank has shown now.
    pub(super) shown: Vec<MovementId>,
    /// Contested rows that it has shown for the first time, each with the movement that it may be.
    pub(super) contested: Vec<(MovementId, MovementId)>,
    /// Whether every movement that may be meant is known: the bank's answer was complete, and all of it was taken in.
    pub(super) is_complete: bool,
}

/// Verdict of the movements, and how it was found out.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// Whether the movement is meant by payer, amount and day, and not by a reference.
    pub(super) is_by_payer: bool,
    /// The payment from the same bank that payer, amount and day name without meaning it.
    pub(super) same_bank: Option<SameBank>,
    /// The movement that a payer's check may mean, for the owner to look at.
    pub(super) waits: Option<MovementId>,
}

impl Judged {
    /// That this movement is meant by its payer.
    pub(super) fn by_payer(movement: MovementId) -> Self {
        Self { is_by_payer: true, ..Self::from(Verdict::One(movement)) }
    }

    /// The same, where payer, amount and day name such a payment without meaning it.
    pub(super) fn beside(self, same_bank: SameBank) -> Self {
        Self { same_bank: Some(same_bank), ..self }
    }

    /// The same, where the owner is to look at a movement.
    pub(super) fn waiting(self, waits: Option<MovementId>) -> Self {
        Self { waits, ..self }
    }
}

impl From<Verdict> for Judged {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, is_by_payer: false, same_bank: None, waits: None }
    }
}

/// The days that the question is about.
pub(super) fn window(work: &SettleInput, row: &Verification) -> RangeInclusive<CaracasDate> {
    let asked_on = CaracasDate::of(searched_from(row.asked_at, work.now));
    work.query.window(asked_on, work.days_back)
}

/// The id of the one notice that a check of a link may bring about: ids are made before transactions
/// begin, and this one is there.
pub(super) const fn notice_of(check: VerificationId) -> NoticeId {
    NoticeId::from_bytes(check.to_bytes())
}
