//! Text from outside, bounded and free of what stores and terminals choke on.

use std::fmt;

use crate::typed::{line, seen};

/// Text that is not fit to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// Too few characters, counted after trimming.
    #[error("must have at least {min} characters")]
    TooShort {
        /// How many it must have.
        min: usize,
    },
    /// Too many characters.
    #[error("must have at most {max} characters")]
    TooLong {
        /// How many it may have.
        max: usize,
    },
    /// A NUL or another control character that is no white space.
    #[error("must not have control characters")]
    Control,
    /// Not of the form of an e-mail address.
    #[error("must be an e-mail address")]
    NotEmail,
}

/// Trimmed text of `MIN` to `MAX` characters on one line, without control characters or invisible ones.
///
/// PostgreSQL refuses NUL and SQLite cuts at it, and line breaks forge log lines: neither gets in. Nor do
/// characters by which a text shows something else than it says. Line breaks become a space, and what cannot be seen is
/// dropped: a till that sends either still sells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// Reads `text` as [`line`] does and checks it.
    ///
    /// # Errors
    ///
    /// [`InvalidText`] where it is too short or too long, or has a control character inside.
    pub fn parse(text: &str) -> Result<Self, InvalidText> {
        let text = line(text);
        // Never more characters than bytes, so a huge text is not walked for nothing.
        let characters = if text.len() > MAX * 4 { MAX + 1 } else { text.chars().count() };
        if characters > MAX {
            return Err(InvalidText::TooLong { max: MAX });
        }
        if characters < MIN {
            return Err(InvalidText::TooShort { min: MIN });
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidText::Control);
        }
        Ok(Self(text.into_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, taken out.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Text<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An e-mail address in lower case, which is how it is unique in an installation.
///
/// The check is for slips, not for existence: one `@`, plain characters, a sane domain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The longest address that mail can carry.
    pub const MAX: usize = 254;

    /// The one spelling of what was typed as an address, whether it is one or not: tries at an account are counted by it.
    #[must_use]
    pub fn spelling(text: &str) -> String {
        seen(text).to_ascii_lowercase()
    }

    /// Takes the one spelling of `text`, and checks it.
    ///
    /// # Errors
    ///
    /// [`InvalidText`] where it is too long or is not of the form of an address.
    pub fn parse(text: &str) -> Result<Self, InvalidText> {
        let text = Self::spelling(text);
        if text.len() > Self::MAX {
            return Err(InvalidText::TooLong { max: Self::MAX });
        }
        let (name, domain) = text.split_once('@').ok_or(InvalidText::NotEmail)?;
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"@<>()[],;:\\\"".contains(&byte);
        let label = |label: &str| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let sane = (1..=64).contains(&name.len())
            && name.bytes().all(plain)
            && domain.split('.').all(label);
        if sane { Ok(Self(text)) } else { Err(InvalidText::NotEmail) }
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_characters_after_trimming() {
        assert_eq!(Text::<1, 4>::parse("  ñandú ").unwrap_err(), InvalidText::TooLong { max: 4 });
        assert_eq!(Text::<1, 5>::parse("  ñandú ").unwrap().as_str(), "ñandú");
        assert_eq!(Text::<1, 5>::parse("   ").unwrap_err(), InvalidText::TooShort { min: 1 });
        assert_eq!(Text::<0, 5>::parse("   ").unwrap().into_string(), "");
        assert!(Text::<1, 5>::parse(&"x".repeat(1_000_000)).is_err());
    }

    #[test]
    fn an_address_is_kept_in_lower_case() {
        let address = EmailAddress::parse(" Ana.Pérez@Example.COM ");
        assert_eq!(address, Err(InvalidText::NotEmail));
        assert_eq!(
            EmailAddress::parse(" Ana+x@Example.COM ").unwrap().as_str(),
            "ana+x@example.com"
        );
        assert!(EmailAddress::parse("owner@localhost").is_ok());
    }

    #[test]
    fn what_is_not_an_address_is_refused() {
        for text in [
            "",
            "ana",
            "@example.com",
            "ana@",
            "a b@example.com",
            "a@b@c",
            "a@b..c",
            "a@.b",
            "a@b.",
            "a@b\0c",
            "<a@b.c>",
            "a\n@b.c",
        ] {
            assert_eq!(EmailAddress::parse(text), Err(InvalidText::NotEmail), "{text:?}");
        }
        let long = format!("a@{}", "b".repeat(253));
        assert_eq!(EmailAddress::parse(&long), Err(InvalidText::TooLong { max: 254 }));
    }
}
