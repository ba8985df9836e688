//! A payment that the bank shows.

use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{TestApp, either_engine};

either_engine! {
    async fn the_answer_has_exactly_the_agreed_shape(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({
            "bank_reference": "00-123.67890",
            "amount": 150.75,
            "movement_type": "MOVIL_PAY",
            "fecha_pago": "2026-11-20",
            "phone_pagador": "0414-1234567",
            "dni_pagador": { "dni_type": "V", "dni_number": "12345678" },
            "bank_origin": "0102",
            "cuentaPagador": "01020000000000000001",
            "source_name": "caja 1",
            "anything": "else",
        });
        let mut answer = owner.key.verify(&owner.bank, asked).await.ok();

        let payment = &mut answer["data"]["user_bank_payment"];
        let id = payment["id"].take();
        assert!(id.as_str().unwrap().starts_with("pay_"), "{id}");
        let verification = payment["verification_id"].take();
        assert!(verification.as_str().unwrap().starts_with("ver_"), "{verification}");
        assert_eq!(answer, json!({
            "message": "payment confirmed: prueba, no es dinero",
            "data": {
                "is_new": true,
                "credit_cost": 1,
                "user_credits_total": 999,
                "matched_by": "reference",
                "livemode": false,
                "user_bank_payment": {
                    "id": null,
                    "created_at": "2026-11-20T12:00:00.000Z",
                    "updated_at": "2026-11-20T12:00:00.000Z",
                    "movement_date": "2026-11-20T12:00:00.000Z",
                    "bank_reference_id": "12367890",
                    "user_id": owner.id,
                    "user_bank_id": owner.bank,
                    "amount": 150.75,
                    "currency": "VEF",
                    "status": "paid",
                    "credit_cost": 1,
                    "movement_type": "MOVIL_PAY",
                    "confirmed_status": true,
                    "evidence": "bank",
                    "matched_by": "reference",
                    "source_name": "caja 1",
                    "details": [],
                    "payment_params": {
                        "amount": 150.75,
                        "cedula_pagador": "V12345678",
                        "telefono_pagador": "584141234567",
                        "fecha_pago": "2026-11-20",
                        "banco_origen": "0102",
                        "cuenta_pagador": "01020000000000000001",
                        "invoice_number": "",
                        "movement_type": "MOVIL_PAY",
                    },
                    "verification_id": null,
                    "payment_link_id": null,
                    "client_owner_id": null,
                    "api_key_id": owner.key.id,
                    "livemode": false,
                },
            },
        }));
    }

    async fn a_reference_alone_is_enough(app: TestApp) {
        let owner = app.owner().await;
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let payment = &answer["data"]["user_bank_payment"];
        assert_eq!(payment["amount"], 100.0);
        assert_eq!(payment["movement_type"], "GENERIC");
        assert_eq!(payment["source_name"], Value::Null);
    }

    async fn both_header_forms_and_a_session_will_do(app: TestApp) {
        let owner = app.owner().await;
        let body = |reference: &str| json!({ "bank_reference": reference });
        owner.key.by_app_key().verify(&owner.bank, body("167890")).await.ok();
        owner.key.verify(&owner.bank, body("267890")).await.ok();
        owner.verify(&owner.bank, body("367890")).await.ok();
        assert_eq!(owner.balance().await, 997);
    }

    async fn a_day_without_a_time_is_midnight_in_caracas(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890", "fecha_pago": "2026-11-19" });
        let answer = owner.key.verify(&owner.bank, asked).await.ok();
        let payment = &answer["data"]["user_bank_payment"];
        assert_eq!(payment["movement_date"], "2026-11-19T04:00:00.000Z");
    }

    async fn test_money_says_that_it_is_none_wherever_it_is_answered(app: TestApp) {
        let owner = app.owner().await;
        let ask = async |language: &str, reference: &str| {
            let call = owner.key.request("POST", &verify_path(&owner.bank));
            let call = call.header("accept-language", language);
            call.json(&json!({ "bank_reference": reference })).send().await.ok()
        };
        let first = ask("en", "167890").await;
        assert_eq!(first["message"], "payment confirmed: test, not real money");
        // A repeat says so, too, in its own language.
        let again = ask("es", "167890").await;
        assert_eq!(again["message"], "payment confirmed: prueba, no es dinero");
        for answer in [&first, &again] {
            assert_eq!(answer["data"]["livemode"], false, "{answer}");
        }
        let listed = owner.get("/v1/payments").await.ok();
        assert_eq!(listed["payments"][0]["livemode"], false);
        let id = listed["payments"][0]["verification_id"].as_str().unwrap().to_owned();
        let shown = owner.get(&format!("/v1/verifications/{id}")).await.ok();
        assert_eq!(shown["verification"]["livemode"], false);
    }

    async fn an_amount_of_zero_is_not_checked(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890", "amount": 0 });
        let answer = owner.key.verify(&owner.bank, asked).await.ok();
        assert_eq!(answer["data"]["user_bank_payment"]["amount"], 100.0);
        assert_eq!(answer["data"]["user_bank_payment"]["payment_params"]["amount"], 0.0);
    }

    async fn the_charge_is_in_the_activity_of_the_key(app: TestApp) {
        let owner = app.owner().await;
        let paid = owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let payment = paid["data"]["user_bank_payment"]["id"].as_str().unwrap();
        let account = format!("Cuenta de prueba ({})", owner.bank);
        let mut activity = owner.activity_of(&owner.key).await;
        let description = activity["credits"][0]["description"].take();
        assert_eq!(description, format!("Pago {payment} verificado en la cuenta {account}"));
        activity["message"].take();
        assert_eq!(activity, json!({
            "message": null,
            "credits": [{
                "date": "2026-11-20T12:00:00.000Z",
                "amount": -1,
                "balance_after": 999,
                "origin": "verification",
                "description": null,
                "movement_type": "debit",
            }],
            "requests": [{
                "date": "2026-11-20T12:00:00.000Z",
                "request_type": "payment_verification",
                "provider": "BANK_TEST",
                "bank_account_id": owner.bank,
                "error_code": null,
                "status": "confirmed",
                "latency_ms": 0,
            }],
            "credit_total": 1,
            "request_total": 1,
        }));
    }

    async fn an_owner_has_its_own_movements(app: TestApp) {
        let (one, other) = (app.owner().await, app.owner().await);
        let asked = json!({ "bank_reference": "67890" });
        for owner in [&one, &other] {
            let answer = owner.key.verify(&owner.bank, asked.clone()).await.ok();
            assert_eq!(answer["data"]["is_new"], true);
        }
    }

    async fn each_test_account_has_its_own_movements(app: TestApp) {
        let owner = app.owner().await;
        let second = owner.key.link_bank().await;
        for bank in [&owner.bank, &second] {
            let answer = owner.key.verify(bank, json!({ "bank_reference": "67890" })).await.ok();
            assert_eq!(answer["data"]["is_new"], true);
        }
    }
}
