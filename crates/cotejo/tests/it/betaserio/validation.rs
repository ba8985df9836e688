//! What a request may say.

use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{Setup, TestApp, either_engine};

/// The request with one field more.
fn with(field: &str, value: Value) -> Value {
    let mut body = json!({ "bank_reference": "67890" });
    body[field] = value;
    body
}

either_engine! {
    async fn a_field_that_is_wrong_is_named(app: TestApp) {
        let owner = app.owner().await;
        for (field, value) in [
            ("bank_reference", json!(null)),
            ("bank_reference", json!("")),
            ("bank_reference", json!("000")),
            ("bank_reference", json!("67890a")),
            ("bank_reference", json!("1".repeat(41))),
            ("amount", json!(-1)),
            ("amount", json!(10.005)),
            ("amount", json!("10")),
            ("amount", json!(1_000_000_000_000.0)),
            ("fecha_pago", json!("20/11/2026")),
            ("fecha_pago", json!("2026-02-30")),
            ("fecha_pago", json!("2026-11-22")),
            ("phone_pagador", json!("0212")),
            ("dni_pagador", json!("Z1")),
            ("dni_pagador", json!({ "dni_type": "Z", "dni_number": "12345678" })),
            ("bank_origin", json!("01")),
            ("bank_origin", json!("102")),
            ("bank_origin", json!("01020")),
            ("bank_origin", json!("01-02")),
            ("bank_origin", json!(102)),
            ("cuentaPagador", json!("0102")),
            ("source_name", json!("x".repeat(121))),
            ("source_name", json!("a\u{0}b")),
        ] {
            let answer = owner.key.verify(&owner.bank, with(field, value.clone())).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            let named: Vec<_> = body["details"].as_array().unwrap().iter().collect();
            assert_eq!(named.len(), 1, "{field} {value}: {body}");
            assert_eq!(named[0]["field"], field, "{value}: {body}");
        }
        // What a till's subtraction leaves is not the zero that stands for any amount.
        for amount in ["0.00001", "-0.000001", "0.0000000001", "1e-300", "1e-400", "-1e-400"] {
            let body = format!(r#"{{"bank_reference": "67890", "amount": {amount}}}"#);
            let request = owner.key.request("POST", &verify_path(&owner.bank));
            let answer = request.body(body).send().await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "amount", "{amount}: {body}");
        }
        // None of it was an attempt.
        assert_eq!(owner.activity_of(&owner.key).await["request_total"], 0);
    }

    async fn tomorrow_counts_as_today(app: TestApp) {
        let owner = app.owner().await;
        // It is eight in the evening in Caracas, and the next day in UTC, which clients send.
        app.clock().advance(std::time::Duration::from_hours(12));
        let tomorrow = with("fecha_pago", json!("2026-11-21"));
        let answer = owner.key.verify(&owner.bank, tomorrow).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        let payment = &answer["data"]["user_bank_payment"];
        assert_eq!(payment["payment_params"]["fecha_pago"], "2026-11-20");
        assert_eq!(payment["movement_date"], "2026-11-21T00:00:00.000Z", "the instant, which is today");
        // The same question by its other name.
        let today = with("fecha_pago", json!("2026-11-20"));
        let again = owner.key.verify(&owner.bank, today).await.ok();
        assert_eq!(again["data"]["is_new"], false);
        let later = with("fecha_pago", json!("2026-11-22"));
        owner.key.verify(&owner.bank, later).await.refused(400, "VALIDATION_ERROR");
    }

    async fn what_is_absent_may_be_null_or_empty(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({
            "bank_reference": "67890", "amount": null, "movement_type": null, "fecha_pago": "",
            "phone_pagador": "", "dni_pagador": null, "bank_origin": "", "cuentaPagador": null,
            "source_name": null,
        });
        let answer = owner.key.verify(&owner.bank, asked).await.ok();
        let params = &answer["data"]["user_bank_payment"]["payment_params"];
        assert_eq!(params["movement_type"], "GENERIC");
        assert_eq!(params["telefono_pagador"], "");
        // And so it is the same question as the one that leaves everything out.
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        assert_eq!(answer["data"]["is_new"], false);
    }

    async fn amounts_are_read_as_people_compute_them(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890", "amount": 0.1 + 0.2 });
        let answer = owner.key.verify(&owner.bank, asked).await.ok();
        assert_eq!(answer["data"]["user_bank_payment"]["amount"], 0.3);
    }

    async fn an_unknown_type_of_movement_has_a_code_of_its_own(app: TestApp) {
        let owner = app.owner().await;
        let answer = owner.key.verify(&owner.bank, with("movement_type", json!("CASH"))).await;
        let body = answer.refused(400, "INVALID_MOVEMENT_TYPE");
        let message = body["message"].as_str().unwrap();
        assert!(message.starts_with("movement_type is not available for this bank"), "{message}");
    }

    async fn a_body_without_a_type_counts_as_json(app: TestApp) {
        let owner = app.owner().await;
        let call = owner.key.request("POST", &verify_path(&owner.bank));
        call.body(r#"{"bank_reference":"67890"}"#).send().await.ok();
    }

    async fn a_closed_sandbox_verifies_nothing(setup: Setup) {
        let app = setup.without_test_bank().start().await;
        let owner = app.owner().await;
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await;
        answer.refused(400, "INVALID_BANK_PROVIDER");
    }
}
