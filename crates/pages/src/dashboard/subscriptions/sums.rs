//! The sums above the list of subscriptions.

use app::subscriptions::{SUBSCRIPTIONS_SUMMED_MAX, SubscriptionSums, UNPAID_SUMMED_MAX};
use domain::access::ListSubscriptions;
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::statistics::known_sum;
use domain::subscriptions::Sums;
use web::{AppState, Failure, Signed};

use crate::dashboard::links::name_of_currency;
use crate::dashboard::written::count;
use crate::written;

texts! {
    /// Texts of the sums.
    SumsTexts {
        up_to_date: "Al día", "Up to date";
        past_due: "Vencido", "Past due";
        month: "Por cobrar este mes", "To collect this month";
        one: "suscripción", "subscription";
        many: "suscripciones", "subscriptions";
        no_sum: "Más de 10 billones", "More than 10 trillion";
        running: "Ver las suscripciones en curso", "View active subscriptions";
        explained: "Qué suma cada cifra", "What each figure counts";
        up_to_date_is: "Al día: las suscripciones en curso, también en prueba, que no tienen ningún período atrasado.", "Up to date: active subscriptions, also in trial, with no period overdue.";
        past_due_is: "Vencido: las suscripciones en curso con algún período atrasado, y lo que piden esos períodos, también los que ya no se pagaron a tiempo.", "Past due: active subscriptions with an overdue period, and what those periods ask for, including those not paid in time.";
        month_is: "Por cobrar este mes: lo que piden los períodos abiertos cuyo día de pago llega antes de que termine el mes o ya pasó, también si falta el primer pago o la suscripción está en pausa. No cuentan los que no se pagaron a tiempo ni los que todavía no se abren.", "To collect this month: what open periods ask for whose due date is before the end of the month or has passed, even if the first payment is missing or the subscription is paused. Periods not paid in time and periods not open yet do not count.";
        apart: "Cada moneda va por separado, y un período atrasado que todavía está abierto está en las dos últimas cifras.", "Each currency stands alone, and an overdue period that is still open is in both of the last two figures.";
        partial: "Usted tiene más de lo que se suma aquí, así que lo cierto puede ser más que estas cifras. Se suman hasta", "You have more than is counted here, so the true figures may be higher. These count up to";
        and: "y", "and";
        unpaid: "períodos sin pagar.", "unpaid periods.";
    }
}

/// The sums of every currency.
pub(super) struct SumsShown {
    pub(super) t: &'static SumsTexts,
    /// None where nothing lives.
    pub(super) each: Vec<CurrencySums>,
    /// Whether it is money of the test bank.
    pub(super) is_test: bool,
    /// A sentence about what was not added up, where that is so.
    pub(super) partial: Option<String>,
}

/// The sums of one currency.
pub(super) struct CurrencySums {
    pub(super) currency: &'static str,
    pub(super) up_to_date: String,
    pub(super) past_due: String,
    pub(super) past_due_sum: String,
    pub(super) month_sum: String,
}

impl SumsShown {
    /// Adds up what the list shows where nothing is filtered.
    ///
    /// # Errors
    /// A failure of the store.
    pub(super) async fn of(
        state: &AppState,
        signed: &Signed<ListSubscriptions>,
    ) -> Result<Self, Failure> {
        let (language, is_test) = (signed.language(), signed.test_mode.is_all_test());
        let t = SumsTexts::of(language);
        let found = app::subscriptions::sums(&state.app, &signed.act, !is_test).await?;
        let SubscriptionSums { currencies, is_partial } = found;
        let each = currencies.into_iter().map(|(of, sums)| shown(of, sums, language)).collect();
        Ok(Self { t, each, is_test, partial: is_partial.then(|| partial(t, language)) })
    }
}

fn shown(currency: Currency, sums: Sums, language: Language) -> CurrencySums {
    let t = SumsTexts::of(language);
    let sum = |hundredths| {
        let known = known_sum(hundredths).map(|hundredths| Price { hundredths, currency });
        known.map_or_else(|| t.no_sum.to_owned(), |price| written::price(price, language))
    };
    let noun = if sums.past_due == 1 { t.one } else { t.many };
    CurrencySums {
        currency: name_of_currency(currency, language),
        up_to_date: count(sums.up_to_date, language),
        past_due: format!("{} {noun}", count(sums.past_due, language)),
        past_due_sum: sum(sums.past_due_sum),
        month_sum: sum(sums.month_sum),
    }
}

/// Writes how much is added up, where there is more.
fn partial(t: &SumsTexts, language: Language) -> String {
    let most = |most: usize| count(i64::try_from(most).unwrap_or(i64::MAX), language);
    let (subscriptions, unpaid) = (most(SUBSCRIPTIONS_SUMMED_MAX), most(UNPAID_SUMMED_MAX));
    format!("{} {subscriptions} {} {} {unpaid} {}", t.partial, t.many, t.and, t.unpaid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_in_their_currency_and_language() {
        let sums = Sums { up_to_date: 1_200, past_due: 1, past_due_sum: 15_075, month_sum: 0 };
        let es = shown(Currency::Vef, sums, Language::Es);
        assert_eq!((&*es.up_to_date, &*es.past_due), ("1.200", "1 suscripción"));
        assert_eq!((&*es.past_due_sum, &*es.month_sum), ("Bs. 150,75", "Bs. 0,00"));
        let most = Sums { past_due: 2, past_due_sum: i64::MAX, ..sums };
        let en = shown(Currency::Usd, most, Language::En);
        assert_eq!((&*en.up_to_date, &*en.past_due), ("1,200", "2 subscriptions"));
        assert_eq!((&*en.past_due_sum, &*en.month_sum), ("More than 10 trillion", "USD 0.00"));
    }

    #[test]
    fn where_there_is_more_it_is_said_how_much_was_added_up() {
        let es = partial(SumsTexts::of(Language::Es), Language::Es);
        assert!(es.ends_with("hasta 5.000 suscripciones y 20.000 períodos sin pagar."), "{es}");
    }
}
