//! Claims that another system accepted before a shop came here: a reference and, where they are known, what was paid
//! and when.

use crate::money::Bolivars;
use crate::reference::{
    BankReference, InvalidReference, SHORT_DIGITS_MIN, TAIL_DIGITS, WHOLE_DIGITS,
};
use crate::time::{CaracasDate, InvalidDate};

/// How many claims are imported by one command.
pub const CLAIMS_IMPORTED_MAX: usize = 100_000;

/// A claim that was accepted elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedClaim {
    reference: BankReference,
    amount: Option<Bolivars>,
    paid_on: Option<CaracasDate>,
}

/// Text that is no such claim.
#[derive(Debug, thiserror::Error)]
pub enum InvalidClaim {
    /// The reference is none.
    #[error("reference: {0}")]
    Reference(#[from] InvalidReference),
    /// The reference has too few digits to mean one payment.
    #[error("reference: must have six digits or more, and four of them after the zeros in front")]
    TooShort,
    /// Without amount and day so few digits would mean payments of other people.
    #[error(
        "a reference with fewer than eight digits after the zeros in front needs both amount and date"
    )]
    Lacking,
    /// The amount is none.
    #[error("amount: must be above 0 and such as 1234.50, without marks between thousands")]
    Amount,
    /// The day is none.
    #[error("date: {0}")]
    Date(#[from] InvalidDate),
    /// The day is yet to come, so that nobody can have accepted the payment.
    #[error("date: is yet to come; look at the year")]
    YetToCome,
}

impl ImportedClaim {
    /// Reads the texts of a line, of which amount and day may be empty.
    ///
    /// # Errors
    /// Why it is no claim.
    pub fn parse(
        reference: &str,
        amount: &str,
        date: &str,
        today: CaracasDate,
    ) -> Result<Self, InvalidClaim> {
        let reference = BankReference::parse(reference)?;
        let amount = match amount {
            "" => None,
            text => Some(hundredths(text).ok_or(InvalidClaim::Amount)?),
        };
        let paid_on = match date {
            "" => None,
            text => Some(CaracasDate::parse(text)?),
        };
        let digits = reference.digits().len();
        if reference.shown().len() < TAIL_DIGITS || digits < SHORT_DIGITS_MIN {
            return Err(InvalidClaim::TooShort);
        }
        if digits < WHOLE_DIGITS && (amount.is_none() || paid_on.is_none()) {
            return Err(InvalidClaim::Lacking);
        }
        if paid_on.is_some_and(|day| day > today) {
            return Err(InvalidClaim::YetToCome);
        }
        Ok(Self { reference, amount: amount.map(Bolivars::from_hundredths), paid_on })
    }

    /// The significant digits of the reference.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.reference.digits()
    }

    /// Amount that came in, where it is known.
    #[must_use]
    pub const fn amount(&self) -> Option<Bolivars> {
        self.amount
    }

    /// The day of the payment, where it is known.
    #[must_use]
    pub const fn paid_on(&self) -> Option<CaracasDate> {
        self.paid_on
    }
}

/// Reads an amount above zero, in hundredths: a point or a comma stands before one or two decimals, and nothing between
/// thousands, where nobody could say which of the two it is.
fn hundredths(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 2 || !is_number(whole) || !is_number(decimals) {
        return None;
    }
    let hundredths: i64 = format!("{whole}{decimals:0<2}").parse().ok()?;
    (1..=Bolivars::MAX.hundredths()).contains(&hundredths).then_some(hundredths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reference: &str, amount: &str, date: &str) -> Result<ImportedClaim, InvalidClaim> {
        let today = CaracasDate::parse("2026-11-20").unwrap();
        ImportedClaim::parse(reference, amount, date, today)
    }

    #[test]
    fn a_whole_reference_needs_nothing_beside_it() {
        let claim = read("0000 7991-2345", "", "").unwrap();
        assert_eq!((claim.digits(), claim.amount(), claim.paid_on()), ("79912345", None, None));
    }

    #[test]
    fn few_digits_need_amount_and_day() {
        let claim = read("0000067890", "150,75", "2026-11-20").unwrap();
        assert_eq!(claim.amount(), Some(Bolivars::from_hundredths(15_075)));
        assert_eq!(claim.paid_on(), CaracasDate::parse("2026-11-20").ok());
        for (amount, date) in [("", ""), ("150.75", ""), ("", "2026-11-20")] {
            let refused = read("0000067890", amount, date);
            assert!(matches!(refused, Err(InvalidClaim::Lacking)), "{refused:?}");
        }
        for reference in ["67890", "000123"] {
            let refused = read(reference, "150.75", "2026-11-20");
            assert!(matches!(refused, Err(InvalidClaim::TooShort)), "{refused:?}");
        }
    }

    #[test]
    fn what_is_no_amount_and_no_day_is_refused() {
        for amount in ["0", "-1", "1.234,50", "1,234", ".5", "x", "99999999999999999999"] {
            let read = read("79912345", amount, "");
            assert!(matches!(read, Err(InvalidClaim::Amount)), "{amount}");
        }
        assert!(matches!(read("79912345", "", "20/11/2026"), Err(InvalidClaim::Date(_))));
        assert!(matches!(read("79912345", "", "2026-11-21"), Err(InvalidClaim::YetToCome)));
        assert!(matches!(read("7991x345", "", ""), Err(InvalidClaim::Reference(_))));
    }
}
