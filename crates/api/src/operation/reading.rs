//! Requests as structs whose fields say what they take.
//!
//! [`request!`] makes of such a struct what reads a body and what describes it. Every field is read, so that all that
//! is wrong is reported at once; [`web::Fields`] is what reads them.

use std::fmt;
use std::marker::PhantomData;

use axum::extract::FromRequest;
use domain::refusal::{Problem, Refusal};
use domain::typed::seen;
use serde::Deserialize;
use serde_json::{Value, json};
use web::{AppState, Failure, Field, Fields, JsonBody};

use super::kinds::{Kind, TextKind, nullable};

/// A body that is read as this.
pub(crate) trait Request: Sized {
    /// Its fields, each read or wrong.
    type Each;
    /// The names of its fields on the wire.
    const NAMES: &'static [&'static str];

    /// Reads each field.
    ///
    /// # Errors
    /// Where the body is no JSON object; what is wrong with fields is in the first of the two.
    fn each(body: &JsonBody) -> Result<(Fields, Self::Each), Refusal>;

    /// All of it, where nothing is wrong.
    ///
    /// # Errors
    /// A refusal that reports everything that is wrong.
    fn whole(fields: Fields, each: Self::Each) -> Result<Self, Refusal>;

    /// Its JSON Schema.
    fn schema() -> Value;

    /// Reads a body.
    ///
    /// # Errors
    /// A refusal that reports everything that is wrong with it.
    fn read(body: &JsonBody) -> Result<Self, Refusal> {
        let (fields, each) = Self::each(body)?;
        Self::whole(fields, each)
    }
}

/// How a field is there or not.
pub(crate) trait FieldKind {
    /// Type of the value read.
    type Value;
    /// True if a body without the field is refused.
    const IS_REQUIRED: bool;

    /// Reads it; nothing where it is wrong, which is noted then.
    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self::Value>;

    /// Its JSON Schema.
    fn schema() -> Value;
}

/// A field that must be there.
pub(crate) struct Required<K>(PhantomData<K>);

/// A field that may be absent or `null`.
pub(crate) struct Optional<K>(PhantomData<K>);

/// A text that may be absent, `null`, or empty, which many callers send where they have nothing.
pub(crate) struct Loose<K>(PhantomData<K>);

/// A field that stays as it was where it is absent, and goes where it is `null`.
pub(crate) struct Change<K>(PhantomData<K>);

/// A text that stays as it was where it is absent, and goes where it is `null` or empty.
pub(crate) struct LooseChange<K>(PhantomData<K>);

/// A field that must be there and may be `null`, so that a slip in its name takes nothing back.
pub(crate) struct NullOr<K>(PhantomData<K>);

fn is_there(field: Field<'_>) -> Field<'_> {
    field.filter(|raw| raw.get() != "null")
}

impl<K: Kind> FieldKind for Required<K> {
    type Value = K::Value;
    const IS_REQUIRED: bool = true;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<K::Value> {
        match is_there(field) {
            Some(raw) => K::read(fields, name, raw),
            None => fields.problem(name, Problem::REQUIRED),
        }
    }

    fn schema() -> Value {
        K::schema()
    }
}

impl<K: Kind> FieldKind for Optional<K> {
    type Value = Option<K::Value>;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Option<K::Value>> {
        is_there(field).map_or(Some(None), |raw| K::read(fields, name, raw).map(Some))
    }

    fn schema() -> Value {
        nullable(K::schema())
    }
}

impl<K: TextKind> FieldKind for Loose<K> {
    type Value = Option<K::Value>;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Option<K::Value>> {
        let Some(raw) = is_there(field) else { return Some(None) };
        fields.text(name, Some(raw), |text| match seen(text).is_empty() {
            true => Ok(None),
            false => K::parse(text).map(Some),
        })
    }

    fn schema() -> Value {
        let mut schema = nullable(K::schema());
        if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            words.push("".into());
            return schema;
        }
        // What is empty is of no form.
        json!({ "anyOf": [schema, { "type": "string", "maxLength": 0 }] })
    }
}

impl<K: Kind> FieldKind for Change<K> {
    type Value = Option<Option<K::Value>>;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self::Value> {
        match field {
            None => Some(None),
            Some(raw) if raw.get() == "null" => Some(Some(None)),
            Some(raw) => K::read(fields, name, raw).map(|value| Some(Some(value))),
        }
    }

    fn schema() -> Value {
        nullable(K::schema())
    }
}

impl<K: TextKind> FieldKind for LooseChange<K> {
    type Value = Option<Option<K::Value>>;
    const IS_REQUIRED: bool = false;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self::Value> {
        if field.is_none() {
            return Some(None);
        }
        Loose::<K>::read(fields, name, field).map(Some)
    }

    fn schema() -> Value {
        Loose::<K>::schema()
    }
}

impl<K: Kind> FieldKind for NullOr<K> {
    type Value = Option<K::Value>;
    const IS_REQUIRED: bool = true;

    fn read(fields: &mut Fields, name: &str, field: Field<'_>) -> Option<Self::Value> {
        match field {
            None => fields.problem(name, K::ABSENT_OR_NULL),
            Some(raw) if raw.get() == "null" => Some(None),
            Some(raw) => K::read(fields, name, raw).map(Some),
        }
    }

    fn schema() -> Value {
        nullable(K::schema())
    }
}

/// An empty object, or no body.
pub(crate) struct Empty;

impl Request for Empty {
    type Each = ();
    const NAMES: &'static [&'static str] = &[];

    fn each(body: &JsonBody) -> Result<(Fields, ()), Refusal> {
        #[derive(Deserialize)]
        struct Wire {}
        let Wire {} = body.object()?;
        Ok((body.fields(Self::NAMES)?, ()))
    }

    fn whole(fields: Fields, (): ()) -> Result<Self, Refusal> {
        if fields.are_right() { Ok(Self) } else { Err(fields.refusal()) }
    }

    fn schema() -> Value {
        json!({ "type": "object", "properties": {} })
    }
}

/// The body of a request that takes no field.
pub(crate) struct EmptyBody;

impl FromRequest<AppState> for EmptyBody {
    type Rejection = Failure;

    async fn from_request(
        request: axum::extract::Request,
        state: &AppState,
    ) -> Result<Self, Failure> {
        let Empty = Empty::read(&JsonBody::from_request(request, state).await?)?;
        Ok(Self)
    }
}

impl fmt::Debug for Empty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Empty")
    }
}

/// A struct whose fields are read from a body, each with the kind of what it takes. `name as "wire"` has another name
/// on the wire. Its fields are the values that were read.
macro_rules! request {
    (@name $field:ident $wire:literal) => { $wire };
    (@name $field:ident) => { stringify!($field) };
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[doc = $doc:literal])* $field:ident $(as $wire:literal)? : $kind:ty,)+
    }) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[doc = $doc])* pub(crate) $field: <$kind as $crate::operation::FieldKind>::Value,)+
        }

        impl $crate::operation::Request for $name {
            type Each = ($(Option<<$kind as $crate::operation::FieldKind>::Value>,)+);
            const NAMES: &'static [&'static str] =
                &[$($crate::operation::request!(@name $field $($wire)?)),+];

            fn each(
                body: &web::JsonBody,
            ) -> Result<(web::Fields, Self::Each), domain::refusal::Refusal> {
                #[derive(serde::Deserialize)]
                struct Wire<'a> {
                    $(#[serde(default, borrow, deserialize_with = "web::fields::even_null")]
                    $(#[serde(rename = $wire)])?
                    $field: web::Field<'a>,)+
                }
                let wire: Wire<'_> = body.object()?;
                let mut fields = body.fields(Self::NAMES)?;
                $(let $field = <$kind as $crate::operation::FieldKind>::read(
                    &mut fields,
                    $crate::operation::request!(@name $field $($wire)?),
                    wire.$field,
                );)+
                Ok((fields, ($($field,)+)))
            }

            fn whole(
                fields: web::Fields,
                each: Self::Each,
            ) -> Result<Self, domain::refusal::Refusal> {
                match each {
                    ($(Some($field),)+) if fields.are_right() => Ok(Self { $($field),+ }),
                    _ => Err(fields.refusal()),
                }
            }

            fn schema() -> serde_json::Value {
                let mut properties = serde_json::Map::new();
                let mut required: Vec<&str> = Vec::new();
                $({
                    let name = $crate::operation::request!(@name $field $($wire)?);
                    let mut schema = <$kind as $crate::operation::FieldKind>::schema();
                    let text: &str = concat!("" $(, $doc, "\n")*);
                    let text = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
                    if !text.is_empty() {
                        schema["description"] = text.into();
                    }
                    if <$kind as $crate::operation::FieldKind>::IS_REQUIRED {
                        required.push(name);
                    }
                    properties.insert(name.to_owned(), schema);
                })+
                let mut schema = serde_json::json!({ "type": "object", "properties": properties });
                if !required.is_empty() {
                    schema["required"] = required.into();
                }
                schema
            }
        }
    };
}
pub(crate) use request;

#[cfg(test)]
mod tests {
    use domain::language::Language::En;
    use domain::money::Credits;
    use domain::refusal::Detail;
    use domain::text::Text;

    use super::super::{Int, List};
    use super::*;

    request! {
        /// One field of each kind.
        #[derive(Debug, PartialEq)]
        struct Sample {
            /// What it
            /// is called.
            name: Required<Text<1, 5>>,
            page: Optional<Int<1, 9>>,
            note as "theNote": Loose<Text<2, 5>>,
            label: Change<Text<1, 5>>,
            alias: LooseChange<Text<1, 5>>,
            limit: NullOr<Credits>,
            tags: Optional<List<Text<1, 5>, 2>>,
        }
    }

    fn text<const MIN: usize>(text: &str) -> Text<MIN, 5> {
        Text::parse(text).unwrap()
    }

    fn sample(json: &'static str) -> Result<Sample, Refusal> {
        Sample::read(&JsonBody::from(json))
    }

    #[test]
    fn absent_null_empty_and_given_are_distinguished() {
        let least = Sample {
            name: text("ana"),
            page: None,
            note: None,
            label: None,
            alias: None,
            limit: None,
            tags: None,
        };
        assert_eq!(sample(r#"{"name": " ana ", "limit": null}"#).unwrap(), least);
        let emptied = sample(
            r#"{"name": "ana", "page": null, "theNote": " ", "label": null, "alias": "",
                "limit": null, "tags": null, "other": 1}"#,
        );
        assert_eq!(emptied.unwrap(), Sample { label: Some(None), alias: Some(None), ..least });
        let whole = sample(
            r#"{"name": "ana", "page": 9, "theNote": "xy", "label": "a", "alias": "b",
                "limit": 0, "tags": ["c"]}"#,
        );
        let whole_one = Sample {
            name: text("ana"),
            page: Some(9),
            note: Some(text("xy")),
            label: Some(Some(text("a"))),
            alias: Some(Some(text("b"))),
            limit: Some(Credits::ZERO),
            tags: Some(vec![text("c")]),
        };
        assert_eq!(whole.unwrap(), whole_one);
    }

    #[test]
    fn everything_that_is_wrong_is_reported_at_once_in_the_order_of_the_fields() {
        let problems = |json| {
            let Err(Refusal::Validation(details)) = sample(json) else { panic!("{json}") };
            let listed = details.iter();
            listed
                .map(|Detail { field, problem }| format!("{field} {}", problem.text(En)))
                .collect::<Vec<_>>()
        };
        let absent = ["name is required", "limit is required: a number, or null for no limit"];
        assert_eq!(problems("{}"), absent);
        assert_eq!(problems(r#"{"name": null}"#), absent);
        assert_eq!(
            problems(
                r#"{"name": 1, "page": 10, "theNote": "x", "label": "", "alias": [], "limit": "1",
                    "tags": ["a", "b", "c"]}"#
            ),
            [
                "name must be text",
                "page must be a whole number from 1 to 9",
                "theNote must have at least 2 characters",
                "label must have at least 1 characters",
                "alias must be text",
                "limit must be a number",
                "tags must have at most 2 entries",
            ]
        );
    }

    #[test]
    fn the_schema_says_what_is_read() {
        let text =
            |min: usize| json!({ "type": ["string", "null"], "minLength": min, "maxLength": 5 });
        let empty = json!({ "type": "string", "maxLength": 0 });
        let expected = json!({
            "type": "object",
            "required": ["name", "limit"],
            "properties": {
                "name": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 5,
                    "description": "What it is called.",
                },
                "page": { "type": ["integer", "null"], "minimum": 1, "maximum": 9 },
                "theNote": { "anyOf": [text(2), empty] },
                "label": text(1),
                "alias": { "anyOf": [text(1), empty] },
                "limit": { "type": ["integer", "null"], "minimum": 0 },
                "tags": {
                    "type": ["array", "null"],
                    "items": { "type": "string", "minLength": 1, "maxLength": 5 },
                    "maxItems": 2,
                },
            },
        });
        assert_eq!(Sample::schema(), expected);
    }

    #[test]
    fn an_empty_request_is_an_object_or_nothing() {
        for body in ["", "{}", r#"{"other": 1}"#] {
            assert!(Empty::read(&JsonBody::from(body)).is_ok(), "{body}");
        }
        assert!(matches!(Empty::read(&JsonBody::from("[]")), Err(Refusal::BadRequest(_))));
    }
}
