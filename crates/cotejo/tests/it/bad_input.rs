//! What is wrong with a request about keys, clients and accounts is reported by field, in the caller's language, and
//! nothing is written.

use serde_json::{Value, json};
use testkit::{Owner, Principal, TestApp, either_engine};

/// An operation, what is right to send it, and its fields.
struct Case {
    method: &'static str,
    path: String,
    right: Value,
    /// Each field with what it takes.
    fields: &'static [(&'static str, Takes)],
}

#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// A label of at most 120 characters.
    Label,
    /// An e-mail address, or nothing.
    Email,
    /// A document, or nothing.
    Document,
    /// True or false.
    Flag,
    /// A whole number that is not negative, or nothing.
    Credits,
    /// An instant that lies ahead, or nothing.
    Instant,
    /// The id of a client, or nothing.
    Client,
    /// Ids of accounts.
    Banks,
    /// Names of permissions.
    Permissions,
}

use Takes::*;

fn cases(owner: &Owner, key: &str, client: &str) -> Vec<Case> {
    let case = |method, path: &str, right, fields| {
        let path = path.replace("KEY", key).replace("CLIENT", client).replace("BANK", &owner.bank);
        Case { method, path, right, fields }
    };
    vec![
        case(
            "POST",
            "/auth/api-key",
            json!({ "name": "caja" }),
            &[
                ("name", Label),
                ("client_owner_id", Client),
                ("user_banks", Banks),
                ("permissions", Permissions),
                ("expires_at", Instant),
                ("monthly_credit_limit", Credits),
            ],
        ),
        case(
            "PUT",
            "/v1/api-keys/KEY/scope",
            json!({ "client_owner_id": null, "user_banks": [] }),
            &[("client_owner_id", Client), ("user_banks", Banks)],
        ),
        case(
            "PATCH",
            "/v1/api-keys/KEY",
            json!({}),
            &[
                ("name", Label),
                ("is_active", Flag),
                ("permissions", Permissions),
                ("expires_at", Instant),
            ],
        ),
        case(
            "PUT",
            "/v1/api-keys/KEY/credit-limit",
            json!({ "monthly_credit_limit": 5 }),
            &[("monthly_credit_limit", Credits)],
        ),
        case(
            "PUT",
            "/v1/clients/CLIENT/credit-limit",
            json!({ "monthly_credit_limit": 5 }),
            &[("monthly_credit_limit", Credits)],
        ),
        case(
            "POST",
            "/v1/clients",
            json!({ "name": "Este" }),
            &[
                ("name", Label),
                ("email", Email),
                ("document", Document),
                ("payments_enabled", Flag),
                ("monthly_credit_limit", Credits),
                ("user_banks", Banks),
            ],
        ),
        case(
            "PATCH",
            "/v1/clients/CLIENT",
            json!({}),
            &[
                ("name", Label),
                ("email", Email),
                ("document", Document),
                ("is_active", Flag),
                ("payments_enabled", Flag),
            ],
        ),
        case(
            "PUT",
            "/v1/usersbank/BANK/client",
            json!({ "client_owner_id": null }),
            &[("client_owner_id", Client)],
        ),
    ]
}

/// Lists values that no field of that kind takes. `foreign` is another owner's client and account.
fn wrong(takes: Takes, foreign: &[String; 2]) -> Vec<Value> {
    let texts =
        [json!("a\u{0}b"), json!("a\u{7}b"), json!("x".repeat(300)), json!("x".repeat(100_000))];
    let of_kind: Vec<Value> = match takes {
        Label => [&texts[..], &[json!(""), json!("  "), json!(7), json!({})]].concat(),
        Email => [&texts[..], &[json!("nobody"), json!("a@b@c"), json!(true)]].concat(),
        Document => [&texts[..], &[json!("X1"), json!("V0"), json!([1])]].concat(),
        Flag => vec![json!("true"), json!(1), json!([])],
        Credits => vec![
            json!(-1),
            json!(0.5),
            json!("5"),
            json!(1e30),
            json!(9_223_372_036_854_775_807_i64),
        ],
        Instant => [&texts[..], &[json!("mañana"), json!("2026-11-20"), json!(0)]].concat(),
        Client => vec![
            json!(foreign[0]),
            json!(foreign[1]),
            json!("cli_00000000000000000000000000"),
            json!("x".repeat(300)),
            json!(7),
            json!([]),
        ],
        Banks => vec![
            json!([foreign[1]]),
            json!([foreign[0]]),
            json!(["bank_00000000000000000000000000"]),
            json!([7]),
            json!("bank"),
            json!({}),
            json!(vec!["bank_00000000000000000000000000"; 1_001]),
        ],
        Permissions => vec![
            json!(["verify_payments"]),
            json!(["x".repeat(300)]),
            json!([7]),
            json!("movements"),
            json!(vec!["movements"; 101]),
        ],
    };
    of_kind
}

/// Everything that such requests could have written.
fn written(app: &TestApp) -> Vec<String> {
    [
        "select name || coalesce(cast(expires_at as text), '') || cast(permissions as text) || \
         coalesce(cast(monthly_credit_limit as text), '') || cast(updated_at as text) from api_keys order by id",
        "select name || coalesce(email, '') || coalesce(document, '') || \
         coalesce(cast(monthly_credit_limit as text), '') || cast(updated_at as text) from clients order by id",
        "select cast(updated_at as text) from user_banks order by id",
        "select action || subject from audit where action <> 'Login' order by id",
    ]
    .iter()
    .flat_map(|query| app.database().texts(query))
    .collect()
}

/// The refusal in that language, whose shape is the agreed one.
async fn refused(caller: &Principal, case: &Case, body: &Value, language: &str) -> Value {
    let call = caller.request(case.method, &case.path).header("accept-language", language);
    let answer = call.json(body).send().await;
    let (status, code) = answer.end();
    assert!([400, 404].contains(&status), "{} {} {body}: {status} {code}", case.method, case.path);
    let refusal = answer.json();
    assert!(refusal["message"].is_string() && refusal["request_id"].is_string(), "{refusal}");
    for detail in refusal["details"].as_array().into_iter().flatten() {
        assert!(detail["field"].is_string() && detail["problem"].is_string(), "{refusal}");
    }
    if code == "VALIDATION_ERROR" {
        assert!(refusal["details"][0].is_object(), "{refusal}");
    }
    refusal
}

either_engine! {
    async fn it_is_reported_by_field_in_the_callers_language_and_nothing_is_written(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (key, client) = (owner.key_with(&[]).await, owner.client(true).await);
        let foreign = [stranger.client(true).await, stranger.bank.clone()];
        let before = written(&app);
        for case in cases(&owner, &key.id, &client) {
            for (field, takes) in case.fields {
                for value in wrong(*takes, &foreign) {
                    let mut body = case.right.clone();
                    body[field] = value;
                    let spanish = refused(&owner, &case, &body, "es").await;
                    let english = refused(&owner, &case, &body, "en").await;
                    assert_eq!(spanish["error"], english["error"]);
                    assert_ne!(spanish["message"], english["message"], "{} {body}", case.path);
                    if spanish["error"] == "VALIDATION_ERROR" {
                        assert_eq!(spanish["details"][0]["field"], *field, "{body}");
                        let problem = |refusal: &Value| refusal["details"][0]["problem"].clone();
                        assert_ne!(problem(&spanish), problem(&english), "{} {body}", case.path);
                    }
                }
                // What must be said is reported as missing, or null.
                if case.right.get(field).is_some() {
                    let mut body = case.right.clone();
                    body.as_object_mut().unwrap().remove(*field);
                    let refusal = refused(&owner, &case, &body, "es").await;
                    assert_eq!(refusal["details"][0]["field"], *field);
                }
            }
            for body in ["[]", "7", "{", "\"\"", "null"] {
                let call = owner.request(case.method, &case.path).body(body.to_owned());
                let answer = call.send().await;
                assert_eq!(answer.status, 400, "{} {body}: {answer:?}", case.path);
            }
        }
        assert_eq!(written(&app), before);
    }
}
