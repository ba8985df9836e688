//! The document of a merchant, as paper shows it.

use std::fmt;

use super::{Document, InvalidPayer};
use crate::typed::seen;

/// How many digits a tax number has, the last one being its check digit.
const TAX_DIGITS: usize = 9;

/// RIF of a merchant, or the document of identity of a person who sells: a letter and digits, with the zeros that belong to
/// them. A [`Document`] has none, since it is there for being compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaxNumber(String);

impl TaxNumber {
    /// Reads what [`Document::parse`] reads: `J-00041312-6`, `V-05123456-7`, `v12345678`. What is not a person's is a
    /// tax number, and gets the zeros that were left out.
    ///
    /// # Errors
    /// [`InvalidPayer::Document`] for other text, and for more digits than a tax number has.
    pub fn parse(text: &str) -> Result<Self, InvalidPayer> {
        let document = Document::parse(text)?;
        let typed: String = seen(text).chars().filter(char::is_ascii_digit).collect();
        let is_persons = matches!(document.letter(), 'V' | 'E' | 'P');
        let plain = document.number().to_string();
        let digits = match (is_persons, typed.len()) {
            (true, TAX_DIGITS) => typed,
            (true, _) => plain,
            (false, _) => format!("{plain:0>TAX_DIGITS$}"),
        };
        if digits.len() > TAX_DIGITS {
            return Err(InvalidPayer::Document);
        }
        Ok(Self(format!("{}{digits}", document.letter())))
    }

    /// Tells whether it is a tax number, and not a person's document of identity.
    #[must_use]
    pub fn is_rif(&self) -> bool {
        self.0.len() == 1 + TAX_DIGITS
    }

    /// Returns it as paper has it: `J-00041312-6`; a document of identity as `V-12345678`.
    #[must_use]
    pub fn hyphenated(&self) -> String {
        let (letter, digits) = self.0.split_at(1);
        match digits.split_at_checked(TAX_DIGITS - 1) {
            Some((number, check)) if !check.is_empty() => format!("{letter}-{number}-{check}"),
            _ => format!("{letter}-{digits}"),
        }
    }
}

/// The letter and the digits.
impl fmt::Display for TaxNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_that_belong_to_it_stay() {
        for (typed, kept, shown) in [
            ("J-00041312-6", "J000413126", "J-00041312-6"),
            ("j413126", "J000413126", "J-00041312-6"),
            ("V-05123456-7", "V051234567", "V-05123456-7"),
            ("G-20000001-5", "G200000015", "G-20000001-5"),
            ("v-12.345.678", "V12345678", "V-12345678"),
            ("5123456", "V5123456", "V-5123456"),
            ("P00123", "P123", "P-123"),
        ] {
            let number = TaxNumber::parse(typed).unwrap();
            assert_eq!(
                (number.to_string(), number.hyphenated()),
                (kept.to_owned(), shown.to_owned())
            );
            assert_eq!(number.is_rif(), kept.len() == 10, "{typed}");
            assert_eq!(TaxNumber::parse(kept), Ok(number));
        }
        for other in ["", "X123", "J0", "J1234567890", "V1234567890", "J-123a"] {
            assert_eq!(TaxNumber::parse(other), Err(InvalidPayer::Document), "{other}");
        }
    }
}
