//! The OpenAPI document: that it says what is served, and that nobody changes it unawares.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;

use app::Settings;
use domain::access::TABLE;
use domain::language::Language::{En, Es};
use serde_json::Value;
use testkit::schema::{Fields, mismatches};

use super::world::{World, document, request};
use super::{compatibility, errors, reference};
use crate::docs::words::{list, resolved};
use crate::endpoints;

/// Path of the document from the repository's root.
const DOCUMENT: &str = "docs/openapi.json";

/// Asks for all to be written: `cargo xtask openapi` sets it. With `incompatible`, even where callers would notice.
const WRITE: &str = "COTEJO_WRITE_OPENAPI";

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

#[expect(clippy::disallowed_methods, reason = "the command that runs this test has no other way")]
fn wish() -> Option<String> {
    env::var(WRITE).ok()
}

/// The documents that are made of the code, and where they are.
fn documents(document: &Value) -> [(&'static str, String); 5] {
    let endpoints = endpoints();
    [
        (DOCUMENT, format!("{document:#}\n")),
        ("docs/reference/api.es.md", reference::of(document, &endpoints, Es)),
        ("docs/reference/api.md", reference::of(document, &endpoints, En)),
        ("docs/reference/errors.es.md", errors::of(Es)),
        ("docs/reference/errors.md", errors::of(En)),
    ]
}

#[test]
fn the_documents_that_are_checked_in_are_those_of_the_code() {
    let new = document();
    let kept = fs::read_to_string(file(DOCUMENT)).unwrap_or_default();
    let broken = compatibility::broken(&serde_json::from_str(&kept).unwrap_or_default(), &new);
    let wish = wish();
    if wish.as_deref() != Some("incompatible") {
        assert!(
            broken.is_empty(),
            "callers would notice; where that is meant, `cargo xtask openapi --incompatible`: {broken:#?}"
        );
    }
    for (name, text) in documents(&new) {
        if wish.is_some() {
            fs::create_dir_all(file(name).parent().unwrap()).unwrap();
            fs::write(file(name), text).unwrap();
            continue;
        }
        let is_same = fs::read_to_string(file(name)).is_ok_and(|kept| kept == text);
        assert!(is_same, "{name} is not of this code: `cargo xtask openapi`");
    }
}

#[tokio::test]
async fn the_document_is_given_to_anybody_with_the_address_of_the_service() {
    let world = World::new().await;
    let answer = world.ask(request("GET", "/openapi.json", &[], "")).await;
    let mut expected = document();
    assert_eq!(expected["servers"][0]["url"], "/");
    expected["servers"][0]["url"] = Settings::default().base_url.into();
    assert_eq!((answer.status, &answer.body), (200, &expected));
    assert_eq!(answer.headers["content-type"], "application/json");
}

#[test]
fn every_operation_of_the_table_is_declared() {
    let declared = endpoints();
    let is_declared = |name| declared.iter().any(|endpoint| endpoint.name == name);
    let undeclared: Vec<_> = TABLE.iter().filter(|entry| !is_declared(entry.name)).collect();
    assert_eq!((undeclared, declared.len()), (Vec::new(), TABLE.len()));
}

#[test]
fn every_example_is_what_its_operation_takes_and_answers() {
    let document = document();
    for endpoint in endpoints() {
        let method = endpoint.method.as_str().to_ascii_lowercase();
        let operation = &document["paths"][endpoint.path][method];
        assert_eq!(endpoint.read_example(), Ok(()), "{}", endpoint.name);
        let request = &operation["requestBody"]["content"]["application/json"];
        let answer = &operation["responses"]["200"]["content"]["application/json"];
        for (what, fields) in [(request, Fields::AndOthers), (answer, Fields::AsNamed)] {
            if what.is_object() {
                let wrong = mismatches(&document, &what["schema"], &what["example"], fields);
                assert_eq!(wrong, Vec::<String>::new(), "{}", endpoint.name);
            }
        }
    }
}

#[test]
fn every_event_is_of_the_shape_that_the_document_gives_it() {
    let document = document();
    let webhooks = document["webhooks"].as_object().unwrap();
    assert_eq!(webhooks.len(), 5);
    for (name, webhook) in webhooks {
        let body = &webhook["post"]["requestBody"]["content"]["application/json"];
        let wrong = mismatches(&document, &body["schema"], &body["example"], Fields::AsNamed);
        assert_eq!(wrong, Vec::<String>::new(), "{name}");
    }
    let paid = &webhooks["payment_link.paid"]["post"]["requestBody"]["content"]["application/json"];
    assert_eq!(paid["example"]["user_bank_payment"]["price"]["currency"], "USD");
}

/// Adds each field of these names that holds an object or several, by its place, with the shapes that it refers to.
fn shapes_of(value: &Value, names: &[&str], place: &str, found: &mut Vec<(String, Vec<String>)>) {
    let reference = |schema: &Value| schema["$ref"].as_str().map(str::to_owned);
    for (word, part) in value.as_object().into_iter().flatten() {
        let place = format!("{place}/{word}");
        if word == "properties" {
            let named = part.as_object().into_iter().flatten();
            let named = named.filter(|(name, _)| names.contains(&name.as_str()));
            // Whether an account is open to links is called as a link is.
            for (name, field) in named.filter(|(_, field)| field["type"] != "boolean") {
                let any = field["anyOf"].as_array().into_iter().flatten();
                let shapes = any.chain([field, &field["items"]]).filter_map(reference);
                found.push((format!("{place}/{name}"), shapes.collect()));
            }
        }
        shapes_of(part, names, &place, found);
    }
    for (number, part) in value.as_array().into_iter().flatten().enumerate() {
        shapes_of(part, names, &format!("{place}/{number}"), found);
    }
}

#[test]
fn a_payment_and_a_link_are_of_one_shape_each_in_every_answer_webhook_and_event() {
    let document = document();
    for (names, shape, of_it_alone) in [
        (["user_bank_payment", "payment", "payments"], "BankPayment", "confirmed_status"),
        (["payment_link", "paymentlink", "payment_links"], "PaymentLink", "rate_exchange"),
    ] {
        let mut found = Vec::new();
        shapes_of(&document, &names, "", &mut found);
        let expected = vec![format!("#/components/schemas/{shape}")];
        let others: Vec<_> = found.iter().filter(|(_, shapes)| *shapes != expected).collect();
        assert!(found.len() >= 4 && others.is_empty(), "{shape}: {others:#?}");
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let alike = schemas.iter().filter(|(_, one)| one["properties"].get(of_it_alone).is_some());
        assert_eq!(alike.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), [shape]);
    }
}

#[test]
fn every_operation_says_what_it_does_in_two_languages_and_has_its_parameters() {
    for (path, methods) in document()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let place = format!("{method} {path}");
            assert!(operation["summary"].as_str().unwrap().ends_with('.'), "{place}");
            assert!(operation["description"].as_str().unwrap().contains(".\n\n"), "{place}");
            let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
            let in_path = parameters.iter().filter(|one| one["in"] == "path").count();
            assert_eq!(in_path, path.matches('{').count(), "{place}");
        }
    }
}

#[test]
fn every_shape_and_field_that_is_described_is_so_in_spanish_and_in_english() {
    fn of_schema(schema: &Value, described: &mut Vec<String>) {
        described.extend(schema["description"].as_str().map(str::to_owned));
        for (word, part) in schema.as_object().into_iter().flatten() {
            match (word.as_str(), part) {
                ("properties", Value::Object(fields)) => {
                    fields.values().for_each(|field| of_schema(field, described));
                }
                ("anyOf" | "oneOf", Value::Array(any)) => {
                    any.iter().for_each(|one| of_schema(one, described));
                }
                ("items", one) => of_schema(one, described),
                _ => {}
            }
        }
    }
    let document = document();
    let mut described = Vec::new();
    document["components"]["schemas"]
        .as_object()
        .unwrap()
        .values()
        .for_each(|schema| of_schema(schema, &mut described));
    for operation in document["paths"].as_object().unwrap().values() {
        for method in operation.as_object().unwrap().values() {
            let asked = &method["requestBody"]["content"]["application/json"]["schema"];
            of_schema(asked, &mut described);
        }
    }
    assert!(described.len() > 200, "{}", described.len());
    for text in described {
        let halves: Vec<_> = text.split(" / ").collect();
        let [es, en] = halves[..] else { panic!("{text}") };
        assert!(es.ends_with('.') && en.ends_with('.') && es != en, "{text}");
    }
}

/// A walk through the fields of shapes, each shape once.
struct Walk<'a> {
    document: &'a Value,
    seen: BTreeSet<&'a str>,
    fields: usize,
    /// Fields of which nothing is said.
    bare: Vec<String>,
}

impl<'a> Walk<'a> {
    fn look(&mut self, place: &str, shape: &'a Value) {
        if let Some(name) = shape["$ref"].as_str() {
            if self.seen.insert(name) {
                self.look(name, resolved(self.document, shape));
            }
            return;
        }
        for (name, field) in shape["properties"].as_object().into_iter().flatten() {
            let place = format!("{place}.{name}");
            let is_described = |shape: &Value| shape["description"].is_string();
            if !is_described(field) && !is_described(resolved(self.document, field)) {
                self.bare.push(place.clone());
            }
            self.fields += 1;
            self.look(&place, field);
        }
        for part in ["allOf", "anyOf", "oneOf"].iter().flat_map(|word| list(&shape[*word])) {
            self.look(place, part);
        }
        for word in ["additionalProperties", "items"] {
            if shape[word].is_object() {
                self.look(place, &shape[word]);
            }
        }
    }
}

#[test]
fn every_field_of_an_answer_a_refusal_and_an_event_has_a_sentence() {
    let document = document();
    let mut walk = Walk { document: &document, seen: BTreeSet::new(), fields: 0, bare: vec![] };
    let json = |content: &'static str| format!("{content}/content/application~1json/schema");
    for operation in document["paths"].as_object().unwrap().values() {
        for method in operation.as_object().unwrap().values() {
            let id = method["operationId"].as_str().unwrap();
            for response in method["responses"].as_object().unwrap().values() {
                walk.look(id, response.pointer(&json("")).unwrap());
            }
        }
    }
    for (name, webhook) in document["webhooks"].as_object().unwrap() {
        walk.look(name, webhook.pointer(&json("/post/requestBody")).unwrap());
    }
    assert!(walk.fields > 500, "{}", walk.fields);
    assert!(walk.bare.is_empty(), "nothing is said of these: {:#?}", walk.bare);
}

#[test]
fn every_refusal_has_a_shape_with_its_codes_and_no_other() {
    let document = document();
    let mut shapes = BTreeSet::new();
    for operation in document["paths"].as_object().unwrap().values() {
        for method in operation.as_object().unwrap().values() {
            for (status, response) in method["responses"].as_object().unwrap() {
                if status == "200" {
                    continue;
                }
                let schema = &response["content"]["application/json"]["schema"];
                let codes = &resolved(&document, schema)["properties"]["error"]["enum"];
                let codes: Vec<_> = list(codes).iter().filter_map(Value::as_str).collect();
                let place = format!("{} {status}", method["operationId"]);
                assert_eq!(response["description"], codes.join(", "), "{place}");
                shapes.insert(schema["$ref"].as_str().unwrap().to_owned());
            }
        }
    }
    // Operations with the same codes share one.
    assert!((30..120).contains(&shapes.len()), "{}", shapes.len());
}

#[test]
fn every_reference_leads_to_a_shape_with_a_name_of_its_own() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    let (document, mut found) = (document(), Vec::new());
    references(&document, &mut found);
    for target in &found {
        assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
    }
    // A second shape of one name would be given a number.
    let names: Vec<_> = document["components"]["schemas"].as_object().unwrap().keys().collect();
    assert!(
        names.iter().all(|name| !name.ends_with(|last: char| last.is_ascii_digit())),
        "{names:?}"
    );
}
