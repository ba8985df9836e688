//! What identifies a payer: phone, document, bank and account, each in one form.
//!
//! These are personal data. They are shown by `Display` and `as_str` where an answer needs them,
//! and never by `Debug`, so that no log line has them by accident.

mod document;
mod tax_number;

use std::fmt;

use crate::typed::{self, seen};

pub use document::Document;
pub use tax_number::TaxNumber;

/// Text that is not a fact of a payer of the kind asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPayer {
    /// Not a Venezuelan mobile number.
    #[error("must be a Venezuelan mobile number, such as 04141234567")]
    Phone,
    /// Not a document.
    #[error("must be a letter of V, E, J, G, P, C and a number, such as V12345678")]
    Document,
    /// Not a bank's code.
    #[error("must be a bank's code of 4 digits, such as 0102")]
    Bank,
    /// Not an account number.
    #[error("must be an account number of 20 digits")]
    Account,
}

/// A Venezuelan mobile number: `58` and ten digits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Phone(String);

impl Phone {
    /// Reads any of the forms in which apps, receipts and banks write it: `04141234567`,
    /// `0414-1234567`, `4141234567`, and with `58`, `+58` or `0058` in front.
    ///
    /// # Errors
    ///
    /// [`InvalidPayer::Phone`] for other text, a fixed line, or a number with hidden digits.
    pub fn parse(text: &str) -> Result<Self, InvalidPayer> {
        // Every mobile prefix begins with 4, and new ones come up: 0422 is one of 2025.
        let mobile = national(text).filter(|national| national.starts_with('4'));
        mobile.map(|national| Self(format!("58{national}"))).ok_or(InvalidPayer::Phone)
    }

    /// The twelve digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Phone {
    /// Returns the number as it is dialled in the country: `04141234567`.
    #[must_use]
    pub fn national(&self) -> String {
        format!("0{}", self.parts().1)
    }

    /// The country's two digits, and the ten of the national number.
    #[must_use]
    pub fn parts(&self) -> (&str, &str) {
        self.0.split_at(2)
    }
}

/// A Venezuelan bank, by the four digits that its accounts begin with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BankCode(String);

impl BankCode {
    /// Reads exactly four digits. What is missing is not guessed: `102` may have lost a digit on
    /// either side.
    ///
    /// # Errors
    ///
    /// [`InvalidPayer::Bank`] for other text.
    pub fn parse(text: &str) -> Result<Self, InvalidPayer> {
        let digits = seen(text);
        let is_code = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_code { Ok(Self(digits.into_owned())) } else { Err(InvalidPayer::Bank) }
    }

    /// The four digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A Venezuelan account number: twenty digits, of which the first four are the bank's.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AccountNumber(String);

impl AccountNumber {
    /// Reads twenty digits, with spaces, dots and hyphens dropped. Its control digits are not checked:
    /// accounts of old do not keep the rule.
    ///
    /// # Errors
    ///
    /// [`InvalidPayer::Account`] for other text.
    pub fn parse(text: &str) -> Result<Self, InvalidPayer> {
        let digits = digits(text).ok_or(InvalidPayer::Account)?;
        if digits.len() == 20 { Ok(Self(digits)) } else { Err(InvalidPayer::Account) }
    }

    /// The twenty digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The four digits of its bank.
    #[must_use]
    pub fn bank(&self) -> &str {
        self.0.split_at(4).0
    }

    /// The same length with all but the last four digits hidden, as keys see it.
    #[must_use]
    pub fn masked(&self) -> String {
        let (hidden, shown) = self.0.split_at(16);
        format!("{}{shown}", "*".repeat(hidden.len()))
    }
}

macro_rules! hidden {
    ($($name:ident),+) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    )+};
}
use hidden;

hidden!(Phone, AccountNumber);

macro_rules! shown {
    ($($name:ident),+) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

shown!(Phone, BankCode, AccountNumber);

/// The ten digits of a Venezuelan telephone number, in any of the forms in which people write it.
pub(crate) fn national(text: &str) -> Option<String> {
    let text = seen(text);
    let international = text.strip_prefix('+');
    let digits = digits(international.unwrap_or(&text))?;
    let national = match digits.len() {
        // Apps that ask for country and number apart leave the trunk zero in between.
        15 => digits.strip_prefix("00580"),
        14 => digits.strip_prefix("0058"),
        13 => digits.strip_prefix("580"),
        12 => digits.strip_prefix("58"),
        11 if international.is_none() => digits.strip_prefix('0'),
        10 if international.is_none() => Some(digits.as_str()),
        _ => None,
    };
    national.map(ToOwned::to_owned)
}

/// The digits of `text`, if it has nothing else but spaces, hyphens, dots and parentheses.
fn digits(text: &str) -> Option<String> {
    // No form of any of these has more characters than this.
    if seen(text).chars().nth(40).is_some() {
        return None;
    }
    typed::digits(text, |one| matches!(one, '(' | ')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_phone_is_one_number() {
        for text in [
            "04141234567",
            "0414-1234567",
            "4141234567",
            "584141234567",
            "+584141234567",
            "00584141234567",
            "+58 414 123.45.67",
            "(0414) 1234567",
            " 5804141234567 ",
            "+5804141234567",
        ] {
            assert_eq!(
                Phone::parse(text).map(|phone| phone.to_string()),
                Ok("584141234567".into()),
                "{text}"
            );
        }
        for prefix in ["412", "422", "414", "424", "416", "426"] {
            assert!(Phone::parse(&format!("0{prefix}0000000")).is_ok());
        }
    }

    #[test]
    fn what_is_not_a_mobile_number_is_refused() {
        for text in [
            "",
            "0414***4567",
            "02121234567",
            "0414123456",
            "041412345678",
            "+4141234567",
            "+04141234567",
            "574141234567",
            "phone",
            "0414123456७",
        ] {
            assert_eq!(Phone::parse(text), Err(InvalidPayer::Phone), "{text}");
        }
    }

    #[test]
    fn a_bank_code_has_four_digits_and_nothing_else() {
        for text in ["0102", " 0102 "] {
            assert_eq!(BankCode::parse(text).unwrap().as_str(), "0102");
        }
        for text in ["", "12", "102", "01020", "BDV", "01 02", "01-02", "010२"] {
            assert_eq!(BankCode::parse(text), Err(InvalidPayer::Bank), "{text}");
        }
    }

    #[test]
    fn an_account_has_twenty_digits() {
        let account = AccountNumber::parse("0102-0000-89-0000000001").unwrap();
        assert_eq!(account.as_str(), "01020000890000000001");
        assert_eq!(account.masked(), "****************0001");
        for text in ["", "0102000089000000000", "010200008900000000011", "0102*000890000000001"] {
            assert_eq!(AccountNumber::parse(text), Err(InvalidPayer::Account), "{text}");
        }
    }

    #[test]
    fn personal_data_is_not_shown_by_accident() {
        let phone = Phone::parse("04141234567").unwrap();
        let account = AccountNumber::parse("01020000890000000001").unwrap();
        let document = Document::parse("V12345678").unwrap();
        let shown = format!("{phone:?} {account:?} {document:?}");
        assert_eq!(shown, "Phone(…) AccountNumber(…) Document(…)");
    }
}
