//! Amounts, times and numbers as payers are used to reading them.

use app::receipts::Receipt;
use domain::language::Language;
use domain::links::Price;
use domain::money::grouped;
use domain::payer::{AccountNumber, Document, Phone};
use domain::profile::SupportPhone;
use domain::rates::Rate;
use domain::subscriptions::{PeriodLength, PeriodUnit};
use domain::time::{CaracasDate, Timestamp};

use crate::texts::Texts;

/// `Bs. 1.234,50` in Spanish, `Bs. 1,234.50` in English.
pub(crate) fn price(price: Price, language: Language) -> String {
    price.written(language)
}

/// The amount as banking applications take it: `1234,50`.
pub(crate) fn plain(hundredths: i64) -> String {
    format!("{},{:02}", hundredths / 100, hundredths % 100)
}

/// The number of a receipt, as people know it: `000007`. Those of test money are numbers of their own, and never look like
/// the others: `P-000007`.
pub(crate) fn receipt_number(receipt: &Receipt) -> String {
    let kind = if receipt.livemode { "" } else { "P-" };
    format!("{kind}{:06}", receipt.number)
}

/// Mark before the text by which a page of a link or a subscription is sent on: it must not be taken for one where
/// somebody pays. Empty where money exists.
pub(crate) const fn test_mark(livemode: bool, language: Language) -> &'static str {
    match livemode {
        true => "",
        false => language.pick("[PRUEBA, no pague] ", "[TEST, do not pay] "),
    }
}

/// A rate with the decimals that matter: `1.872,3927` in Spanish.
pub(crate) fn rate(rate: Rate, language: Language) -> String {
    let text = rate.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "00"));
    let (two, more) = decimals.split_at_checked(2).unwrap_or((decimals, ""));
    let hundredths = format!("{whole}{two}").parse().unwrap_or_default();
    format!("{}{more}", grouped(hundredths, language))
}

/// The bank with its code, by which banking applications list it: `Banco de Venezuela (0102)`.
pub(crate) fn bank(name: &str, account: &AccountNumber) -> String {
    format!("{name} ({})", account.bank())
}

/// `0414-1234567`
pub(crate) fn phone(phone: &Phone) -> String {
    hyphenated(&phone.national(), 4)
}

/// `0212-1234567`
pub(crate) fn support_phone(phone: &SupportPhone) -> String {
    hyphenated(&phone.national(), 4)
}

/// `V-12345678`
pub(crate) fn document(document: &Document) -> String {
    hyphenated(&document.to_string(), 1)
}

/// Writes what a payer's bank asks for a pago móvil, line by line: the bank's code, phone, document and amount, each
/// without marks.
///
/// No bank documents what its application reads from the clipboard. These are the fields, the order and the
/// form of the text message by which banks take a pago móvil (`0102 04121234567 J123456784 1250,75`), which
/// shops hand out for pasting with a line for each; the payer who reads it sees at once what is what.
pub(crate) fn pago_movil(
    number: &AccountNumber,
    phone: &Phone,
    document: Option<&Document>,
    hundredths: i64,
) -> String {
    let lines = [
        Some(number.bank().to_owned()),
        Some(phone.national()),
        document.map(ToString::to_string),
        Some(plain(hundredths)),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Writes what a payer's bank asks for a transfer, line by line: the account, of whom it is, and the amount.
pub(crate) fn transfer(
    number: &AccountNumber,
    document: Option<&Document>,
    holder: Option<&str>,
    hundredths: i64,
) -> String {
    let lines = [
        Some(number.to_string()),
        document.map(ToString::to_string),
        holder.map(ToOwned::to_owned),
        Some(plain(hundredths)),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// An address of mail as a link takes it, where some characters mean something else.
pub(crate) fn mailto(email: &str) -> String {
    let mut href = "mailto:".to_owned();
    for byte in email.bytes() {
        match byte {
            b'@' | b'.' | b'-' | b'_' | b'+' => href.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => href.push(char::from(byte)),
            _ => href.push_str(&format!("%{byte:02X}")),
        }
    }
    href
}

/// A text as a value behind a question mark.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// A merchant's text where no element can isolate it: whatever turns the direction ends with it.
pub(crate) fn isolated(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { format!("\u{2068}{text}\u{2069}") }
}

/// By fours, so that it can be compared and breaks where a line ends: `0102 0000 8900 0000 0001`.
pub(crate) fn account(number: &AccountNumber) -> String {
    let mut text = String::new();
    for (place, digit) in number.as_str().chars().enumerate() {
        if place > 0 && place.is_multiple_of(4) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

fn hyphenated(text: &str, after: usize) -> String {
    let (head, tail) = text.split_at_checked(after).unwrap_or((text, ""));
    format!("{head}-{tail}")
}

/// The day and the minute in Caracas: `20/11/2026, 08:00`.
pub(crate) fn minute(instant: Timestamp) -> String {
    let date = CaracasDate::of(instant);
    let minutes = instant.since(date.start()).as_secs() / 60;
    format!("{}, {:02}:{:02}", day(date), minutes / 60, minutes % 60)
}

/// `20/11/2026`
pub(crate) fn day(day: CaracasDate) -> String {
    day.in_numbers()
}

/// Writes how often a payment is due: `cada mes`, `cada 2 semanas`.
pub(crate) fn every(length: PeriodLength, language: Language) -> String {
    let (one, many) = match length.unit() {
        PeriodUnit::Day => (("día", "day"), ("días", "days")),
        PeriodUnit::Week => (("semana", "week"), ("semanas", "weeks")),
        PeriodUnit::Month => (("mes", "month"), ("meses", "months")),
        PeriodUnit::Year => (("año", "year"), ("años", "years")),
    };
    let each = language.pick("cada", "every");
    match length.count() {
        1 => format!("{each} {}", language.pick(one.0, one.1)),
        count => format!("{each} {count} {}", language.pick(many.0, many.1)),
    }
}

/// A time in the largest unit that it is a number of: `45 minutos`, `1 hora`, `3 días`.
pub(crate) fn minutes(minutes: i64, t: &Texts) -> String {
    let (number, [one, many]) = match minutes {
        _ if minutes % 1_440 == 0 => (minutes / 1_440, t.rate.days),
        _ if minutes % 60 == 0 => (minutes / 60, t.rate.hours),
        _ => (minutes, t.rate.minutes),
    };
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use domain::links::Currency;

    use super::*;

    #[test]
    fn amounts_are_grouped_by_thousands() {
        for (hundredths, es, en) in [
            (7, "Bs. 0,07", "Bs. 0.07"),
            (99_999, "Bs. 999,99", "Bs. 999.99"),
            (100_000, "Bs. 1.000,00", "Bs. 1,000.00"),
            (99_999_999_999_999, "Bs. 999.999.999.999,99", "Bs. 999,999,999,999.99"),
        ] {
            let asked = Price { hundredths, currency: Currency::Vef };
            assert_eq!(price(asked, Language::Es), es);
            assert_eq!(price(asked, Language::En), en);
        }
        let usd = Price { hundredths: 1_050, currency: Currency::Usd };
        assert_eq!(price(usd, Language::Es), "USD 10,50");
        assert_eq!(plain(123_450), "1234,50");
        let of = |text| Rate::parse(text).unwrap();
        assert_eq!(rate(of("1872.3927"), Language::Es), "1.872,3927");
        assert_eq!(rate(of("36.5"), Language::En), "36.50");
        assert_eq!(rate(of("0.00000001"), Language::Es), "0,00000001");
        let t = Texts::of(Language::Es);
        let times = [1, 60, 90, 1_440, 4_320].map(|time| minutes(time, t));
        assert_eq!(times, ["1 minuto", "1 hora", "90 minutos", "1 día", "3 días"]);
    }

    #[test]
    fn a_period_is_written_by_its_length() {
        for (unit, count, es, en) in [
            (PeriodUnit::Month, 1, "cada mes", "every month"),
            (PeriodUnit::Week, 2, "cada 2 semanas", "every 2 weeks"),
            (PeriodUnit::Day, 10, "cada 10 días", "every 10 days"),
            (PeriodUnit::Year, 1, "cada año", "every year"),
        ] {
            let length = PeriodLength::new(unit, count).unwrap();
            assert_eq!(every(length, Language::Es), es);
            assert_eq!(every(length, Language::En), en);
        }
    }

    #[test]
    fn numbers_are_written_as_on_a_receipt() {
        let number = AccountNumber::parse("01020000890000000001").unwrap();
        assert_eq!(account(&number), "0102 0000 8900 0000 0001");
        assert_eq!(bank("Banco de Venezuela", &number), "Banco de Venezuela (0102)");
        assert_eq!(phone(&Phone::parse("04141234567").unwrap()), "0414-1234567");
        assert_eq!(document(&Document::parse("V12345678").unwrap()), "V-12345678");
    }

    #[test]
    fn all_is_copied_as_banks_ask_for_it() {
        let number = AccountNumber::parse("01020000890000000001").unwrap();
        let phone = Phone::parse("04121234567").unwrap();
        let document = Document::parse("J-12345678-4").unwrap();
        let all = pago_movil(&number, &phone, Some(&document), 125_075);
        assert_eq!(all, "0102\n04121234567\nJ123456784\n1250,75");
        assert_eq!(pago_movil(&number, &phone, None, 7), "0102\n04121234567\n0,07");
        let all = transfer(&number, Some(&document), Some("Tienda Ejemplo, C.A."), 125_075);
        assert_eq!(all, "01020000890000000001\nJ123456784\nTienda Ejemplo, C.A.\n1250,75");
    }

    #[test]
    fn an_address_of_mail_stays_one_in_a_link() {
        assert_eq!(mailto("ayuda+1@tienda.example"), "mailto:ayuda+1@tienda.example");
        assert_eq!(mailto("a?bcc=x&b@c.example"), "mailto:a%3Fbcc%3Dx%26b@c.example");
    }

    #[test]
    fn an_address_is_encoded_whole() {
        assert_eq!(encoded("/app/keys?page=2&q=á"), "/app/keys%3Fpage%3D2%26q%3D%C3%A1");
    }

    #[test]
    fn times_are_those_of_caracas() {
        // Two in the night in UTC is still the evening before in Caracas.
        let instant = Timestamp::from_micros(1_795_140_000_000_000);
        assert_eq!(instant.to_string(), "2026-11-20T02:00:00.000Z");
        assert_eq!(minute(instant), "19/11/2026, 22:00");
    }
}
