//! Terms and acts that property tests draw.

use proptest::prelude::*;

use super::length;
use crate::subscriptions::{
    AnchorDay, Calendar, End, GRACE_DAYS_MAX, LEAD_DAYS_MAX, PeriodUnit, REMINDERS_MAX, Reminders,
    Resumption, Schedule, Step, Subscription, Terms, UnpaidPolicy,
};
use crate::time::{CaracasDate, Timestamp};

/// How many acts [`act`] has.
pub(super) const ACTS: u8 = 15;

/// Act of a person, by its number.
pub(super) fn act(mut subscription: Subscription, number: u8, now: Timestamp) -> Subscription {
    if subscription.standing.end.is_some() {
        return subscription;
    }
    // Of what is owed somebody pays the first, or the last.
    let pay = |subscription: Subscription, cycle: Option<u32>| match cycle {
        Some(number) => subscription.paid(number),
        None => subscription,
    };
    match number {
        0 => subscription.paused(now),
        1 => subscription.resumed(),
        2 => subscription.canceled_at_period_end(now),
        3 => subscription.kept(),
        4 => subscription.after(Step::End(End::Canceled)),
        5 => {
            let last = subscription.owed().last().map(|cycle| cycle.number);
            pay(subscription, last)
        }
        6 => {
            let first = subscription.owed().next().map(|cycle| cycle.number);
            match first {
                Some(number) => subscription.waived(number),
                None => subscription,
            }
        }
        7 => subscription.clone().resumed_anew(now).unwrap_or(subscription),
        8 | 9 if subscription.standing.is_active => {
            let calendar = if number == 8 { Calendar::Same } else { Calendar::New };
            let on = CaracasDate::of(now).plus_days(45);
            subscription.paused(now).resuming(Resumption { on, calendar })
        }
        10 => {
            let policies = UnpaidPolicy::ALL.into_iter().cycle();
            let mut others = policies.skip_while(|policy| *policy != subscription.terms.unpaid);
            subscription.terms.unpaid = others.nth(1).unwrap();
            subscription
        }
        _ => {
            let first = subscription.owed().next().map(|cycle| cycle.number);
            pay(subscription, first)
        }
    }
}

pub(super) fn any_terms() -> impl Strategy<Value = Terms> {
    let start = (10_957_i64 + 9_000..10_957 + 12_000)
        .prop_map(|days| CaracasDate::from_days(days).unwrap());
    let unit = prop::sample::select(PeriodUnit::ALL.to_vec());
    let reminders = prop::collection::btree_set(-30..=30_i64, 0..=REMINDERS_MAX)
        .prop_map(|days| Reminders::new(&days.into_iter().collect::<Vec<_>>()).unwrap());
    let unpaid = prop::sample::select(UnpaidPolicy::ALL.to_vec());
    let days = (0..=LEAD_DAYS_MAX, 0..=GRACE_DAYS_MAX, reminders, unpaid);
    let cycles = prop::option::of(1..30_u32);
    (start, unit, 1..4_i64, prop::option::of(1..32_i64), any::<bool>(), cycles, days).prop_map(
        |(start, unit, count, anchor, pay_first, cycles, days)| {
            let (lead_days, grace_days, reminders, unpaid) = days;
            Terms {
                schedule: Schedule::new(
                    start,
                    length(unit, count),
                    anchor.and_then(AnchorDay::new),
                ),
                pay_first,
                cycles,
                lead_days,
                grace_days,
                has_trial: false,
                reminders,
                unpaid,
            }
        },
    )
}
