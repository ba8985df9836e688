//! References: what a payer types, and what a bank shows.
//!
//! Apps, receipts and extracts write the same reference with more or fewer digits in front and with
//! zeros before them. What counts is its significant digits, those after the leading zeros, and two
//! references are one where one ends in the other.

mod pasted;

use crate::typed;

pub use pasted::InvalidPaste;

/// The most digits at the end that candidates are found by; also the fewest that two references must share
/// at their ends to be taken for one.
pub const TAIL_DIGITS: usize = 6;

/// From how many shared digits at their ends on two references are the same whole reference: banks show
/// eight, whatever they put in front.
pub const WHOLE_DIGITS: usize = 8;

/// The fewest digits that a reference is looked for by, whatever else is said.
pub const SHORT_DIGITS_MIN: usize = 4;

/// The most digits that a reference may have, leading zeros included.
pub const DIGITS_MAX: usize = 40;

/// Text that is not a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidReference {
    /// Something else than digits, spaces, dots and hyphens.
    #[error("must have digits only")]
    OtherCharacter,
    /// No digit but zeros.
    #[error("must have a digit other than zero")]
    Empty,
    /// Too many digits.
    #[error("must have at most 40 digits")]
    TooLong,
}

/// A reference as a payer or a merchant typed it, perhaps only its last digits. Zeros in front are kept where no more was
/// typed than the ending of a receipt: there they count as digits of it, until they turn out to fit nothing. Before more
/// they fill a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypedReference {
    typed: String,
    zeros: usize,
}

impl TypedReference {
    /// Reads what was typed. What cannot be seen, spaces, dots and hyphens are dropped.
    ///
    /// # Errors
    ///
    /// [`InvalidReference`] for other characters, no significant digit, or more than 40 digits.
    pub fn parse(text: &str) -> Result<Self, InvalidReference> {
        let (typed, zeros) = digits_and_zeros(text)?;
        if typed.len() <= WHOLE_DIGITS {
            return Ok(Self { typed, zeros });
        }
        Ok(Self { typed: typed.split_at(zeros).1.to_owned(), zeros: 0 })
    }

    /// Returns what was typed: the significant digits, and the zeros in front that may be digits of a receipt.
    #[must_use]
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// The significant digits.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.typed.split_at(self.zeros).1
    }

    /// How many digits count: those that were typed, with the zeros in front that may be digits of a receipt.
    #[must_use]
    pub fn count(&self) -> usize {
        self.typed.len()
    }

    /// The same without the zeros in front, for where they are no digits of the receipt; nothing where it has none, or
    /// where fewer than [`SHORT_DIGITS_MIN`] digits would be left.
    #[must_use]
    pub fn without_zeros(&self) -> Option<Self> {
        let is_enough = self.zeros > 0 && self.digits().len() >= SHORT_DIGITS_MIN;
        is_enough.then(|| Self { typed: self.digits().to_owned(), zeros: 0 })
    }

    /// The same with its zeros in front as digits for good, unless [`TAIL_DIGITS`] are left without them. A payer needs
    /// as many digits to pay a link, however few of them are zeros.
    #[must_use]
    pub fn with_digits_of_a_payer(&self) -> Self {
        let zeros = if self.digits().len() >= TAIL_DIGITS { self.zeros } else { 0 };
        Self { typed: self.typed.clone(), zeros }
    }

    /// The last six significant digits, or all where there are fewer.
    #[must_use]
    pub fn tail(&self) -> &str {
        tail(self.digits())
    }

    /// Tells whether both references are the same in every significant digit.
    #[must_use]
    pub fn is_whole(&self, bank: &BankReference) -> bool {
        self.digits() == bank.digits()
    }

    /// Tells whether this names the bank's whole reference: one is the ending of the other, and they share at least
    /// [`WHOLE_DIGITS`]. Zeros that were typed are shared with those that the bank shows.
    #[must_use]
    pub fn names_whole(&self, bank: &BankReference) -> bool {
        let is_shown = self.count() >= WHOLE_DIGITS && bank.shown().ends_with(&self.typed);
        is_shown
            || shared(self.digits(), bank.digits()).is_some_and(|digits| digits >= WHOLE_DIGITS)
    }

    /// Answers whether this may mean the bank's reference, digit by digit as it was typed: it is the ending of what the bank
    /// shows; or the bank's, where that has at least six significant digits, is the ending of what was typed.
    #[must_use]
    pub fn matches_as_typed(&self, bank: &BankReference) -> bool {
        bank.shown().ends_with(&self.typed)
            || (bank.digits().len() >= TAIL_DIGITS && self.typed.ends_with(bank.digits()))
    }

    /// Answers whether this may mean the bank's reference, as it was typed or without the zeros in front.
    #[must_use]
    pub fn matches(&self, bank: &BankReference) -> bool {
        let without_zeros = || self.without_zeros().is_some_and(|bare| bare.matches_as_typed(bank));
        self.matches_as_typed(bank) || without_zeros()
    }
}

/// A reference as a bank shows it, its leading zeros included. These are kept because receipts and
/// clients have them, and mean nothing: whether two are the same is [`BankReference::is_same`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BankReference {
    shown: String,
    zeros: u8,
}

impl BankReference {
    /// Reads what the bank shows, as [`TypedReference::parse`] does.
    ///
    /// # Errors
    ///
    /// [`InvalidReference`] for other characters, no significant digit, or more than 40 digits.
    pub fn parse(text: &str) -> Result<Self, InvalidReference> {
        let (shown, zeros) = digits_and_zeros(text)?;
        let zeros = u8::try_from(zeros).map_err(|_| InvalidReference::TooLong)?;
        Ok(Self { shown, zeros })
    }

    /// Reads what was kept: the significant digits, and how many zeros the bank showed before them.
    ///
    /// # Errors
    ///
    /// As [`BankReference::parse`].
    pub fn from_stored(digits: &str, zeros: i64) -> Result<Self, InvalidReference> {
        let zeros = usize::try_from(zeros).ok().filter(|zeros| *zeros < DIGITS_MAX);
        let zeros = zeros.ok_or(InvalidReference::TooLong)?;
        Self::parse(&format!("{}{digits}", "0".repeat(zeros)))
    }

    /// All digits, as the bank shows them.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// How many zeros are before the significant digits.
    #[must_use]
    pub const fn zeros(&self) -> u8 {
        self.zeros
    }

    /// The significant digits.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.shown.split_at(usize::from(self.zeros)).1
    }

    /// Tells whether the two references are the same in every significant digit.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.digits() == other.digits()
    }

    /// Tells whether this is the fuller form of the two: it has more significant digits, or the same ones behind more
    /// zeros. Of several forms seen of one movement the fullest is kept, in whatever order they came.
    #[must_use]
    pub fn is_fuller_than(&self, other: &Self) -> bool {
        self.digits().len() > other.digits().len()
            || (self.is_same(other) && self.zeros > other.zeros)
    }

    /// Tells whether the two may be one reference, written at different lengths: they are the same, or one of at least
    /// six digits is the ending of the other.
    #[must_use]
    pub fn is_one_with(&self, other: &Self) -> bool {
        self.is_same(other)
            || shared(self.digits(), other.digits()).is_some_and(|digits| digits >= TAIL_DIGITS)
    }

    /// Tells whether the two are the same whole reference: they are equal, or one of at least [`WHOLE_DIGITS`] is the
    /// ending of the other.
    #[must_use]
    pub fn is_same_whole(&self, other: &Self) -> bool {
        self.is_same(other) || self.shares_whole(other)
    }

    /// Answers whether the two are the same whole reference, of at least [`WHOLE_DIGITS`].
    #[must_use]
    pub fn shares_whole(&self, other: &Self) -> bool {
        shared(self.digits(), other.digits()).is_some_and(|digits| digits >= WHOLE_DIGITS)
    }
}

/// How many digits two references share at their ends, where one is the ending of the other but for zeros in front.
#[must_use]
pub fn shared(one: &str, other: &str) -> Option<usize> {
    let pairs = one.bytes().rev().zip(other.bytes().rev());
    let digits = pairs.take_while(|(one, other)| one == other).count();
    let is_ending = |text: &str| text.bytes().rev().skip(digits).all(|digit| digit == b'0');
    (is_ending(one) || is_ending(other)).then_some(digits)
}

/// The digits of `text`, and how many zeros are before the first other one.
fn digits_and_zeros(text: &str) -> Result<(String, usize), InvalidReference> {
    let digits = typed::digits(text, |_| false).ok_or(InvalidReference::OtherCharacter)?;
    if digits.len() > DIGITS_MAX {
        return Err(InvalidReference::TooLong);
    }
    let zeros = digits.find(|digit| digit != '0').ok_or(InvalidReference::Empty)?;
    Ok((digits, zeros))
}

/// The last six of `digits`, which are ASCII, or all.
#[must_use]
pub fn tail(digits: &str) -> &str {
    digits.split_at(digits.len().saturating_sub(TAIL_DIGITS)).1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn typed(text: &str) -> TypedReference {
        TypedReference::parse(text).unwrap()
    }

    fn bank(text: &str) -> BankReference {
        BankReference::parse(text).unwrap()
    }

    #[test]
    fn only_the_significant_digits_count() {
        for text in ["0000067890", "67890", " 6-78.90 ", "67\u{a0}890"] {
            assert_eq!(typed(text).digits(), "67890", "{text}");
        }
        assert_eq!(typed("1167890").digits(), "1167890");
    }

    #[test]
    fn zeros_in_front_are_kept_of_no_more_than_a_receipts_ending() {
        for (text, kept) in [
            ("01-2437", "012437"),
            ("00012437", "00012437"),
            ("000012437", "12437"),
            ("812437", "812437"),
            ("0000067890", "67890"),
        ] {
            assert_eq!(typed(text).typed(), kept);
            assert_eq!(typed(kept), typed(text), "read again it is the same");
        }
    }

    #[test]
    fn without_its_zeros_a_reference_has_four_digits_or_is_none() {
        for (text, bare) in [
            ("00123", None),
            ("000123", None),
            ("0001234", Some("1234")),
            ("00812437", Some("812437")),
            // There are none to leave out.
            ("812437", None),
            ("000812437", None),
        ] {
            let without = typed(text).without_zeros();
            assert_eq!(without.as_ref().map(TypedReference::typed), bare, "{text}");
            assert!(without.is_none_or(|one| one.without_zeros().is_none()), "{text}");
        }
    }

    #[test]
    fn a_payer_types_as_many_digits_whether_they_are_zeros_or_not() {
        for (text, bare) in [
            // Fewer than six would be left, so that these are digits.
            ("012437", None),
            ("00012437", None),
            ("000345", None),
            ("00812437", Some("812437")),
            ("0812437", Some("812437")),
        ] {
            let of_payer = typed(text).with_digits_of_a_payer();
            assert_eq!(of_payer.typed(), text);
            assert_eq!(
                of_payer.without_zeros().as_ref().map(TypedReference::typed),
                bare,
                "{text}"
            );
        }
    }

    #[test]
    fn digits_are_shared_where_one_is_the_ending_of_the_other() {
        for (one, other, digits) in [
            ("34012437", "012437", Some(6)),
            ("34012437", "12437", Some(5)),
            ("012437", "12437", Some(5)),
            ("012437", "000012437", Some(6)),
            ("0079911111", "1179911111", Some(8)),
            ("34012437", "512437", None),
            ("7", "8", None),
        ] {
            assert_eq!((shared(one, other), shared(other, one)), (digits, digits), "{one} {other}");
        }
    }

    #[test]
    fn what_a_bank_shows_keeps_its_zeros_which_mean_nothing() {
        let shown = bank("0000.079-912345");
        assert_eq!(
            (shown.shown(), shown.digits(), shown.zeros()),
            ("0000079912345", "79912345", 5)
        );
        assert_eq!(BankReference::from_stored("79912345", 5).as_ref(), Ok(&shown));
        for zeros in [-1, 40, 256] {
            assert!(BankReference::from_stored("79912345", zeros).is_err(), "{zeros}");
        }
        assert!(shown.is_same(&bank("79912345")) && shown.is_one_with(&bank("912345")));
        assert!(typed("79912345").is_whole(&shown) && typed("912345").matches(&shown));
        assert!(
            shown.is_fuller_than(&bank("79912345")) && !bank("79912345").is_fuller_than(&shown)
        );
        assert!(bank("179912345").is_fuller_than(&shown) && !shown.is_fuller_than(&shown));
        // More zeros before other digits say nothing of these.
        assert!(!shown.is_fuller_than(&bank("69912345")));
    }

    #[test]
    fn other_text_is_refused() {
        for (text, problem) in [
            ("", InvalidReference::Empty),
            ("0", InvalidReference::Empty),
            ("000-000", InvalidReference::Empty),
            ("12a45", InvalidReference::OtherCharacter),
            ("12/45", InvalidReference::OtherCharacter),
            ("١٢٣", InvalidReference::OtherCharacter),
            ("12\u{0}45", InvalidReference::OtherCharacter),
        ] {
            assert_eq!(TypedReference::parse(text), Err(problem), "{text:?}");
            assert_eq!(BankReference::parse(text), Err(problem), "{text:?}");
        }
        assert!(TypedReference::parse(&"1".repeat(40)).is_ok());
        assert_eq!(TypedReference::parse(&"1".repeat(41)), Err(InvalidReference::TooLong));
        assert_eq!(TypedReference::parse(&"0".repeat(41)), Err(InvalidReference::TooLong));
    }

    #[test]
    fn the_tail_is_the_last_six_significant_digits() {
        for (text, expected) in
            [("0079123456", "123456"), ("0079000456", "000456"), ("0456", "456")]
        {
            assert_eq!(typed(text).tail(), expected);
        }
    }

    #[test]
    fn an_ending_matches_either_way() {
        for (text, shown, matches) in [
            ("912345", "79912345", true),
            ("2345", "79912345", true),
            ("000079912345", "79912345", true),
            ("1279912345", "79912345", true),
            // The bank shows fewer than six digits: only the same digits will do.
            ("1212100", "12100", false),
            ("0012100", "12100", true),
            ("912346", "79912345", false),
            ("799123", "79912345", false),
        ] {
            assert_eq!(typed(text).matches(&bank(shown)), matches, "{text} {shown}");
        }
        assert!(typed("079912345").is_whole(&bank("79912345")));
        assert!(!typed("9912345").is_whole(&bank("79912345")));
    }

    #[test]
    fn zeros_that_were_typed_are_compared_with_what_the_bank_shows() {
        for (text, shown, as_typed, at_all) in [
            ("012100", "0050912012100", true, true),
            ("000345", "0050912000345", true, true),
            ("000345", "000345", true, true),
            ("00000345", "0050900000345", true, true),
            // Three digits mean nothing.
            ("000345", "0050912100345", false, false),
            ("012100", "12100", false, true),
            ("00912345", "912345", true, true),
            ("012100", "0050912112100", false, true),
            ("012100", "0050912012101", false, false),
            // Before more than eight digits they fill a field.
            ("000012100", "0050912112100", true, true),
        ] {
            let (text, shown) = (typed(text), bank(shown));
            assert_eq!(text.matches_as_typed(&shown), as_typed, "{text:?} {shown:?}");
            assert_eq!(text.matches(&shown), at_all, "{text:?} {shown:?}");
        }
        assert!(typed("00000345").names_whole(&bank("0050900000345")));
        assert!(!typed("000345").names_whole(&bank("0050900000345")));
        assert!(!typed("1200912345").names_whole(&bank("0000000912345")));
    }

    #[test]
    fn two_of_a_banks_own_are_one_from_six_digits_on() {
        assert!(bank("912345").is_one_with(&bank("79912345")));
        assert!(bank("79912345").is_one_with(&bank("912345")));
        assert!(!bank("12345").is_one_with(&bank("79912345")));
        assert!(bank("12345").is_one_with(&bank("012345")));
    }

    proptest! {
        #[test]
        fn every_match_of_six_digits_shares_the_tail(a in "[0-9]{6,12}", b in "[0-9]{6,12}", cut in 0..6_usize) {
            prop_assume!(a.bytes().any(|byte| byte != b'0'));
            prop_assume!(b.bytes().any(|byte| byte != b'0'));
            let ending: String = a.chars().skip(cut).collect();
            for other in [b, ending] {
                let Ok(typed) = TypedReference::parse(&other) else { continue };
                let shown = bank(&a);
                if typed.matches(&shown) && typed.digits().len() >= TAIL_DIGITS {
                    prop_assert_eq!(typed.tail(), tail(shown.digits()));
                }
            }
        }
    }
}
