//! Whether JSON is what the API's document says of it.
//!
//! Knows the words of JSON Schema that the document uses, and panics at any other: a word that nobody looks at would
//! promise what nobody keeps.

use serde_json::{Map, Value};

/// Words that say nothing of what is valid, or only of the form of a text.
const NOT_LOOKED_AT: [&str; 7] =
    ["default", "description", "example", "examples", "format", "pattern", "title"];

/// How strictly objects are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// A field that the schema does not name is wrong: what the service answers.
    AsNamed,
    /// Others may be there: what callers send.
    AndOthers,
}

/// Lists the places where `value` is not as `schema` says; references lead into `document`.
///
/// # Panics
/// At a reference that leads nowhere, and at a word that is not known.
#[must_use]
pub fn mismatches(document: &Value, schema: &Value, value: &Value, fields: Fields) -> Vec<String> {
    let mut looking = Looking { document, fields, wrong: Vec::new() };
    looking.at("", schema, value);
    looking.wrong
}

struct Looking<'a> {
    document: &'a Value,
    fields: Fields,
    wrong: Vec<String>,
}

impl Looking<'_> {
    fn at(&mut self, place: &str, schema: &Value, value: &Value) {
        let Value::Object(words) = schema else {
            assert_eq!(*schema, Value::Bool(true), "no schema: {schema}");
            return;
        };
        for (word, says) in words {
            match word.as_str() {
                "$ref" => {
                    let target = says.as_str().and_then(|target| target.strip_prefix('#'));
                    let found = target.and_then(|target| self.document.pointer(target));
                    let found = found.unwrap_or_else(|| panic!("{says} leads nowhere"));
                    self.at(place, &found.clone(), value);
                }
                "allOf" => list(says).iter().for_each(|schema| self.at(place, schema, value)),
                "anyOf" | "oneOf" => self.alternatives(place, word == "oneOf", says, value),
                "type" => self.expect(place, has_type(says, value), says, value),
                "enum" => self.expect(place, list(says).contains(value), says, value),
                "const" => self.expect(place, says == value, says, value),
                "items" => {
                    for (number, item) in list(value).iter().enumerate() {
                        self.at(&format!("{place}[{number}]"), says, item);
                    }
                }
                "uniqueItems" => {
                    let items = list(value);
                    let is_once = |(at, item): (usize, &Value)| !items[..at].contains(item);
                    let are_unique = items.iter().enumerate().all(is_once);
                    self.expect(place, *says != Value::Bool(true) || are_unique, schema, value);
                }
                "properties" | "required" | "additionalProperties" => {}
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minimum" | "maximum"
                | "minProperties" => {
                    self.expect(place, is_within(word, says, value), schema, value);
                }
                other => assert!(NOT_LOOKED_AT.contains(&other), "nobody looks at {other}"),
            }
        }
        if let Value::Object(value) = value {
            self.object(place, words, value);
        }
    }

    fn object(&mut self, place: &str, words: &Map<String, Value>, value: &Map<String, Value>) {
        for name in words.get("required").map_or(&[][..], list) {
            let name = name.as_str().expect("a name");
            if !value.contains_key(name) {
                self.wrong.push(format!("{place}.{name} is missing"));
            }
        }
        let named = words.get("properties").and_then(Value::as_object);
        let others = words.get("additionalProperties");
        for (name, field) in value {
            let place = format!("{place}.{name}");
            match (named.and_then(|named| named.get(name)), others) {
                (Some(schema), _) => self.at(&place, schema, field),
                (None, Some(Value::Bool(true))) => {}
                (None, Some(schema @ Value::Object(_))) => self.at(&place, schema, field),
                (None, _) if named.is_some() && self.fields == Fields::AsNamed => {
                    self.wrong.push(format!("{place} is not in the document"));
                }
                (None, _) => {}
            }
        }
    }

    fn alternatives(&mut self, place: &str, is_one: bool, schemas: &Value, value: &Value) {
        let tries: Vec<_> = list(schemas)
            .iter()
            .map(|schema| mismatches(self.document, schema, value, self.fields))
            .collect();
        let fitting = tries.iter().filter(|wrong| wrong.is_empty()).count();
        if fitting == 0 {
            self.wrong.push(format!("{place} is none of the alternatives: {tries:?}"));
        } else if is_one && fitting > 1 {
            self.wrong.push(format!("{place} is {fitting} of the alternatives"));
        }
    }

    fn expect(&mut self, place: &str, is_so: bool, says: &Value, value: &Value) {
        if !is_so {
            self.wrong.push(format!("{place} is {value}, not {says}"));
        }
    }
}

fn has_type(types: &Value, value: &Value) -> bool {
    match types {
        Value::Array(types) => types.iter().any(|one| has_type(one, value)),
        one => match one.as_str().expect("the name of a type") {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("no type: {other}"),
        },
    }
}

fn is_within(word: &str, bound: &Value, value: &Value) -> bool {
    let bound = bound.as_f64().expect("a bound");
    let measure = match (word, value) {
        ("minItems" | "maxItems", Value::Array(items)) => items.len() as f64,
        ("minProperties", Value::Object(fields)) => fields.len() as f64,
        ("minLength" | "maxLength", Value::String(text)) => text.trim().chars().count() as f64,
        ("minimum" | "maximum", Value::Number(number)) => number.as_f64().expect("a number"),
        // The bounds of another type.
        _ => return true,
    };
    if word.starts_with("min") { measure >= bound } else { measure <= bound }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(schema: &Value, value: &Value) -> Vec<String> {
        let document = json!({ "components": { "schemas": { "Name": { "type": "string" } } } });
        mismatches(&document, schema, value, Fields::AsNamed)
    }

    #[test]
    fn what_fits_is_right_and_everything_else_is_reported() {
        let schema = json!({
            "type": "object",
            "required": ["name", "amount"],
            "properties": {
                "name": { "$ref": "#/components/schemas/Name" },
                "amount": { "type": ["integer", "null"], "minimum": 1 },
                "state": { "enum": ["on", "off"] },
                "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 1 },
                "either": { "anyOf": [{ "type": "string" }, { "const": 1 }] },
                "free": { "type": "object" },
                "both": { "allOf": [{ "type": "string" }, { "enum": ["a", 1] }] },
            },
        });
        let right = json!({ "name": "x", "amount": null, "state": "on", "tags": ["a"], "either": 1, "free": { "a": 1 } });
        assert_eq!(wrong(&schema, &right), Vec::<String>::new());
        assert_eq!(wrong(&schema, &json!({ "name": "x", "amount": 2.0 })), Vec::<String>::new());
        for value in [
            json!({ "name": "x" }),
            json!({ "name": 1, "amount": 1 }),
            json!({ "name": "x", "amount": 0 }),
            json!({ "name": "x", "amount": 1.5 }),
            json!({ "name": "x", "amount": 1, "state": "other" }),
            json!({ "name": "x", "amount": 1, "tags": [1] }),
            json!({ "name": "x", "amount": 1, "tags": ["a", "b"] }),
            json!({ "name": "x", "amount": 1, "either": 2 }),
            json!({ "name": "x", "amount": 1, "free": 1 }),
            json!({ "name": "x", "amount": 1, "both": "b" }),
            json!({ "name": "x", "amount": 1, "both": 1 }),
            json!({ "name": "x", "amount": 1, "unknown": 1 }),
            json!([]),
        ] {
            assert_eq!(wrong(&schema, &value).len(), 1, "{value}");
        }
        let open = mismatches(
            &Value::Null,
            &json!({ "properties": { "a": {} } }),
            &json!({ "b": 1 }),
            Fields::AndOthers,
        );
        assert_eq!(open, Vec::<String>::new());
    }

    #[test]
    #[should_panic(expected = "nobody looks at multipleOf")]
    fn a_word_that_is_not_known_is_no_promise() {
        let _ = wrong(&json!({ "multipleOf": true }), &json!([]));
    }
}
