//! What of a change of the document callers would notice.

use serde_json::{Map, Value};

/// Which way JSON goes: what may be added to it depends on who reads it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// From callers, who go on to send what they send.
    In,
    /// To callers, who go on to read what they read.
    Out,
}

/// Lists what breaks for callers who know the document `old` when `new` is served: an operation, an answer's field or a
/// kind of value that is gone, and a field that must be sent now.
pub(super) fn broken(old: &Value, new: &Value) -> Vec<String> {
    let mut change = Change { old, new, found: Vec::new() };
    for (path, methods) in fields(&old["paths"]) {
        for (method, operation) in fields(methods) {
            let place = format!("{} {path}", method.to_ascii_uppercase());
            match new["paths"].get(path).and_then(|methods| methods.get(method)) {
                Some(now) => change.operation(&place, operation, now),
                None => change.found.push(format!("{place} is gone")),
            }
        }
    }
    let now = codes(new);
    let gone = codes(old).iter().filter(|code| !now.contains(code));
    change.found.extend(gone.map(|code| format!("the code {code} is gone")));
    change.found
}

struct Change<'a> {
    old: &'a Value,
    new: &'a Value,
    found: Vec<String>,
}

impl<'a> Change<'a> {
    fn operation(&mut self, place: &str, old: &'a Value, new: &'a Value) {
        if old["operationId"] != new["operationId"] {
            self.found.push(format!("{place} has another name"));
        }
        let body = |operation: &'a Value| &operation["requestBody"]["content"]["application/json"];
        self.schema(
            &format!("{place} request"),
            Way::In,
            &body(old)["schema"],
            &body(new)["schema"],
        );
        let answer = |operation: &'a Value| {
            &operation["responses"]["200"]["content"]["application/json"]["schema"]
        };
        self.schema(&format!("{place} answer"), Way::Out, answer(old), answer(new));
        for parameter in list(&old["parameters"]) {
            let name = &parameter["name"];
            match list(&new["parameters"]).iter().find(|now| now["name"] == *name) {
                Some(now) => {
                    let place = format!("{place} {name}");
                    self.schema(&place, Way::In, &parameter["schema"], &now["schema"]);
                }
                None => self.found.push(format!("{place} takes no {name} any more")),
            }
        }
    }

    fn schema(&mut self, place: &str, way: Way, old: &'a Value, new: &'a Value) {
        let (before, now) = (resolved(self.old, old), resolved(self.new, new));
        let found = self.found.len();
        self.kinds(place, way, before, now);
        if self.found.len() > found {
            return;
        }
        for (name, field) in fields(&before["properties"]) {
            let place = format!("{place}.{name}");
            match (now["properties"].get(name), way) {
                (Some(field_now), _) => self.schema(&place, way, field, field_now),
                (None, Way::Out) => self.found.push(format!("{place} is gone")),
                (None, Way::In) => self.found.push(format!("{place} is not read any more")),
            }
        }
        self.required(place, way, before, now);
        if before["items"].is_object() {
            self.schema(&format!("{place}[]"), way, &before["items"], &now["items"]);
        }
        let others = list(&now["anyOf"]);
        for (number, old) in list(&before["anyOf"]).iter().enumerate() {
            if let Some(new) = others.get(number) {
                self.schema(&format!("{place}|{number}"), way, old, new);
            }
        }
    }

    /// Compares the values allowed at a place. Callers may always send less and read more than before.
    fn kinds(&mut self, place: &str, way: Way, old: &Value, new: &Value) {
        for word in ["type", "enum", "const", "anyOf", "format"] {
            let (before, now) = (set(word, &old[word]), set(word, &new[word]));
            let is_bound = |kinds: &[String]| !kinds.is_empty();
            let lost = match way {
                // Everything that was sent is still taken.
                Way::In => {
                    is_bound(&now)
                        && (!is_bound(&before) || before.iter().any(|kind| !now.contains(kind)))
                }
                // Nothing is answered that was not; a new word of a list is something new to answer.
                Way::Out if word == "enum" => before.iter().any(|kind| !now.contains(kind)),
                Way::Out => {
                    is_bound(&before)
                        && (!is_bound(&now) || now.iter().any(|kind| !before.contains(kind)))
                }
            };
            if lost {
                self.found.push(format!("{place} has another {word}: {now:?}, not {before:?}"));
            }
        }
        for (word, is_upper) in [
            ("maximum", true),
            ("maxLength", true),
            ("maxItems", true),
            ("minimum", false),
            ("minLength", false),
        ] {
            let (before, now) = (old[word].as_f64(), new[word].as_f64());
            let is_narrower = match (before, now) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(before), Some(now)) if is_upper => now < before,
                (Some(before), Some(now)) => now > before,
            };
            if way == Way::In && is_narrower {
                self.found.push(format!("{place} has another {word}"));
            }
        }
    }

    fn required(&mut self, place: &str, way: Way, old: &Value, new: &Value) {
        let (before, now) = match way {
            Way::In => (&old["required"], &new["required"]),
            Way::Out => (&new["required"], &old["required"]),
        };
        for name in list(now).iter().filter(|name| !list(before).contains(name)) {
            let problem = if way == Way::In { "must be sent now" } else { "may be absent now" };
            let name = name.as_str().unwrap_or_default();
            self.found.push(format!("{place}.{name} {problem}"));
        }
    }
}

/// Every code of a refusal.
fn codes(document: &Value) -> &[Value] {
    list(&document["components"]["schemas"]["ErrorCode"]["enum"])
}

/// A schema, or the one that it refers to.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema["$ref"].as_str().map(|target| target.trim_start_matches('#'));
    target.and_then(|target| document.pointer(target)).unwrap_or(schema)
}

/// The words of a list, or the one word.
fn set(word: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        // How many alternatives there are; each is looked at by itself.
        Value::Array(all) if word == "anyOf" => (0..all.len()).map(|one| one.to_string()).collect(),
        Value::Array(words) => words.iter().map(ToString::to_string).collect(),
        one => vec![one.to_string()],
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(request: &Value, answer: &Value) -> Value {
        let content =
            |schema: &Value| json!({ "content": { "application/json": { "schema": schema } } });
        json!({
            "paths": { "/keys": { "post": {
                "operationId": "CreateKey",
                "parameters": [{ "name": "page", "schema": { "type": "integer", "maximum": 9 } }],
                "requestBody": content(request),
                "responses": { "200": content(answer) },
            } } },
            "components": { "schemas": {
                "Key": { "properties": { "id": { "type": "string" } } },
                "ErrorCode": { "enum": ["CONFLICT"] },
            } },
        })
    }

    fn base() -> (Value, Value) {
        let request = json!({
            "required": ["name"],
            "properties": { "name": { "type": "string" }, "kind": { "enum": ["a", "b"] } },
        });
        let answer = json!({
            "required": ["key"],
            "properties": {
                "key": { "$ref": "#/components/schemas/Key" },
                "state": { "type": "string", "enum": ["on", "off"] },
            },
        });
        (request, answer)
    }

    type Edit = fn(&mut Value);

    #[test]
    fn what_is_added_breaks_nobody() {
        let (mut request, mut answer) = base();
        let old = document(&request, &answer);
        assert_eq!(broken(&old, &old), Vec::<String>::new());
        request["properties"]["note"] = json!({ "type": "string" });
        request["properties"]["kind"]["enum"] = json!(["a", "b", "c"]);
        request["properties"]["name"]["type"] = json!(["string", "null"]);
        request["required"] = json!([]);
        answer["properties"]["note"] = json!({ "type": "string" });
        answer["properties"]["state"]["enum"] = json!(["on", "off", "broken"]);
        answer["required"] = json!(["key", "note"]);
        let mut new = document(&request, &answer);
        new["paths"]["/more"] = json!({ "get": {} });
        assert_eq!(broken(&old, &new), Vec::<String>::new());
    }

    #[test]
    fn what_callers_would_notice_is_reported() {
        let changes: [(&str, Edit); 13] = [
            ("", |new| new["paths"]["/keys"] = json!({})),
            ("", |new| new["paths"]["/keys"]["post"]["operationId"] = json!("MakeKey")),
            ("", |new| new["paths"]["/keys"]["post"]["parameters"] = json!([])),
            ("/parameters/0/schema/maximum", |at| *at = json!(8)),
            ("/requestBody/content/application~1json/schema/required", |at| {
                *at = json!(["name", "kind"]);
            }),
            ("/requestBody/content/application~1json/schema/properties/kind/enum", |at| {
                *at = json!(["a"]);
            }),
            ("/requestBody/content/application~1json/schema/properties", |at| {
                *at = json!({ "name": { "type": "string" } });
            }),
            ("/requestBody/content/application~1json/schema/properties/name/type", |at| {
                *at = json!("integer");
            }),
            ("/responses/200/content/application~1json/schema/properties/state/enum", |at| {
                *at = json!(["on"]);
            }),
            ("/responses/200/content/application~1json/schema/properties/state/type", |at| {
                *at = json!(["string", "null"]);
            }),
            ("/responses/200/content/application~1json/schema/required", |at| *at = json!([])),
            ("code", |new| new["components"]["schemas"]["ErrorCode"] = json!({})),
            ("key", |new| new["components"]["schemas"]["Key"] = json!({ "properties": {} })),
        ];
        let (request, answer) = base();
        let old = document(&request, &answer);
        for (place, change) in changes {
            let mut new = old.clone();
            match place.starts_with('/') {
                true => change(new.pointer_mut(&format!("/paths/~1keys/post{place}")).unwrap()),
                false => change(&mut new),
            }
            assert_eq!(broken(&old, &new).len(), 1, "{place}: {:?}", broken(&old, &new));
        }
    }
}
