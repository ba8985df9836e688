//! Whether a charge is granted: plan of the owner, limit of the key, quota of the client, balance of the owner.

use std::time::Duration;

use crate::money::Credits;
use crate::refusal::{LimitFacts, Refusal};
use crate::time::{CaracasMonth, Timestamp};

/// Charges of a key or a client in a month.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Posted debits less refunds.
    pub posted: Credits,
    /// Costs of open reservations.
    pub reserved: Credits,
}

impl Usage {
    /// Returns what counts against a limit: posted and reserved. A sum beyond the greatest number is that number, which
    /// no limit allows.
    #[must_use]
    pub fn used(self) -> Credits {
        self.posted.checked_add(self.reserved).unwrap_or(Credits::new(i64::MAX))
    }
}

/// A monthly limit, and what was used of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The greatest use in a month; `None` is no limit, zero blocks every charge.
    pub cap: Option<Credits>,
    /// The use so far.
    pub usage: Usage,
}

impl Limit {
    /// Returns what is left of the month; `None` where there is no limit. Never below zero, since a limit may be
    /// lowered below what was used already.
    #[must_use]
    pub fn remaining(self) -> Option<Credits> {
        let cap = self.cap?;
        Some(cap.checked_sub(self.usage.used()).unwrap_or(Credits::ZERO).max(Credits::ZERO))
    }

    /// The facts of a refusal, where the limit does not allow `cost` more.
    fn exceeded_by(self, cost: Credits, resets_at: Timestamp) -> Option<LimitFacts> {
        let (limit, remaining) = (self.cap?, self.remaining()?);
        let facts = LimitFacts { limit, used: self.usage.used(), remaining, resets_at };
        (cost > remaining).then_some(facts)
    }
}

/// State of the owner's plan, as far as it decides charges. Without a plan it is active and limits nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanStanding {
    /// Whether it lets anybody be charged.
    pub is_active: bool,
    /// How many charges a month may have, if it says so.
    pub requests: Option<Requests>,
}

/// A limit of charges in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// How many there may be.
    pub limit: i64,
    /// How many there are, open reservations among them.
    pub used: i64,
}

/// A charge that somebody asks for, with everything that decides it, read under lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What it costs; never negative.
    pub cost: Credits,
    /// What the owner's plan says.
    pub plan: PlanStanding,
    /// The limit of a standalone key; none for a session and for a key bound to a client.
    pub key: Option<Limit>,
    /// The quota of the client that it counts against, if any.
    pub client: Option<Limit>,
    /// The owner's balance.
    pub balance: Credits,
    /// How much of the balance open reservations hold.
    pub reserved: Credits,
    /// When the month ends, for the caller to know.
    pub resets_at: Timestamp,
    /// When it is asked for.
    pub now: Timestamp,
    /// Whether the caller may know the owner's balance: a client's caller may not.
    pub knows_balance: bool,
}

/// Leave to reserve. Only [`decide`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    cost: Credits,
}

impl Grant {
    /// Returns the credits that may be reserved.
    #[must_use]
    pub const fn cost(self) -> Credits {
        self.cost
    }
}

/// Decides a charge. What costs nothing is granted whatever limits and balance say.
///
/// # Errors
///
/// The first refusal of the plan, the limit of the key, the quota of the client, the charges of the plan and the balance.
pub fn decide(ask: &Ask) -> Result<Grant, Refusal> {
    let grant = Grant { cost: ask.cost };
    if ask.cost <= Credits::ZERO {
        return Ok(Grant { cost: Credits::ZERO });
    }
    if !ask.plan.is_active {
        return Err(Refusal::PlanNotActive);
    }
    let exceeded = |limit: Option<Limit>| limit?.exceeded_by(ask.cost, ask.resets_at);
    if let Some(facts) = exceeded(ask.key) {
        return Err(Refusal::KeyCreditLimit(facts));
    }
    if let Some(facts) = exceeded(ask.client) {
        return Err(Refusal::ClientCreditLimit(facts));
    }
    if let Some(Requests { limit, used }) = ask.plan.requests
        && used >= limit
    {
        let (resets_at, retry_after) = (ask.resets_at, ask.resets_at.since(ask.now));
        return Err(Refusal::PlanRequestLimit { limit, used, resets_at, retry_after });
    }
    let available = ask.balance.checked_sub(ask.reserved).unwrap_or(Credits::ZERO);
    if ask.cost > available {
        let available = available.max(Credits::ZERO);
        return Err(Refusal::NotEnoughCredits {
            available: ask.knows_balance.then_some(available),
        });
    }
    Ok(grant)
}

/// The shortest time that says anything of a month.
const FORECAST_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the linear forecast for the month, to the nearest credit: the use so far, divided by the time that has
/// passed of the month, for the whole month. `None` on its first day, and for a month that `now` is not in.
#[must_use]
pub fn forecast(used: Credits, month: CaracasMonth, now: Timestamp) -> Option<Credits> {
    let passed = now.since(month.start());
    if CaracasMonth::of(now) != month || passed < FORECAST_AFTER {
        return None;
    }
    let micros = |time: Duration| i128::try_from(time.as_micros()).unwrap_or(i128::MAX);
    let (whole, passed) = (micros(month.next().start().since(month.start())), micros(passed));
    let comes_to = (2 * i128::from(used.get()) * whole + passed).div_euclid(2 * passed);
    i64::try_from(comes_to).ok().map(Credits::new)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RESETS_AT: Timestamp = Timestamp::from_micros(7);
    const NOW: Timestamp = Timestamp::from_micros(3);
    const NO_PLAN: PlanStanding = PlanStanding { is_active: true, requests: None };

    fn limit(cap: Option<i64>, posted: i64, reserved: i64) -> Limit {
        let usage = Usage { posted: Credits::new(posted), reserved: Credits::new(reserved) };
        Limit { cap: cap.map(Credits::new), usage }
    }

    fn ask(
        cost: i64,
        key: Option<Limit>,
        client: Option<Limit>,
        balance: i64,
        reserved: i64,
    ) -> Ask {
        Ask {
            cost: Credits::new(cost),
            plan: NO_PLAN,
            key,
            client,
            balance: Credits::new(balance),
            reserved: Credits::new(reserved),
            resets_at: RESETS_AT,
            now: NOW,
            knows_balance: true,
        }
    }

    fn facts(limit: i64, used: i64, remaining: i64) -> LimitFacts {
        LimitFacts {
            limit: Credits::new(limit),
            used: Credits::new(used),
            remaining: Credits::new(remaining),
            resets_at: RESETS_AT,
        }
    }

    #[test]
    fn the_first_that_refuses_is_reported() {
        let full = Some(limit(Some(5), 3, 2));
        let none = Some(limit(None, 1_000, 0));
        assert_eq!(decide(&ask(1, full, full, 0, 0)), Err(Refusal::KeyCreditLimit(facts(5, 5, 0))));
        assert_eq!(
            decide(&ask(1, none, full, 0, 0)),
            Err(Refusal::ClientCreditLimit(facts(5, 5, 0)))
        );
        let available = Some(Credits::ZERO);
        assert_eq!(decide(&ask(1, none, none, 9, 9)), Err(Refusal::NotEnoughCredits { available }));
        assert_eq!(decide(&ask(1, none, None, 10, 9)).map(Grant::cost), Ok(Credits::new(1)));
    }

    #[test]
    fn an_inactive_plan_refuses_before_all_else_and_its_charges_before_the_balance() {
        let full = Some(limit(Some(5), 3, 2));
        let inactive = PlanStanding { is_active: false, requests: None };
        let refused = |ask: Ask| decide(&ask).map(Grant::cost);
        assert_eq!(
            refused(Ask { plan: inactive, ..ask(1, full, full, 0, 0) }),
            Err(Refusal::PlanNotActive)
        );
        assert!(refused(Ask { plan: inactive, ..ask(0, full, full, 0, 0) }).is_ok());
        let with = |used| PlanStanding { requests: Some(Requests { limit: 3, used }), ..NO_PLAN };
        let spent = Refusal::PlanRequestLimit {
            limit: 3,
            used: 3,
            resets_at: RESETS_AT,
            retry_after: Duration::from_micros(4),
        };
        assert_eq!(refused(Ask { plan: with(3), ..ask(1, None, None, 0, 0) }), Err(spent));
        assert!(matches!(
            refused(Ask { plan: with(9), ..ask(1, full, None, 0, 0) }),
            Err(Refusal::KeyCreditLimit(_))
        ));
        assert!(refused(Ask { plan: with(2), ..ask(1, None, None, 1, 0) }).is_ok());
    }

    #[test]
    fn a_month_comes_to_what_has_passed_of_it_says() {
        let month = CaracasMonth::parse("2026-11").unwrap();
        let at = |days: u64| month.start().plus(Duration::from_secs(days * 24 * 60 * 60));
        let just_before = |at: Timestamp| Timestamp::from_micros(at.as_micros() - 1);
        for (used, now, comes_to) in [
            (100, month.start(), None),
            (100, just_before(at(1)), None),
            (100, at(1), Some(3_000)),
            (100, at(15), Some(200)),
            (0, at(15), Some(0)),
            (100, just_before(month.next().start()), Some(100)),
            (100, month.next().start(), None),
            (100, just_before(month.start()), None),
            (i64::MAX, at(15), None),
        ] {
            assert_eq!(
                forecast(Credits::new(used), month, now),
                comes_to.map(Credits::new),
                "{now}"
            );
        }
    }

    #[test]
    fn a_clients_caller_is_not_shown_the_balance() {
        let ask = Ask { knows_balance: false, ..ask(3, None, None, 2, 0) };
        assert_eq!(decide(&ask), Err(Refusal::NotEnoughCredits { available: None }));
    }

    #[test]
    fn a_limit_of_zero_blocks_every_charge_and_nothing_else() {
        let blocked = Some(limit(Some(0), 0, 0));
        assert_eq!(
            decide(&ask(1, blocked, None, 9, 0)),
            Err(Refusal::KeyCreditLimit(facts(0, 0, 0)))
        );
        assert_eq!(decide(&ask(0, blocked, blocked, 0, 0)).map(Grant::cost), Ok(Credits::ZERO));
    }

    #[test]
    fn a_limit_that_was_lowered_below_the_use_leaves_nothing() {
        let lowered = limit(Some(2), 5, 1);
        assert_eq!(lowered.remaining(), Some(Credits::ZERO));
        assert_eq!(limit(None, 5, 1).remaining(), None);
        assert_eq!(
            decide(&ask(1, Some(lowered), None, 9, 0)),
            Err(Refusal::KeyCreditLimit(facts(2, 6, 0)))
        );
    }

    #[test]
    fn sums_beyond_the_greatest_number_refuse() {
        let huge = Some(limit(Some(i64::MAX), i64::MAX, 1));
        assert!(decide(&ask(1, huge, None, 9, 0)).is_err());
        assert!(decide(&ask(i64::MAX, None, None, i64::MAX, 1)).is_err());
        assert!(decide(&ask(1, None, None, i64::MIN, 1)).is_err());
    }

    proptest! {
        /// Checks that a granted charge never takes a limit or the balance beyond its end, and that a refused one would
        /// have.
        #[test]
        fn a_charge_is_granted_exactly_where_there_is_room(
            cost in 0..20_i64,
            key in proptest::option::of((proptest::option::of(0..30_i64), 0..20_i64, 0..20_i64)),
            client in proptest::option::of((proptest::option::of(0..30_i64), 0..20_i64, 0..20_i64)),
            balance in 0..40_i64,
            reserved in 0..20_i64,
        ) {
            let room = |limit: Option<(Option<i64>, i64, i64)>| match limit {
                Some((Some(cap), posted, reserved)) => posted + reserved + cost <= cap,
                Some((None, ..)) | None => true,
            };
            let of = |facts: Option<(Option<i64>, i64, i64)>| {
                facts.map(|(cap, posted, reserved)| limit(cap, posted, reserved))
            };
            let fits = room(key) && room(client) && reserved + cost <= balance;
            let decision = decide(&ask(cost, of(key), of(client), balance, reserved));
            prop_assert_eq!(decision.is_ok(), cost == 0 || fits);
        }
    }
}
