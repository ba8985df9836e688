//! The operation: `GET /v1/statistics`.

use std::collections::BTreeMap;

use domain::access::ShowStatistics;
use domain::ids::OwnerId;
use domain::links::Currency;
use domain::statistics::{GroupBy, Period, Tally};
use domain::time::CaracasDate;
use store::fault::Fault;
use store::payment_sums::{self, Asked, Group};
use store::tx::Tx;

pub use store::payment_sums::Tallies;

use crate::{Act, App, Error};

/// How many groups of a currency are shown at most: those of the greatest sums.
pub const GROUPS_MAX: usize = 1_000;

/// Which statistics are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The days.
    pub period: Period,
    /// By what payments are distinguished.
    pub group_by: GroupBy,
    /// Whether they are of money, or of the sandbox.
    pub livemode: bool,
}

/// Payments added up.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Each currency for itself.
    pub currencies: Vec<OfCurrency>,
    /// Whether the period has no real payment, and has test payments: what was asked for leaves them out.
    pub has_test_payments: bool,
}

impl Statistics {
    /// Whether a currency has more groups than are shown.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.currencies.iter().any(|of| of.has_more)
    }
}

/// The payments of one currency.
#[derive(Clone, Debug)]
pub struct OfCurrency {
    /// The currency.
    pub currency: Currency,
    /// All of them.
    pub tallies: Tallies,
    /// Group by group.
    pub groups: Vec<Part>,
    /// Whether there are more groups than are shown.
    pub has_more: bool,
}

/// The payments of a group.
#[derive(Clone, Debug)]
pub struct Part {
    /// The day, or the id of an account, a client or a key; nothing for those of none.
    pub id: Option<String>,
    /// What people call it; days have no name.
    pub name: Option<String>,
    /// Its payments.
    pub tallies: Tallies,
}

/// Adds payments up, those of a period and of the one before it.
///
/// # Errors
/// A failure of the store.
pub async fn show(
    app: &App,
    act: &Act<ShowStatistics>,
    question: Question,
) -> Result<Statistics, Error> {
    let owner = act.owner();
    let Question { period, group_by, livemode } = question;
    let asked = Asked { period, sandbox: app.banks.sandboxes().collect(), livemode };
    let read = app.store.read(act.meter(), move |tx| {
        let totals = payment_sums::totals(tx, owner, &asked)?;
        let currencies = totals.iter().map(|(currency, _)| *currency).collect::<Vec<_>>();
        let groups = groups(tx, owner, &asked, (group_by, &currencies))?;
        let has_test_payments = asked.livemode
            && !is_paid(&totals)
            && is_paid(&payment_sums::totals(tx, owner, &asked.of_sandbox())?);
        Ok(Statistics { has_test_payments, ..statistics(totals, groups) })
    });
    Ok(read.await?)
}

/// True if anything was paid in the period itself.
fn is_paid(totals: &[(Currency, Tallies)]) -> bool {
    totals.iter().any(|(_, tallies)| tallies.now.count > 0)
}

fn groups(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    (group_by, currencies): (GroupBy, &[Currency]),
) -> Result<Vec<(Currency, Part)>, Fault> {
    if group_by == GroupBy::Day {
        return Ok(days(payment_sums::by_day(tx, owner, asked)?, asked.period));
    }
    // One more than is shown, by which it is known that there are more.
    let limit = i64::try_from(GROUPS_MAX + 1).unwrap_or(i64::MAX);
    let mut groups = Vec::new();
    for currency in currencies {
        let most = (*currency, limit);
        groups.extend(match group_by {
            GroupBy::Day => Vec::new(),
            GroupBy::Bank => parts(payment_sums::by_bank(tx, owner, asked, most)?),
            GroupBy::Client => parts(payment_sums::by_client(tx, owner, asked, most)?),
            GroupBy::Key => parts(payment_sums::by_key(tx, owner, asked, most)?),
        });
    }
    Ok(groups)
}

fn parts<I: ToString>(groups: Vec<Group<I>>) -> Vec<(Currency, Part)> {
    let part = |Group { currency, id, name, tallies }| {
        let id = id.map(|id: I| id.to_string());
        (currency, Part { id, name, tallies })
    };
    groups.into_iter().map(part).collect()
}

/// Each day of the period on which something was paid, or on the day that lies as many days before it as the period
/// has.
fn days(found: Vec<(Currency, CaracasDate, Tallies)>, period: Period) -> Vec<(Currency, Part)> {
    let len = i32::try_from(period.days()).unwrap_or(i32::MAX);
    let mut days: BTreeMap<(&str, CaracasDate), (Currency, Tallies)> = BTreeMap::new();
    for (currency, day, Tallies { now, before }) in found {
        let day = if day < period.from { day.plus_days(len) } else { day };
        let (_, of_day) =
            days.entry((currency.as_str(), day)).or_insert((currency, Tallies::default()));
        if now != Tally::default() {
            of_day.now = now;
        }
        if before != Tally::default() {
            of_day.before = before;
        }
    }
    let part = |((_, day), (currency, tallies)): ((_, CaracasDate), (Currency, Tallies))| {
        (currency, Part { id: Some(day.to_string()), name: None, tallies })
    };
    days.into_iter().map(part).collect()
}

/// Each currency with its groups.
fn statistics(totals: Vec<(Currency, Tallies)>, groups: Vec<(Currency, Part)>) -> Statistics {
    let of =
        |(currency, tallies)| OfCurrency { currency, tallies, groups: Vec::new(), has_more: false };
    let mut currencies: Vec<_> = totals.into_iter().map(of).collect();
    for (currency, part) in groups {
        let Some(of) = currencies.iter_mut().find(|of| of.currency == currency) else { continue };
        if of.groups.len() < GROUPS_MAX {
            of.groups.push(part);
        } else {
            of.has_more = true;
        }
    }
    Statistics { currencies, has_test_payments: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_many_groups_of_a_currency_take_no_place_of_another() {
        let tallies = Tallies::default();
        let part = |number: usize| Part { id: Some(number.to_string()), name: None, tallies };
        let of = |currency, count| (0..count).map(move |number| (currency, part(number)));
        let groups = of(Currency::Usd, GROUPS_MAX + 1).chain(of(Currency::Vef, GROUPS_MAX));
        let totals = vec![(Currency::Usd, tallies), (Currency::Vef, tallies)];
        let shown = statistics(totals, groups.collect());
        let shown = shown.currencies.iter().map(|of| (of.currency, of.groups.len(), of.has_more));
        let expected = [(Currency::Usd, GROUPS_MAX, true), (Currency::Vef, GROUPS_MAX, false)];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_day_is_beside_the_one_that_lies_a_period_before_it() {
        let day = |text| CaracasDate::parse(text).unwrap();
        let period = Period { from: day("2026-11-08"), to: day("2026-11-14") };
        let some = |count| Tally { count, sum: 100 * count };
        let now = |count| Tallies { now: some(count), ..Tallies::default() };
        let before = |count| Tallies { before: some(count), ..Tallies::default() };
        let found = vec![
            (Currency::Usd, day("2026-11-09"), now(5)),
            (Currency::Vef, day("2026-11-01"), before(1)),
            (Currency::Vef, day("2026-11-07"), before(2)),
            (Currency::Vef, day("2026-11-08"), now(3)),
        ];
        let shown: Vec<_> = days(found, period)
            .into_iter()
            .map(|(currency, part)| (currency, part.id.unwrap(), part.tallies))
            .collect();
        let both = Tallies { now: some(3), before: some(1) };
        assert_eq!(
            shown,
            [
                (Currency::Usd, "2026-11-09".to_owned(), now(5)),
                (Currency::Vef, "2026-11-08".to_owned(), both),
                (Currency::Vef, "2026-11-14".to_owned(), before(2)),
            ]
        );
    }
}
