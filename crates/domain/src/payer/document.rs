//! Documents of identity: a letter and a number.

use std::fmt;

use super::{InvalidPayer, digits, hidden};
use crate::typed::seen;

/// From this number on a cédula is a foreigner's.
const FIRST_FOREIGN: u64 = 80_000_000;

/// The most digits that a document is written with, padding included.
const DIGITS_MAX: usize = 12;

/// A document: V (Venezuelan), E (foreign resident), J (company), G (government), P (passport) or
/// C (commune), and a number.
///
/// Two are equal where letter and number are, whatever zeros they were written with; see
/// [`Document::is_same_person`] for the two readings of a person's tax number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Document {
    letter: char,
    number: u64,
}

impl Document {
    /// Reads `V12345678`, `v-12.345.678`, `V012345678` or `J-12345678-9`. A number without a letter
    /// is a cédula: a foreigner's from 80 million on.
    ///
    /// # Errors
    ///
    /// [`InvalidPayer::Document`] for another letter, other characters, or no number but zero.
    pub fn parse(text: &str) -> Result<Self, InvalidPayer> {
        let text = seen(text);
        let first = text.chars().next().ok_or(InvalidPayer::Document)?;
        let letter = first.to_ascii_uppercase();
        let rest = if first.is_ascii_digit() {
            &*text
        } else if "VEJGPC".contains(letter) {
            text.split_at(1).1
        } else {
            return Err(InvalidPayer::Document);
        };
        let digits = digits(rest).filter(|digits| (1..=DIGITS_MAX).contains(&digits.len()));
        let number: u64 =
            digits.and_then(|digits| digits.parse().ok()).ok_or(InvalidPayer::Document)?;
        if number == 0 {
            return Err(InvalidPayer::Document);
        }
        let letter = match first.is_ascii_digit() {
            true if number < FIRST_FOREIGN => 'V',
            true => 'E',
            false => letter,
        };
        Ok(Self { letter, number })
    }

    /// The letter: one of V, E, J, G, P, C.
    #[must_use]
    pub const fn letter(&self) -> char {
        self.letter
    }

    /// The number, without padding.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Tells whether the two documents may be one person's. Banks show a person by cédula or by tax number, which is
    /// the cédula and a check digit, so that both readings are tried.
    #[must_use]
    pub fn is_same_person(&self, other: &Self) -> bool {
        self == other || self.is_tax_number_of(other) || other.is_tax_number_of(self)
    }

    fn is_tax_number_of(&self, person: &Self) -> bool {
        self.letter == person.letter
            && matches!(self.letter, 'V' | 'E')
            && person.check_digit().is_some_and(|check| self.number == person.number * 10 + check)
    }

    /// The check digit of the tax number, for a number of at most eight digits.
    fn check_digit(&self) -> Option<u64> {
        if self.number > 99_999_999 {
            return None;
        }
        let letter = match self.letter {
            'V' => 1,
            'E' => 2,
            'J' | 'C' => 3,
            'P' => 4,
            _ => 5,
        };
        let mut sum = letter * 4;
        let mut rest = self.number;
        for weight in [2, 3, 4, 5, 6, 7, 2, 3] {
            sum += rest % 10 * weight;
            rest /= 10;
        }
        let check = 11 - sum % 11;
        Some(if check >= 10 { 0 } else { check })
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter, self.number)
    }
}

hidden!(Document);

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::parse(text).unwrap()
    }

    #[test]
    fn every_form_of_a_document_is_one() {
        for text in
            ["V12345678", "v-12.345.678", " V012345678", "V00012345678", "12345678", "V 12345678"]
        {
            assert_eq!(document(text).to_string(), "V12345678", "{text}");
        }
        assert_eq!(document("J-12345678-4").to_string(), "J123456784");
        assert_eq!(document("81234567").to_string(), "E81234567");
        assert_eq!((document("P123").letter(), document("P123").number()), ('P', 123));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "V", "V0", "X123", "V12a", "ñ123", "V1234567890123", "-123", "VV123"] {
            assert_eq!(Document::parse(text), Err(InvalidPayer::Document), "{text}");
        }
    }

    #[test]
    fn check_digits_are_those_of_known_tax_numbers() {
        for (text, check) in [
            ("V12345678", 1),
            ("V1234567", 0),
            ("E81234567", 5),
            ("J12345678", 4),
            ("G20000000", 7),
        ] {
            assert_eq!(document(text).check_digit(), Some(check), "{text}");
        }
    }

    #[test]
    fn a_person_is_known_by_cedula_and_by_tax_number() {
        let person = document("V12345678");
        assert!(person.is_same_person(&document("V123456781")));
        assert!(document("V123456781").is_same_person(&person));
        assert!(document("V012345670").is_same_person(&document("V01234567")));
        for other in ["V123456782", "E12345678", "V12345679", "V1234567"] {
            assert!(!person.is_same_person(&document(other)), "{other}");
        }
        // A company has its tax number alone.
        assert!(!document("J12345678").is_same_person(&document("J123456784")));
    }
}
