//! The mail that reminds a payer of a subscription.

use super::one_line;
use crate::language::Language::{self, En, Es};
use crate::subscriptions::{PaymentReminder, of_test};

/// Writes the subject and the text.
pub(super) fn write(
    reminder: &PaymentReminder,
    stop_url: &str,
    language: Language,
) -> (String, String) {
    // The subject has as much of it as of a name; the text has all.
    let (merchant, short) = (one_line(&reminder.merchant), one_line(&reminder.what));
    let what = reminder.what.replace(char::is_control, " ");
    let opening = reminder.opening(&merchant, language);
    let (amount, due, until) =
        (reminder.price.written(language), reminder.due.in_numbers(), reminder.until.in_numbers());
    let subject = match reminder.livemode {
        true => format!("{opening} {short}"),
        false => format!("{} {opening} {short}", of_test(language)),
    };
    let url = &reminder.url;
    let facts = match language {
        Es => format!("{what}\n{amount}\nDía de pago: {due}\nSe puede pagar hasta el {until}"),
        En => format!("{what}\n{amount}\nDue on {due}\nIt can be paid until {until}"),
    };
    let pay = match (reminder.livemode, language) {
        (true, Es) => format!(
            "Pague aquí:\n\n{url}\n\nSi ya pagó, abra esa página y escriba la referencia de su pago: así se confirma, y no \
             le llegan más recordatorios de este período."
        ),
        (true, En) => format!(
            "Pay here:\n\n{url}\n\nIf you have already paid, open that page and type the reference of your payment: that \
             confirms it, and you get no more reminders of this period."
        ),
        (false, Es) => {
            format!("Es una prueba: nadie tiene que pagar. La página de prueba:\n\n{url}")
        }
        (false, En) => format!("This is a test: nobody has to pay. The test page:\n\n{url}"),
    };
    let all = &reminder.payer_url;
    let all = match language {
        Es => format!("Todos sus períodos: {all}"),
        En => format!("All your periods: {all}"),
    };
    let stop = match language {
        Es => format!("Para no recibir más estos recordatorios por correo:\n{stop_url}\n"),
        En => format!("To stop getting these reminders by email:\n{stop_url}\n"),
    };
    (subject, format!("{opening}\n\n{facts}\n\n{pay}\n\n{all}\n\n{stop}"))
}

#[cfg(test)]
mod tests {
    use super::super::{Letter, PAYMENT_REMINDER};
    use super::*;
    use crate::ids::{LinkId, OwnerId, SubscriptionId};
    use crate::links::{Currency, Price};
    use crate::subscriptions::StopAddress;
    use crate::time::CaracasDate;

    const LINK: LinkId = LinkId::from_bytes([3; 16]);

    const STOP: StopAddress = StopAddress {
        owner: OwnerId::from_bytes([1; 16]),
        subscription: SubscriptionId::from_bytes([2; 16]),
    };

    fn reminder() -> PaymentReminder {
        let day = |text| CaracasDate::parse(text).unwrap();
        PaymentReminder {
            merchant: "Tienda\r\nBcc: otro@example.com".to_owned(),
            what: "Gimnasio\n, diciembre de 2026".to_owned(),
            price: Price { hundredths: 2_000, currency: Currency::Usd },
            due: day("2026-12-20"),
            until: day("2026-12-23"),
            today: day("2026-12-21"),
            url: "https://c.example/pay/link_1".to_owned(),
            payer_url: "https://c.example/suscripcion/1".to_owned(),
            livemode: true,
        }
    }

    #[test]
    fn a_payer_reads_what_until_when_where_and_how_to_stop_it() {
        let letter = Letter::PaymentReminder { reminder: reminder(), stop: STOP, link: LINK };
        assert_eq!(letter.kind(), PAYMENT_REMINDER);
        let stop = format!("https://c.example/recordatorios/{STOP}");
        for (language, parts) in [
            (
                Es,
                [
                    "su pago está pendiente.",
                    "USD 20,00",
                    "Día de pago: 20/12/2026",
                    "hasta el 23/12/2026",
                ],
            ),
            (
                En,
                [
                    "your payment is outstanding.",
                    "USD 20.00",
                    "Due on 20/12/2026",
                    "until 23/12/2026",
                ],
            ),
        ] {
            let written = letter.write(language, "https://c.example");
            let body = written.body.expose();
            for part in parts.iter().chain(&["https://c.example/pay/link_1", &stop]) {
                assert!(body.contains(part), "{part}: {body}");
            }
            assert_eq!(written.stop_url.as_deref(), Some(&*stop));
            // The merchant's words stay a part of one line.
            assert!(!written.subject.contains(char::is_control), "{}", written.subject);
            assert!(body.starts_with("Tienda  Bcc: otro@example.com: "), "{body}");
        }
    }

    #[test]
    fn a_test_says_so_before_anybody_opens_it() {
        let reminder = PaymentReminder { livemode: false, ..reminder() };
        for (language, subject, pay) in
            [(Es, "[PRUEBA, no pague] ", "Pague aquí"), (En, "[TEST, do not pay] ", "Pay here")]
        {
            let (written, body) = write(&reminder, "https://c.example/x", language);
            assert!(written.starts_with(subject), "{written}");
            assert!(!body.contains(pay), "{body}");
        }
    }
}
