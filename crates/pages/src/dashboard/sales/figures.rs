//! The figures of a currency, and how they compare with the period before.

use app::statistics::{OfCurrency, Tallies};
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::statistics::{GroupBy, Tally, WeekHour, hour_of, known_sum};
use domain::time::{CaracasDate, Timestamp};

use super::asked::Asked;
use super::texts::SalesTexts;
use crate::dashboard::payments::narrowed::clock;
use crate::dashboard::written::count;
use crate::written::price;

/// Figures of the period.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) sum: String,
    pub(super) count: String,
    pub(super) mean: Option<String>,
    pub(super) received: String,
    /// Address of their payments, for a reader who sees payments.
    pub(super) rows: Option<String>,
    pub(super) compared: Option<Compared>,
}

/// How the period compares with the one before.
#[derive(Debug)]
pub(super) struct Compared {
    /// Until when both are counted, and what that comes to, where the period is not over.
    pub(super) so_far: Option<(String, String)>,
    pub(super) before_name: &'static str,
    pub(super) before: String,
    /// How much more or less it is; nothing where there was nothing.
    pub(super) change: Option<String>,
}

/// An amount, or that it is more than is known.
pub(super) fn money(
    hundredths: i64,
    currency: Currency,
    t: &SalesTexts,
    language: Language,
) -> String {
    let known =
        known_sum(hundredths).map(|hundredths| price(Price { hundredths, currency }, language));
    known.unwrap_or_else(|| t.no_sum.to_owned())
}

impl Figures {
    /// The figures of a currency; `fine` has the same sums by hour or by day.
    pub(super) fn of(
        of: &OfCurrency,
        fine: Option<&OfCurrency>,
        (asked, now, rows): (&Asked, Timestamp, Option<String>),
        language: Language,
    ) -> Self {
        let t = SalesTexts::of(language);
        let tally = of.tallies.now;
        let mean = tally.mean();
        Self {
            sum: money(tally.sum, of.currency, t, language),
            count: count(tally.count, language),
            mean: mean.map(|mean| money(mean, of.currency, t, language)),
            received: money(tally.received, Currency::Vef, t, language),
            rows: rows.filter(|_| tally.count > 0),
            compared: compared(of, fine, (asked, now), language),
        }
    }
}

/// Compares what is over: the whole period, or what came until the last hour or day that is complete, with as much of the
/// period before.
fn compared(
    of: &OfCurrency,
    fine: Option<&OfCurrency>,
    (asked, now): (&Asked, Timestamp),
    language: Language,
) -> Option<Compared> {
    let t = SalesTexts::of(language);
    let today = CaracasDate::of(now);
    let is_over = asked.period.to < today;
    let Tallies { now: until_now, before } =
        if is_over { of.tallies } else { so_far(fine?, asked.finest(), now) };
    known_sum(until_now.sum).zip(known_sum(before.sum))?;
    let until = match (is_over, asked.finest()) {
        (true, _) => None,
        (false, GroupBy::Hour) => {
            let hour = WeekHour::of(now).hour;
            Some(format!("{} {}", t.until_hour, clock(hour)))
        }
        (false, _) => Some(t.until_yesterday.to_owned()),
    };
    Some(Compared {
        so_far: until.map(|until| (until, money(until_now.sum, of.currency, t, language))),
        before_name: if is_over { t.before } else { t.before_so_far },
        before: money(before.sum, of.currency, t, language),
        change: change(until_now.sum, before.sum),
    })
}

/// Adds up the groups that are complete.
fn so_far(fine: &OfCurrency, finest: GroupBy, now: Timestamp) -> Tallies {
    let (hour, today) = (hour_of(now), CaracasDate::of(now));
    let is_complete = |id: &str| match finest {
        GroupBy::Hour => Timestamp::parse(id).is_ok_and(|at| at < hour),
        _ => CaracasDate::parse(id).is_ok_and(|day| day < today),
    };
    let complete = fine.groups.iter().filter(|part| part.id.as_deref().is_some_and(is_complete));
    complete.fold(Tallies::default(), |sums, part| Tallies {
        now: Tally::plus(sums.now, part.tallies.now),
        before: Tally::plus(sums.before, part.tallies.before),
    })
}

/// How much more that is than what was before, or less, to the nearest hundredth part.
fn change(now: i64, before: i64) -> Option<String> {
    if before <= 0 {
        return None;
    }
    let (now, before) = (i128::from(now), i128::from(before));
    let percent = (200 * (now - before) + before).div_euclid(2 * before);
    let sign = match percent {
        ..=-1 => "−",
        0 => "",
        _ => "+",
    };
    Some(format!("{sign}{} %", percent.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_a_share_of_what_was_before() {
        for (now, before, text) in [
            (150, 100, Some("+50 %")),
            (100, 100, Some("0 %")),
            (0, 100, Some("−100 %")),
            (1, 3, Some("−67 %")),
            (5, 0, None),
        ] {
            assert_eq!(change(now, before).as_deref(), text, "{now} of {before}");
        }
    }
}
