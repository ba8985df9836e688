//! `GET /v1/verifications`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Principal, TestApp, both_engines};

use crate::pay::{make, paid_with};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn page(caller: &Principal, query: &str) -> Value {
    caller.get(&format!("/v1/verifications?{query}")).await.ok()
}

fn field(page: &Value, name: &str) -> Vec<String> {
    let all = page["verifications"].as_array().unwrap().iter();
    all.map(|one| one[name].as_str().unwrap_or("-").to_owned()).collect()
}

fn references(page: &Value) -> Vec<String> {
    field(page, "reference")
}

/// Asks about that reference, whatever the answer is.
async fn ask(caller: &Principal, bank: &str, reference: &str) {
    caller.verify(bank, json!({ "bank_reference": reference, "amount": 100 })).await;
}

both_engines! {
    async fn they_show_what_was_asked_and_why_it_was_refused(app: TestApp) {
        let owner = app.owner().await;
        let nothing = page(&owner.key, "").await;
        assert_eq!((&nothing["verifications"], &nothing["next"]), (&json!([]), &Value::Null));
        ask(&owner.key, &owner.bank, "167890").await;
        app.clock().advance(Duration::from_secs(1));
        let body = json!({ "bank_reference": "00 123-456", "amount": 7.5, "fecha_pago": "2026-11-19" });
        owner.verify(&owner.bank, body).await.refused(404, "PAYMENT_NOT_FOUND");
        let listed = page(&owner.key, "").await;
        assert_eq!(field(&listed, "status"), ["not_found", "confirmed"]);
        assert_eq!(field(&listed, "error_code"), ["PAYMENT_NOT_FOUND", "-"]);
        let refused = &listed["verifications"][0];
        assert_eq!(refused["reference"], "00123456");
        assert_eq!((&refused["amount"], &refused["payment_date"]), (&json!(7.5), &json!("2026-11-19")));
        assert_eq!(refused["user_bank_id"], owner.bank.as_str());
        assert_eq!((&refused["api_key_id"], &refused["user_bank_payment_id"]), (&Value::Null, &Value::Null));
        let confirmed = &listed["verifications"][1];
        assert_eq!(confirmed["api_key_id"], owner.key.id.as_str());
        assert!(confirmed["user_bank_payment_id"].is_string(), "{confirmed}");
        assert_eq!(confirmed["created_at"], "2026-11-20T12:00:00.000Z");
        // Each is the one that its id shows.
        let path = format!("/v1/verifications/{}", refused["id"].as_str().unwrap());
        assert_eq!(owner.get(&path).await.ok()["verification"]["error_code"], "PAYMENT_NOT_FOUND");
    }

    async fn each_is_on_one_page_the_newest_first(app: TestApp) {
        let owner = app.owner().await;
        for number in 1..=5 {
            ask(&owner.key, &owner.bank, &format!("{number}67890")).await;
            app.clock().advance(Duration::from_secs(1));
        }
        let first = page(&owner.key, "limit=3").await;
        assert_eq!(references(&first), ["567890", "467890", "367890"]);
        assert_eq!(first["has_more"], true);
        // What comes meanwhile is before the first page, and moves nothing.
        ask(&owner.key, &owner.bank, "667890").await;
        let after = format!("limit=3&after={}", first["next"].as_str().unwrap());
        let rest = page(&owner.key, &after).await;
        assert_eq!((references(&rest), &rest["has_more"]), (vec!["267890".to_owned(), "167890".to_owned()], &json!(false)));
        let after = format!("after={}", rest["next"].as_str().unwrap());
        let none = page(&owner.key, &after).await;
        assert_eq!((&none["verifications"], &none["next"]), (&json!([]), &rest["next"]));
    }

    async fn filters_let_through_what_they_say(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let theirs = key.link_bank().await;
        ask(&owner.key, &owner.bank, "167890").await;
        ask(&key, &theirs, "267890").await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &link, "367890").await;
        app.clock().advance(DAY);
        ask(&owner.key, &owner.bank, "400123456").await;
        // Within a millisecond ids have no order.
        let of = async |query: &str| {
            let mut found = references(&page(&owner.key, query).await);
            found.sort();
            found
        };
        assert_eq!(of(&format!("user_bank_id={theirs}")).await, ["267890"]);
        assert_eq!(of(&format!("client_owner_id={client}")).await, ["267890"]);
        assert_eq!(of(&format!("api_key_id={}", key.id)).await, ["267890"]);
        assert_eq!(of(&format!("payment_link_id={link}")).await, ["367890"]);
        assert_eq!(of("status=not_found").await, ["400123456"]);
        assert_eq!(of("reference=67890").await, ["167890", "267890", "367890"]);
        assert_eq!(of("reference=267890&status=confirmed").await, ["267890"]);
        // A caller that typed few digits asked about the same reference.
        assert_eq!(of("reference=0000000267890").await, ["267890"]);
        assert_eq!(of("from=2026-11-21").await, ["400123456"]);
        assert_eq!(of("to=2026-11-20").await, ["167890", "267890", "367890"]);
        assert_eq!(of("from=2026-11-22").await, [""; 0]);
        for (query, field) in [
            ("after=ver_1", "after"),
            ("reference=12a", "reference"),
            ("status=failed", "status"),
            ("from=2026-11-21&to=2026-11-20", "from"),
            ("limit=101", "limit"),
        ] {
            let refused = owner.key.get(&format!("/v1/verifications?{query}")).await;
            refused.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused.json()["details"][0]["field"], field, "{query}");
        }
    }

    async fn everybody_sees_those_of_its_reach(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let theirs = key.link_bank().await;
        let other = owner.key.link_bank().await;
        let limited = owner.key_for(&[&other]).await;
        ask(&owner.key, &owner.bank, "167890").await;
        ask(&key, &theirs, "267890").await;
        // At the client's account, and not by the client.
        ask(&owner.key, &theirs, "367890").await;
        ask(&limited, &other, "467890").await;
        // At the limited key's account, and not by it: what others typed is not shown to a till.
        ask(&owner.key, &other, "567890").await;
        let seen = async |caller: &Principal| {
            let mut seen = references(&page(caller, "").await);
            seen.sort();
            seen
        };
        assert_eq!(seen(&owner).await, ["167890", "267890", "367890", "467890", "567890"]);
        assert_eq!(seen(&owner.key).await.len(), 5);
        assert_eq!(seen(&key).await, ["267890"]);
        assert_eq!(seen(&limited).await, ["467890"]);
        assert_eq!(seen(&stranger).await, [""; 0]);
        let path = format!("/v1/verifications?user_bank_id={}", owner.bank);
        for caller in [&limited, &key] {
            caller.get(&path).await.refused(404, "NOT_FOUND");
        }
        stranger.get(&path).await.refused(404, "NOT_FOUND");
    }
}
