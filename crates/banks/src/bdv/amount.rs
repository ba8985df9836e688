//! Amounts, in every way in which this bank has written them.

use domain::money::Bolivars;

/// Reads an amount: `36.960,41`, `1.0`, `-0.13`, `120`, `1,234.56`, with or without the currency.
///
/// Where both separators occur, the last one is that of the decimals; one that occurs several times
/// separates thousands. A single one separates decimals, a point too, unless it may be the other: what
/// has three digits behind it and up to three before, such as `1.000`, may be one or one thousand, and
/// is no amount. There is no arithmetic on binary fractions anywhere.
pub(super) fn amount(text: &str) -> Option<Bolivars> {
    let text = without_currency(text.trim());
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, decimals) = split(digits.trim_start())?;
    let whole: i64 = whole.parse().ok()?;
    let hundredths = whole.checked_mul(100)?.checked_add(hundredths(decimals)?)?;
    let amount = Bolivars::from_hundredths(hundredths);
    if amount > Bolivars::MAX {
        return None;
    }
    Some(if is_negative { amount.negated() } else { amount })
}

fn without_currency(text: &str) -> &str {
    const WORDS: [&str; 5] = ["Bs.", "Bs", "VES", "VED", "VEF"];
    let word = WORDS.into_iter().find_map(|word| {
        text.strip_prefix(word).or_else(|| text.strip_suffix(word)).map(str::trim)
    });
    word.unwrap_or(text)
}

/// The digits before the decimals, without separators, and the decimals.
fn split(text: &str) -> Option<(String, &str)> {
    let count = |separator: char| text.matches(separator).count();
    let (points, commas) = (count('.'), count(','));
    let (decimal, thousand) = match (text.rfind('.'), text.rfind(',')) {
        (Some(point), Some(comma)) if point > comma => (Some('.'), Some(',')),
        (Some(_), Some(_)) => (Some(','), Some('.')),
        (Some(_), None) if points == 1 => (Some('.'), None),
        (Some(_), None) => (None, Some('.')),
        (None, Some(_)) if commas == 1 => (Some(','), None),
        (None, Some(_)) => (None, Some(',')),
        (None, None) => (None, None),
    };
    let (whole, decimals) = match decimal.and_then(|decimal| text.split_once(decimal)) {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (text, "0"),
    };
    let may_be_thousands = thousand.is_none() && whole.len() <= 3 && decimals.len() == 3;
    if may_be_thousands {
        return None;
    }
    let Some(thousand) = thousand else {
        return is_digits(whole).then(|| (whole.to_owned(), decimals));
    };
    let mut groups = whole.split(thousand);
    let is_first = groups.next().is_some_and(|group| is_digits(group) && group.len() <= 3);
    let are_others = groups.all(|group| is_digits(group) && group.len() == 3);
    (is_first && are_others).then(|| (whole.replace(thousand, ""), decimals))
}

/// The first two decimals; any further ones must be zeros.
fn hundredths(decimals: &str) -> Option<i64> {
    if !is_digits(decimals) {
        return None;
    }
    let (two, rest) = decimals.split_at(decimals.len().min(2));
    if rest.bytes().any(|byte| byte != b'0') {
        return None;
    }
    let number: i64 = two.parse().ok()?;
    Some(if two.len() == 1 { number * 10 } else { number })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hundredths_of(text: &str) -> Option<i64> {
        amount(text).map(Bolivars::hundredths)
    }

    #[test]
    fn every_way_to_write_an_amount_is_understood() {
        for (text, hundredths) in [
            ("217.947.805,89", 21_794_780_589),
            ("36.960,41", 3_696_041),
            ("1.0", 100),
            ("-0.13", -13),
            ("120.00", 12_000),
            ("120", 12_000),
            ("0,5", 50),
            ("1,234.56", 123_456),
            ("1.234.567", 123_456_700),
            ("1,234,567", 123_456_700),
            ("30.0", 3_000),
            ("1000.000", 100_000),
            ("1.000,00", 100_000),
            ("1.2300", 123),
            (" Bs. 1.234,50 ", 123_450),
            ("Bs 10", 1_000),
            ("10,00 VES", 1_000),
            ("+3", 300),
            ("- 3", -300),
            ("0", 0),
            ("999999999999.99", 99_999_999_999_999),
        ] {
            assert_eq!(hundredths_of(text), Some(hundredths), "{text}");
        }
    }

    #[test]
    fn what_may_be_two_amounts_is_none() {
        for text in [
            "",
            ".",
            "-",
            "Bs.",
            "1.234",
            "1,234",
            "0.001",
            "1.000",
            "1,000",
            "-12.500",
            "Bs. 120.500",
            "12.34.567",
            "1234.567,00",
            "1.23,456.00",
            "1,2,3",
            "1.5.0",
            "1e3",
            "12a",
            "1.",
            ",5",
            "--1",
            "1 000",
            "1000000000000.00",
            "99999999999999999999",
            "١",
        ] {
            assert_eq!(hundredths_of(text), None, "{text}");
        }
    }

    /// The digits of a whole number with a separator after each third.
    fn grouped(whole: i64, separator: char) -> String {
        let digits = whole.to_string();
        let mut text = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push(separator);
            }
            text.push(digit);
        }
        text
    }

    proptest! {
        #[test]
        fn an_amount_is_the_same_however_it_is_written(
            hundredths in 0..=Bolivars::MAX.hundredths(),
            is_negative: bool,
        ) {
            let (whole, rest) = (hundredths / 100, hundredths % 100);
            let sign = if is_negative { "-" } else { "" };
            let mut forms = vec![
                format!("{sign}{whole}.{rest:02}"),
                format!("{sign}{whole},{rest:02}"),
                format!("{sign}{},{rest:02}", grouped(whole, '.')),
                format!("{sign}{}.{rest:02}", grouped(whole, ',')),
                format!("Bs. {sign}{},{rest:02}", grouped(whole, '.')),
                format!("{sign}{whole}.{rest:02}00"),
            ];
            if rest % 10 == 0 {
                forms.push(format!("{sign}{whole}.{}", rest / 10));
            }
            if rest == 0 {
                forms.push(format!("{sign}{whole}"));
            }
            for form in forms {
                let expected = if is_negative { -hundredths } else { hundredths };
                prop_assert_eq!(hundredths_of(&form), Some(expected), "{}", form);
            }
        }

        /// What serialisers make of a number is understood as that number.
        #[test]
        fn a_json_number_is_the_amount_that_it_shows(hundredths in 0..=Bolivars::MAX.hundredths()) {
            let shown = serde_json::Value::from(hundredths as f64 / 100.0).to_string();
            prop_assert_eq!(hundredths_of(&shown), Some(hundredths), "{}", shown);
        }

        #[test]
        fn no_text_breaks_it(text in "[-+0-9., BsVES]{0,24}") {
            let read = amount(&text);
            prop_assert!(read.is_none_or(|read| read.hundredths().abs() <= Bolivars::MAX.hundredths()));
        }
    }
}
