//! The operation: `GET /v1/statistics`.

use std::collections::BTreeMap;

use domain::access::{Operation, ShowStatistics, ShowSubscription};
use domain::ids::{ClientId, OwnerId};
use domain::links::Currency;
use domain::secret::PersonalText;
use domain::statistics::{GroupBy, Period};
use domain::time::{CaracasDate, CaracasMonth, Timestamp};
use store::clients;
use store::fault::Fault;
use store::payment_counts::{self, Subscribed};
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
    /// Tells whether a currency has more groups than are shown.
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
    /// The hour, day or month, the code of a bank or a currency, or the id of an account, a client, a key, a person or a
    /// subscription; nothing for those of none.
    pub id: Option<String>,
    /// Its name for people; times, banks of payers and currencies have no name.
    pub name: Option<String>,
    /// Who pays for what, of a subscription that the caller may see.
    pub subscribed: Option<Parties>,
    /// Its payments.
    pub tallies: Tallies,
}

/// Product of a subscription, and its customer.
#[derive(Clone, Debug)]
pub struct Parties {
    /// The name of the product.
    pub product: String,
    /// The name of the customer.
    pub customer: PersonalText,
}

impl Part {
    fn new(id: Option<String>, name: Option<String>, tallies: Tallies) -> Self {
        Self { id, name, subscribed: None, tallies }
    }

    fn named_after(self, subscription: Option<Subscribed>) -> Self {
        let Some(Subscribed { name, product, customer, .. }) = subscription else { return self };
        let name = name.unwrap_or_else(|| product.clone());
        Self { name: Some(name), subscribed: Some(Parties { product, customer }), ..self }
    }
}

/// Adds payments up, those of a period and of the one before it; for a client's person those that its client's callers
/// claimed.
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
    let sees_subscriptions = ShowSubscription::RULE.check(act.caller()).is_ok();
    let (sandbox, client) = (app.banks.sandboxes().collect(), act.caller().client());
    let asked = Asked { period, sandbox, livemode, client };
    let read = app.store.read(act.meter(), move |tx| {
        let totals = payment_sums::totals(tx, owner, &asked)?;
        let currencies = totals.iter().map(|(currency, _)| *currency).collect::<Vec<_>>();
        let groups = match (group_by, client) {
            (GroupBy::Currency, _) => totals.iter().map(of_currency).collect(),
            (GroupBy::Client, Some(client)) => itself(tx, owner, client, &totals)?,
            (GroupBy::Subscription, _) => {
                subscriptions(tx, owner, &asked, (&currencies, sees_subscriptions))?
            }
            _ => groups(tx, owner, &asked, (group_by, &currencies))?,
        };
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
    let period = asked.period;
    match group_by {
        GroupBy::Hour => return Ok(hours(payment_counts::by_hour(tx, owner, asked)?, period)),
        GroupBy::Day => return Ok(days(payment_sums::by_day(tx, owner, asked)?, period)),
        GroupBy::Month => return Ok(months(payment_sums::by_day(tx, owner, asked)?, period)),
        _ => {}
    }
    let mut groups = Vec::new();
    for currency in currencies {
        let most = (*currency, groups_read());
        groups.extend(match group_by {
            GroupBy::Hour
            | GroupBy::Day
            | GroupBy::Month
            | GroupBy::Currency
            | GroupBy::Subscription => Vec::new(),
            GroupBy::PayerBank => payment_counts::by_payer_bank(tx, owner, asked, most)?
                .into_iter()
                .map(|(id, tallies)| (*currency, Part::new(id, None, tallies)))
                .collect(),
            GroupBy::Person => parts(payment_sums::by_person(tx, owner, asked, most)?),
            GroupBy::Bank => parts(payment_sums::by_bank(tx, owner, asked, most)?),
            GroupBy::Client => parts(payment_sums::by_client(tx, owner, asked, most)?),
            GroupBy::Key => parts(payment_sums::by_key(tx, owner, asked, most)?),
        });
    }
    Ok(groups)
}

/// The client by which its own people's payments are grouped: whose quota was charged then is nothing to them.
fn itself(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: ClientId,
    totals: &[(Currency, Tallies)],
) -> Result<Vec<(Currency, Part)>, Fault> {
    let name = clients::find(tx, owner, client)?.map(|found| found.name);
    let part = |&(currency, tallies): &(Currency, Tallies)| {
        (currency, Part::new(Some(client.to_string()), name.clone(), tallies))
    };
    Ok(totals.iter().map(part).collect())
}

/// The subscriptions of each of these currencies; without names for a caller who may not see subscriptions, and of those
/// whose account is not the client's any more.
fn subscriptions(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    (currencies, sees_subscriptions): (&[Currency], bool),
) -> Result<Vec<(Currency, Part)>, Fault> {
    let mut groups = Vec::new();
    for currency in currencies {
        let most = (*currency, groups_read());
        let found = payment_counts::by_subscription(tx, owner, asked, most)?.into_iter();
        groups.extend(found.map(|(of, tallies)| {
            let id = of.as_ref().map(|of| of.id.to_string());
            let is_held = |of: &Subscribed| asked.client.is_none() || of.held_by == asked.client;
            let of = of.filter(|of| sees_subscriptions && is_held(of));
            (*currency, Part::new(id, None, tallies).named_after(of))
        }));
    }
    Ok(groups)
}

/// The number of groups of a currency that are read: one more than is shown, by which it is known that there are more.
fn groups_read() -> i64 {
    i64::try_from(GROUPS_MAX + 1).unwrap_or(i64::MAX)
}

fn parts<I: ToString>(groups: Vec<Group<I>>) -> Vec<(Currency, Part)> {
    let part = |Group { currency, id, name, tallies }| {
        let id = id.map(|id: I| id.to_string());
        (currency, Part::new(id, name, tallies))
    };
    groups.into_iter().map(part).collect()
}

/// The one group of a currency that is grouped by currency.
fn of_currency(&(currency, tallies): &(Currency, Tallies)) -> (Currency, Part) {
    (currency, Part::new(Some(currency.as_str().to_owned()), None, tallies))
}

/// Each day of the period on which something was paid, or on the day that lies as many days before it as the period
/// has.
fn days(found: Vec<(Currency, CaracasDate, Tallies)>, period: Period) -> Vec<(Currency, Part)> {
    let len = i32::try_from(period.days()).unwrap_or(i32::MAX);
    let within = |day: CaracasDate| if day < period.from { day.plus_days(len) } else { day };
    let found = found.into_iter().map(|(currency, day, of)| (currency, within(day), of));
    in_order(found, CaracasDate::to_string)
}

/// Each month of the period: the days of it, and the days that lie as many days before them as the period has.
fn months(found: Vec<(Currency, CaracasDate, Tallies)>, period: Period) -> Vec<(Currency, Part)> {
    let len = i32::try_from(period.days()).unwrap_or(i32::MAX);
    let within = |day: CaracasDate| if day < period.from { day.plus_days(len) } else { day };
    let month = |day| CaracasMonth::of(within(day).start());
    let found = found.into_iter().map(|(currency, day, of)| (currency, month(day), of));
    in_order(found, CaracasMonth::to_string)
}

/// Each hour of the period in which something was paid, or in the one that lies as many days before it as the period
/// has. Its id is the instant at which it begins.
fn hours(found: Vec<(Currency, i64, Tallies)>, period: Period) -> Vec<(Currency, Part)> {
    const HOUR_US: i64 = 60 * 60 * 1_000_000;
    let begins = period.from.start().as_micros().div_euclid(HOUR_US);
    let len = i64::from(period.days()) * 24;
    let within = |hour: i64| if hour < begins { hour + len } else { hour };
    let found = found.into_iter().map(|(currency, hour, of)| (currency, within(hour), of));
    in_order(found, |hour| Timestamp::from_micros(hour.saturating_mul(HOUR_US)).to_string())
}

/// The parts of these times, in their order, those of one time added up.
fn in_order<T: Ord>(
    found: impl Iterator<Item = (Currency, T, Tallies)>,
    id: impl Fn(&T) -> String,
) -> Vec<(Currency, Part)> {
    let mut times: BTreeMap<(&str, T), (Currency, Tallies)> = BTreeMap::new();
    for (currency, time, Tallies { now, before }) in found {
        let none = (currency, Tallies::default());
        let (_, of_time) = times.entry((currency.as_str(), time)).or_insert(none);
        of_time.now = of_time.now.plus(now);
        of_time.before = of_time.before.plus(before);
    }
    let part = |((_, time), (currency, tallies)): ((_, T), (Currency, Tallies))| {
        (currency, Part::new(Some(id(&time)), None, tallies))
    };
    times.into_iter().map(part).collect()
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
    use domain::statistics::Tally;

    use super::*;

    #[test]
    fn the_many_groups_of_a_currency_take_no_place_of_another() {
        let tallies = Tallies::default();
        let part = |number: usize| Part::new(Some(number.to_string()), None, tallies);
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
        let some = |count| Tally { count, sum: 100 * count, received: 100 * count };
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
