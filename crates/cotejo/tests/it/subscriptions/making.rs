//! `POST /v1/subscription/make`, `POST /me/subscriptions` and `GET /subscriptions/{subscription_id}/details`

use serde_json::{Value, json};
use testkit::{Setup, both_engines, either_engine};

use super::{begin, details, id, make, wanted};
use crate::pay::{info, paid_with, said};

both_engines! {
    async fn a_subscription_that_is_paid_first_waits_for_its_first_payment(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({ "webhook_url": "http://127.0.0.1:8787/h" })).await;
        let (of, link) = (id(&made), made["paymentLinkId"].as_str().unwrap().to_owned());
        assert_eq!((&made["status"], &made["renovationIsPaid"]), (&json!("pending"), &json!(false)));
        assert_eq!(made["renovationDate"], "2026-11-20");
        assert_eq!(made["paymentLinkUrl"], json!(format!("{}/pay/{link}", app.app().settings.base_url)));
        let asked = info(&owner.key, &link).await;
        assert_eq!((&asked["type"], &asked["with_subscription_id"]), (&json!("subscription"), &json!(of)));
        assert_eq!(asked["description"], "Gimnasio, del 20 de noviembre al 19 de diciembre de 2026");
        assert_eq!((&asked["name"], &asked["amount"]), (&json!("Gimnasio"), &json!(150.75)));
        assert_eq!(asked["webhook_url"], "http://127.0.0.1:8787/h");
        // Three days of grace after its day.
        assert_eq!(asked["expires_at"], "2026-11-24T04:00:00.000Z");

        assert_eq!(said(&paid_with(&app.nobody(), &link, "167890").await), "Pago confirmado");
        let paid = details(&owner.key, &of).await;
        assert_eq!((&paid["status"], &paid["renovationIsPaid"]), (&json!("active"), &json!(true)));
        assert_eq!((&paid["renovationCount"], &paid["renovationDate"]), (&json!(1), &json!("2026-12-20")));
        assert_eq!(paid["paymentLinkId"], Value::Null);
    }
}

either_engine! {
    async fn the_same_request_by_one_key_makes_one_subscription(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let ask = async || {
            let call = owner.key.request("POST", "/v1/subscription/make");
            let call = call.header("idempotency-key", "alta-7");
            call.json(&wanted(&owner.bank, &json!({}))).send().await.ok()["subscription"].clone()
        };
        assert_eq!(ask().await, ask().await);
        assert_eq!(app.database().number("select count(*) from subscriptions"), 1);
        assert_eq!(app.database().number("select count(*) from payment_links"), 1);
    }

    async fn what_is_wrong_is_said_by_field_and_writes_nothing(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        for more in [
            json!({ "uniqueProduct": { "productName": "" } }),
            json!({ "branchClientId": "7" }),
            json!({ "startDate": "2026-11-19" }),
            json!({ "cycles": 0 }),
        ] {
            let answer = owner.key.post("/v1/subscription/make", wanted(&owner.bank, &more)).await;
            answer.refused(400, "VALIDATION_ERROR");
        }
        let free = json!({ "uniqueProduct": { "productName": "Gimnasio", "productPrice": 0 } });
        let answer = owner.key.post("/v1/subscription/make", wanted(&owner.bank, &free)).await;
        answer.refused(400, "IS_NOT_POSITIVE_AMOUNT");
        let answer = owner.key.post("/v1/subscription/make", wanted("bank_7", &json!({}))).await;
        answer.refused(404, "NOT_FOUND");
        for table in ["subscriptions", "subscription_cycles", "payment_links"] {
            assert_eq!(app.database().number(&format!("select count(*) from {table}")), 0);
        }
    }

    async fn subscriptions_are_listed_by_status_and_text(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let product = |name: &str| json!({ "productName": name, "productPrice": 150.75 });
        let gym = make(&owner.key, &owner.bank, json!({ "uniqueProduct": product("Gimnasio") })).await;
        app.clock().advance(std::time::Duration::from_millis(1));
        let more = json!({ "uniqueProduct": product("Internet"), "pay_first": false });
        let net = make(&owner.key, &owner.bank, more).await;
        let list = async |wanted: Value| {
            let answer = owner.key.post("/me/subscriptions", wanted).await.ok();
            let found = answer["subscriptions"].as_array().unwrap().clone();
            assert_eq!(answer["total"], found.len());
            found.iter().map(id).collect::<Vec<_>>()
        };
        assert_eq!(list(json!({})).await, [id(&net), id(&gym)]);
        assert_eq!(list(json!({ "status": "active" })).await, [id(&net)]);
        assert_eq!(list(json!({ "status": "pending" })).await, [id(&gym)]);
        assert_eq!(list(json!({ "search": "GIMN" })).await, [id(&gym)]);
        assert_eq!(list(json!({ "search": "0412-0000000" })).await.len(), 2);
        assert_eq!(list(json!({ "status": "unheard of" })).await, [""; 0]);
    }
}
