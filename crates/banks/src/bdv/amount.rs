//! Amounts, in every way in which this bank has written them.

use domain::money::Bolivars;

/// The largest exponent that is read, either way.
const EXPONENT_MAX: i32 = 20;

/// How many zeros or nines behind the hundredths say that the rest was left by sums of binary fractions.
const NOISE_DIGITS: usize = 5;

/// Reads an amount: `36.960,41`, `1.0`, `-0.13`, `120`, `1,234.56`, `1 234,56`, `1'234.56`, `1.0E7`, `12,50-`,
/// `(12.50)`, with or without the currency.
///
/// Where both separators occur, the last one is that of the decimals; one that occurs several times
/// separates thousands. A single one separates decimals, a point too, unless it may be the other: what
/// has three digits behind it and up to three before, such as `1.000`, may be one or one thousand, and
/// is no amount. There is no arithmetic on binary fractions anywhere.
pub(super) fn amount(text: &str) -> Option<Bolivars> {
    let (is_negative, digits) = signed(without_currency(text.trim()))?;
    let digits = without_currency(digits);
    let (whole, decimals) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => shifted(mantissa, exponent)?,
        None => {
            split(&without_gaps(digits)?).map(|(whole, decimals)| (whole, decimals.to_owned()))?
        }
    };
    let whole: i64 = whole.parse().ok()?;
    let hundredths = whole.checked_mul(100)?.checked_add(hundredths(&decimals)?)?;
    let amount = Bolivars::from_hundredths(hundredths);
    // What is not nothing is no nothing because of how it is written.
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let is_lost = hundredths == 0 && mantissa.contains(|sign| matches!(sign, '1'..='9'));
    if amount > Bolivars::MAX || is_lost {
        return None;
    }
    Some(if is_negative { amount.negated() } else { amount })
}

/// Answers whether it is below zero, and what is left: a sign before or behind it, or brackets around it.
fn signed(text: &str) -> Option<(bool, &str)> {
    const MINUS: [char; 2] = ['-', '\u{2212}'];
    if let Some(inner) = text.strip_prefix('(') {
        return Some((true, inner.strip_suffix(')')?.trim()));
    }
    let before = text.strip_prefix(MINUS);
    let signed = before.or_else(|| text.strip_suffix(MINUS));
    let unsigned = text.strip_prefix('+').or_else(|| text.strip_suffix('+')).unwrap_or(text);
    Some(signed.map_or((false, unsigned.trim()), |rest| (true, rest.trim())))
}

/// The digits without what some programs put between thousands: a space, narrow or not, or an apostrophe. These stand
/// before three digits alone, and no other separator of thousands stands beside them.
fn without_gaps(text: &str) -> Option<String> {
    const GAPS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];
    if !text.contains(GAPS) {
        return Some(text.to_owned());
    }
    let gap = text.chars().find(|sign| GAPS.contains(sign))?;
    let whole = text.split(['.', ',']).next()?;
    let mut groups = whole.split(gap);
    let is_first = groups.next().is_some_and(|group| is_digits(group) && group.len() <= 3);
    let are_others = groups.all(|group| is_digits(group) && group.len() == 3);
    let (_, decimals) = text.split_at(whole.len());
    let separators = decimals.matches(['.', ',']).count();
    let is_read = is_first && are_others && separators <= 1 && !decimals.contains(GAPS);
    // Three digits behind the separator would be another group of thousands to some.
    let is_plain = decimals.len() != "000".len() + 1;
    (is_read && is_plain).then(|| format!("{}{decimals}", whole.replace(gap, "")))
}

/// The digits before the decimals, and the decimals, of a number with an exponent, in which a point is that of the
/// decimals.
fn shifted(mantissa: &str, exponent: &str) -> Option<(String, String)> {
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if !is_digits(whole) || !is_digits(decimals) {
        return None;
    }
    let by: i32 = exponent.parse().ok().filter(|by| (-EXPONENT_MAX..=EXPONENT_MAX).contains(by))?;
    let zeros = "0".repeat(usize::try_from(by.unsigned_abs()).ok()?);
    let digits = match by {
        0.. => format!("{whole}{decimals}{zeros}"),
        _ => format!("{zeros}{whole}{decimals}"),
    };
    let point = match by {
        0.. => whole.len() + zeros.len(),
        _ => whole.len(),
    };
    let (whole, decimals) = digits.split_at(point);
    Some((whole.to_owned(), decimals.to_owned()))
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

/// The first two decimals; any further ones must be zeros, or what is left by sums of binary fractions: so near to a
/// hundredth that it can be no other, such as `41.000000000003` and `40.999999999996` of them.
fn hundredths(decimals: &str) -> Option<i64> {
    if !is_digits(decimals) {
        return None;
    }
    let (two, rest) = decimals.split_at(decimals.len().min(2));
    let number: i64 = two.parse().ok()?;
    let number = if two.len() == 1 { number * 10 } else { number };
    let is_all = |digits: &str, digit: u8| digits.bytes().all(|byte| byte == digit);
    if is_all(rest, b'0') {
        return Some(number);
    }
    match rest.split_at_checked(NOISE_DIGITS) {
        Some((first, _)) if is_all(first, b'0') => Some(number),
        Some((first, _)) if is_all(first, b'9') => Some(number + 1),
        _ => None,
    }
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
            // As Java prints what is ten millions or more, or little.
            ("1.0E7", 1_000_000_000),
            ("2.1794780589E8", 21_794_780_589),
            ("1.234E3", 123_400),
            ("1.3E-1", 13),
            ("5e2", 50_000),
            ("-1.5E+1", -1_500),
            // What sums of binary fractions leave.
            ("36960.409999999996", 3_696_041),
            ("0.30000000000000004", 30),
            ("0.9999999", 100),
            ("1 234,56", 123_456),
            ("1\u{a0}234\u{a0}567,8", 123_456_780),
            ("1'234.56", 123_456),
            ("1 234", 123_400),
            ("12,50-", -1_250),
            ("(12.50)", -1_250),
            ("\u{2212}12,50", -1_250),
            ("Bs. -12,50", -1_250),
            ("-Bs. 12,50", -1_250),
            ("12.50+", 1_250),
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
            "12a",
            "1e",
            "e3",
            "1,5E3",
            "1.5E1.5",
            "1E99",
            "1.23456E2E1",
            "1.2345E0",
            "1 234.567",
            "1 23",
            "1 234 56",
            "1'234 567",
            "1.234 567,00",
            "1 .50",
            "(12.50",
            "-12.50-",
            "0.0049999",
            "0.00001",
            "0.00000001",
            "1.0E-9",
            "1.23400001",
            "1.",
            ",5",
            "--1",
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
                format!("{sign}{whole}.{rest:02}0000000001"),
                format!("{sign}{whole}{rest:02}E-2"),
                format!("{sign}{},{rest:02}", grouped(whole, '\u{a0}')),
                format!("{sign}{}.{rest:02}", grouped(whole, '\'')),
                format!("{whole}.{rest:02}{sign}"),
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

        /// Checks that a number written by a JSON serialiser is read as that number.
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
