//! A person's or a company's document in a request.

use domain::payer::Document;
use domain::typed::seen;
use serde::Deserialize;
use serde_json::{Value, json};
use web::{Field, Fields};

use crate::operation::FieldKind;

/// The names of the two parts, of which callers write one pair or the other.
const PARTS: [&str; 4] = ["dni_type", "dni_number", "dniType", "dniNumber"];

/// A document in two parts, as different callers write it.
#[derive(Deserialize)]
struct DocumentParts<'a> {
    #[serde(borrow, alias = "dniType")]
    dni_type: Field<'a>,
    #[serde(borrow, alias = "dniNumber")]
    dni_number: Field<'a>,
}

/// A document as text or in two parts. What is empty is absent.
pub(crate) struct Dni;

impl FieldKind for Dni {
    type Value = Option<Document>;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self::Value> {
        Some(document(fields, name, field.filter(|raw| raw.get() != "null")))
    }

    fn schema() -> Value {
        let number = json!({ "type": ["string", "integer", "null"] });
        let kind = json!({ "type": ["string", "null"] });
        let parts = |kind_name: &str, number_name: &str| json!({ "type": "object", "properties": { kind_name: kind, number_name: number } });
        let text = json!({ "type": ["string", "null"] });
        json!({ "anyOf": [text, parts("dni_type", "dni_number"), parts("dniType", "dniNumber")] })
    }
}

/// A document that stays as it was where it is absent, and goes where it is `null` or empty.
pub(crate) struct DniChange;

impl FieldKind for DniChange {
    type Value = Option<Option<Document>>;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self::Value> {
        if field.is_none() { Some(None) } else { Dni::read(fields, name, field).map(Some) }
    }

    fn schema() -> Value {
        Dni::schema()
    }
}

fn document(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Document> {
    if !field?.get().starts_with('{') {
        let parse = |text: &str| match seen(text).is_empty() {
            true => Ok(None),
            false => Document::parse(text).map(Some),
        };
        return fields.text(name, field, parse).flatten();
    }
    if fields.has_unknown(name, field?, &PARTS) {
        return None;
    }
    let Ok(parts) = serde_json::from_str::<DocumentParts<'_>>(field?.get()) else {
        return fields.problem(
            name,
            ("debe tener dni_type y dni_number una vez", "must have dni_type and dni_number once"),
        );
    };
    let text = [text_or_number(parts.dni_type), text_or_number(parts.dni_number)].concat();
    if seen(&text).is_empty() {
        return None;
    }
    Document::parse(&text).map_or_else(|error| fields.problem(name, error), Some)
}

/// Text or a number, as text; empty where the field is absent or `null`.
pub(crate) fn text_or_number(field: Field<'_>) -> String {
    let raw = field.map_or("", |raw| raw.get());
    serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())
}
