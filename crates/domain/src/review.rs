//! Movements that a person looks at, since the store was put back from a copy that may not know who has claimed them.

use std::time::Duration;

use crate::matching::Movement;
use crate::time::{CaracasDate, Timestamp};

/// How far apart the clocks of two nodes may be when one of them says when something ended.
const CLOCKS_APART: Duration = Duration::from_secs(5);

/// The time between a copy and the instant at which it was put back: what was accepted in it is not known any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewWindow {
    /// When the copy was made.
    pub since: Timestamp,
    /// When it was put back.
    pub until: Timestamp,
}

impl ReviewWindow {
    /// Answers whether a movement that nobody has claimed, as far as is known, may have been claimed after the copy: it was
    /// there before the copy was put back, however old it is. Where the bank says the day alone, that day counts.
    #[must_use]
    pub fn covers(&self, movement: &Movement) -> bool {
        if movement.claimed.is_some() {
            return false;
        }
        match movement.paid_at {
            Some(at) => at < self.until,
            None => movement.paid_on <= CaracasDate::of(self.until),
        }
    }

    /// Answers whether something that was made then may have had an end which the copy does not know.
    #[must_use]
    pub fn is_before(&self, made_at: Timestamp) -> bool {
        made_at < self.until
    }

    /// Answers whether the copy may not know that something ended at that instant.
    #[must_use]
    pub fn may_lack(&self, ended_at: Timestamp) -> bool {
        ended_at >= self.since.minus(CLOCKS_APART)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bank_text::BankText;
    use crate::ids::{MovementId, PaymentId};
    use crate::matching::PayerFacts;
    use crate::money::Bolivars;
    use crate::reference::BankReference;

    /// Noon of a day in Caracas.
    fn noon() -> Timestamp {
        Timestamp::parse("2026-11-28T16:00:00Z").unwrap()
    }

    fn paid(paid_at: Option<Timestamp>, paid_on: CaracasDate) -> Movement {
        Movement {
            id: MovementId::from_bytes([1; 16]),
            reference: BankReference::parse("79912345").unwrap(),
            bank_key: None,
            amount: Bolivars::from_hundredths(15_075),
            paid_on,
            paid_at,
            payer: PayerFacts::default(),
            description: BankText::default(),
            receipt: None,
            typed: None,
            is_named: true,
            contested_with: None,
            claimed: None,
        }
    }

    #[test]
    fn a_movement_from_before_the_copy_was_put_back_is_looked_at() {
        let (until, hour) = (noon(), Duration::from_secs(3_600));
        let window = ReviewWindow { since: until.minus(hour), until };
        let today = CaracasDate::of(until);
        let moment = Duration::from_micros(1);
        for (at, is_covered) in
            [(until.minus(moment), true), (until, false), (until.plus(moment), false)]
        {
            assert_eq!(window.covers(&paid(Some(at), today)), is_covered, "{at}");
        }
        // However old it is.
        assert!(window.covers(&paid(None, today.plus_days(-400))));
        assert!(window.covers(&paid(None, today)), "a date alone is the whole day");
        assert!(!window.covers(&paid(None, today.plus_days(1))));
        let claimed = Some(PaymentId::from_bytes([1; 16]));
        assert!(!window.covers(&Movement { claimed, ..paid(None, today) }));
    }

    #[test]
    fn what_ended_after_the_copy_is_not_in_it() {
        let (since, second) = (noon(), Duration::from_secs(1));
        let window = ReviewWindow { since, until: since.plus(Duration::from_secs(60)) };
        assert!(window.may_lack(since) && window.may_lack(since.minus(5 * second)));
        assert!(!window.may_lack(since.minus(6 * second)));
        assert!(window.is_before(since) && !window.is_before(window.until));
    }
}
