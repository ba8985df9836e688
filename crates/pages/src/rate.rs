//! What the payer's page shows of a link in another currency: what it is in bolívares, by which rate and until when; and
//! the button that has a rate held.

use app::links::checkout::{Checkout, Closed};
use domain::language::Language;
use domain::links::{Currency, Price, Status};
use domain::rates::{RateLock, amounts};

use crate::page::{Offer, Seen};
use crate::texts::Texts;
use crate::written;

/// Finds the rate that says what the amount is worth: the one that is held, or that the link was paid by. A link in
/// bolívares has none: its own amount counts.
pub(crate) fn held(checkout: &Checkout) -> Option<&RateLock> {
    let Checkout { link, locks, status, now, .. } = checkout;
    let latest =
        link.held_rate.as_ref().and_then(|held| locks.iter().find(|lock| lock.id == held.lock));
    latest.filter(|lock| *status == Status::Paid || lock.holds(*now))
}

/// The amount that is owed now, or else what the link asks for.
pub(crate) fn price(checkout: &Checkout) -> Price {
    held(checkout).map_or(checkout.link.price, |lock| Price {
        hundredths: lock.owed.hundredths(),
        currency: Currency::Vef,
    })
}

/// How the amount in bolívares comes about, and until when it is good.
pub(crate) fn lines(checkout: &Checkout, t: &Texts, language: Language) -> Vec<String> {
    let Some(lock) = held(checkout) else { return Vec::new() };
    let is_paid = checkout.status == Status::Paid;
    let made = t
        .rate
        .made
        .replace("{price}", &written::price(lock.price, language))
        .replace("{rate}", &written::rate(lock.rate, language))
        .replace("{source}", lock.source.as_str())
        .replace("{date}", &written::day(lock.value_date));
    let until = format!("{} {} ({}).", t.rate.until, written::minute(lock.ends_at), t.caracas);
    [Some(made), (!is_paid).then_some(until)].into_iter().flatten().collect()
}

/// The button that has a rate held, where none is.
pub(crate) fn offer(checkout: &Checkout, t: &'static Texts) -> Option<Offer> {
    let Checkout { link, locks, closed, .. } = checkout;
    if link.price.currency == Currency::Vef || held(checkout).is_some() {
        return None;
    }
    let ended = locks.iter().find(|lock| lock.price == link.price);
    // Where no rate serves, that is said already.
    let (said, button) = match (closed, ended) {
        (Some(Closed::NoRate), _) => (None, t.rate.ask_again),
        (_, Some(_)) => (Some(t.rate.ended), t.rate.again),
        (_, None) => (Some(t.rate.offered), t.rate.hold),
    };
    let minutes = written::minutes(link.rate_minutes, t);
    let said = said.map(|said| (said.title, said.text.replace("{minutes}", &minutes)));
    Some(Offer { said, button, action: format!("/pay/{}/rate", link.id) })
}

/// The amounts that the payer may have paid, the latest first.
pub(crate) fn seen(checkout: &Checkout, language: Language, chosen: Option<i64>) -> Vec<Seen> {
    let Checkout { link, locks, now, .. } = checkout;
    if link.price.currency == Currency::Vef {
        return vec![Seen {
            hundredths: link.price.hundredths,
            text: String::new(),
            is_chosen: true,
        }];
    }
    let amounts = amounts(link.price, locks, *now);
    let owed = |lock: &RateLock| lock.owed.hundredths();
    // Of several none is chosen for the payer, who alone knows which it paid.
    let only = amounts.first().filter(|_| amounts.len() == 1).map(|lock| owed(lock));
    let chosen = chosen.filter(|chosen| amounts.iter().any(|lock| owed(lock) == *chosen)).or(only);
    amounts
        .into_iter()
        .map(|lock| Seen {
            hundredths: owed(lock),
            text: format!(
                "{} ({})",
                written::price(Price { hundredths: owed(lock), currency: Currency::Vef }, language),
                written::minute(lock.locked_at),
            ),
            is_chosen: Some(owed(lock)) == chosen,
        })
        .collect()
}
