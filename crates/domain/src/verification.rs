//! A verification as a machine: what happened so far, and what must be done next.
//!
//! One verification is one row, and the row is the reservation. What carries it forward, the
//! task that a request started or a node that took it over, runs this machine: it performs the
//! effect, reports its result as an event, and asks for the next step. The machine holds no
//! data of its own beyond its stage, so that a crash between any two effects loses nothing that
//! the row does not have.

use std::time::Duration;

use crate::ids::{MovementId, PaymentId, VerificationId};
use crate::matching::{SameBank, Sighting, Verdict};
use crate::money::Bolivars;
use crate::refusal::{Code, LinkRefusal, MovementRefusal, Refusal};
use crate::review::ReviewWindow;
use crate::time::Timestamp;

/// How long a reservation stands after its latest bank call began.
pub const RESERVATION: Duration = Duration::from_secs(15 * 60);

/// How long a node may be silent before another takes its verification over.
pub const LEASE: Duration = Duration::from_secs(20);

/// How long one search may take, in the background too.
pub const SEARCH: Duration = Duration::from_secs(120);

/// How long a caller waits for an answer, from the receipt of its request.
pub const ANSWER: Duration = Duration::from_secs(12);

/// How long a confirmed verification answers calls with its fingerprint.
pub const REPEAT: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the record is kept that a question was refused before a bank was asked.
pub const REFUSED_KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// For how many different short references a caller may ask on an account, without what so few digits need; and within
/// how long.
pub const SHORT_MAX: i64 = 20;
pub const SHORT_WITHIN: Duration = Duration::from_secs(60 * 60);

/// How often the bank is asked for one verification, takeovers included.
pub const CALLS_MAX: i64 = 4;

/// The codes of answers that time cannot change: the reference is there, and it is not this payment.
pub const LASTING: [Code; 3] =
    [Code::PaymentAmountNotValid, Code::IsNotPositivePayment, Code::PaymentAlreadyExists];

/// How long the first look-again of a call that joined a running search waits; each wait is longer.
pub const JOIN_POLL: Duration = Duration::from_millis(20);

/// From which instant the days are counted that a search looks through: when it was asked for; or now, where a clock
/// that was ahead has written that, since nothing was paid on days that are yet to come.
#[must_use]
pub fn searched_from(asked_at: Timestamp, now: Timestamp) -> Timestamp {
    if asked_at.is_beyond(now, Duration::ZERO) { now } else { asked_at }
}

/// Answer of a bank, or the reason why it gave none.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The movements that may be the one asked for; none is "not found".
    Shown {
        /// These.
        sightings: Vec<Sighting>,
        /// Whether nothing else of the days asked about may be meant: they were read to their end after the question
        /// came, every row could be read, and there was room for every movement that may be meant. A bank that may
        /// have answered at the first movement that fits says no.
        is_complete: bool,
    },
    /// The bank says that this payment was conciliated before, and shows nothing.
    AlreadyReconciled,
    /// Several movements fit, and this many digits would distinguish them.
    Ambiguous {
        /// Digits of the reference that make it one.
        digits_needed: u32,
    },
    /// The bank did not answer the question.
    Failed(Failure),
}

/// Why a bank did not answer. Never "not found".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Cannot be reached, or answered that it cannot serve.
    Unavailable,
    /// Announced that it is being maintained.
    Maintenance,
    /// Did not answer in time.
    TimedOut,
    /// Refuses the owner's credentials.
    RejectedCredentials,
    /// Wants to be asked less often.
    RateLimited,
    /// Refuses the question as such: a fact of the account or of the question that it does not take.
    InvalidInput,
    /// Answered what its contract does not allow.
    BadResponse,
}

/// The states of a verification's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Reserved; the bank has not answered yet.
    Asking,
    /// The movement was found and claimed, and the reservation posted.
    Confirmed,
    /// The bank does not show it yet; the reservation was voided.
    NotFound,
    /// The bank shows something else than what was asked; voided.
    Refused,
    /// The bank gave no usable answer; voided.
    Unknown,
    /// Nobody carried it to an end in time; voided.
    Expired,
}

impl State {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Asking,
        Self::Confirmed,
        Self::NotFound,
        Self::Refused,
        Self::Unknown,
        Self::Expired,
    ];

    /// The number that stores keep.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Asking => 0,
            Self::Confirmed => 1,
            Self::NotFound => 2,
            Self::Refused => 3,
            Self::Unknown => 4,
            Self::Expired => 5,
        }
    }

    /// The state of a number that a store kept.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }

    /// The word on the wire and in the activity.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asking => "asking",
            Self::Confirmed => "confirmed",
            Self::NotFound => "not_found",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::Expired => "expired",
        }
    }
}

/// How a verification ended without claiming anything.
#[derive(Clone, Debug, PartialEq)]
pub enum Failed {
    /// The bank does not show it yet.
    NotFound {
        /// The payment from the same bank that has the payer, amount and day asked for.
        same_bank: Option<SameBank>,
    },
    /// It shows a movement of this reference with another amount.
    OtherAmount(Bolivars),
    /// What it shows went out.
    Outgoing,
    /// One would fit, were more digits typed, or said what so few digits need.
    TooShort,
    /// Several fit.
    Ambiguous {
        /// Digits of the reference that make it one. No more than were typed where digits do not
        /// distinguish them.
        digits_needed: u32,
    },
    /// It was conciliated before: the bank says so, or a link asked for what is claimed.
    AlreadyReconciled,
    /// One fits that may have been claimed after the copy from which the store was put back.
    NeedsReview(ReviewWindow),
    /// The payment was found, and the link that it was meant for had ended by then.
    LinkClosed,
    /// The bank refuses the owner's credentials.
    RejectedCredentials,
    /// The bank gave no usable answer.
    Unheard,
    /// Nobody carried it to an end in time.
    Expired,
}

/// Facts that a row keeps of an end without a payment, beside its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndFacts {
    /// The other amount.
    pub bank_amount: Option<Bolivars>,
    /// Digits that make it one.
    pub digits_needed: Option<u32>,
    /// The payment from the same bank.
    pub same_bank: Option<SameBank>,
    /// The window in which it may have been claimed.
    pub review: Option<ReviewWindow>,
}

impl Failed {
    /// The state of the row.
    #[must_use]
    pub const fn state(&self) -> State {
        match self {
            Self::NotFound { .. } => State::NotFound,
            Self::OtherAmount(_)
            | Self::Outgoing
            | Self::TooShort
            | Self::Ambiguous { .. }
            | Self::AlreadyReconciled
            | Self::NeedsReview(_)
            | Self::LinkClosed
            | Self::RejectedCredentials => State::Refused,
            Self::Unheard => State::Unknown,
            Self::Expired => State::Expired,
        }
    }

    /// The same, as a client's callers get it: that the account received a payment which the reference does not name
    /// is for the owner's own callers.
    #[must_use]
    pub fn for_clients(self) -> Self {
        match self {
            Self::NotFound { .. } => Self::NotFound { same_bank: None },
            failed => failed,
        }
    }

    /// Returns the refusal that the caller gets. `digits` is how many digits that count it typed: a caller that knows
    /// fewer than six does not get the bank's amount.
    #[must_use]
    pub fn refusal(&self, digits: usize) -> Refusal {
        match self {
            Self::NotFound { same_bank } => Refusal::PaymentNotFound { same_bank: *same_bank },
            Self::OtherAmount(amount) => {
                Refusal::AmountNotValid { bank_amount: (digits >= 6).then_some(*amount) }
            }
            Self::Outgoing => Refusal::NotPositivePayment,
            Self::TooShort => Refusal::ReferenceTooShort,
            Self::Ambiguous { digits_needed } => {
                let digits_needed = *digits_needed;
                let is_typed = usize::try_from(digits_needed).is_ok_and(|needed| needed <= digits);
                if is_typed {
                    Refusal::PaymentContested { digits_needed }
                } else {
                    Refusal::ReferenceAmbiguous { digits_needed }
                }
            }
            Self::AlreadyReconciled => Refusal::PaymentAlreadyExists,
            Self::NeedsReview(window) => Refusal::Movement(MovementRefusal::NeedsReview(*window)),
            Self::LinkClosed => Refusal::Link(LinkRefusal::Closed),
            Self::RejectedCredentials => Refusal::BankBadPassword,
            // It has ended, so there is nothing to wait for: the next call asks anew.
            Self::Unheard | Self::Expired => Refusal::BankNotAvailable,
        }
    }

    /// Returns the facts that are kept with the end.
    #[must_use]
    pub fn facts(&self) -> EndFacts {
        let none = EndFacts::default();
        match self {
            Self::NotFound { same_bank } => EndFacts { same_bank: *same_bank, ..none },
            Self::OtherAmount(amount) => EndFacts { bank_amount: Some(*amount), ..none },
            Self::Ambiguous { digits_needed } => {
                EndFacts { digits_needed: Some(*digits_needed), ..none }
            }
            Self::NeedsReview(window) => EndFacts { review: Some(*window), ..none },
            _ => none,
        }
    }

    /// The end that a row shows by its state, its error code and the facts kept with it.
    #[must_use]
    pub fn read(state: State, code: Option<Code>, facts: EndFacts) -> Option<Self> {
        let EndFacts { bank_amount, digits_needed, same_bank, review } = facts;
        match (state, code) {
            (State::NotFound, _) => Some(Self::NotFound { same_bank }),
            (State::Unknown, _) => Some(Self::Unheard),
            (State::Expired, _) => Some(Self::Expired),
            (State::Refused, Some(Code::PaymentAmountNotValid)) => {
                bank_amount.map(Self::OtherAmount)
            }
            (State::Refused, Some(Code::IsNotPositivePayment)) => Some(Self::Outgoing),
            (State::Refused, Some(Code::PaymentReferenceTooShort)) => Some(Self::TooShort),
            (State::Refused, Some(Code::PaymentReferenceAmbiguous)) => {
                digits_needed.map(|digits_needed| Self::Ambiguous { digits_needed })
            }
            (State::Refused, Some(Code::PaymentAlreadyExists)) => Some(Self::AlreadyReconciled),
            (State::Refused, Some(Code::PaymentNeedsReview)) => review.map(Self::NeedsReview),
            (State::Refused, Some(Code::Conflict)) => Some(Self::LinkClosed),
            (State::Refused, Some(Code::UserBanckBadPassword)) => Some(Self::RejectedCredentials),
            (State::Refused | State::Asking | State::Confirmed, _) => None,
        }
    }
}

/// Reads a bank's answer together with what the movements known by now say. A movement that fits was
/// shown by the bank itself before. Where `is_certain`, since no other payment can be meant, it is
/// believed whatever the bank answers now; else only where the bank shows what it has, since a payment
/// that was not shown yet might fit too.
///
/// # Errors
/// Why there is nothing to claim.
pub fn conclude(answer: &Answer, verdict: Verdict, is_certain: bool) -> Result<MovementId, Failed> {
    match (answer, verdict) {
        (Answer::Shown { .. } | Answer::AlreadyReconciled, Verdict::One(movement)) => Ok(movement),
        (_, Verdict::One(movement)) if is_certain => Ok(movement),
        (Answer::Failed(Failure::RejectedCredentials), _) => Err(Failed::RejectedCredentials),
        (Answer::Failed(_), _) => Err(Failed::Unheard),
        (Answer::Ambiguous { digits_needed }, _) => {
            Err(Failed::Ambiguous { digits_needed: *digits_needed })
        }
        (_, Verdict::Ambiguous { digits_needed }) => Err(Failed::Ambiguous { digits_needed }),
        (_, Verdict::Contested { digits, .. }) => Err(Failed::Ambiguous { digits_needed: digits }),
        (_, Verdict::OtherAmount { amount }) => Err(Failed::OtherAmount(amount)),
        (_, Verdict::Outgoing(_)) => Err(Failed::Outgoing),
        (_, Verdict::TooShort) => Err(Failed::TooShort),
        (Answer::AlreadyReconciled, Verdict::NotFound) => Err(Failed::AlreadyReconciled),
        (Answer::Shown { .. }, Verdict::NotFound) => Err(Failed::NotFound { same_bank: None }),
    }
}

/// How far a verification's run has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// Transaction 1 is being written: the row that is the reservation.
    Reserving,
    /// The bank is being asked, outside any transaction.
    Asking,
    /// Transaction 2 is being written: post or void.
    Settling(Answer),
    /// This run has nothing left to do.
    Ended(RunEnd),
}

/// Why a run has nothing left to do.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// The row has ended: with a payment, or with the reason why there is none.
    Settled(Settled),
    /// Limits or balance refuse, and no verification was made.
    Refused(Refusal),
    /// Another verification with this fingerprint is open: wait for that one.
    Joined(VerificationId),
    /// What admitted the call has changed since, and nothing was made: whether it is admitted is to be asked anew.
    Changed,
    /// The store would not take the reservation: nothing was made.
    NotBegun,
    /// The store would not take the end: the row stays open, and its lease brings somebody back.
    Abandoned,
}

/// The end that a row has.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The payment that was claimed or found claimed, or why there is none.
    pub result: Result<PaymentId, Failed>,
    /// Whether the payment is to be reported as new to this run's caller.
    pub is_new: bool,
}

/// The result of an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The row is written and its credits are reserved.
    Reserved,
    /// Limits or balance refuse.
    Refused(Refusal),
    /// A row with this fingerprint is open already.
    Joined(VerificationId),
    /// What admitted the call has changed, and nothing is written.
    Changed,
    /// The bank has answered, or failed to.
    Answered(Answer),
    /// The row has ended, by this run or by another.
    Settled(Settled),
    /// The store failed and certainly applied nothing.
    StoreFailed,
    /// The answer of the commit was lost.
    StoreUnknown,
}

/// Effect that must be done next.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write the row and reserve, in one transaction.
    Reserve,
    /// Ask the bank, in no transaction.
    Ask,
    /// Post or void, in one transaction.
    Settle(Answer),
}

/// Returns the first stage of a run, and its effect.
#[must_use]
pub fn begin() -> (Stage, Effect) {
    (Stage::Reserving, Effect::Reserve)
}

/// Returns the first stage, and its effect, for the run of a node that took over an open row.
#[must_use]
pub fn take_over() -> (Stage, Effect) {
    (Stage::Asking, Effect::Ask)
}

/// The next stage, and what must be done in it. An event that does not belong to the stage changes
/// nothing. A lost commit is answered by the same effect again, which is safe: the first thing that
/// either transaction does is to look whether its row is already there.
#[must_use]
pub fn step(stage: Stage, event: Event) -> (Stage, Option<Effect>) {
    match (stage, event) {
        (Stage::Reserving, Event::Reserved) => (Stage::Asking, Some(Effect::Ask)),
        (Stage::Reserving, Event::Refused(refusal)) => {
            (Stage::Ended(RunEnd::Refused(refusal)), None)
        }
        // Refused, but for a payment that was claimed meanwhile: a repeat needs no room.
        (Stage::Reserving, Event::Settled(settled)) => {
            (Stage::Ended(RunEnd::Settled(settled)), None)
        }
        (Stage::Reserving, Event::Joined(other)) => (Stage::Ended(RunEnd::Joined(other)), None),
        (Stage::Reserving, Event::Changed) => (Stage::Ended(RunEnd::Changed), None),
        (Stage::Reserving, Event::StoreUnknown) => (Stage::Reserving, Some(Effect::Reserve)),
        (Stage::Reserving, Event::StoreFailed) => (Stage::Ended(RunEnd::NotBegun), None),
        (Stage::Asking, Event::Answered(answer)) => {
            (Stage::Settling(answer.clone()), Some(Effect::Settle(answer)))
        }
        (Stage::Settling(_), Event::Settled(settled)) => {
            (Stage::Ended(RunEnd::Settled(settled)), None)
        }
        (Stage::Settling(answer), Event::StoreUnknown) => {
            (Stage::Settling(answer.clone()), Some(Effect::Settle(answer)))
        }
        (Stage::Settling(_), Event::StoreFailed) => (Stage::Ended(RunEnd::Abandoned), None),
        (stage, _) => (stage, None),
    }
}

/// Tells whether the lease of an open row is over at `now`: it has ended, or it lies so far ahead that the clock was
/// wrong when it was written. `calls` is how often the bank was asked for it.
#[must_use]
pub fn is_lease_over(now: Timestamp, until: Timestamp, calls: i64) -> bool {
    // A node that may not ask any more waits for the deadline.
    let longest = if calls >= CALLS_MAX { RESERVATION } else { LEASE };
    until <= now || until.is_beyond(now, longest)
}

/// Decision of a node about an open row whose lease is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takeover {
    /// Ask the bank again.
    Ask,
    /// Ask no more; the reservation lapses at its deadline, and not before.
    WaitUntil(Timestamp),
    /// Void the reservation: its time is over.
    Expire,
}

/// Decides what happens to an open row whose holder has gone silent. A deadline that was written while the clock was
/// ahead is not waited for: a caller that asks again sets another.
#[must_use]
pub fn on_takeover(now: Timestamp, deadline: Timestamp, calls: i64) -> Takeover {
    if now >= deadline {
        Takeover::Expire
    } else if calls < CALLS_MAX {
        Takeover::Ask
    } else if deadline.is_beyond(now, RESERVATION) {
        Takeover::Expire
    } else {
        Takeover::WaitUntil(deadline)
    }
}

#[cfg(test)]
mod tests;
