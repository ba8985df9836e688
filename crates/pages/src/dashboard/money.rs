//! Amounts as people type them and as the dashboard writes them.

use domain::language::Language;
use domain::links::{Currency, Price};
use domain::money::Bolivars;

use crate::written::{plain, price};

/// Problem of text that is no amount.
const NO_AMOUNT: (&str, &str) =
    ("debe ser un monto como 1.234,50", "must be an amount such as 1,234.50");

/// Problem of an amount that nobody can be asked for.
const NOT_ABOVE_ZERO: (&str, &str) = ("debe ser mayor que cero", "must be greater than zero");

/// Reads an amount above zero, in hundredths. Points and commas are taken as both habits have them: the last of them
/// stands before decimals where one or two digits follow it, and all others stand between thousands.
pub(super) fn amount(text: &str) -> Result<i64, (&'static str, &'static str)> {
    let typed = text.trim().trim_start_matches("Bs.").trim_start_matches("Bs");
    let text: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
    let is_mark = |c: char| matches!(c, '.' | ',');
    let (whole, decimals) = match text.rsplit_once(is_mark) {
        Some((whole, decimals)) if decimals.len() < 3 => (whole, decimals),
        _ => (&*text, ""),
    };
    let mut groups = whole.split(is_mark);
    let first = groups.next().unwrap_or_default();
    let has_wrong_group = groups.clone().any(|group| group.len() != 3);
    let has_groups = groups.next().is_some();
    let digits: String = whole.chars().filter(|c| !is_mark(*c)).collect();
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_wrong = digits.is_empty() || !is_number(&digits) || !is_number(decimals);
    let marks: Vec<char> = whole.chars().filter(|c| is_mark(*c)).collect();
    // Half a dollar is not five hundred: what begins with zero has no thousands, and these are marked in one way.
    let is_unclear =
        (has_groups && first.starts_with('0')) || marks.windows(2).any(|pair| pair[0] != pair[1]);
    if is_wrong || is_unclear || has_wrong_group || (has_groups && !(1..=3).contains(&first.len()))
    {
        return Err(NO_AMOUNT);
    }
    let hundredths: i64 = format!("{digits}{decimals:0<2}").parse().map_err(|_| NO_AMOUNT)?;
    match hundredths {
        0 => Err(NOT_ABOVE_ZERO),
        _ if hundredths > Bolivars::MAX.hundredths() => Err(NO_AMOUNT),
        _ => Ok(hundredths),
    }
}

/// An amount in a field, without its unit: `1234,50` in Spanish, `1234.50` in English.
pub(super) fn in_field(hundredths: i64, language: Language) -> String {
    let text = plain(hundredths);
    match language {
        Language::Es => text,
        Language::En => text.replace(',', "."),
    }
}

/// Bolívares, with a sign in front where they went out.
pub(super) fn bolivars(amount: Bolivars, language: Language) -> String {
    let hundredths = amount.hundredths();
    let shown =
        price(Price { hundredths: hundredths.saturating_abs(), currency: Currency::Vef }, language);
    if hundredths < 0 { format!("−{shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_by_both_habits() {
        for (text, hundredths) in [
            ("150,75", 15_075),
            ("150.75", 15_075),
            ("1.234,5", 123_450),
            ("1,234.50", 123_450),
            ("1.234", 123_400),
            ("1,234,567", 123_456_700),
            ("1234", 123_400),
            (" Bs. 1 234,50 ", 123_450),
            ("0,01", 1),
            ("5,", 500),
            ("999.999.999.999,99", 99_999_999_999_999),
        ] {
            assert_eq!(amount(text), Ok(hundredths), "{text}");
        }
        for text in [
            "",
            "x",
            "0.500",
            "0,125",
            "1,234.567",
            "1.234,567",
            "1,2345",
            "1.23.4",
            "12,34,567",
            ",50",
            "1e3",
            "-5",
            "1.000.000.000.000",
        ] {
            assert_eq!(amount(text), Err(NO_AMOUNT), "{text}");
        }
        assert_eq!(amount("0,00"), Err(NOT_ABOVE_ZERO));
        assert_eq!(amount(&in_field(123_450, Language::En)), Ok(123_450));
    }

    #[test]
    fn what_went_out_has_a_sign() {
        let out = Bolivars::from_hundredths(-123_450);
        assert_eq!(bolivars(out, Language::Es), "−Bs. 1.234,50");
        assert_eq!(bolivars(out.negated(), Language::En), "Bs. 1,234.50");
    }
}
