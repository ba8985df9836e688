//! Credits, which measure use of the service, and bolívares, which banks credit.

use std::fmt;

use crate::language::Language;

/// A number that is not an amount of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAmount {
    /// Not a number at all, or below zero.
    #[error("must be a number of zero or more")]
    NotPositive,
    /// More than two decimals in bolívares, or any in credits.
    #[error("has too many decimals")]
    TooPrecise,
    /// Above the greatest amount.
    #[error("is too large")]
    TooLarge,
}

/// Whole credits. Negative where something is taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Credits(i64);

impl Credits {
    /// No credits.
    pub const ZERO: Self = Self(0);

    /// The greatest number of credits that is accepted from outside.
    pub const MAX: Self = Self(1_000_000_000_000);

    /// So many credits.
    #[must_use]
    pub const fn new(credits: i64) -> Self {
        Self(credits)
    }

    /// How many there are.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Reads a JSON number: `10.0` is 10.
    ///
    /// # Errors
    ///
    /// [`InvalidAmount`] for a fraction, a number below zero or one above [`Credits::MAX`].
    pub fn from_number(number: f64) -> Result<Self, InvalidAmount> {
        if !number.is_finite() || number < 0.0 {
            return Err(InvalidAmount::NotPositive);
        }
        if number > Self::MAX.0 as f64 {
            return Err(InvalidAmount::TooLarge);
        }
        if number.fract() != 0.0 {
            return Err(InvalidAmount::TooPrecise);
        }
        Ok(Self(number as i64))
    }

    /// Their sum, unless it overflows.
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// Their difference, unless it overflows.
    #[must_use]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }
}

impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// An amount in bolívares, to the hundredth. Negative where it left the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bolivars(i64);

impl Bolivars {
    /// The greatest amount that is accepted from outside: 999,999,999,999.99.
    pub const MAX: Self = Self(99_999_999_999_999);

    /// How far from a hundredth a number may be and still mean it, in bolívares. The last digit
    /// lets numbers at exactly 0.00001 through, whose difference in binary comes out a little more.
    const TOLERANCE: f64 = 0.000_010_001;

    /// So many hundredths.
    #[must_use]
    pub const fn from_hundredths(hundredths: i64) -> Self {
        Self(hundredths)
    }

    /// How many hundredths there are.
    #[must_use]
    pub const fn hundredths(self) -> i64 {
        self.0
    }

    /// Reads a JSON number, such as `150.75`. Callers compute in binary fractions, so a number
    /// within 0.00001 of a hundredth is that hundredth; but one that is not zero never becomes zero.
    ///
    /// # Errors
    ///
    /// [`InvalidAmount`] for a finer number, one below zero or one above [`Bolivars::MAX`].
    pub fn from_number(number: f64) -> Result<Self, InvalidAmount> {
        let hundredths = (number * 100.0).round();
        if !number.is_finite() || number < 0.0 {
            return Err(InvalidAmount::NotPositive);
        }
        if hundredths == 0.0 && number != 0.0 {
            return Err(InvalidAmount::TooPrecise);
        }
        if hundredths > Self::MAX.0 as f64 {
            return Err(InvalidAmount::TooLarge);
        }
        // Compared as numbers that were divided alike, so that a hundredth which has no exact
        // binary form still equals itself.
        if (number - hundredths / 100.0).abs() > Self::TOLERANCE {
            return Err(InvalidAmount::TooPrecise);
        }
        Ok(Self(hundredths as i64))
    }

    /// The JSON number, such as `150.75`.
    #[must_use]
    pub fn to_number(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// Returns the same amount, the other way: what came in as what went out.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self(self.0.saturating_neg())
    }

    /// Tells whether the amount came in.
    #[must_use]
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Their sum, unless it overflows.
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// Their difference, unless it overflows.
    #[must_use]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }
}

impl fmt::Display for Bolivars {
    /// With a point and two decimals: `-150.75`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let hundredths = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

/// Writes an amount of zero or more with two decimals and its thousands apart: `1.234,50` in Spanish, `1,234.50` in
/// English.
#[must_use]
pub fn grouped(hundredths: i64, language: Language) -> String {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_floating_point_makes_of_a_hundredth_is_that_hundredth() {
        for (number, hundredths) in [
            (0.1 + 0.2, 30),
            (150.75, 15_075),
            (0.0, 0),
            (10.000_01, 1_000),
            (1.1 * 3.0, 330),
            (-0.0, 0),
        ] {
            assert_eq!(Bolivars::from_number(number), Ok(Bolivars(hundredths)), "{number}");
        }
    }

    #[test]
    fn finer_negative_and_endless_numbers_are_refused() {
        for (number, problem) in [
            (10.001, InvalidAmount::TooPrecise),
            (10.000_02, InvalidAmount::TooPrecise),
            (0.005, InvalidAmount::TooPrecise),
            (-0.01, InvalidAmount::NotPositive),
            // What is left of a subtraction is not "any amount".
            (0.000_01, InvalidAmount::TooPrecise),
            (f64::MIN_POSITIVE, InvalidAmount::TooPrecise),
            (-0.000_001, InvalidAmount::NotPositive),
            (-f64::MIN_POSITIVE, InvalidAmount::NotPositive),
            (f64::NAN, InvalidAmount::NotPositive),
            (f64::INFINITY, InvalidAmount::NotPositive),
            (1e12, InvalidAmount::TooLarge),
            (f64::MAX, InvalidAmount::NotPositive),
        ] {
            let found = Bolivars::from_number(number).unwrap_err();
            assert!(found == problem || number == f64::MAX, "{number}: {found}");
        }
        assert_eq!(Bolivars::from_number(999_999_999_999.99), Ok(Bolivars::MAX));
    }

    #[test]
    fn credits_are_whole() {
        assert_eq!(Credits::from_number(10.0), Ok(Credits(10)));
        assert_eq!(Credits::from_number(0.0), Ok(Credits::ZERO));
        assert_eq!(Credits::from_number(1e12), Ok(Credits::MAX));
        assert_eq!(Credits::from_number(1e12 + 1.0), Err(InvalidAmount::TooLarge));
        assert_eq!(Credits::from_number(10.5), Err(InvalidAmount::TooPrecise));
        assert_eq!(Credits::from_number(-1.0), Err(InvalidAmount::NotPositive));
        assert_eq!(Credits::from_number(f64::NAN), Err(InvalidAmount::NotPositive));
    }

    #[test]
    fn sums_never_wrap() {
        assert_eq!(Credits(i64::MAX).checked_add(Credits(1)), None);
        assert_eq!(Credits(i64::MIN).checked_sub(Credits(1)), None);
        assert_eq!(Credits(5).checked_sub(Credits(7)), Some(Credits(-2)));
        assert_eq!(Bolivars(i64::MAX).checked_add(Bolivars(1)), None);
    }

    #[test]
    fn amounts_show_their_hundredths() {
        assert_eq!(Bolivars(-15_005).to_string(), "-150.05");
        assert_eq!(Bolivars(7).to_string(), "0.07");
        assert!(!Bolivars(0).is_positive() && Bolivars(1).is_positive());
    }

    proptest! {
        #[test]
        fn nothing_but_zero_becomes_zero(number in proptest::num::f64::ANY) {
            let is_zero = Bolivars::from_number(number) == Ok(Bolivars(0));
            prop_assert_eq!(is_zero, number == 0.0);
        }

        #[test]
        fn every_amount_reads_back_from_its_number(hundredths in 0..=Bolivars::MAX.0) {
            let amount = Bolivars(hundredths);
            prop_assert_eq!(Bolivars::from_number(amount.to_number()), Ok(amount));
        }
    }
}
