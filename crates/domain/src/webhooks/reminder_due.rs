//! What a webhook reports of a payer who is to be reminded: enough to remind by any way that the owner has.

use std::fmt;

use super::object::{Object, decimal};
use crate::ids::{LinkId, SubscriptionId};
use crate::language::Language;
use crate::subscriptions::{PaymentReminder, Period, whatsapp_url};

/// Reminder of a cycle of a subscription that is due.
#[derive(Clone, Copy)]
pub struct ReminderDue<'a> {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// Its label.
    pub name: &'a str,
    /// Name of who pays.
    pub customer: &'a str,
    /// The phone, as it was typed.
    pub phone: &'a str,
    /// Number of the cycle, counted from one as callers read it.
    pub cycle: u32,
    /// Days that the cycle is for.
    pub period: Period,
    /// Day of the reminder, counted from the due day.
    pub day: i8,
    /// Link that is to be paid.
    pub link: LinkId,
    /// Reminder as the payer reads it.
    pub reminder: &'a PaymentReminder,
}

/// Shows nothing of who pays.
impl fmt::Debug for ReminderDue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReminderDue")
            .field("subscription", &self.subscription)
            .field("cycle", &self.cycle)
            .field("day", &self.day)
            .finish_non_exhaustive()
    }
}

impl ReminderDue<'_> {
    pub(super) fn data(&self) -> String {
        let Self { period, reminder, .. } = self;
        // Payers read Spanish, as on the links of their periods.
        let text = reminder.text(Language::Es);
        let mut json = Object::begin();
        json.shown("subscription_id", &self.subscription);
        json.text("name", self.name);
        json.text("customer_name", self.customer);
        json.text("customer_phone", self.phone);
        json.bare("cycle", &self.cycle);
        json.shown("first_day", &period.begins);
        json.shown("last_day", &period.ends.plus_days(-1));
        json.shown("due_date", &reminder.due);
        json.shown("payable_until", &reminder.until);
        json.bare("day", &self.day);
        json.bare("amount", &decimal(reminder.price.hundredths));
        json.text("currency", reminder.price.currency.as_str());
        json.shown("payment_link_id", &self.link);
        json.text("payment_link_url", &reminder.url);
        json.text("text", &text);
        json.optional("whatsapp_url", whatsapp_url(self.phone, &text).as_deref());
        json.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::EventId;
    use crate::links::{Currency, Price};
    use crate::time::{CaracasDate, Timestamp};
    use crate::webhooks::{AccountMessage, Fact};

    fn day(text: &str) -> CaracasDate {
        CaracasDate::parse(text).unwrap()
    }

    #[test]
    fn a_reminder_says_all_that_another_way_of_reminding_needs() {
        let reminder = PaymentReminder {
            merchant: "Tienda \"Ñ\"".to_owned(),
            what: "Gimnasio, diciembre de 2026".to_owned(),
            price: Price { hundredths: 15_075, currency: Currency::Vef },
            due: day("2026-12-01"),
            until: day("2026-12-04"),
            today: day("2026-11-28"),
            url: "https://c.example/pay/link_1".to_owned(),
            payer_url: "https://c.example/suscripcion/1".to_owned(),
            livemode: false,
        };
        let (subscription, link) =
            (SubscriptionId::from_bytes([2; 16]), LinkId::from_bytes([3; 16]));
        let due = ReminderDue {
            subscription,
            name: "Gimnasio",
            customer: "Cliente",
            phone: "llamar a Ana",
            cycle: 2,
            period: Period { begins: day("2026-12-01"), ends: day("2027-01-01") },
            day: -3,
            link,
            reminder: &reminder,
        };
        let body = |due| {
            let (event, created_at) =
                (EventId::from_bytes([1; 16]), Timestamp::from_micros(1_795_176_000_123_000));
            let fact = Fact::ReminderDue(due);
            String::from_utf8(AccountMessage { event, created_at, fact }.to_body()).unwrap()
        };
        let event = EventId::from_bytes([1; 16]);
        let text = "[PRUEBA, no pague] Tienda \\\"Ñ\\\" le recuerda su próximo pago. Gimnasio, diciembre de 2026. \
                    Bs. 150,75. Día de pago: 01/12/2026; se puede pagar hasta el 04/12/2026. Página de prueba: \
                    https://c.example/pay/link_1";
        let expected = format!(
            r#"{{"id":"{event}","type":"subscription.reminder","created_at":"2026-11-20T12:00:00.123Z","livemode":false,"data":{{"subscription_id":"{subscription}","name":"Gimnasio","customer_name":"Cliente","customer_phone":"llamar a Ana","cycle":2,"first_day":"2026-12-01","last_day":"2026-12-31","due_date":"2026-12-01","payable_until":"2026-12-04","day":-3,"amount":150.75,"currency":"VEF","payment_link_id":"{link}","payment_link_url":"https://c.example/pay/link_1","text":"{text}","whatsapp_url":null}}}}"#
        );
        assert_eq!(body(due), expected);
        let mobile = body(ReminderDue { phone: "0414-1234567", ..due });
        assert!(
            mobile.contains("\"whatsapp_url\":\"https://wa.me/584141234567?text=%5BPRUEBA"),
            "{mobile}"
        );
    }
}
