//! How the bank writes amounts, days and times.

use std::time::Duration;

use domain::money::Bolivars;
use domain::time::{CaracasDate, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// The most digits before the point that an amount is read with.
const WHOLE_DIGITS_MAX: usize = 12;

/// A field that is text in a notice and a number in a list, or is not there.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Value")]
pub(super) struct Loose(Option<String>);

impl From<Value> for Loose {
    fn from(value: Value) -> Self {
        Self(match value {
            Value::String(text) => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }
}

impl Loose {
    /// The text; nothing where there is none.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Reads an amount: digits, and behind a point two more, or one, or two and zeros. What a list has as a number and a
/// notice as text is the same. There is no arithmetic on binary fractions anywhere.
pub(super) fn amount(text: &str) -> Option<Bolivars> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(decimals) || whole.len() > WHOLE_DIGITS_MAX {
        return None;
    }
    let (two, rest) = decimals.split_at(decimals.len().min(2));
    if rest.bytes().any(|digit| digit != b'0') {
        return None;
    }
    let number: i64 = two.parse().ok()?;
    let number = if two.len() == 1 { number * 10 } else { number };
    let hundredths = whole.parse::<i64>().ok()?.checked_mul(100)?.checked_add(number)?;
    Some(Bolivars::from_hundredths(hundredths)).filter(|amount| *amount <= Bolivars::MAX)
}

/// Reads the seconds of a day, from `HH:mm:ss` or `HH:mm`.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let mut parts = text.split(':');
    let mut number = |below: u64| {
        let part = parts.next().filter(|part| part.len() == 2 && is_digits(part))?;
        part.parse::<u64>().ok().filter(|number| *number < below)
    };
    let (hours, minutes) = (number(24)?, number(60)?);
    let seconds = if text.len() == "HH:mm".len() { 0 } else { number(60)? };
    parts.next().is_none().then_some(hours * 3600 + minutes * 60 + seconds)
}

/// The instant at which it is that second of that day in Caracas, whose days all have 24 hours.
pub(super) fn instant(day: CaracasDate, seconds: u64) -> Timestamp {
    day.start().plus(Duration::from_secs(seconds))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_read_as_the_bank_writes_them_and_nothing_else_is() {
        for (text, hundredths) in [
            ("5.64", 564),
            ("5.6", 560),
            ("5", 500),
            ("0.05", 5),
            ("36960.410", 3_696_041),
            ("999999999999.99", 99_999_999_999_999),
        ] {
            assert_eq!(amount(text), Some(Bolivars::from_hundredths(hundredths)), "{text}");
        }
        for text in [
            "",
            ".",
            "5.",
            ".5",
            "5,64",
            "1.234",
            "-5.64",
            "1e3",
            "5.64 ",
            "Bs 5",
            "1000000000000",
            "٥",
        ] {
            assert_eq!(amount(text), None, "{text}");
        }
    }

    #[test]
    fn times_have_seconds_or_not() {
        for (text, read) in [
            ("00:00:00", Some(0)),
            ("08:01:09", Some(28_869)),
            ("23:59", Some(86_340)),
            ("24:00:00", None),
            ("08:60", None),
            ("8:01:00", None),
            ("08:01:00:00", None),
            ("0801", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), read, "{text}");
        }
    }

    proptest! {
        /// Checks that a number written by a JSON serialiser is read as that number.
        #[test]
        fn a_json_number_is_the_amount_that_it_shows(hundredths in 0..=10_000_000_000_i64) {
            let shown = Value::from(hundredths as f64 / 100.0).to_string();
            prop_assert_eq!(amount(&shown), Some(Bolivars::from_hundredths(hundredths)), "{}", shown);
        }

        #[test]
        fn no_text_breaks_it(text in "[-+0-9.,:eE]{0,24}", any: String) {
            let _ = (amount(&text), amount(&any), seconds(&text), seconds(&any));
        }
    }
}
