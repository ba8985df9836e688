//! The due days of a subscription before anybody has made it.

use super::{day, length, monthly, terms};
use crate::subscriptions::{PeriodUnit, Schedule, Terms};

fn first(terms: &Terms, count: usize) -> Vec<String> {
    terms.due_days().take(count).map(|day| day.to_string()).collect()
}

#[test]
fn due_days_are_the_beginnings_of_periods_or_their_ends() {
    let last_days = Terms { schedule: monthly("2026-12-31", None), ..terms("2026-12-31") };
    assert_eq!(first(&last_days, 4), ["2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]);
    let at_the_end = Terms { pay_first: false, ..last_days };
    assert_eq!(first(&at_the_end, 3), ["2027-01-31", "2027-02-28", "2027-03-31"]);
    let schedule = Schedule::new(day("2026-12-01"), length(PeriodUnit::Week, 2), None);
    let fortnightly = Terms { schedule, ..last_days };
    assert_eq!(first(&fortnightly, 3), ["2026-12-01", "2026-12-15", "2026-12-29"]);
}

#[test]
fn there_are_no_more_due_days_than_cycles_nor_beyond_the_calendar() {
    let twice = Terms { cycles: Some(2), ..terms("2026-12-31") };
    assert_eq!(first(&twice, 6), ["2026-12-31", "2027-01-31"]);
    let late = Terms { schedule: monthly("9999-11-15", None), ..terms("2026-12-31") };
    assert!(first(&late, 6).len() <= 2, "{:?}", first(&late, 6));
}
