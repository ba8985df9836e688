//! Unknown fields of the objects inside bodies, at every depth that the document knows.

use api::endpoints;
use serde_json::{Map, Value, json};
use testkit::{TestApp, either_engine};

use super::{MADE_UP, problem, with};
use crate::typed_text::{forms, resolved};
use crate::world::World;

/// A value of that schema, with no more than it needs.
fn least(document: &Value, schema: &Value) -> Value {
    let schema = forms(resolved(document, schema))[0];
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[0]);
    match kind.as_str().expect("a type") {
        "object" => {
            let needed = schema["required"].as_array().into_iter().flatten();
            let needed = needed.map(|name| name.as_str().unwrap());
            let field = |name| (String::from(name), least(document, &schema["properties"][name]));
            Value::Object(needed.map(field).collect())
        }
        "array" => json!([]),
        "boolean" => json!(false),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        _ => json!("1"),
    }
}

/// Values of that schema each with a field that one object in it does not take, and the path to that field. What may hold
/// any field has none.
fn with_unknown(document: &Value, schema: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for form in forms(resolved(document, schema)) {
        let form = resolved(document, form);
        assert!(form.get("allOf").or(form.get("oneOf")).is_none(), "nobody walks {form}");
        for (path, item) in form.get("items").map_or(vec![], |items| with_unknown(document, items))
        {
            found.push((format!("[0]{path}"), json!([item])));
        }
        let Some(fields) = form["properties"].as_object() else { continue };
        if form["additionalProperties"] == true {
            continue;
        }
        let whole = least(document, form);
        found.push((format!(".{MADE_UP}"), with(&whole, MADE_UP, json!(1))));
        found.extend(
            inside(document, fields, &whole)
                .into_iter()
                .map(|(path, value)| (format!(".{path}"), value)),
        );
    }
    found
}

/// The same of the fields of an object, each put into `whole`.
fn inside(document: &Value, fields: &Map<String, Value>, whole: &Value) -> Vec<(String, Value)> {
    let unknown = |(name, schema): (&String, &Value)| {
        let values = with_unknown(document, schema).into_iter();
        let put = |(path, value)| (format!("{name}{path}"), with(whole, name, value));
        values.map(put).collect::<Vec<_>>()
    };
    fields.iter().flat_map(unknown).collect()
}

/// The value without what is made up.
fn without(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without).collect(),
        Value::Object(fields) => {
            let known = fields.iter().filter(|(name, _)| *name != MADE_UP);
            known.map(|(name, value)| (name.clone(), without(value))).collect()
        }
        other => other.clone(),
    }
}

impl World<'_> {
    /// Bodies of the operation with an unknown field in one of their objects, and the path to it.
    pub(super) fn with_unknown_inside(&self, endpoint: &api::Endpoint) -> Vec<(String, Value)> {
        let schema = &self.request(endpoint)["application/json"]["schema"];
        let fields = &resolved(&self.document, schema)["properties"];
        let fields = fields.as_object().cloned().unwrap_or_default();
        inside(&self.document, &fields, &self.example(endpoint))
    }
}

either_engine! {
    async fn a_call_of_ours_refuses_what_an_object_in_its_body_does_not_know_by_its_path(app: TestApp) {
        let world = World::new(&app).await;
        let before = world.written();
        let mut tried = 0;
        for endpoint in endpoints().iter().filter(|endpoint| endpoint.is_strict) {
            for (path, body) in world.with_unknown_inside(endpoint) {
                app.clock().advance(std::time::Duration::from_secs(10));
                let answer = world.send(endpoint, "", &body).await;
                let said = problem(&answer, endpoint.name, &path);
                assert!(said.starts_with("no es un campo de esta llamada, que "), "{said}");
                assert_eq!(world.written(), before, "{} {path}", endpoint.name);
                tried += 1;
            }
        }
        assert!(tried > 0);
    }

    async fn a_described_call_is_answered_alike_whatever_its_body_has_beside(app: TestApp) {
        let mut tried = 0;
        for endpoint in endpoints().iter().filter(|endpoint| !endpoint.is_strict) {
            let [one, another] = [World::new(&app).await, World::new(&app).await];
            // A secret that is read is the same for one owner alone, and reading changes nothing.
            let other = if endpoint.method == "GET" { &one } else { &another };
            let beside = with(&one.example(endpoint), MADE_UP, json!({ "a": [1] }));
            let mut bodies = one.with_unknown_inside(endpoint);
            tried += bodies.len();
            bodies.push((MADE_UP.to_owned(), beside));
            for (path, body) in bodies {
                app.clock().advance(std::time::Duration::from_secs(60));
                let answer = one.send(endpoint, &format!("?{MADE_UP}=1"), &body).await;
                let expected = other.send(endpoint, "", &other.of(&one, &without(&body))).await;
                let place = format!("{} {path}", endpoint.name);
                assert_eq!(answer.status, expected.status, "{place}: {}", answer.text());
                assert_eq!(one.masked(&answer), other.masked(&expected), "{place}");
            }
        }
        assert!(tried > 0);
    }
}
