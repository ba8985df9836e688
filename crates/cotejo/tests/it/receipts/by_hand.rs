//! Receipts of payments that people verify: which answers carry their address, and those that a key had claimed before.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{Principal, TestApp, both_engines, either_engine};

use super::{numbers, paid_link, receipts};

fn asked(reference: &str) -> Value {
    json!({ "bank_reference": reference, "amount": 150.75 })
}

/// Verifies; answers whether the payment is new, and the address of its receipt, if the answer has one.
async fn verify(caller: &Principal, bank: &str, reference: &str) -> (bool, Option<String>) {
    let data = caller.verify(bank, asked(reference)).await.ok()["data"].clone();
    let url = data["user_bank_payment"].get("receipt_url");
    (data["is_new"].as_bool().unwrap(), url.map(|url| url.as_str().unwrap().to_owned()))
}

fn url_of(receipt: &Value) -> Option<String> {
    Some(receipt["url"].as_str().unwrap().to_owned())
}

either_engine! {
    async fn a_person_is_answered_the_address_of_the_receipt_each_time(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payments:write"]).await;
        let first = verify(&owner, &owner.bank, "167890").await;
        let [receipt] = &*receipts(&owner).await else { panic!("one receipt") };
        assert_eq!(first, (true, url_of(receipt)));
        for person in [&*owner, &*employee] {
            assert_eq!(verify(person, &owner.bank, "167890").await, (false, url_of(receipt)));
        }
        assert_eq!(owner.get("/v1/payments").await.ok()["payments"][0]["receipt_url"], receipt["url"]);
        assert_eq!(verify(&owner.key, &owner.bank, "167890").await, (false, url_of(receipt)));
        // The same answer again is that answer.
        let again = async || {
            let call = owner.request("POST", &format!("/userbankpayment/{}/betaserio", owner.bank));
            call.header("idempotency-key", "caja-1").json(&asked("267890")).send().await.body
        };
        let answered = again().await;
        assert_eq!(answered, again().await);
        let answered: Value = serde_json::from_slice(&answered).unwrap();
        let all = receipts(&owner).await;
        assert_eq!(numbers(&all), [2, 1]);
        assert_eq!(answered["data"]["user_bank_payment"]["receipt_url"], all[0]["url"]);
        assert_eq!(app.audit().await, []);
    }

    async fn what_a_key_verified_has_a_receipt_once_a_person_verifies_it(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payments:write"]).await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda Ejemplo" })).await.ok();
        assert_eq!(verify(&owner.key, &owner.bank, "167890").await, (true, None));
        assert_eq!(verify(&owner.key, &owner.bank, "267890").await, (true, None));
        let balance = owner.balance().await;
        app.clock().advance(Duration::from_secs(600));

        let (is_new, url) = verify(&employee, &owner.bank, "167890").await;
        let [receipt] = &*receipts(&owner).await else { panic!("one receipt") };
        assert_eq!((is_new, &url), (false, &url_of(receipt)));
        assert_eq!((&receipt["number"], &receipt["merchant"]), (&json!(1), &json!("Tienda Ejemplo")));
        assert_eq!((&receipt["amount"], &receipt["payment_link_id"]), (&json!(150.75), &Value::Null));
        assert!(receipt["bank_reference_id"].as_str().unwrap().ends_with("167890"), "{receipt}");
        for caller in [&*owner, &*employee] {
            assert_eq!(verify(caller, &owner.bank, "167890").await, (false, url.clone()));
        }
        assert_eq!(verify(&owner.key, &owner.bank, "167890").await, (false, url.clone()));
        let listed = owner.get("/v1/payments").await.ok()["payments"].clone();
        assert_eq!((&listed[0]["receipt_url"], listed[1].get("receipt_url")), (&receipt["url"], None));
        assert_ne!(receipt["issued_at"], listed[0]["created_at"]);
        // It costs nothing, and becomes void as any other.
        assert_eq!(owner.balance().await, balance);
        let path = format!("/v1/receipts/{}/void", receipt["id"].as_str().unwrap());
        owner.post(&path, json!({ "reason": "Se devolvió" })).await.ok();
        assert_eq!(verify(&owner, &owner.bank, "167890").await, (false, url));
        assert_eq!(numbers(&receipts(&owner).await), [1]);
        assert_eq!(app.audit().await, []);
    }

    async fn so_has_a_movement_that_a_person_accepts_after_a_key(app: TestApp) {
        let owner = app.owner().await;
        verify(&owner.key, &owner.bank, "167890").await;
        let movements = owner.get(&format!("/movements/{}", owner.bank)).await.ok();
        let movement = movements["movements"][0]["id"].as_str().unwrap().to_owned();
        let accepted = owner.post(&format!("/v1/movements/{movement}/accept"), json!({})).await.ok();
        let [receipt] = &*receipts(&owner).await else { panic!("one receipt") };
        assert_eq!(accepted["data"]["user_bank_payment"]["receipt_url"], receipt["url"]);
        assert_eq!(accepted["data"]["is_new"], false);
        assert_eq!(app.audit().await, []);
    }

    async fn a_clients_person_has_receipts_of_what_its_client_verified_alone(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let person = owner.client_employee(&client, 1).await;
        verify(&owner.key, &bank, "167890").await;
        assert_eq!(verify(&person, &bank, "167890").await, (false, None));
        assert_eq!(receipts(&owner).await, [json!(null); 0]);
        verify(&key, &bank, "267890").await;
        let (is_new, url) = verify(&person, &bank, "267890").await;
        let of_client = receipts(&owner).await;
        assert_eq!((is_new, url), (false, url_of(&of_client[0])));
        assert_eq!(receipts(&person).await, of_client);
        // The owner's people see both.
        let (_, url) = verify(&owner, &bank, "167890").await;
        assert_eq!(url, url_of(&receipts(&owner).await[0]));
        assert_eq!(verify(&person, &bank, "167890").await, (false, None));
        assert_eq!(numbers(&receipts(&owner).await), [2, 1]);
        assert_eq!(app.audit().await, []);
    }

    async fn the_audit_finds_that_the_person_was_altered(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        paid_link(&app, &owner, "167890").await;
        verify(&owner.key, &owner.bank, "267890").await;
        verify(&owner, &owner.bank, "267890").await;
        assert_eq!(app.audit().await, []);
        // That of a link is made by nobody, and that of a key's payment by a person.
        for (number, altered, kept) in [(1, "owner_id", "null"), (2, "null", "owner_id")] {
            let set = |to: &str| format!("update receipts set issued_by = {to} where number = {number}");
            app.tamper(&set(altered)).await;
            let found = format!("{:?}", app.audit().await);
            for is_named in ["receipts.payment_id", "receipts.seal"] {
                assert!(found.contains(is_named), "{number}, {is_named}: {found}");
            }
            app.tamper(&set(kept)).await;
            assert_eq!(app.audit().await, []);
        }
    }
}

both_engines! {
    async fn a_payment_has_one_receipt_though_many_verify_it_at_once(app: TestApp) {
        let owner = app.owner().await;
        for reference in ["167890", "267890"] {
            verify(&owner.key, &owner.bank, reference).await;
        }
        let employee = owner.employee(1, &["payments:write"]).await;
        let calls = ["167890", "267890", "167890", "267890", "167890", "267890"].into_iter();
        let calls = calls.zip([&*owner, &*owner, &*employee].into_iter().cycle());
        let answers = calls.map(|(reference, person)| verify(person, &owner.bank, reference));
        let mut urls: Vec<_> = join_all(answers).await.into_iter().map(|(_, url)| url).collect();
        urls.sort();
        urls.dedup();
        let found = receipts(&owner).await;
        let mut expected: Vec<_> = found.iter().map(url_of).collect();
        expected.sort();
        assert_eq!((numbers(&found), urls), (vec![2, 1], expected));
        assert_eq!(app.audit().await, []);
    }
}
