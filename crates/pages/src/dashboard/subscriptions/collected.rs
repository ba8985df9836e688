//! Money that a subscription brought in, as its page says it.

use app::subscriptions::{CYCLES_SUMMED_MAX, Collected};
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::statistics::{Tally, known_sum};

use crate::dashboard::written::count;
use crate::written;

texts! {
    /// Texts about what was collected.
    CollectedTexts {
        title: "Cobrado", "Collected";
        nothing: "Nada todavía", "Nothing yet";
        by: "en", "in";
        one: "pago", "payment";
        many: "pagos", "payments";
        received: "recibido", "received";
        unknown: "Más de 10 billones", "More than 10 trillion";
        partial: "de los últimos", "of the latest";
        periods: "períodos", "periods";
    }
}

/// Writes the sums: `Bs. 452,25 en 3 pagos`; of other currencies also what the bank credited.
pub(super) fn fact(collected: &Collected, language: Language) -> (&'static str, String) {
    let t = CollectedTexts::of(language);
    let each = collected.currencies.iter().map(|(of, tally)| sums(*of, *tally, t, language));
    let each: Vec<String> = each.collect();
    if each.is_empty() {
        return (t.title, t.nothing.to_owned());
    }
    let text = each.join(" · ");
    if !collected.is_partial {
        return (t.title, text);
    }
    let most = count(CYCLES_SUMMED_MAX.into(), language);
    (t.title, format!("{text} ({} {most} {})", t.partial, t.periods))
}

fn sums(currency: Currency, tally: Tally, t: &CollectedTexts, language: Language) -> String {
    let amount = |hundredths, currency| {
        let known = known_sum(hundredths).map(|hundredths| Price { hundredths, currency });
        known.map_or_else(|| t.unknown.to_owned(), |price| written::price(price, language))
    };
    let noun = if tally.count == 1 { t.one } else { t.many };
    let payments = format!("{} {} {noun}", t.by, count(tally.count, language));
    let sum = amount(tally.sum, currency);
    if currency == Currency::Vef {
        return format!("{sum} {payments}");
    }
    format!("{sum} {payments} ({}: {})", t.received, amount(tally.received, Currency::Vef))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected(currencies: &[(Currency, Tally)], is_partial: bool) -> Collected {
        Collected { currencies: currencies.to_vec(), is_partial }
    }

    #[test]
    fn each_currency_is_written_for_itself() {
        let bolivars = (Currency::Vef, Tally { count: 3, sum: 45_225, received: 45_225 });
        let dollars = (Currency::Usd, Tally { count: 1, sum: 2_500, received: 2_227_500 });
        let (title, text) = fact(&collected(&[], false), Language::Es);
        assert_eq!((title, &*text), ("Cobrado", "Nada todavía"));
        let (_, text) = fact(&collected(&[bolivars], true), Language::Es);
        assert_eq!(text, "Bs. 452,25 en 3 pagos (de los últimos 5.000 períodos)");
        let (_, text) = fact(&collected(&[dollars, bolivars], false), Language::En);
        assert_eq!(
            text,
            "USD 25.00 in 1 payment (received: Bs. 22,275.00) · Bs. 452.25 in 3 payments"
        );
    }
}
