//! What a payer has of a subscription: the address of a page, and a way to end it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::machine::{End, Step, Subscription};
use crate::ids::{OwnerId, PayerPageId};
use crate::public_address::{self, InvalidAddress};
use crate::time::Timestamp;

/// How long a payer's page stays open after the grace of the newest cycle that was opened, after the end of the
/// subscription, and after somebody has given its address out: thirty days.
pub const PAGE_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Address of a payer's page. Its text is 52 characters, without a mark of what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayerAddress {
    /// Owner of the subscription.
    pub owner: OwnerId,
    /// Id that nobody can guess.
    pub page: PayerPageId,
}

impl PayerAddress {
    /// Beginning of the path of every such page.
    pub const PREFIX: &'static str = "/suscripcion/";

    /// Returns the path of the page.
    #[must_use]
    pub fn path(self) -> String {
        format!("{}{self}", Self::PREFIX)
    }

    /// Returns the address of the page at a service that is reached there.
    #[must_use]
    pub fn url(self, base_url: &str) -> String {
        format!("{base_url}{}", self.path())
    }
}

impl fmt::Display for PayerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        public_address::write(f, &self.owner, &self.page)
    }
}

impl FromStr for PayerAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let prefixes = (OwnerId::PREFIX, PayerPageId::PREFIX);
        let (owner, page) = public_address::parse(text, prefixes)?;
        Ok(Self { owner, page })
    }
}

impl Subscription {
    /// Cancels for its payer: what is settled runs to its end, and a period that is due only when it ends is asked for
    /// then. Where there is neither, it ends at once, and nothing is owed any more.
    #[must_use]
    pub fn canceled_by_payer(mut self, now: Timestamp) -> Self {
        let own = self.clock.virtual_now(now);
        let running = self.terms.first_after(own).checked_sub(1);
        let settled = self.settled_that_runs(own);
        // Of a calendar that is over, or paused, no period runs that somebody would owe.
        let opens = |number: u32| {
            matches!(self.opening(), Some((_, Step::Open(next))) if next <= number)
                || self.owed.iter().any(|cycle| cycle.number == number)
        };
        let due_at_its_end = running.filter(|number| !self.terms.pay_first && opens(*number));
        let Some(last) = settled.max(due_at_its_end) else {
            return self.after(Step::End(End::Canceled));
        };
        let from = last.saturating_add(1);
        let sooner = self.standing.canceled_from.map_or(from, |earlier| earlier.min(from));
        self.standing.canceled_from = Some(sooner);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        PeriodLength, PeriodUnit, Reminders, Schedule, Standing, Terms, UnpaidPolicy,
    };
    use super::*;
    use crate::public_address::tests::check_spelling;
    use crate::time::CaracasDate;

    const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
    const PAGE: PayerPageId = PayerPageId::from_bytes([0xff; 16]);

    fn at(day: &str) -> Timestamp {
        CaracasDate::parse(day).unwrap().start()
    }

    /// A monthly subscription from the first of December on that was not paid yet.
    fn monthly(pay_first: bool) -> Subscription {
        let begins = CaracasDate::parse("2026-12-01").unwrap();
        let schedule =
            Schedule::new(begins, PeriodLength::new(PeriodUnit::Month, 1).unwrap(), None);
        let subscription = Subscription::new(Terms {
            schedule,
            pay_first,
            cycles: None,
            lead_days: 3,
            grace_days: 3,
            has_trial: false,
            reminders: Reminders::default(),
            unpaid: UnpaidPolicy::Stay,
        });
        let standing = Standing { is_active: true, ..subscription.standing };
        Subscription { standing, ..subscription }
    }

    fn canceled(
        mut of: Subscription,
        now: &str,
        newest_settled: Option<u32>,
    ) -> (bool, Option<u32>) {
        of.standing.newest_settled = newest_settled;
        let standing = of.canceled_by_payer(at(now)).standing;
        (standing.end == Some(End::Canceled), standing.canceled_from)
    }

    #[test]
    fn an_address_has_one_spelling() {
        let address = PayerAddress { owner: OWNER, page: PAGE };
        check_spelling(address);
        assert_eq!(address.path(), format!("/suscripcion/{address}"));
    }

    #[test]
    fn a_payer_keeps_what_is_paid_and_owes_nothing_else() {
        // The period that runs is not paid, or nothing was asked for yet.
        assert_eq!(canceled(monthly(true), "2026-12-10", None), (true, None));
        assert_eq!(canceled(monthly(true), "2027-01-02", Some(0)), (true, None));
        assert_eq!(canceled(monthly(true), "2026-11-20", None), (true, None));
        // It is paid, or a later one is; even before it has begun.
        assert_eq!(canceled(monthly(true), "2026-12-31", Some(0)), (false, Some(1)));
        assert_eq!(canceled(monthly(true), "2026-12-31", Some(1)), (false, Some(2)));
        assert_eq!(canceled(monthly(true), "2026-11-29", Some(0)), (false, Some(1)));
    }

    #[test]
    fn a_period_that_is_due_at_its_end_is_asked_for_then() {
        assert_eq!(canceled(monthly(false), "2026-12-10", None), (false, Some(1)));
        assert_eq!(canceled(monthly(false), "2027-01-02", Some(0)), (false, Some(2)));
        assert_eq!(canceled(monthly(false), "2026-11-20", None), (true, None));
    }

    #[test]
    fn what_was_canceled_sooner_stays_so() {
        let mut sooner = monthly(false);
        sooner.standing.canceled_from = Some(1);
        assert_eq!(canceled(sooner, "2027-01-02", None), (false, Some(1)));
        let mut later = monthly(true);
        later.standing.canceled_from = Some(5);
        assert_eq!(canceled(later, "2026-12-10", Some(0)), (false, Some(1)));
    }
}
