//! What a field takes: how it is read, and how it is described.

use std::marker::PhantomData;

use domain::brand::Colour;
use domain::money::{Bolivars, Credits};
use domain::payer::{AccountNumber, BankCode, Document, Phone, TaxNumber};
use domain::profile::{SupportPhone, SupportUrl};
use domain::reference::{DIGITS_MAX, TypedReference};
use domain::refusal::Problem;
use domain::secret::SecretText;
use domain::text::{EmailAddress, Text};
use domain::time::{CaracasDate, Timestamp};
use domain::typed::seen;
use domain::url::UrlText;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use web::Fields;

use super::WireForm;

/// Kind of value that a field holds when it is present.
pub(crate) trait Kind {
    /// Type of the value read.
    type Value;
    /// Problem reported for an absent field that must be present, if only as `null`.
    const ABSENT_OR_NULL: Problem = Problem::REQUIRED;

    /// Reads it; nothing where it is wrong, which is noted then.
    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Self::Value>;

    /// Its JSON Schema.
    fn schema() -> Value;
}

/// A kind that is text.
pub(crate) trait TextKind {
    /// Type of the value read.
    type Value;
    /// Problem reported for an absent field that must be present, if only as `null`.
    const ABSENT_OR_NULL: Problem = Problem::REQUIRED;

    /// Reads the text.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse(text: &str) -> Result<Self::Value, Problem>;

    /// Its JSON Schema.
    fn schema() -> Value;
}

impl<K: TextKind> Kind for K {
    type Value = K::Value;
    const ABSENT_OR_NULL: Problem = K::ABSENT_OR_NULL;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<K::Value> {
        fields.text(name, Some(raw), K::parse)
    }

    fn schema() -> Value {
        <K as TextKind>::schema()
    }
}

/// Any text, as it was sent.
pub(crate) struct AnyText;

/// The text of such an id, as it was sent: one of another form is an id of nothing.
pub(crate) struct TextOf<T>(PhantomData<T>);

/// Any text, which is shown to nobody again.
pub(crate) struct SecretKind;

/// Bolívares with at most two decimals.
pub(crate) struct Amount;

/// A whole number within bounds.
pub(crate) struct Int<const MIN: i64, const MAX: i64>;

/// A list of at most so many texts.
pub(crate) struct List<K, const MAX: usize>(PhantomData<K>);

/// Text of that many characters.
pub(crate) fn text_schema(min: usize, max: usize) -> Value {
    let mut schema = json!({ "type": "string", "maxLength": max });
    if min > 0 {
        schema["minLength"] = min.into();
    }
    schema
}

/// One of these words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// The same, or `null`.
pub(super) fn nullable(mut schema: Value) -> Value {
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
    match schema.get_mut("type") {
        Some(kind @ Value::String(_)) => *kind = json!([kind, "null"]),
        Some(Value::Array(kinds)) => kinds.push("null".into()),
        _ => match schema.get_mut("anyOf").and_then(Value::as_array_mut) {
            Some(any) => any.push(json!({ "type": "null" })),
            None => schema = json!({ "anyOf": [schema, { "type": "null" }] }),
        },
    }
    schema
}

impl TextKind for AnyText {
    type Value = String;

    fn parse(text: &str) -> Result<String, Problem> {
        Ok(text.to_owned())
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl<T: WireForm> TextKind for TextOf<T> {
    type Value = String;

    fn parse(text: &str) -> Result<String, Problem> {
        AnyText::parse(text)
    }

    fn schema() -> Value {
        T::schema()
    }
}

impl TextKind for SecretKind {
    type Value = SecretText;

    fn parse(text: &str) -> Result<SecretText, Problem> {
        Ok(SecretText::from(text))
    }

    fn schema() -> Value {
        json!({ "type": "string", "format": "password" })
    }
}

impl<const MIN: usize, const MAX: usize> TextKind for Text<MIN, MAX> {
    type Value = Self;

    fn parse(text: &str) -> Result<Self, Problem> {
        Self::parse(text).map_err(Problem::from)
    }

    fn schema() -> Value {
        text_schema(MIN, MAX)
    }
}

/// Texts of the domain that parse.
macro_rules! texts {
    ($($kind:ty: $schema:expr;)+) => {
        $(impl TextKind for $kind {
            type Value = Self;

            fn parse(text: &str) -> Result<Self, Problem> {
                <$kind>::parse(&seen(text)).map_err(Problem::from)
            }

            fn schema() -> Value {
                $schema
            }
        })+
    };
}

impl TextKind for UrlText {
    type Value = Self;
    const ABSENT_OR_NULL: Problem = Problem::of(
        "es obligatorio: una dirección, o null para ninguna",
        "is required: an address, or null for none",
    );

    fn parse(text: &str) -> Result<Self, Problem> {
        Self::parse(text).map_err(Problem::from)
    }

    fn schema() -> Value {
        json!({ "type": "string", "format": "uri", "maxLength": Self::MAX })
    }
}

texts! {
    Colour: json!({ "type": "string", "description": "Un color, como #0b5cad. / A colour, such as #0b5cad." });
    Document: json!({
        "type": "string",
        "description": "Una cédula o un RIF, como V12345678. / A cédula or a RIF, such as V12345678.",
    });
    TaxNumber: json!({
        "type": "string",
        "description": "Un RIF, o una cédula, como J000413126. / A RIF, or a cédula, such as J000413126.",
    });
    EmailAddress: json!({ "type": "string", "format": "email", "maxLength": EmailAddress::MAX });
    Phone: json!({
        "type": "string",
        "description": "Un número móvil venezolano, como 04141234567. / A Venezuelan mobile number, such as 04141234567.",
    });
    SupportPhone: json!({
        "type": "string",
        "description": "Un número venezolano, como 02121234567. / A Venezuelan number, such as 02121234567.",
    });
    SupportUrl: json!({
        "type": "string", "format": "uri", "maxLength": SupportUrl::MAX,
    });
    BankCode: json!({ "type": "string", "pattern": "^[0-9]{4}$" });
    AccountNumber: json!({
        "type": "string",
        "description": "Los veinte dígitos de una cuenta bancaria venezolana. / The twenty digits of a Venezuelan bank account.",
    });
    Timestamp: <Timestamp as WireForm>::schema();
    CaracasDate: <CaracasDate as WireForm>::schema();
    TypedReference: json!({
        "type": "string",
        "description": format!(
            "De 1 a {DIGITS_MAX} dígitos, como los ve el pagador. / 1 to {DIGITS_MAX} digits, as the payer sees them."
        ),
    });
}

impl Kind for Amount {
    type Value = Bolivars;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Bolivars> {
        fields.number(name, Some(raw), Bolivars::from_number)
    }

    fn schema() -> Value {
        json!({
            "type": "number",
            "minimum": 0,
            "description": "Bolívares con dos decimales a lo sumo. / Bolívares with at most two decimals.",
        })
    }
}

/// Problem reported for an absent limit, which may be `null`.
const NO_LIMIT: Problem = Problem::of(
    "es obligatorio: un número, o null para ningún límite",
    "is required: a number, or null for no limit",
);

impl Kind for Credits {
    type Value = Self;
    const ABSENT_OR_NULL: Problem = NO_LIMIT;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Self> {
        fields.number(name, Some(raw), Self::from_number)
    }

    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 0 })
    }
}

impl<const MIN: i64, const MAX: i64> Kind for Int<MIN, MAX> {
    type Value = i64;
    const ABSENT_OR_NULL: Problem = NO_LIMIT;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<i64> {
        fields.integer(name, Some(raw), (MIN, MAX))
    }

    fn schema() -> Value {
        json!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

impl Kind for bool {
    type Value = Self;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Self> {
        fields.boolean(name, Some(raw))
    }

    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl<K: TextKind, const MAX: usize> Kind for List<K, MAX> {
    type Value = Vec<K::Value>;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Vec<K::Value>> {
        fields.texts(name, Some(raw), MAX, K::parse)
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": <K as TextKind>::schema(), "maxItems": MAX })
    }
}
