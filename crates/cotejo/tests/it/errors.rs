//! What every answer has in common: the body of an error, the request's id, the language.

use domain::permissions::Permission;
use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{TestApp, either_engine};

/// The largest body that is read.
const BODY_LEN_MAX: usize = 256 * 1024;

either_engine! {
    async fn an_error_has_exactly_the_agreed_shape(app: TestApp) {
        let owner = app.owner().await;
        let call = owner.key.request("POST", &verify_path(&owner.bank)).json(&json!({}));
        let answer = call.header("X-Request-Id", "req-1").send().await;
        let mut body = answer.refused(400, "VALIDATION_ERROR");
        assert!(body["message"].take().is_string());
        assert!(body["details"][0]["problem"].take().is_string());
        assert_eq!(body, json!({
            "message": null,
            "error": "VALIDATION_ERROR",
            "request_id": "req-1",
            "details": [{ "field": "bank_reference", "problem": null }],
        }));
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }

    async fn the_requests_id_comes_back_if_it_is_sane(app: TestApp) {
        let owner = app.owner().await;
        let id = async |given: &str| {
            let call = owner.key.request("GET", "/me").header("x-request-id", given);
            call.send().await.header("x-request-id").unwrap().to_owned()
        };
        assert_eq!(id("order_17-A").await, "order_17-A");
        for given in ["", "a b", "\"x\"", &"x".repeat(300)] {
            let made = id(given).await;
            assert!(made.starts_with("req_") && made.len() == 30, "{made}");
        }
        assert_ne!(id("").await, id("").await);
        assert!(owner.get("/nowhere").await.header("x-request-id").is_some());
    }

    async fn a_path_that_leads_nowhere(app: TestApp) {
        let owner = app.owner().await;
        for path in ["/nowhere", "/v1", "/me/", "/v1/api-keys/x/y/z", "/auth/api-key/x"] {
            owner.get(path).await.refused(404, "NOT_FOUND");
            app.nobody().post(path, json!({})).await.refused(404, "NOT_FOUND");
        }
    }

    async fn a_path_that_leads_nowhere_is_said_to_and_no_id_is_blamed(app: TestApp) {
        let body = app.nobody().get("/nowhere").await.refused(404, "NOT_FOUND");
        let message = body["message"].as_str().unwrap();
        assert!(message.contains("Revise la ruta") && !message.contains("identificador"), "{message}");
    }

    async fn what_is_wrong_with_a_field_is_reported_in_the_callers_language(app: TestApp) {
        let owner = app.owner().await;
        let ask = async |language: &str, path: &str, body: Option<Value>| {
            let method = if body.is_some() { "POST" } else { "GET" };
            let call = owner.request(method, path).header("accept-language", language);
            let call = match &body {
                Some(body) => call.json(body),
                None => call,
            };
            let refused = call.send().await.json();
            let details = refused["details"].as_array().unwrap();
            details.iter().map(|one| one["problem"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let bank = verify_path(&owner.bank);
        let activity = format!("/v1/api-keys/{}/activity", owner.key.id);
        for (path, body, spanish, english) in [
            (&*bank, Some(json!({})), "es obligatorio", "is required"),
            (&bank, Some(json!({ "bank_reference": 1 })), "debe ser texto", "must be text"),
            (&bank, Some(json!({ "bank_reference": "000" })), "debe tener un dígito", "must have a digit"),
            (
                &bank,
                Some(json!({ "bank_reference": "67890", "amount": -1 })),
                "debe ser un número de cero",
                "must be a number of zero",
            ),
            (
                &bank,
                Some(json!({ "bank_reference": "67890", "fecha_pago": "hoy" })),
                "debe ser una fecha",
                "must be a date",
            ),
            (&bank, Some(json!([])), "debe ser un objeto JSON", "must be a JSON object"),
            (&format!("{activity}?month=x"), None, "debe ser un mes", "must be a month"),
            (&format!("{activity}?page=0"), None, "debe ser un número entero", "must be a whole"),
            (
                "/v1/webhooks/deliveries?state=lost",
                None,
                "debe ser uno de: pending",
                "must be one of: pending",
            ),
        ] {
            let (es, en) = (ask("es", path, body.clone()).await, ask("en", path, body).await);
            assert!(es[0].starts_with(spanish), "{path} {es:?}");
            assert!(en[0].starts_with(english), "{path} {en:?}");
        }
    }

    async fn json_that_nobody_can_read_says_what_is_wrong_with_it(app: TestApp) {
        let owner = app.owner().await;
        let link = |metadata: &str| {
            let bank = &owner.bank;
            format!(r#"{{"amount": 1, "description": "x", "user_bank_id": "{bank}", "metadata": {metadata}}}"#)
        };
        let deep = format!(r#"{{"a": {}{}}}"#, "[".repeat(200), "]".repeat(200));
        for (path, body, field, problem) in [
            ("/v1/paymentlink", link(r#"{"a": "\ud83d"}"#), "metadata", "tiene medio carácter"),
            ("/v1/paymentlink", link(r#"{"a": 1e999}"#), "metadata", "tiene un número fuera de rango"),
            ("/v1/paymentlink", link(&deep), "metadata", "tiene más de 100 niveles"),
            ("/v1/paymentlink", link("[]"), "metadata", "debe ser un objeto"),
            ("/auth/api-key", r#"{"name": "caja \ud83d"}"#.to_owned(), "name", "tiene medio carácter"),
        ] {
            let call = owner.request("POST", path).header("content-type", "application/json");
            let answer = call.header("accept-language", "es").body(body).send().await;
            let refused = answer.refused(400, "VALIDATION_ERROR");
            let detail = &refused["details"][0];
            assert_eq!(detail["field"], field);
            assert!(detail["problem"].as_str().unwrap().starts_with(problem), "{detail}");
        }
    }

    async fn an_empty_app_key_beside_a_good_credential_is_as_absent(app: TestApp) {
        let owner = app.owner().await;
        for empty in ["", " "] {
            owner.key.request("GET", "/me").header("appKey", empty).send().await.ok();
            let nobody = app.nobody().request("GET", "/me").header("appKey", empty).send().await;
            nobody.refused(401, "UNAUTHORIZED");
        }
        let other = owner.key.request("GET", "/me").header("appKey", "ck_live_other").send().await;
        other.refused(401, "UNAUTHORIZED");
    }

    async fn an_unknown_permission_is_refused_with_those_that_there_are(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "name": "caja", "permissions": ["everything"] });
        let refused = owner.post("/auth/api-key", body).await.refused(400, "UNKNOWN_PERMISSION");
        let message = refused["message"].as_str().unwrap();
        for permission in Permission::ALL {
            assert!(message.contains(permission.as_str()), "{message}");
        }
    }

    async fn nobody_is_said_to_give_a_clients_key_what_it_cannot_have(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(false).await;
        let key = owner.client_key(&client).await;
        let message = async |path: &str| {
            let body = key.get(path).await.refused(403, "FORBIDDEN");
            body["message"].as_str().unwrap().to_owned()
        };
        let fixed = message("/me/webhook-secret").await;
        assert!(fixed.contains("no puede tener el permiso integrations"), "{fixed}");
        let payments = message("/v1/verifications/ver_x").await;
        assert!(payments.contains("no están habilitados para este cliente"), "{payments}");
        assert!(![fixed, payments].iter().any(|text| text.contains("puede darlo")));
    }

    async fn a_method_that_a_path_does_not_take(app: TestApp) {
        let owner = app.owner().await;
        let answer = owner.put("/me", json!({})).await;
        answer.refused(405, "METHOD_NOT_SUPPORT");
        assert!(answer.header("allow").is_some_and(|methods| methods.contains("GET")));
    }

    async fn a_body_that_is_too_large(app: TestApp) {
        let owner = app.owner().await;
        let path = verify_path(&owner.bank);
        let padded = |length: usize| {
            let body = json!({ "bank_reference": "67890" }).to_string();
            let padding = " ".repeat(length - body.len());
            owner.key.request("POST", &path).body(body + &padding).send()
        };
        padded(BODY_LEN_MAX).await.ok();
        padded(BODY_LEN_MAX + 1).await.refused(413, "PAYLOAD_TOO_LARGE");
    }

    async fn a_body_of_another_type(app: TestApp) {
        let owner = app.owner().await;
        let send = async |kind: &str| {
            let call = owner.key.request("POST", &verify_path(&owner.bank));
            call.header("content-type", kind).body(r#"{"bank_reference":"67890"}"#).send().await
        };
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            send(kind).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
        }
        for kind in ["application/json; charset=utf-8", "Application/JSON"] {
            send(kind).await.ok();
        }
    }

    async fn a_body_that_is_no_json_object(app: TestApp) {
        let owner = app.owner().await;
        for text in ["{", "[]", "null", "\"x\"", "{\"bank_reference\":}", "{} {}", "\u{feff}{}"] {
            let call = owner.key.request("POST", &verify_path(&owner.bank)).body(text.to_owned());
            let body = call.send().await.refused(400, "BAD_REQUEST");
            assert_eq!(body["details"][0]["field"], "body", "{text}");
        }
        let call = owner.key.request("POST", &verify_path(&owner.bank)).body(vec![0xff, 0xfe]);
        call.send().await.refused(400, "BAD_REQUEST");
    }

    async fn an_empty_body_is_an_empty_object(app: TestApp) {
        let owner = app.owner().await;
        let answer = owner.request("POST", "/v1/api-keys/default/rotate").send().await;
        answer.ok();
    }

    async fn people_are_answered_in_their_language(app: TestApp) {
        let owner = app.owner().await;
        let say = async |language: Option<&str>| {
            let call = owner.key.request("POST", &verify_path(&owner.bank));
            let call = call.json(&json!({ "bank_reference": "123456" }));
            let call = match language {
                Some(language) => call.header("accept-language", language),
                None => call,
            };
            let body = call.send().await.refused(404, "PAYMENT_NOT_FOUND");
            body["message"].as_str().unwrap().to_owned()
        };
        let (spanish, english) = (say(None).await, say(Some("en-US,en;q=0.9")).await);
        assert!(spanish.contains("el banco todavía no lo muestra"), "{spanish}");
        assert!(english.contains("the bank does not show it yet"), "{english}");
        assert_eq!(say(Some("es-VE")).await, spanish);
        assert_eq!(say(Some("fr, en;q=0.5, es;q=0.4")).await, english);
        assert_eq!(say(Some("fr")).await, spanish);
    }

    async fn fixed_phrases_begin_the_message_in_every_language(app: TestApp) {
        let owner = app.owner().await;
        let (wrong_bank, bank) = (verify_path("bank_1"), verify_path(&owner.bank));
        let amount = json!({ "bank_reference": "9910001", "amount": 10 });
        let kind = json!({ "bank_reference": "67890", "movement_type": "CASH" });
        for (path, body, phrase) in [
            (&wrong_bank, json!({}), "user_bank not found"),
            (&bank, kind, "movement_type is not available for this bank"),
            (&bank, amount, "payment amount not valid"),
            (&bank, json!({ "bank_reference": "123456" }), "payment not found"),
            (&bank, json!({ "bank_reference": "67890" }), "payment confirmed"),
        ] {
            for language in ["es", "en"] {
                let call = owner.key.request("POST", path).header("accept-language", language);
                let answer = call.json(&body).send().await.json();
                let message = answer["message"].as_str().unwrap();
                assert!(message.starts_with(phrase), "{language}: {message}");
            }
        }
    }

    async fn nobody_in_between_keeps_an_answer(app: TestApp) {
        let owner = app.owner().await;
        for answer in [owner.get("/me").await, owner.get("/nowhere").await] {
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
    }

    async fn a_secret_is_in_no_error(app: TestApp) {
        let secret = "ck_live_0123456789012345678901234567890123456789";
        let caller = app.nobody().with_bearer(secret);
        let answer = caller.get(&format!("/me?key={secret}")).await;
        let body = answer.refused(401, "UNAUTHORIZED").to_string();
        assert!(!body.contains(secret), "{body}");
    }
}
