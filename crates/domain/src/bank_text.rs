//! A bank's own words about a movement.

use std::fmt;

use crate::typed::is_unseen;

/// The most characters that are kept of it.
const LEN_MAX: usize = 200;

/// Text that a bank writes beside a movement, on one line: bounded, without control characters and without characters
/// that are not seen or that turn the direction of writing. It is cleaned and never refused, since a movement counts
/// whatever is written beside it. It often names the payer, so that it is not shown in logs.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BankText(String);

impl BankText {
    /// Cleans what a bank wrote.
    #[must_use]
    pub fn clean(text: &str) -> Self {
        let seen = text.chars().filter(|character| !is_unseen(*character));
        let spaced = seen.map(|character| if character.is_control() { ' ' } else { character });
        let spaced: String = spaced.take(LEN_MAX * 4).collect();
        let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = words.chars().take(LEN_MAX).collect();
        Self(cut.trim_end().to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether the bank wrote nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for BankText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_is_one_line_without_what_is_not_seen() {
        for (written, kept) in [
            ("  PAGOMOVIL  OTROS\tBANCOS \r\n0134 ", "PAGOMOVIL OTROS BANCOS 0134"),
            ("PAGO\u{2028}DE\u{0}PRUEBA", "PAGO DE PRUEBA"),
            ("\u{202e}NIÑO\u{200b}S\u{feff}", "NIÑOS"),
            ("", ""),
        ] {
            assert_eq!(BankText::clean(written).as_str(), kept, "{written:?}");
        }
        assert_eq!(BankText::clean(&"ñ".repeat(5_000)).as_str(), "ñ".repeat(LEN_MAX));
        assert_eq!(format!("{:?}", BankText::clean("PAGO DE ANA")), "…");
    }

    proptest! {
        #[test]
        fn what_is_clean_stays_as_it_is(text: String) {
            let once = BankText::clean(&text);
            prop_assert_eq!(&BankText::clean(once.as_str()), &once);
            prop_assert!(once.as_str().chars().count() <= LEN_MAX);
            prop_assert!(!once.as_str().chars().any(char::is_control));
        }
    }
}
