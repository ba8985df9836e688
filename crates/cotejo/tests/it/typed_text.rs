//! Text as people copy and paste it: with characters that nobody sees, several lines, and words around a reference.

use std::collections::BTreeSet;

use domain::typed::is_unseen;
use serde_json::{Map, Value, json};
use testkit::golden::masked;
use testkit::{Owner, Response, TestApp, either_engine};

use crate::pay::{make, pay_by, text};

/// Characters that are put between those of a text. None of them is seen.
const UNSEEN: [char; 9] = [
    '\u{202a}',
    '\u{200b}',
    '\u{ad}',
    '\u{fe0f}',
    '\u{e0041}',
    '\u{2066}',
    '\u{feff}',
    '\u{3164}',
    '\u{200d}',
];

/// The text with something that is not seen before, between and behind its characters.
fn sprinkled(text: &str) -> String {
    let mut unseen = UNSEEN.into_iter().cycle();
    let mut sprinkled = String::from('\u{202c}');
    for character in text.chars() {
        sprinkled.push(character);
        sprinkled.extend(unseen.next());
    }
    sprinkled
}

/// The value with every text in it sprinkled; names stay.
fn all_sprinkled(value: &Value) -> Value {
    match value {
        Value::String(text) => sprinkled(text).into(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), all_sprinkled(value))).collect()
        }
        other => other.clone(),
    }
}

/// The schema that a reference leads to, or itself.
pub(crate) fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(path) => document.pointer(path.trim_start_matches('#')).expect("a schema"),
        None => schema,
    }
}

/// Every form that a field may have.
pub(crate) fn forms(schema: &Value) -> Vec<&Value> {
    match schema["anyOf"].as_array() {
        Some(forms) => forms.iter().flat_map(self::forms).collect(),
        None => vec![schema],
    }
}

fn is_of(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind
        || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!(kind)))
}

/// A right text for a field that people type, by what the document says of it; nothing for words of programs, ids and
/// secrets.
fn right_text(name: &str, schema: &Value) -> Option<Value> {
    let forms = forms(schema);
    let is_programs = |form: &&Value| {
        let pattern = form["pattern"].as_str().unwrap_or_default();
        form.get("enum").is_some() || form["format"] == "password" || pattern.contains('_')
    };
    if forms.iter().any(is_programs) {
        return None;
    }
    if forms
        .iter()
        .any(|form| is_of(form, "object") && form["properties"].get("dni_type").is_some())
    {
        return Some(json!({ "dni_type": "V", "dni_number": "12.345.678" }));
    }
    let form = forms.iter().find(|form| is_of(form, "string"))?;
    let has_length = form["maxLength"].as_u64().is_some_and(|max| max > 0);
    let text = match (form["format"].as_str(), form["pattern"].as_str(), name) {
        (Some("email"), ..) => "ana@tienda.example",
        (Some("uri"), ..) => "https://tienda.example/pedido?n=7",
        (Some("date"), ..) => "2026-11-20",
        (Some("date-time"), ..) => "2026-12-20T08:00:00-04:00",
        (_, Some(_), _) => "0102",
        (.., "bank_reference") => "1267890",
        (.., "rate") => "880,25",
        (.., "brand_colour") => "#0b5cad",
        (.., "cuentaPagador") => "0102-0000-89-0000000001",
        (.., "document") => "J-12345678-4",
        (.., "support_phone") => "0212-1234567",
        (.., "phone_pagador" | "user_bank_phone" | "whatsapp") => "0414-123.45.67",
        _ if has_length => "Caja 1, niños",
        _ => return None,
    };
    Some(text.into())
}

/// Things of an owner that paths name.
struct Things {
    places: Vec<(&'static str, String)>,
}

impl Things {
    async fn of(owner: &Owner) -> Self {
        let key = owner.issue(json!({ "name": "caja" })).await;
        let client = owner.client(false).await;
        let link = make(owner, &owner.bank, json!({})).await;
        Self {
            places: vec![
                ("{api_key_id}", key.id.clone()),
                ("{client_id}", client),
                ("{bank_id}", owner.bank.clone()),
                ("{payment_link_id}", link),
            ],
        }
    }

    fn path(&self, path: &str) -> String {
        self.places.iter().fold(path.to_owned(), |path, (name, id)| path.replace(name, id))
    }
}

/// Reads what an answer says, whatever was made.
fn said(answer: &Response) -> (u16, Value) {
    let mut body = masked(&answer.json());
    for made_by_chance in ["request_id", "facts"] {
        body.as_object_mut().map(|fields| fields.remove(made_by_chance));
    }
    (answer.status, json!({ "error": body["error"], "details": body["details"] }))
}

fn has_unseen(value: &Value) -> bool {
    value.to_string().contains(is_unseen)
}

/// A body of the operation with that value in that field.
fn body(operation: &Value, owner: &Owner, field: &str, value: &Value) -> Value {
    let example = &operation["requestBody"]["content"]["application/json"]["example"];
    let mut fields = example.as_object().cloned().unwrap_or_else(Map::new);
    if fields.contains_key("user_bank_id") {
        fields.insert("user_bank_id".to_owned(), owner.bank.clone().into());
    }
    fields.insert(field.to_owned(), value.clone());
    Value::Object(fields)
}

either_engine! {
    async fn what_nobody_sees_changes_no_answer_of_any_field_that_people_type(app: TestApp) {
        let document = app.nobody().get("/openapi.json").await.json();
        let [plain_owner, owner] = [app.owner_with(1_000).await, app.owner_with(1_000).await];
        let [plain_things, things] = [Things::of(&plain_owner).await, Things::of(&owner).await];
        let mut right = BTreeSet::new();
        let mut wrong = Vec::new();
        for (path, operations) in document["paths"].as_object().unwrap() {
            for (method, operation) in operations.as_object().unwrap() {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                let schema = resolved(&document, schema);
                let Some(fields) = schema["properties"].as_object() else { continue };
                for (name, schema) in fields {
                    let Some(value) = right_text(name, resolved(&document, schema)) else { continue };
                    let send = async |owner: &Owner, things: &Things, value: &Value| {
                        let call = owner.request(&method.to_uppercase(), &things.path(path));
                        // Some ask an address, and wait for what does not answer.
                        let call = call.json(&body(operation, owner, name, value));
                        app.clock().flow(call.send()).await
                    };
                    let plain = send(&plain_owner, &plain_things, &value).await;
                    // An address belongs to one person of the installation.
                    let other = match value == "ana@tienda.example" {
                        true => json!("eva@tienda.example"),
                        false => value.clone(),
                    };
                    let answer = send(&owner, &things, &all_sprinkled(&other)).await;
                    let field = format!("{} {path} {name}", method.to_uppercase());
                    if said(&plain) != said(&answer) || has_unseen(&answer.json()) {
                        wrong.push(format!("{field}: {:?} {:?}", said(&plain), answer.text()));
                    }
                    if plain.status == 200 {
                        right.insert(name.clone());
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        // Texts of every kind were right, so that the answers compared are not two refusals.
        for name in [
            "name", "description", "source_name", "email", "url", "webhook_url", "fecha_pago", "bank_origin",
            "phone_pagador", "dni_pagador", "cuentaPagador", "bank_reference", "rate", "source", "whatsapp",
            "brand_colour", "document", "support_phone", "search",
        ] {
            assert!(right.contains(name), "{name} is in no call that was right: {right:?}");
        }
    }

    async fn a_line_break_in_a_free_text_is_a_space_and_loses_no_sale(app: TestApp) {
        let owner = app.owner().await;
        let sent = json!({ "bank_reference": "67890", "source_name": "Caja 1\r\n\tturno\u{2028}noche\n" });
        let answer = owner.verify(&owner.bank, sent).await.ok();
        assert_eq!(answer["data"]["user_bank_payment"]["source_name"], "Caja 1 turno noche");
        let link = json!({
            "amount": 1, "user_bank_id": owner.bank, "description": "2 pizzas\n1 refresco", "name": "Mesa\t4",
        });
        let link = owner.post("/v1/paymentlink", link).await.ok()["paymentlink"].clone();
        assert_eq!((&link["description"], &link["name"]), (&json!("2 pizzas 1 refresco"), &json!("Mesa 4")));
        let key = owner.issue(json!({ "name": "caja\n2" })).await;
        let key = owner.get(&format!("/api-keys/{}", key.id)).await.ok();
        assert_eq!(key["api_key"]["name"], "caja 2");
        let client = owner.post("/v1/clients", json!({ "name": "Sucursal\nEste" })).await.ok();
        assert_eq!(client["client"]["name"], "Sucursal Este");
        let family = "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}";
        let client = owner.post("/v1/clients", json!({ "name": format!("\u{200d}{family}\u{200d}") })).await.ok();
        assert_eq!(client["client"]["name"], family);
        for control in ["\0", "\u{7}", "\u{1b}[31m", "\u{7f}"] {
            let body = json!({ "name": format!("caja{control}2") });
            let details = owner.post("/auth/api-key", body).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(details["details"][0]["field"], "name", "{control:?}");
        }
    }

    async fn a_secret_of_a_bank_with_a_line_break_is_refused(app: TestApp) {
        let owner = app.owner().await;
        let path = format!("/v1/usersbank/{}/change-secret", owner.bank);
        let answer = owner.put(&path, json!({ "secret": "made\nup" })).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(answer["details"][0]["field"], "secret");
    }
}

either_engine! {
    async fn a_payer_pastes_what_the_bank_wrote(setup: testkit::Setup) {
        let app = setup.start().await;
        let owner = app.owner().await;
        let payer = app.nobody();
        for pasted in ["Ref: 1267890", "\u{202a}Nº 1367890\u{202c}.", "Bs. 150,75 ref 00001467890 el 20/11/2026"] {
            let id = make(&owner.key, &owner.bank, json!({})).await;
            let answer = pay_by(&payer, &id, pasted, &[("phone", "\u{2066}0414\u{2011}1234567\u{2069}")]).await;
            assert_eq!(answer.status, 303, "{pasted}");
            app.settle().await;
            assert_eq!(crate::pay::status(&owner.key, &id).await, "paid", "{pasted}");
        }
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let answer = pay_by(&payer, &id, "Ref 2267890 tlf 04141234567", &[]).await;
        assert_eq!(answer.status, 422);
        assert!(text(&answer).contains("Hay varios números: 2267890, 04141234567. Deje solo el de la referencia."));
        let answer = pay_by(&payer, &id, "ref 12345", &[]).await;
        assert_eq!(answer.status, 422);
        assert!(text(&answer).contains("Escriba al menos 6 dígitos de la referencia"));
        // A program sends the reference alone.
        for reference in ["Ref: 2267890", "２２６７８９０"] {
            let body = json!({ "bank_reference": reference });
            let refused = owner.verify(&owner.bank, body).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused["details"][0]["field"], "bank_reference");
        }
    }

    async fn a_person_pastes_a_reference_into_the_dashboard(setup: testkit::Setup) {
        let app = setup.start().await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let verify = async |reference: &str| {
            browser.open("/app/payments/verify").await;
            let fields = [("user_bank_id", owner.bank.as_str()), ("bank_reference", reference)];
            browser.send("/app/payments/verify", &fields).await
        };
        let found = verify("Ref: 2267890").await;
        let found = browser.open(found.header("location").unwrap()).await;
        assert!(found.contains("Pago de prueba confirmado"), "{found}");
        let several = verify("2267890 y 3367890 no").await.text();
        assert!(several.contains("tiene varios números: 2267890, 3367890"));
        let found = browser.open("/app/payments?search=Ref%3A%202267890").await;
        assert!(found.contains("2267890") && !found.contains("tiene varios"), "{found}");
        let several = browser.open("/app/payments?search=2267890%2F3367890").await;
        assert!(several.contains("tiene varios números: 2267890, 3367890"), "{several}");
    }
}
