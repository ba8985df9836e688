//! Demands: whether an operation asks for a proof that the person of the session is there.
//!
//! A session may be stolen, and ends. An operation whose effect outlives it, or moves the terms of money, asks for a
//! code or the password of the last minutes; one that changes something and asks for neither says why.

use crate::refusal::{Refusal, SecondFactorRefusal};
use crate::second_factor::Proof;
use crate::time::Timestamp;

/// Demand of an operation for a proof of the session's person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofDemand {
    /// None: it changes nothing.
    Reads,
    /// A proof, although it changes nothing: it shows a secret.
    Reveals,
    /// A proof: its effect outlives the session, or moves the terms of money.
    Asks,
    /// A code of a person with a second factor. Others show the password in the call itself, or have nothing that it is
    /// about.
    AsksForCode,
    /// A proof of a call that does this, which the use case finds, in Spanish and in English.
    AsksWhere {
        /// The part that asks, in Spanish.
        es: &'static str,
        /// The same in English.
        en: &'static str,
    },
    /// None, although it changes something, for this reason.
    Unasked(Reason),
}

/// Reason why an operation that changes something asks for no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nobody has signed in: a secret of its own opens it.
    Open,
    /// It is about the session alone that calls.
    OwnSession,
    /// It takes a password or a code itself.
    Proves,
    /// It takes a way in, which only a call that asks gives again. Whoever sees a theft must not be held up.
    TakesAway,
    /// The day's work on payments, links and subscriptions, which lists show with who did it.
    DaysWork,
    /// It sends to a receiver, and changes nothing of where events go.
    Sends,
    /// It marks what a person has read.
    Marks,
}

impl ProofDemand {
    /// Checks a caller's proof before anybody has looked at what the call does.
    ///
    /// # Errors
    ///
    /// The proof is missing or too old.
    pub(super) fn check(self, proof: Proof, now: Timestamp) -> Result<(), Refusal> {
        let is_asked = match self {
            Self::Reads | Self::AsksWhere { .. } | Self::Unasked(_) => false,
            Self::Reveals | Self::Asks => true,
            Self::AsksForCode => !matches!(proof, Proof::Password(_)),
        };
        if is_asked { proof.require(now) } else { Ok(()) }
    }

    /// Checks a caller's proof before the page of the operation's form: only what it shows can ask for one there.
    ///
    /// # Errors
    ///
    /// The proof is missing or too old.
    pub(super) fn check_view(self, proof: Proof, now: Timestamp) -> Result<(), Refusal> {
        if matches!(self, Self::Reveals) { proof.require(now) } else { Ok(()) }
    }

    /// Tells whether some call of the operation asks for a proof.
    #[must_use]
    pub const fn may_ask(self) -> bool {
        matches!(self, Self::Reveals | Self::Asks | Self::AsksForCode | Self::AsksWhere { .. })
    }

    /// Tells whether the use case finds out which calls ask.
    #[must_use]
    pub const fn is_found_by_use_case(self) -> bool {
        matches!(self, Self::AsksWhere { .. })
    }
}

impl Proof {
    /// Requires that the proof is there and was given lately.
    ///
    /// # Errors
    ///
    /// It is missing or too old.
    pub fn require(self, now: Timestamp) -> Result<(), Refusal> {
        if self.is_fresh(now) {
            Ok(())
        } else {
            Err(Refusal::SecondFactor(SecondFactorRefusal::StepUpRequired))
        }
    }
}
