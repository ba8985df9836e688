//! What is wrong with a field, in two languages.

use std::borrow::Cow;
use std::convert::Infallible;

use crate::brand::InvalidColour;
use crate::ids::InvalidId;
use crate::language::Language;
use crate::logo::UnfitPicture;
use crate::money::InvalidAmount;
use crate::payer::InvalidPayer;
use crate::profile::{InvalidSupportPhone, InvalidSupportUrl};
use crate::reference::{InvalidPaste, InvalidReference};
use crate::subscriptions::InvalidReminders;
use crate::text::InvalidText;
use crate::time::InvalidDate;
use crate::url::InvalidUrl;
use crate::webhooks::InvalidLevels;

/// Problem with a field, as the end of a sentence that begins with the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    es: Cow<'static, str>,
    en: Cow<'static, str>,
}

impl Problem {
    /// A reference of which more must be typed.
    pub const TOO_FEW_DIGITS: Self = Self::of(
        "tiene muy pocos dígitos: envíe seis o más",
        "has too few digits: send six or more",
    );

    /// A field that must be there.
    pub const REQUIRED: Self = Self::of("es obligatorio", "is required");

    /// A parameter that is there more than once.
    pub const REPEATED: Self = Self::of("está dos veces", "is there twice");

    /// A field that a call does not take, which takes others.
    #[must_use]
    pub fn unknown_field(taken: &[&str]) -> Self {
        let (es, en) = ("no es un campo de esta llamada", "is not a field of this call");
        Self::not_among(taken, (es, en))
    }

    /// A parameter that a call does not take, which takes others.
    #[must_use]
    pub fn unknown_parameter(taken: &[&str]) -> Self {
        let (es, en) = ("no es un parámetro de esta llamada", "is not a parameter of this call");
        Self::not_among(taken, (es, en))
    }

    /// A field that other calls set; where there are none, no call does.
    #[must_use]
    pub fn set_elsewhere(calls: &[&str]) -> Self {
        if calls.is_empty() {
            return Self::of(
                "no se fija con esta llamada ni con otra",
                "is not set by this call, nor by any other",
            );
        }
        Self::made(
            format!("no se fija con esta llamada: use {}", calls.join(" o ")),
            format!("is not set by this call: use {}", calls.join(" or ")),
        )
    }

    /// A field that the owner alone sets, by this call.
    #[must_use]
    pub fn set_by_owner(call: &str) -> Self {
        Self::made(
            format!("lo fija solo el titular, con {call}"),
            format!("is set by the owner alone, with {call}"),
        )
    }

    /// A change that names nothing which could change.
    #[must_use]
    pub fn nothing_named(taken: &[&str]) -> Self {
        let taken = taken.join(", ");
        Self::made(
            format!("debe tener al menos uno de: {taken}"),
            format!("must have at least one of: {taken}"),
        )
    }

    fn not_among(taken: &[&str], (es, en): (&'static str, &'static str)) -> Self {
        if taken.is_empty() {
            return Self::made(
                format!("{es}, que no lleva ninguno"),
                format!("{en}, which takes none"),
            );
        }
        let taken = taken.join(", ");
        Self::made(format!("{es}, que lleva: {taken}"), format!("{en}, which takes: {taken}"))
    }

    /// A problem whose text is always the same.
    #[must_use]
    pub const fn of(es: &'static str, en: &'static str) -> Self {
        Self { es: Cow::Borrowed(es), en: Cow::Borrowed(en) }
    }

    /// A problem whose text was made for the case.
    #[must_use]
    pub const fn made(es: String, en: String) -> Self {
        Self { es: Cow::Owned(es), en: Cow::Owned(en) }
    }

    /// A whole number within bounds.
    #[must_use]
    pub fn whole_number(min: i64, max: i64) -> Self {
        Self::made(
            format!("debe ser un número entero de {min} a {max}"),
            format!("must be a whole number from {min} to {max}"),
        )
    }

    /// A list that is too long.
    #[must_use]
    pub fn entries_max(max: usize) -> Self {
        Self::made(
            format!("debe tener a lo más {max} elementos"),
            format!("must have at most {max} entries"),
        )
    }

    /// One of a few words.
    #[must_use]
    pub fn one_of(words: &[&str]) -> Self {
        let words = words.join(", ");
        Self::made(format!("debe ser uno de: {words}"), format!("must be one of: {words}"))
    }

    /// Its text for people.
    #[must_use]
    pub fn text(&self, language: Language) -> &str {
        match language {
            Language::Es => &self.es,
            Language::En => &self.en,
        }
    }

    /// An error whose own text is in English.
    fn with_spanish(es: impl Into<Cow<'static, str>>, error: &impl ToString) -> Self {
        Self { es: es.into(), en: Cow::Owned(error.to_string()) }
    }
}

impl From<(&'static str, &'static str)> for Problem {
    /// In Spanish and in English.
    fn from((es, en): (&'static str, &'static str)) -> Self {
        Self::of(es, en)
    }
}

impl From<Infallible> for Problem {
    fn from(error: Infallible) -> Self {
        match error {}
    }
}

impl From<InvalidText> for Problem {
    fn from(error: InvalidText) -> Self {
        let es = match error {
            InvalidText::TooShort { min } => format!("debe tener al menos {min} caracteres").into(),
            InvalidText::TooLong { max } => format!("debe tener a lo más {max} caracteres").into(),
            InvalidText::Control => Cow::Borrowed("no debe tener caracteres de control"),
            InvalidText::NotEmail => "debe ser una dirección de correo".into(),
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidUrl> for Problem {
    fn from(error: InvalidUrl) -> Self {
        let es = match error {
            InvalidUrl::Scheme => "debe empezar con http:// o https://",
            InvalidUrl::TooLong => "debe tener a lo más 2048 caracteres",
            InvalidUrl::UserInfo => "no debe tener usuario ni contraseña",
            InvalidUrl::Host => "debe tener un servidor, como example.com",
            InvalidUrl::NonAsciiHost => {
                "debe tener un servidor en ASCII; escriba un nombre internacional como xn--…"
            }
            InvalidUrl::Character => {
                "no debe tener espacios, comillas, barras inversas ni caracteres de control"
            }
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidReference> for Problem {
    fn from(error: InvalidReference) -> Self {
        let es = match error {
            InvalidReference::OtherCharacter => "debe tener solo dígitos",
            InvalidReference::Empty => "debe tener un dígito que no sea cero",
            InvalidReference::TooLong => "debe tener a lo más 40 dígitos",
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidPaste> for Problem {
    fn from(error: InvalidPaste) -> Self {
        match &error {
            InvalidPaste::Reference(error) => (*error).into(),
            InvalidPaste::Several(runs) => {
                let runs = runs.join(", ");
                Self::with_spanish(
                    format!("tiene varios números: {runs}; deje solo la referencia"),
                    &error,
                )
            }
        }
    }
}

impl From<InvalidAmount> for Problem {
    fn from(error: InvalidAmount) -> Self {
        let es = match error {
            InvalidAmount::NotPositive => "debe ser un número de cero en adelante",
            InvalidAmount::TooPrecise => "tiene demasiados decimales",
            InvalidAmount::TooLarge => "es demasiado grande",
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidPayer> for Problem {
    fn from(error: InvalidPayer) -> Self {
        let es = match error {
            InvalidPayer::Phone => "debe ser un móvil venezolano, como 04141234567",
            InvalidPayer::Document => {
                "debe ser una letra de V, E, J, G, P, C y un número, como V12345678"
            }
            InvalidPayer::Bank => "debe ser el código de un banco, de 4 dígitos, como 0102",
            InvalidPayer::Account => "debe ser un número de cuenta de 20 dígitos",
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidSupportPhone> for Problem {
    fn from(error: InvalidSupportPhone) -> Self {
        Self::with_spanish(
            "debe ser un teléfono venezolano, como 02121234567 o 04141234567",
            &error,
        )
    }
}

impl From<InvalidSupportUrl> for Problem {
    fn from(error: InvalidSupportUrl) -> Self {
        let es = match error {
            InvalidSupportUrl::Scheme => "debe empezar con https://",
            InvalidSupportUrl::TooLong => "debe tener a lo más 300 caracteres",
            InvalidSupportUrl::Url(error) => return error.into(),
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidColour> for Problem {
    fn from(error: InvalidColour) -> Self {
        Self::with_spanish("debe ser un color como #0b5cad", &error)
    }
}

impl From<UnfitPicture> for Problem {
    fn from(error: UnfitPicture) -> Self {
        let es = match error {
            UnfitPicture::Missing => "falta: elija una imagen",
            UnfitPicture::TooHeavy => "pesa más de 2 MB: redúzcala y envíela otra vez",
            UnfitPicture::OtherKind => {
                "no es PNG ni JPEG: guárdela en uno de esos formatos y envíela otra vez"
            }
            UnfitPicture::Svg => "es un SVG, que no se toma: expórtelo como PNG",
            UnfitPicture::Broken => "está dañada o incompleta: guárdela otra vez y envíe esa",
            UnfitPicture::Animated => "está animada: elija una que no se mueva",
            UnfitPicture::TooLarge => {
                "tiene más de 4096 píxeles por lado o más de 16 megapíxeles: redúzcala"
            }
            UnfitPicture::TooSmall => "tiene menos de 16 píxeles por lado: elija una más grande",
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidReminders> for Problem {
    fn from(error: InvalidReminders) -> Self {
        let es = match error {
            InvalidReminders::TooMany => "debe tener a lo más 8 días",
            InvalidReminders::OutOfRange => "deben ser números enteros de -30 a 30",
            InvalidReminders::Repeated => "no debe nombrar un día dos veces",
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidLevels> for Problem {
    fn from(error: InvalidLevels) -> Self {
        let es = match error {
            InvalidLevels::TooMany => "debe tener a lo más 10 niveles",
            InvalidLevels::OutOfRange => "deben ser números enteros de 0 a 1000000000000",
            InvalidLevels::Repeated => "no debe nombrar un nivel dos veces",
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidDate> for Problem {
    fn from(error: InvalidDate) -> Self {
        let es = match error {
            InvalidDate::Date => "debe ser una fecha de la forma AAAA-MM-DD, desde el año 2000",
            InvalidDate::Month => "debe ser un mes de la forma AAAA-MM, desde el año 2000",
            InvalidDate::Instant => {
                "debe ser un instante con su desfase, como 2026-11-20T08:00:00-04:00"
            }
        };
        Self::with_spanish(es, &error)
    }
}

impl From<InvalidId> for Problem {
    fn from(error: InvalidId) -> Self {
        Self::made(
            format!("debe ser un id de la forma {}_…", error.prefix),
            format!("must be an id of the form {}_…", error.prefix),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_values_from_outside_are_refused_for_is_explained_in_both_languages() {
        let problems: [Problem; 13] = [
            InvalidText::TooLong { max: 5 }.into(),
            InvalidUrl::Host.into(),
            InvalidReference::Empty.into(),
            InvalidPaste::Several(vec!["123456".to_owned(), "654321".to_owned()]).into(),
            InvalidAmount::TooPrecise.into(),
            InvalidPayer::Document.into(),
            InvalidSupportPhone.into(),
            InvalidSupportUrl::Scheme.into(),
            UnfitPicture::Animated.into(),
            InvalidLevels::Repeated.into(),
            InvalidReminders::Repeated.into(),
            InvalidDate::Month.into(),
            InvalidId { prefix: "bank" }.into(),
        ];
        for problem in problems {
            assert_ne!(problem.text(Language::Es), problem.text(Language::En));
        }
        let long = Problem::from(InvalidText::TooLong { max: 5 });
        assert_eq!(long.text(Language::Es), "debe tener a lo más 5 caracteres");
        assert_eq!(long.text(Language::En), "must have at most 5 characters");
    }
}
