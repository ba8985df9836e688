//! Money collected over time, and at which hours of the week people pay.

use std::collections::BTreeMap;
use std::time::Duration;

use app::statistics::{OfCurrency, Tallies};
use domain::language::Language;
use domain::links::Currency;
use domain::statistics::{GroupBy, Period, WeekHour};
use domain::time::{CaracasDate, Timestamp};

use super::asked::Asked;
use super::figures::money;
use super::texts::SalesTexts;
use crate::dashboard::chart::{Before, Chart, Measure, Slot, Week, compared};
use crate::dashboard::payments::narrowed::{Rows, clock};
use crate::written::{day as written_day, minute};

/// An hour, a day or a month of the period: its id among the groups, how it is written, and where its payments are.
struct Unit {
    id: String,
    label: String,
    rows: String,
}

/// The bars of the period; those that count payments lead there, for whom sees payments.
pub(super) fn chart(
    of: &OfCurrency,
    asked: &Asked,
    sees_payments: bool,
    language: Language,
) -> Chart {
    let t = SalesTexts::of(language);
    let money = |hundredths| money(hundredths, of.currency, t, language);
    let measure = |unit: Unit| {
        let mut found = of.groups.iter().filter(|part| part.id.as_deref() == Some(&*unit.id));
        let Tallies { now, before } = found.next().map(|part| part.tallies).unwrap_or_default();
        Measure {
            label: unit.label,
            text: money(now.sum),
            value: now.sum,
            before_text: money(before.sum),
            before: before.sum,
            href: (sees_payments && now.count > 0).then_some(unit.rows),
        }
    };
    let units = units(asked, of.currency, language).into_iter();
    let (bars, points) = compared(units.map(measure).collect());
    let has_before = of.tallies.before.count > 0;
    Chart {
        title: t.by_time.to_owned(),
        numbers: t.numbers,
        when: name_of(asked.each, t),
        what: t.collected,
        is_test: false,
        bars,
        before: has_before.then_some(Before { name: t.before, points }),
    }
}

/// The name of what a bar stands for.
pub(super) fn name_of(each: GroupBy, t: &SalesTexts) -> &'static str {
    match each {
        GroupBy::Hour => t.hour,
        GroupBy::Month => t.of_month,
        _ => t.day,
    }
}

fn units(asked: &Asked, currency: Currency, language: Language) -> Vec<Unit> {
    match asked.each {
        GroupBy::Hour => hours(asked.period, currency),
        GroupBy::Month => months(asked.period, currency, language),
        _ => days(asked.period, currency),
    }
}

fn hours(period: Period, currency: Currency) -> Vec<Unit> {
    let (days, start) = (period.days(), period.from.start());
    let unit = |number: u32| {
        let at = start.plus(Duration::from_secs(u64::from(number) * 3_600));
        let day = CaracasDate::of(at);
        let id = at.to_string();
        let rows = Rows::of(Period { from: day, to: day }, currency).with("hour", Some(&id));
        let label = if days == 1 { clock(WeekHour::of(at).hour) } else { minute(at) };
        Unit { id, label, rows }
    };
    (0..days * 24).map(unit).collect()
}

fn days(period: Period, currency: Currency) -> Vec<Unit> {
    let unit = |number: i32| {
        let day = period.from.plus_days(number);
        let rows = Rows::of(Period { from: day, to: day }, currency).all();
        Unit { id: day.to_string(), label: written_day(day), rows }
    };
    (0..i32::try_from(period.days()).unwrap_or_default()).map(unit).collect()
}

fn months(period: Period, currency: Currency, language: Language) -> Vec<Unit> {
    let (mut month, last) = (period.from.month(), period.to.month());
    let mut units = Vec::new();
    loop {
        let ends = month.next().day(1).plus_days(-1);
        let days = Period { from: month.day(1).max(period.from), to: ends.min(period.to) };
        units.push(Unit {
            id: month.to_string(),
            label: month.in_words(language),
            rows: Rows::of(days, currency).all(),
        });
        if month >= last {
            return units;
        }
        month = month.next();
    }
}

/// At which hours of the week the payments of the period were made, from sums by hour.
pub(super) fn week(fine: &OfCurrency, rows: Option<&Rows>, language: Language) -> Week {
    let t = SalesTexts::of(language);
    let mut counts: BTreeMap<WeekHour, i64> = BTreeMap::new();
    for part in &fine.groups {
        let at = part.id.as_deref().and_then(|id| Timestamp::parse(id).ok());
        if let Some(at) = at {
            let count = counts.entry(WeekHour::of(at)).or_default();
            *count = count.saturating_add(part.tallies.now.count);
        }
    }
    let slots: Vec<_> = counts.into_iter().map(|(at, count)| Slot { at, count }).collect();
    Week::of(&slots, rows, (t.when_paid.to_owned(), t.numbers, t.hour), language)
}
