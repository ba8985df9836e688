//! A payment and a payment link are one object each, wherever they are shown.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::schema::{Fields, mismatches};
use testkit::{Owner, Principal, Setup, TestApp, either_engine};

use crate::exchange_rate::record_dollar;
use crate::pay::rates::hold;
use crate::slow_bank::about;
use crate::{bdv, pay};

/// Longer than the bank wants between two looks at an account.
const MOMENT: Duration = Duration::from_secs(3);

async fn ask(caller: &Principal, path: &str) -> Value {
    caller.get(path).await.ok()
}

/// The body of the only event that there is of that kind, by the feed.
async fn event(owner: &Owner, kind: &str) -> Value {
    let feed = ask(owner, &format!("/v1/webhooks/events?event={kind}")).await;
    let [event] = &**feed["events"].as_array().unwrap() else { panic!("one event: {feed}") };
    serde_json::from_str(event["body"].as_str().unwrap()).unwrap()
}

/// Checks that an event is of the shape that the document gives it.
async fn check_shape(app: &TestApp, event: &Value) {
    let document = app.nobody().get("/openapi.json").await.json();
    let schema = json!({ "$ref": "#/components/schemas/PaymentLinkEvent" });
    assert_eq!(mismatches(&document, &schema, event, Fields::AsNamed), Vec::<String>::new());
}

either_engine! {
    async fn the_payment_of_a_link_is_the_same_in_every_place(setup: Setup) {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        record_dollar(&app, "891.25", "2026-11-19", "2026-11-20").await;
        let receiver = Receiver::with_status(200);
        let more = json!({
            "amount": 25, "currency": "USD", "webhook_url": receiver.url(),
            "metadata": { "orden": "A-7", "cajas": 2 },
        });
        let link = pay::make(&owner.key, &account, more).await;
        hold(&app.nobody(), &link).await;
        bank.pay("000079912345", 2_228_125, Duration::ZERO);
        let fields = [("reference", "79912345"), ("seen", "2228125"), ("phone", pay::THEIRS[0].1)];
        pay::send(&app.nobody(), &format!("/pay/{link}"), &fields).await;
        let sent: Value = serde_json::from_str(&receiver.received(1).await[0].body).unwrap();
        app.settle().await;
        check_shape(&app, &sent).await;
        assert_eq!((&sent["type"], &sent["status"]), (&json!("payment_link.paid"), &json!("paid")));

        let shown = ask(&owner.key, &format!("/paymentlink/{link}/info")).await["data"].clone();
        let payment = &shown["user_bank_payment"];
        assert_eq!(payment["payment_link_id"], link.as_str());
        assert_eq!(payment["api_key_id"], owner.key.id.as_str());
        assert_eq!((&payment["evidence"], &payment["livemode"]), (&json!("bank"), &json!(true)));
        assert_eq!(payment["payment_params"]["amount"], 22_281.25);
        assert_eq!(payment["payment_params"]["telefono_pagador"], "584140000002");
        assert_eq!((&payment["price"]["rate"], &payment["price"]["source"]), (&json!(891.25), &json!("BCV")));
        assert!(payment["receipt_url"].is_string() && payment["movement_date"].is_string(), "{payment}");
        let verification = payment["verification_id"].as_str().unwrap();
        let listed = ask(&owner, "/v1/payments").await;
        let verifications = ask(&owner.key, "/v1/verifications").await;
        let one = ask(&owner, &format!("/v1/verifications/{verification}")).await;
        app.clock().advance(MOMENT);
        let again = owner.key.verify(&account, about("79912345")).await.ok();
        for (place, found) in [
            ("webhook", &sent["user_bank_payment"]),
            ("feed", &event(&owner, "payment_link.paid").await["user_bank_payment"]),
            ("list", &listed["payments"][0]),
            ("list of a key", &ask(&owner.key, "/v1/payments").await["payments"][0]),
            ("list of the link", &ask(&owner, &format!("/v1/payments?payment_link_id={link}")).await["payments"][0]),
            ("verifications", &verifications["verifications"][0]["user_bank_payment"]),
            ("verification", &one["verification"]["user_bank_payment"]),
            ("repeat", &again["data"]["user_bank_payment"]),
        ] {
            assert_eq!(found, payment, "{place}");
        }

        let listed = owner.post("/me/payment-links", json!({})).await.ok();
        assert_eq!(ask(&owner, &format!("/paymentlink/{link}")).await["data"], shown);
        for (place, found) in [("webhook", &sent["payment_link"]), ("list", &listed["payment_links"][0])] {
            assert_eq!(found, &shown["payment_link"], "{place}");
        }
        let metadata = &shown["payment_link"]["metadata"];
        assert_eq!(metadata, &json!({ "orden": "A-7", "cajas": 2 }));
        assert_eq!(sent["metadata"], json!([{ "key": "cajas", "value": "2" }, { "key": "orden", "value": "A-7" }]));
    }

    async fn a_link_is_the_same_in_its_event_however_it_ends(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        owner.put("/v1/payment-link-settings", json!({ "max_attempts": 9, "announce_expiry": true })).await.ok();
        let make = || pay::make(&owner.key, &owner.bank, json!({ "webhook_url": receiver.url() }));
        for (count, how, status) in [(1, "reject", "failed"), (2, "cancel", "canceled")] {
            let link = make().await;
            owner.post(&format!("/v1/paymentlink/{link}/{how}"), json!({})).await.ok();
            receiver.received(count).await;
            app.settle().await;
            let event = event(&owner, &format!("payment_link.{status}")).await;
            check_shape(&app, &event).await;
            assert_eq!((&event["status"], &event["user_bank_payment"]), (&json!(status), &Value::Null));
            assert_eq!(event["payment_link"], pay::info(&owner.key, &link).await, "{status}");
        }
    }

    async fn metadata_is_whole_in_the_event_however_deep_it_is_nested(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        // The object is one level.
        let nested = |levels: usize| -> Value {
            let list = format!("{}{}", "[".repeat(levels - 1), "]".repeat(levels - 1));
            serde_json::from_str(&format!("{{\"a\":{list}}}")).unwrap()
        };
        let (most, more) = (nested(100), nested(101));
        let link = pay::make(&owner.key, &owner.bank, json!({ "webhook_url": receiver.url(), "metadata": most })).await;
        let body = json!({ "amount": 5, "description": "x", "user_bank_id": owner.bank, "metadata": more });
        owner.key.post("/v1/paymentlink", body).await.refused(400, "VALIDATION_ERROR");
        let patch = owner.key.request("PATCH", &format!("/paymentlink/{link}/patch"));
        patch.json(&json!({ "metadata": more })).send().await.refused(400, "VALIDATION_ERROR");
        owner.post(&format!("/v1/paymentlink/{link}/reject"), json!({})).await.ok();
        let sent: Value = serde_json::from_str(&receiver.received(1).await[0].body).unwrap();
        app.settle().await;
        assert_eq!(sent["payment_link"]["metadata"], most);
        assert_eq!(app.audit().await, []);
    }

    async fn a_clients_caller_sees_nothing_of_who_claimed_a_payment_before(setup: Setup) {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let account = bdv::link(&key).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        let asked = json!({
            "bank_reference": "79912345", "amount": 150.75, "phone_pagador": pay::THEIRS[0].1, "source_name": "caja 1",
        });
        let claimed = owner.key.verify(&account, asked).await.ok()["data"]["user_bank_payment"].clone();
        assert_eq!((&claimed["source_name"], &claimed["client_owner_id"]), (&json!("caja 1"), &json!(client)));
        app.clock().advance(MOMENT);
        // Fewer digits: the bank is asked, so that this is a verification of its own.
        let asked = json!({ "bank_reference": "912345", "amount": 150.75, "source_name": "suya" });
        let repeated = key.verify(&account, asked).await.ok()["data"].clone();
        assert_eq!((&repeated["is_new"], &repeated["user_bank_payment"]["source_name"]), (&json!(false), &json!("suya")));

        let mut expected = claimed.clone();
        for field in ["source_name", "payment_link_id", "client_owner_id", "api_key_id"] {
            expected[field] = Value::Null;
        }
        expected["payment_params"]["amount"] = json!(0.0);
        expected["payment_params"]["telefono_pagador"] = json!("");
        let listed = ask(&key, "/v1/verifications").await;
        let [own] = &**listed["verifications"].as_array().unwrap() else { panic!("{listed}") };
        assert_eq!(own["user_bank_payment"], expected);
        let path = format!("/v1/verifications/{}", own["id"].as_str().unwrap());
        assert_eq!(ask(&key, &path).await["verification"]["user_bank_payment"], expected);
        // It is no payment of the client's, and the owner sees everything.
        assert_eq!(ask(&key, "/v1/payments").await["payments"], json!([]));
        assert_eq!(ask(&owner.key, &path).await["verification"]["user_bank_payment"], claimed);
        assert_eq!(ask(&owner, "/v1/payments").await["payments"], json!([claimed]));
    }

    async fn nor_for_what_price_the_link_of_somebody_else_was_paid(setup: Setup) {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let account = bdv::link(&key).await;
        record_dollar(&app, "891.25", "2026-11-19", "2026-11-20").await;
        let receiver = Receiver::with_status(200);
        let more = json!({ "amount": 25, "currency": "USD", "webhook_url": receiver.url() });
        let link = pay::make(&owner.key, &account, more).await;
        hold(&app.nobody(), &link).await;
        bank.pay("000079912345", 2_228_125, Duration::ZERO);
        let fields = [("reference", "79912345"), ("seen", "2228125"), ("phone", pay::THEIRS[0].1)];
        pay::send(&app.nobody(), &format!("/pay/{link}"), &fields).await;
        receiver.received(1).await;
        app.settle().await;
        app.clock().advance(MOMENT);
        let repeated = key.verify(&account, about("79912345")).await.ok()["data"].clone();
        let shown = &repeated["user_bank_payment"];
        assert_eq!((&repeated["is_new"], &shown["amount"]), (&json!(false), &json!(22_281.25)));
        for field in ["price", "receipt_url"] {
            assert_eq!(shown.get(field), None, "{shown}");
        }
        assert_eq!(shown["payment_link_id"], Value::Null);
        let answer = owner.key.verify(&account, about("79912345")).await.ok();
        assert_eq!(answer["data"]["user_bank_payment"]["price"]["rate"], 891.25);
    }
}
