//! Amounts, times and numbers as payers are used to reading them.

use domain::language::Language;
use domain::links::{Currency, Price};
use domain::payer::{AccountNumber, Document, Phone};
use domain::time::{CaracasDate, Timestamp};

/// `Bs. 1.234,50` in Spanish, `Bs. 1,234.50` in English.
pub(crate) fn price(price: Price, language: Language) -> String {
    let unit = match price.currency {
        Currency::Vef => "Bs.",
        other => other.as_str(),
    };
    format!("{unit} {}", number(price.hundredths, language))
}

/// The amount as banking applications take it: `1234,50`.
pub(crate) fn plain(hundredths: i64) -> String {
    format!("{},{:02}", hundredths / 100, hundredths % 100)
}

fn number(hundredths: i64, language: Language) -> String {
    let (group, point) = match language {
        Language::Es => ('.', ','),
        Language::En => (',', '.'),
    };
    let whole = (hundredths / 100).to_string();
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(group);
        }
        text.push(digit);
    }
    format!("{text}{point}{:02}", hundredths % 100)
}

/// The bank with its code, by which banking applications list it: `Banco de Venezuela (0102)`.
pub(crate) fn bank(name: &str, account: &AccountNumber) -> String {
    let code: String = account.as_str().chars().take(4).collect();
    format!("{name} ({code})")
}

/// `0414-1234567`
pub(crate) fn phone(phone: &Phone) -> String {
    hyphenated(&phone.national(), 4)
}

/// `V-12345678`
pub(crate) fn document(document: &Document) -> String {
    hyphenated(&document.to_string(), 1)
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
    let day = CaracasDate::of(instant);
    let date = day.to_string();
    let date: Vec<&str> = date.splitn(3, '-').collect();
    let minutes = instant.since(day.start()).as_secs() / 60;
    let date: Vec<&str> = date.into_iter().rev().collect();
    format!("{}, {:02}:{:02}", date.join("/"), minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
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
    fn times_are_those_of_caracas() {
        // Two in the night in UTC is still the evening before in Caracas.
        let instant = Timestamp::from_micros(1_795_140_000_000_000);
        assert_eq!(instant.to_string(), "2026-11-20T02:00:00.000Z");
        assert_eq!(minute(instant), "19/11/2026, 22:00");
    }
}
