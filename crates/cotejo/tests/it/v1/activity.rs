//! `GET /v1/api-keys/{api_key_id}/activity`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{Owner, TestApp, both_engines};

use crate::pay::{make, paid_with};

async fn page(owner: &Owner, query: &str) -> Value {
    owner.get(&format!("/v1/api-keys/{}/activity{query}", owner.key.id)).await.ok()
}

fn balances(page: &Value) -> Vec<i64> {
    let credits = page["credits"].as_array().unwrap();
    credits.iter().map(|line| line["balance_after"].as_i64().unwrap()).collect()
}

both_engines! {
    async fn pages_have_25_records_newest_first(app: TestApp) {
        let owner = app.owner().await;
        for n in 1..=30 {
            app.clock().advance(Duration::from_secs(1));
            let asked = json!({ "bank_reference": format!("{n}67890") });
            owner.key.verify(&owner.bank, asked).await.ok();
            if n % 2 == 0 {
                let asked = json!({ "bank_reference": "123456" });
                owner.key.verify(&owner.bank, asked).await.refused(404, "PAYMENT_NOT_FOUND");
            }
        }
        // Thirty charges, and fifteen attempts more that cost nothing.
        let first = page(&owner, "").await;
        assert_eq!((&first["credit_total"], &first["request_total"]), (&json!(30), &json!(45)));
        assert_eq!(balances(&first), (970..995).collect::<Vec<_>>());
        let second = page(&owner, "?page=2&month=2026-11").await;
        assert_eq!(balances(&second), (995..1000).collect::<Vec<_>>());
        assert_eq!((&second["credit_total"], &second["request_total"]), (&json!(30), &json!(45)));

        let dates = |page: &Value| -> Vec<String> {
            let requests = page["requests"].as_array().unwrap();
            requests.iter().map(|entry| entry["date"].as_str().unwrap().to_owned()).collect()
        };
        let found = |page: &Value| -> Vec<bool> {
            let requests = page["requests"].as_array().unwrap();
            requests.iter().map(|entry| entry["status"] == "confirmed").collect()
        };
        // Charged and not, in the order in which they ended.
        let ends = |n| if n % 2 == 0 { vec![true, false] } else { vec![true] };
        let mut ended: Vec<bool> = (1..=30).flat_map(ends).collect();
        ended.reverse();
        assert_eq!(found(&second), ended.split_off(25));
        assert_eq!(found(&first), ended);
        let (newer, older) = (dates(&first), dates(&second));
        assert_eq!((newer.len(), older.len()), (25, 20));
        assert!(newer.iter().chain(&older).is_sorted_by(|a, b| a >= b));
        let third = page(&owner, "?page=3").await;
        assert_eq!((&third["credits"], &third["requests"]), (&json!([]), &json!([])));
        assert_eq!(third["request_total"], 45);
    }

    async fn it_is_of_one_key_alone(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        assert_eq!(page(&owner, "").await["request_total"], 0);
        assert_eq!(owner.activity_of(&key).await["request_total"], 1);
    }

    async fn a_charge_names_payment_link_and_account_in_the_callers_language(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &link, "167890").await;
        let path = format!("/v1/api-keys/{}/activity", owner.key.id);
        let describe = async |language: &str| {
            let call = owner.request("GET", &path).header("accept-language", language);
            let page = call.send().await.ok();
            page["credits"][0]["description"].as_str().unwrap().to_owned()
        };
        let (spanish, english) = (describe("es").await, describe("en").await);
        let account = format!("Cuenta de prueba ({})", owner.bank);
        assert!(spanish.starts_with(&format!("Enlace {link} pagado con pay_")), "{spanish}");
        assert!(spanish.ends_with(&format!(" en la cuenta {account}")), "{spanish}");
        assert!(english.starts_with(&format!("Link {link} paid with pay_")), "{english}");
        assert!(english.ends_with(&format!(" on the account {account}")), "{english}");
    }

    async fn what_a_session_verifies_is_in_the_activity_of_sessions(app: TestApp) {
        let mut owner = app.owner().await;
        let verify = verify_path(&owner.bank);
        owner.post(&verify, json!({ "bank_reference": "67890" })).await.ok();
        // Another session of the same owner.
        owner.sign_in_again().await;
        let unknown = owner.post(&verify, json!({ "bank_reference": "123456" })).await;
        unknown.refused(404, "PAYMENT_NOT_FOUND");
        owner.key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();

        let own = owner.get("/me/activity").await.ok();
        assert_eq!((&own["credit_total"], &own["request_total"]), (&json!(1), &json!(2)));
        assert_eq!(own["requests"][0]["error_code"], "PAYMENT_NOT_FOUND");
        assert_eq!(own["requests"][1]["status"], "confirmed");
        assert_eq!(balances(&own), [999]);
        assert_eq!(owner.get("/me/activity?month=2026-10").await.ok()["request_total"], 0);
        assert_eq!(owner.get("/me/activity?page=2").await.ok()["requests"], json!([]));
        owner.get("/me/activity?page=0").await.refused(400, "VALIDATION_ERROR");
        // It is nobody else's: neither a key's, nor another owner's.
        assert_eq!(page(&owner, "").await["request_total"], 1);
        owner.key.get("/me/activity").await.refused(403, "OWNER_SESSION_REQUIRED");
        let stranger = app.owner().await;
        assert_eq!(stranger.get("/me/activity").await.ok()["request_total"], 0);
    }

    async fn another_month_is_empty(app: TestApp) {
        let owner = app.owner().await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let october = page(&owner, "?month=2026-10").await;
        assert_eq!((&october["credit_total"], &october["requests"]), (&json!(0), &json!([])));
    }

    async fn month_and_page_must_make_sense(app: TestApp) {
        let owner = app.owner().await;
        for (query, field) in [
            ("month=2026-13", "month"),
            ("month=", "month"),
            ("page=0", "page"),
            ("page=-1", "page"),
            ("page=one", "page"),
            ("page=99999999999999", "page"),
        ] {
            let path = format!("/v1/api-keys/{}/activity?{query}", owner.key.id);
            let body = owner.get(&path).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], field, "{query}");
        }
    }

    async fn another_owners_key_does_not_exist(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let path = format!("/v1/api-keys/{}/activity", stranger.key.id);
        owner.get(&path).await.refused(404, "NOT_FOUND");
    }
}
