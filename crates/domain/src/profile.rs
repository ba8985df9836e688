//! What an owner shows payers about itself: its public name, and how to reach it.

use std::borrow::Cow;
use std::fmt;

use crate::brand::Colour;
use crate::logo::Logo;
use crate::payer::{Phone, TaxNumber, national};
use crate::text::{EmailAddress, Text};
use crate::typed::seen;
use crate::url::{InvalidUrl, UrlText};

/// The name that payers read.
pub type PublicName = Text<1, 100>;

/// The name of the holder of an account at a bank, as the bank shows it to payers.
pub type HolderName = Text<1, 100>;

/// Text that is no telephone number of the country.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a Venezuelan telephone number, such as 02121234567 or 04141234567")]
pub struct InvalidSupportPhone;

/// A Venezuelan telephone number that people call, mobile or fixed: `58` and ten digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportPhone(String);

impl SupportPhone {
    /// Reads a number in any of the forms that [`Phone::parse`] reads.
    ///
    /// # Errors
    /// [`InvalidSupportPhone`] for other text.
    pub fn parse(text: &str) -> Result<Self, InvalidSupportPhone> {
        // Area codes of fixed lines begin with 2, those of mobile networks with 4.
        let dialled = national(text).filter(|digits| digits.starts_with(['2', '4']));
        dialled.map(|digits| Self(format!("58{digits}"))).ok_or(InvalidSupportPhone)
    }

    /// The twelve digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number as it is dialled in the country: `02121234567`.
    #[must_use]
    pub fn national(&self) -> String {
        format!("0{}", self.0.split_at(2).1)
    }
}

impl fmt::Display for SupportPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Text that is no address of a page for help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSupportUrl {
    /// Something else than `https://` in front: payers would be sent over a line that others can read and change.
    #[error("must begin with https://")]
    Scheme,
    /// More than [`SupportUrl::MAX`] characters.
    #[error("must have at most 300 characters")]
    TooLong,
    /// What no address has.
    #[error(transparent)]
    Url(#[from] InvalidUrl),
}

/// The address of a page on which an owner helps its payers: of `https`, with a host and without user info.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportUrl(UrlText);

impl SupportUrl {
    /// The longest address that is kept, in characters.
    pub const MAX: usize = 300;

    /// Trims and checks `text`.
    ///
    /// # Errors
    /// [`InvalidSupportUrl`] for other text.
    pub fn parse(text: &str) -> Result<Self, InvalidSupportUrl> {
        let text = seen(text);
        let is_secure =
            text.split_once("://").is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"));
        if !is_secure {
            return Err(InvalidSupportUrl::Scheme);
        }
        if text.chars().nth(Self::MAX).is_some() {
            return Err(InvalidSupportUrl::TooLong);
        }
        Ok(Self(UrlText::parse(&text)?))
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Its host: what a payer looks at before going there.
    #[must_use]
    pub fn host(&self) -> Cow<'_, str> {
        self.0.host()
    }
}

/// Profile of an owner that payers see. All of it is public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublicProfile {
    /// Its name, in place of the one that it was registered with.
    pub public_name: Option<PublicName>,
    /// Its tax number, which stands on receipts alone.
    pub document: Option<TaxNumber>,
    /// A telephone number to call.
    pub support_phone: Option<SupportPhone>,
    /// The number of its WhatsApp account.
    pub whatsapp: Option<Phone>,
    /// An e-mail address to write to.
    pub support_email: Option<EmailAddress>,
    /// A page on which it helps.
    pub support_url: Option<SupportUrl>,
    /// The colour of what payers press, corrected where it could not be read.
    pub brand_colour: Option<Colour>,
    /// The picture beside its name.
    pub logo: Option<Logo>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_call_fixed_lines_and_mobiles() {
        for (text, kept) in [
            ("0212-123.45.67", "582121234567"),
            ("+58 212 1234567", "582121234567"),
            ("04141234567", "584141234567"),
        ] {
            let phone = SupportPhone::parse(text).unwrap();
            assert_eq!((phone.as_str(), phone.national()), (kept, kept.replacen("58", "0", 1)));
        }
        for text in ["", "0800-1234567", "1234567", "+1 212 1234567", "0212***4567", "teléfono"] {
            assert_eq!(SupportPhone::parse(text), Err(InvalidSupportPhone), "{text}");
        }
    }

    #[test]
    fn help_is_at_an_address_of_https_that_says_where_it_leads() {
        let url = SupportUrl::parse(" https://tienda.example/ayuda?de=pago ").unwrap();
        assert_eq!(url.as_str(), "https://tienda.example/ayuda?de=pago");
        assert_eq!(url.host(), "tienda.example");
        assert_eq!(
            SupportUrl::parse("\u{2066}https://tienda.example/ayuda\u{200b}?de=pago").as_ref(),
            Ok(&url)
        );
        let long = |n: usize| format!("https://a.example/{}", "x".repeat(n - 18));
        assert!(SupportUrl::parse(&long(SupportUrl::MAX)).is_ok());
        for (text, problem) in [
            ("http://tienda.example".to_owned(), InvalidSupportUrl::Scheme),
            ("javascript:alert(1)".to_owned(), InvalidSupportUrl::Scheme),
            ("tienda.example".to_owned(), InvalidSupportUrl::Scheme),
            (long(SupportUrl::MAX + 1), InvalidSupportUrl::TooLong),
            ("https://".to_owned(), InvalidUrl::Host.into()),
            ("https://ana:clave@tienda.example".to_owned(), InvalidUrl::UserInfo.into()),
            ("https://tienda.example/a\nb".to_owned(), InvalidUrl::Character.into()),
            ("https://tiend\u{430}.example".to_owned(), InvalidUrl::NonAsciiHost.into()),
        ] {
            assert_eq!(SupportUrl::parse(&text), Err(problem), "{text:?}");
        }
    }
}
