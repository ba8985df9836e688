//! A reminder as a payer reads it: a text for messaging apps, which the mail says in lines.

use std::fmt;

use crate::language::Language::{self, En, Es};
use crate::links::Price;
use crate::payer::Phone;
use crate::time::CaracasDate;
use crate::url::encoded;

/// Beginning of what is about test money: nobody is to take it for a demand.
const TEST: [&str; 2] = ["[PRUEBA, no pague]", "[TEST, do not pay]"];

/// Reminder of one payment, with all that a payer is shown of it.
#[derive(Clone, PartialEq, Eq)]
pub struct PaymentReminder {
    /// The name of the one who asks for the money; empty where there is none.
    pub merchant: String,
    /// What the payment is for, with its period.
    pub what: String,
    /// What is asked for.
    pub price: Price,
    /// The day on which it is due.
    pub due: CaracasDate,
    /// The last day on which its link can be paid.
    pub until: CaracasDate,
    /// The day on which this is said.
    pub today: CaracasDate,
    /// Where it is paid.
    pub url: String,
    /// Where the payer sees all that is owed and paid.
    pub payer_url: String,
    /// Whether it is about money that exists.
    pub livemode: bool,
}

/// Shows nothing of it: it has addresses that open something.
impl fmt::Debug for PaymentReminder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PaymentReminder")
    }
}

impl PaymentReminder {
    /// Writes it as one text, which ends with the address to pay at.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let Self { merchant, what, url, .. } = self;
        let opening = self.opening(merchant, language);
        let (amount, due, until) =
            (self.price.written(language), self.due.in_numbers(), self.until.in_numbers());
        let test = if self.livemode { String::new() } else { format!("{} ", of_test(language)) };
        let (days, pay) = match language {
            Es => (
                format!("Día de pago: {due}; se puede pagar hasta el {until}."),
                if self.livemode { "Pague aquí" } else { "Página de prueba" },
            ),
            En => (
                format!("Due on {due}; it can be paid until {until}."),
                if self.livemode { "Pay here" } else { "Test page" },
            ),
        };
        format!("{test}{opening} {what}. {amount}. {days} {pay}: {url}")
    }

    /// Writes the first sentence, of that merchant.
    pub(crate) fn opening(&self, merchant: &str, language: Language) -> String {
        let is_named = !merchant.is_empty();
        let said = match (self.today < self.due, self.today == self.due, language) {
            (true, _, Es) if is_named => {
                return format!("{merchant} le recuerda su próximo pago.");
            }
            (true, _, Es) => return "Le recordamos su próximo pago.".to_owned(),
            (true, _, En) => "this is a reminder of your next payment.",
            (_, true, Es) => "hoy es su día de pago.",
            (_, true, En) => "your payment is due today.",
            (_, _, Es) => "su pago está pendiente.",
            (_, _, En) => "your payment is outstanding.",
        };
        if is_named { format!("{merchant}: {said}") } else { capitalized(said) }
    }
}

/// Beginning of a text that is about test money.
pub(crate) const fn of_test(language: Language) -> &'static str {
    let [es, en] = TEST;
    match language {
        Es => es,
        En => en,
    }
}

/// Address that opens WhatsApp with a message to that phone. `None` where it is no mobile one.
#[must_use]
pub fn whatsapp_url(phone: &str, text: &str) -> Option<String> {
    let phone = Phone::parse(phone).ok()?;
    Some(format!("https://wa.me/{}?text={}", phone.as_str(), encoded(text)))
}

fn capitalized(sentence: &str) -> String {
    let mut rest = sentence.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), rest.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::Currency;

    fn day(text: &str) -> CaracasDate {
        CaracasDate::parse(text).unwrap()
    }

    fn on(today: &str) -> PaymentReminder {
        PaymentReminder {
            merchant: "Tienda Ejemplo".to_owned(),
            what: "Gimnasio, diciembre de 2026".to_owned(),
            price: Price { hundredths: 125_075, currency: Currency::Vef },
            due: day("2026-12-20"),
            until: day("2026-12-23"),
            today: day(today),
            url: "https://c.example/pay/link_1".to_owned(),
            payer_url: "https://c.example/suscripcion/1".to_owned(),
            livemode: true,
        }
    }

    #[test]
    fn a_payer_reads_what_is_owed_when_and_where() {
        let rest = "Gimnasio, diciembre de 2026. Bs. 1.250,75. Día de pago: 20/12/2026; se puede pagar hasta el \
                    23/12/2026. Pague aquí: https://c.example/pay/link_1";
        for (today, opening) in [
            ("2026-12-17", "Tienda Ejemplo le recuerda su próximo pago."),
            ("2026-12-20", "Tienda Ejemplo: hoy es su día de pago."),
            ("2026-12-21", "Tienda Ejemplo: su pago está pendiente."),
        ] {
            assert_eq!(on(today).text(Es), format!("{opening} {rest}"));
        }
        let nameless = PaymentReminder { merchant: String::new(), ..on("2026-12-20") };
        assert!(nameless.text(Es).starts_with("Hoy es su día de pago. Gimnasio"));
        let english = "Your payment is due today. Gimnasio, diciembre de 2026. Bs. 1,250.75. Due on 20/12/2026; it can \
                       be paid until 23/12/2026. Pay here: https://c.example/pay/link_1";
        assert_eq!(nameless.text(En), english);
    }

    #[test]
    fn a_test_is_no_demand() {
        let test = PaymentReminder { livemode: false, ..on("2026-12-17") }.text(Es);
        assert!(test.starts_with("[PRUEBA, no pague] Tienda Ejemplo le recuerda"), "{test}");
        assert!(test.ends_with("Página de prueba: https://c.example/pay/link_1"), "{test}");
        assert!(!test.contains("Pague aquí"), "{test}");
    }

    #[test]
    fn a_message_goes_to_a_mobile_phone_alone() {
        let address = whatsapp_url("0414-123.45.67", "Gimnasio, diciembre");
        let expected = "https://wa.me/584141234567?text=Gimnasio%2C%20diciembre";
        assert_eq!(address.as_deref(), Some(expected));
        for other in ["0212-1234567", "llamar a Ana", ""] {
            assert_eq!(whatsapp_url(other, "x"), None, "{other}");
        }
    }
}
