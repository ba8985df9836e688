//! The bodies that clients already read, whole, and what they send back of them.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bank::{ACCOUNT, KEY};
use testkit::golden::masked;
use testkit::principal::verify_path;
use testkit::{Owner, Principal, Setup, TestApp, either_engine};

use crate::bdv::start;

/// Body that a client of Banco de Venezuela sends to link an account, in the forms that clients use.
fn link_by_wire_names() -> Value {
    json!({
        "bank_provider": "VE_BAN_EMP_V2",
        "description": "Tienda",
        "username": ACCOUNT,
        "password": KEY,
        "user_bank_phone": "04120000001",
        "user_bank_dni": { "dni_type": "J", "dni_number": "123456784" },
        "metadata": [{ "key_name": "DEVICE_IP", "key_value": "127.0.0.1" }],
    })
}

/// An account of Banco de Venezuela as clients read it, with its number shown so.
fn bank(number: &str) -> Value {
    let account = json!({ "account_number": number, "account_type": "" });
    let alone = json!([{ "name": "REFERENCE_NUMBER", "type": "STRING" }]);
    json!({
        "id": "bank_…",
        "description": "Tienda",
        "provider": "VE_BAN_EMP_V2",
        "platform": "BDV",
        "currency": "VEF",
        "bank_accounts": [account],
        "default_bank_account": account,
        "client_owner_id": null,
        "user_bank_phone": { "countryCode": "58", "number": "4120000001" },
        "payment_link": true,
        "to_trash": false,
        "is_disabled": false,
        "is_block_by_bank": false,
        "verifications_types_available": [
            { "id": "GENERIC", "hidden": false, "fields_required": alone },
            { "id": "MOVIL_PAY", "hidden": false, "fields_required": alone },
            { "id": "TRANSFER", "hidden": false, "fields_required": alone },
        ],
    })
}

/// Links an account by the names on the wire, and answers its id and what its bank gives notice with.
async fn link(owner: &Owner) -> (String, Value) {
    let answer = owner.post("/usersbank", link_by_wire_names()).await.ok();
    (answer["userbank"]["id"].as_str().unwrap().to_owned(), answer["push"].clone())
}

async fn accounts(caller: &Principal) -> Vec<Value> {
    let answer = caller.get("/me/usersbank").await.ok();
    answer["user_banks"].as_array().unwrap().clone()
}

/// Links the account with that request, where it is not linked, and puts it into the trash again.
async fn link_once(owner: &Owner, request: Value) -> Value {
    let answer = owner.post("/usersbank", request).await.ok();
    let id = answer["userbank"]["id"].as_str().unwrap();
    owner.request("DELETE", &format!("/usersbank/{id}/to-trash")).send().await.ok();
    answer
}

either_engine! {
    async fn an_account_is_linked_and_listed_in_the_agreed_shape(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let answer = owner.post("/usersbank", link_by_wire_names()).await.ok();
        let push = json!({
            "path": "/hooks/bank/bdv/bank_…",
            "headers": ["API-KEY", "X-API-KEY"],
            "secret": "ps_live_…",
        });
        let agreed = json!({
            "message": "cuenta vinculada",
            "userbank": bank(ACCOUNT),
            "usersbank": bank(ACCOUNT),
            "push": push,
        });
        assert_eq!(masked(&answer), agreed);
        for (caller, number) in [(&*owner, ACCOUNT), (&*owner.key, "****************0001")] {
            let mut listed = masked(&caller.get("/me/usersbank").await.ok());
            let banks = listed["user_banks"].as_array_mut().unwrap();
            // Beside the sandbox's, linked in the same instant.
            banks.retain(|bank| bank["provider"] != "BANK_TEST");
            assert_eq!(listed, json!({ "message": "cuentas bancarias", "user_banks": [bank(number)] }));
        }
    }

    async fn platforms_have_the_agreed_shape(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let platforms = app.nobody().get("/v1/platforms").await.json();
        assert_eq!(platforms, json!([
            {
                "id": "BANK_TEST", "name": "Banco de prueba", "bank_code": null, "currency": "VEF",
                "providers": ["BANK_TEST"], "is_bank": false,
                "have_notification_sms": false, "have_notification_app": false,
                "credentials": [],
            },
            {
                "id": "BDV", "name": "Banco de Venezuela", "bank_code": "0102", "currency": "VEF",
                "providers": ["VE_BAN_EMP_V2"], "is_bank": true,
                "have_notification_sms": false, "have_notification_app": true,
                "credentials": [
                    {
                        "field": "username", "key_name": null,
                        "label": "el número de la cuenta, 20 dígitos",
                        "format": "ACCOUNT_NUMBER", "max_length": 20,
                        "is_required": true, "is_secret": false,
                    },
                    {
                        "field": "password", "key_name": null,
                        "label": "la clave que le dio el banco",
                        "format": "TEXT", "max_length": 1024,
                        "is_required": true, "is_secret": true,
                    },
                ],
            },
        ]));
    }

    async fn what_the_bank_shows_is_returned_as_it_shows_it(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, _) = link(&owner).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        let asked = json!({ "bank_reference": "79912345", "amount": 150.75, "source_name": "caja 1" });
        let answer = owner.key.post(&verify_path(&id), asked.clone()).await.ok();
        let payment = json!({
            "id": "pay_…",
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
            "movement_date": "2026-11-20T12:00:00.000Z",
            "bank_reference_id": "0050979912345",
            "user_id": masked(&json!(owner.id)),
            "user_bank_id": "bank_…",
            "amount": 150.75,
            "currency": "VEF",
            "status": "paid",
            "credit_cost": 1,
            "movement_type": "GENERIC",
            "confirmed_status": true,
            "evidence": "bank",
            "matched_by": "reference",
            "source_name": "caja 1",
            "details": [],
            "payment_params": {
                "amount": 150.75,
                "cedula_pagador": null,
                "telefono_pagador": "",
                "fecha_pago": "",
                "banco_origen": "",
                "cuenta_pagador": "",
                "invoice_number": "",
                "movement_type": "GENERIC",
            },
            "verification_id": "ver_…",
            "payment_link_id": null,
            "client_owner_id": null,
            "api_key_id": "key_…",
            "livemode": true,
        });
        let data = |is_new: bool, cost: i64| json!({
            "is_new": is_new, "credit_cost": cost, "user_credits_total": 999,
            "matched_by": "reference", "livemode": true, "user_bank_payment": payment,
        });
        let agreed = json!({ "message": "payment confirmed", "data": data(true, 1) });
        assert_eq!(masked(&answer), agreed);
        let again = owner.key.post(&verify_path(&id), asked).await.ok();
        let agreed = json!({ "message": "payment confirmed", "data": data(false, 0) });
        assert_eq!(masked(&again), agreed);

        let movements = owner.key.get(&format!("/movements/{id}")).await.ok();
        assert_eq!(masked(&movements), json!({
            "message": "movimientos de la cuenta",
            "movements": [{
                "id": "mov_…",
                "date": "2026-11-20",
                "time": "08:00",
                "amount": 150.75,
                "currency": "VEF",
                "reference": "0050979912345",
                "payer_bank": "0134",
                "payer_phone": "584140000002",
                "payer_document": null,
                "description": "PAGOMOVIL OTROS BANCOS 0134 04140000002",
                "claimed": true,
                "user_bank_payment_id": "pay_…",
                "contested_with": null,
                "livemode": true,
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
        }));
        assert_eq!(owner.activity_of(&owner.key).await["requests"][0]["provider"], "VE_BAN_EMP_V2");
    }

    async fn what_a_notice_left_out_the_extract_adds(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, push) = link(&owner).await;
        bank.notify(owner.address(), &push);
        bank.pay("000079912345", 15_075, Duration::ZERO);
        bank.deliver_due().await;
        let first = async || {
            let movements = owner.get(&format!("/movements/{id}")).await.ok()["movements"].clone();
            (movements[0]["reference"].clone(), movements[0]["description"].clone())
        };
        assert_eq!(first().await, (json!("79912345"), json!("")));
        let notices = owner.get("/v1/bank-pay-notifications").await.ok();
        assert_eq!(masked(&notices), json!({
            "message": "avisos de los bancos",
            "notifications": [{
                "id": "ntf_…",
                "user_bank_id": "bank_…",
                "status": "CONFIRMED",
                "reference": "79912345",
                "amount": "150.75",
                "from": "584140000002",
                "message": "Pago móvil recibido por Bs 150.75 del banco 0134, teléfono 04140000002, \
                    referencia 79912345, fecha 2026-11-20",
                "created_at": "2026-11-20T12:00:00.000Z",
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
        }));
        let asked = json!({ "bank_reference": "912345", "amount": 150.75 });
        let payment = owner.key.post(&verify_path(&id), asked).await.ok()["data"]["user_bank_payment"].clone();
        assert_eq!(payment["bank_reference_id"], "0050979912345");
        let words = json!("PAGOMOVIL OTROS BANCOS 0134 04140000002");
        assert_eq!(first().await, (json!("0050979912345"), words));
        assert_eq!(app.database().number("select count(*) from movements"), 1);
    }

    async fn the_type_of_verification_that_is_listed_verifies(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        link(&owner).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        for account in accounts(&owner.key).await {
            let reference = if account["provider"] == "BANK_TEST" { "67890" } else { "79912345" };
            let types = account["verifications_types_available"].as_array().unwrap();
            let seen = types.iter().find(|one| one["hidden"] == false).unwrap();
            let alone = json!([{ "name": "REFERENCE_NUMBER", "type": "STRING" }]);
            let by_reference = types.iter().find(|one| one["fields_required"] == alone).unwrap();
            for one in [seen, by_reference] {
                let asked = json!({ "bank_reference": reference, "movement_type": one["id"] });
                let path = verify_path(account["id"].as_str().unwrap());
                owner.key.post(&path, asked).await.ok();
            }
            assert_eq!(seen["id"], "GENERIC");
            let mut ids: Vec<_> = types.iter().map(|one| one["id"].as_str().unwrap()).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), types.len(), "one entry for each");
        }
    }

    async fn an_account_is_linked_by_every_form_that_clients_send(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let number = |name: &str| json!([{ "key_name": name, "key_value": ACCOUNT }]);
        for (provider, username, metadata) in [
            ("VE_BAN_EMP_V2", json!(ACCOUNT), json!([])),
            ("VE_BAN_EMP_V2", json!(ACCOUNT), number("ACCOUNT_NUMBER")),
            ("BDV", json!("0102-0000-8900-0000-0001"), json!(null)),
            ("BDV", json!(null), number("account_number")),
            ("VE_BAN_EMP_V2", json!("tienda"), number("Account_Number")),
        ] {
            let mut request = link_by_wire_names();
            request["bank_provider"] = json!(provider);
            request["username"] = username;
            request["metadata"] = metadata;
            let answer = link_once(&owner, request.clone()).await;
            assert_eq!(masked(&answer["userbank"]), bank(ACCOUNT), "{request}");
        }
        for (username, metadata) in [
            (json!(null), json!([])),
            (json!("tienda"), json!([])),
            (json!("01340000890000000001"), json!([])),
            (json!("01020000890000000002"), number("ACCOUNT_NUMBER")),
        ] {
            let mut request = link_by_wire_names();
            request["username"] = username;
            request["metadata"] = metadata;
            let refused = owner.post("/usersbank", request).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused["details"][0]["field"], "username", "{refused}");
        }
    }

    async fn a_provider_that_is_not_there_is_refused_with_those_that_are(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let asked = json!({ "bank_provider": "VE_BANESCO_V1" });
        let refused = owner.post("/usersbank", asked).await.refused(400, "INVALID_BANK_PROVIDER");
        assert_eq!(
            refused["message"],
            "Ese bank_provider no está disponible en esta instalación. Disponibles: BANK_TEST, VE_BAN_EMP_V2."
        );
    }

    async fn change_is_not_paid_by_any_of_its_paths(app: TestApp) {
        let owner = app.owner().await;
        let verifying = owner.key_with(&["payment_verifications"]).await;
        let linking = owner.key_with(&["payment_links"]).await;
        let nobody = app.nobody();
        for (method, path) in [
            ("POST", format!("/v1/transactionchange/userbank/{}", owner.bank)),
            ("POST", format!("/v1/user-bank-accounts/{}/transaction-change", owner.bank)),
            ("GET", format!("/userbankpayment/{}/get-next-invoice-number", owner.bank)),
        ] {
            for caller in [&*owner, &*owner.key, &*verifying] {
                let call = caller.request(method, &path).json(&json!({ "amount": 1 }));
                call.send().await.refused(400, "C2P_NOT_SUPPORTED");
            }
            linking.request(method, &path).send().await.refused(403, "FORBIDDEN");
            nobody.request(method, &path).send().await.refused(401, "UNAUTHORIZED");
        }
        assert_eq!(owner.balance().await, 1_000);
    }
}
