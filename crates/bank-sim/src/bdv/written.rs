//! How the bank writes amounts, dates and times, and how it reads them.

use domain::money::Bolivars;
use domain::payer::{Document, Phone};
use domain::time::{CaracasDate, Timestamp};

/// The most digits before the point that an amount is read with.
const WHOLE_DIGITS_MAX: usize = 12;

/// Seconds in a day.
const DAY: u64 = 24 * 60 * 60;

/// Writes an amount as most of the extract does: `36.960,41`, `-2,00`.
#[must_use]
pub fn with_comma(amount: Bolivars) -> String {
    let (sign, whole, hundredths) = parts(amount);
    let digits = whole.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped},{hundredths:02}")
}

/// Writes an amount as the rest of the extract and notices do, where a program printed its number: `1.0`, `-0.13`,
/// `120.5`.
#[must_use]
pub fn with_point(amount: Bolivars) -> String {
    let (sign, whole, hundredths) = parts(amount);
    if hundredths.is_multiple_of(10) {
        format!("{sign}{whole}.{}", hundredths / 10)
    } else {
        format!("{sign}{whole}.{hundredths:02}")
    }
}

fn parts(amount: Bolivars) -> (&'static str, u64, u64) {
    let sign = if amount.hundredths() < 0 { "-" } else { "" };
    let hundredths = amount.hundredths().unsigned_abs();
    (sign, hundredths / 100, hundredths % 100)
}

/// Reads what callers send: digits, and after a point one or two more.
#[must_use]
pub fn read_amount(text: &str) -> Option<Bolivars> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) || whole.len() > WHOLE_DIGITS_MAX {
        return None;
    }
    let hundredths: i64 = match decimals.len() {
        1 => decimals.parse::<i64>().ok()? * 10,
        2 => decimals.parse().ok()?,
        _ => return None,
    };
    Some(Bolivars::from_hundredths(whole.parse::<i64>().ok()? * 100 + hundredths))
}

/// Hour and minute in Caracas, `HHmm`.
#[must_use]
pub fn hour_and_minute(at: Timestamp) -> String {
    let seconds = at.since(CaracasDate::of(at).start()).as_secs() % DAY;
    format!("{:02}{:02}", seconds / 3600, seconds / 60 % 60)
}

/// The day without its hyphens, `yyyyMMdd`.
#[must_use]
pub fn compact(day: CaracasDate) -> String {
    day.to_string().replace('-', "")
}

/// Reads `dd/MM/yyyy`.
#[must_use]
pub fn read_slashed(text: &str) -> Option<CaracasDate> {
    let mut parts = text.split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    CaracasDate::parse(&format!("{year}-{month}-{day}")).ok()
}

/// A phone as the bank writes it: eleven digits, `04141234567`.
#[must_use]
pub fn national(phone: &Phone) -> String {
    format!("0{}", phone.as_str().strip_prefix("58").unwrap_or(phone.as_str()))
}

/// A document as the extract writes it: its number filled up to nine digits, `V012345678`.
#[must_use]
pub fn padded(document: &Document) -> String {
    format!("{}{:09}", document.letter(), document.number())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_written_in_both_forms() {
        for (hundredths, comma, point) in [
            (3_696_041, "36.960,41", "36960.41"),
            (100, "1,00", "1.0"),
            (-13, "-0,13", "-0.13"),
            (0, "0,00", "0.0"),
            (5, "0,05", "0.05"),
            (12_050, "120,50", "120.5"),
            (99_999, "999,99", "999.99"),
            (100_000, "1.000,00", "1000.0"),
            (21_794_780_589, "217.947.805,89", "217947805.89"),
            (-123_456_789, "-1.234.567,89", "-1234567.89"),
        ] {
            let amount = Bolivars::from_hundredths(hundredths);
            assert_eq!((with_comma(amount).as_str(), with_point(amount).as_str()), (comma, point));
        }
    }

    #[test]
    fn amounts_are_read_with_a_point_and_two_decimals_at_most() {
        for (text, hundredths) in [
            ("120.00", 12_000),
            ("120", 12_000),
            ("0.5", 50),
            ("999999999999.99", 99_999_999_999_999),
        ] {
            assert_eq!(read_amount(text), Some(Bolivars::from_hundredths(hundredths)), "{text}");
        }
        for text in
            ["", ".", "1.", ".5", "1,5", "1.234", "-1.00", "1e3", "1 0", "+1", "9999999999999"]
        {
            assert_eq!(read_amount(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_read_with_slashes() {
        let day = read_slashed("28/02/2026").unwrap();
        assert_eq!((day.to_string().as_str(), compact(day).as_str()), ("2026-02-28", "20260228"));
        for text in
            ["", "29/02/2026", "2026-02-28", "28/02", "28/02/2026/1", "28/2/2026", "1/01/2026"]
        {
            assert_eq!(read_slashed(text), None, "{text}");
        }
    }

    #[test]
    fn the_hour_is_that_of_caracas() {
        let midnight = CaracasDate::parse("2026-11-20").unwrap().start();
        assert_eq!(hour_and_minute(midnight), "0000");
        assert_eq!(hour_and_minute(midnight.minus(Duration::from_micros(1))), "2359");
        assert_eq!(hour_and_minute(midnight.plus(Duration::from_secs(13 * 3600 + 59))), "1300");
        for extreme in [i64::MIN, i64::MAX] {
            assert_eq!(hour_and_minute(Timestamp::from_micros(extreme)).len(), 4);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(hundredths in 0..=Bolivars::MAX.hundredths()) {
            let amount = Bolivars::from_hundredths(hundredths);
            prop_assert_eq!(read_amount(&amount.to_string()), Some(amount));
            prop_assert_eq!(read_amount(&with_point(amount)), Some(amount));
            let plain = with_comma(amount).replace('.', "").replace(',', ".");
            prop_assert_eq!(read_amount(&plain), Some(amount));
        }
    }
}
