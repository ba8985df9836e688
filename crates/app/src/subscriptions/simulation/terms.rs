//! Terms of subscriptions, drawn by chance: all units, anchors, leads and graces that the API takes.

use std::collections::BTreeSet;

use domain::subscriptions::{
    AnchorDay, GRACE_DAYS_MAX, LEAD_DAYS_MAX, PeriodLength, PeriodUnit, REMINDER_DAY_MAX,
    REMINDERS_MAX, Reminders, Schedule, Terms, UnpaidPolicy,
};
use domain::time::CaracasDate;

use crate::verification::simulation::surroundings::{Chance, pick};

/// Draws the terms of a subscription that is made `today`; only one that goes by itself is paused by what nobody pays. Periods are so long that a few dozen pass within the years of
/// a seed, but for a few short ones that have an end.
pub(super) fn draw(chance: &mut Chance, today: CaracasDate, goes_by_itself: bool) -> Terms {
    let unit = PeriodUnit::ALL[pick(chance, PeriodUnit::ALL.len())];
    let cycles = (chance.below(3) == 0).then(|| between(chance, 1, 8));
    let count = match unit {
        PeriodUnit::Day if cycles.is_some() => between(chance, 1, 10),
        PeriodUnit::Day => between(chance, 25, 90),
        PeriodUnit::Week => between(chance, 4, 12),
        PeriodUnit::Month => between(chance, 1, 6),
        PeriodUnit::Year => between(chance, 1, 2),
    };
    let anchor = (chance.below(2) == 0).then(|| between(chance, 1, 31));
    let has_trial = chance.below(4) == 0;
    let ahead = between(chance, u32::from(has_trial), 40);
    let start = today.plus_days(i32::try_from(ahead).unwrap());
    let length = PeriodLength::new(unit, i64::from(count)).unwrap();
    Terms {
        schedule: Schedule::new(
            start,
            length,
            anchor.and_then(|day| AnchorDay::new(i64::from(day))),
        ),
        pay_first: chance.below(2) == 0,
        cycles,
        lead_days: days(chance, LEAD_DAYS_MAX),
        grace_days: days(chance, GRACE_DAYS_MAX),
        has_trial,
        reminders: reminders(chance),
        unpaid: match chance.below(8) {
            0 => UnpaidPolicy::End,
            1..4 if goes_by_itself => UnpaidPolicy::Pause,
            _ => UnpaidPolicy::Stay,
        },
    }
}

/// Draws the days of reminders: the usual ones, none, or any.
fn reminders(chance: &mut Chance) -> Reminders {
    let furthest = u32::from(REMINDER_DAY_MAX.unsigned_abs());
    let most = u32::try_from(REMINDERS_MAX).unwrap();
    match chance.below(12) {
        0 => Reminders::NONE,
        1..5 => Reminders::default(),
        _ => {
            let count = between(chance, 1, most);
            let mut day = || i64::from(between(chance, 0, 2 * furthest)) - i64::from(furthest);
            let days: BTreeSet<i64> = (0..count).map(|_| day()).collect();
            Reminders::new(&Vec::from_iter(days)).unwrap()
        }
    }
}

/// Draws a number of days up to `most`: none, a few, or any.
fn days(chance: &mut Chance, most: u8) -> u8 {
    let most = match chance.below(3) {
        0 => 0,
        1 => 7,
        _ => u32::from(most),
    };
    u8::try_from(between(chance, 0, most)).unwrap()
}

/// Draws a number from `least` to `most`, both included.
fn between(chance: &mut Chance, least: u32, most: u32) -> u32 {
    let more = chance.below(u64::from(most - least) + 1);
    least + u32::try_from(more).unwrap()
}
