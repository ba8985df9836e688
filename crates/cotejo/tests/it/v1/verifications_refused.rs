//! `GET /v1/verifications/refused`: what credits and limits refused before a bank was asked.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Principal, TestApp, both_engines};

use crate::pay::{make, pay};

const PATH: &str = "/v1/verifications/refused";

async fn listed(caller: &Principal, query: &str) -> Vec<Value> {
    let page = caller.get(&format!("{PATH}?{query}")).await.ok();
    page["refused"].as_array().unwrap().clone()
}

/// Asks about that reference, which is refused.
async fn refused(caller: &Principal, bank: &str, reference: &str) {
    let body = json!({ "bank_reference": reference, "amount": 20.5, "fecha_pago": "2026-11-19" });
    caller.verify(bank, body).await.refused(402, "NOT_ENOUGH_CREDITS");
}

both_engines! {
    async fn they_show_what_was_asked_and_which_rule_refused(app: TestApp) {
        let owner = app.owner_with(0).await;
        let limited = owner.key_limited_to(0).await;
        let body = json!({ "bank_reference": "1167890" });
        limited.verify(&owner.bank, body).await.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        app.clock().advance(Duration::from_secs(1));
        refused(&owner.key, &owner.bank, "00 226-7890").await;
        app.clock().advance(Duration::from_secs(1));
        let link = make(&owner.key, &owner.bank, json!({})).await;
        assert_eq!(pay(&app.nobody(), &link, "3367890").await.status, 503);
        let all = listed(&owner, "").await;
        assert_eq!(all.len(), 3);
        let [of_link, newer, older] = [&all[0], &all[1], &all[2]];
        assert_eq!((&of_link["payment_link_id"], &of_link["reference"]), (&json!(link), &json!("3367890")));
        assert_eq!(newer["error_code"], "NOT_ENOUGH_CREDITS");
        assert_eq!((&newer["reference"], &newer["amount"]), (&json!("2267890"), &json!(20.5)));
        assert_eq!((&newer["payment_date"], &newer["api_key_id"]), (&json!("2026-11-19"), &json!(owner.key.id)));
        assert_eq!(newer["refused_at"], "2026-11-20T12:00:01.000Z");
        assert_eq!(older["error_code"], "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!((&older["amount"], &older["api_key_id"]), (&Value::Null, &json!(limited.id)));
        assert_eq!(older["user_bank_id"], owner.bank.as_str());
        // No verification was made.
        let id = older["id"].as_str().unwrap();
        owner.get(&format!("/v1/verifications/{id}")).await.refused(404, "NOT_FOUND");

        for (query, references) in [
            ("reference=67890", &["3367890", "2267890", "1167890"][..]),
            ("reference=1167890", &["1167890"]),
            (&*format!("api_key_id={}", limited.id), &["1167890"]),
            (&*format!("payment_link_id={link}"), &["3367890"]),
            ("to=2026-11-19", &[]),
            ("from=2026-11-20", &["3367890", "2267890", "1167890"]),
        ] {
            let found = listed(&owner, query).await;
            let found: Vec<_> = found.iter().map(|one| one["reference"].as_str().unwrap()).collect();
            assert_eq!(found, references, "{query}");
        }
        owner.get(&format!("{PATH}?reference=x")).await.refused(400, "VALIDATION_ERROR");
        owner.get(&format!("{PATH}?user_bank_id=bank_00000000000000000000000000")).await
            .refused(404, "NOT_FOUND");
    }

    async fn each_is_on_one_page_the_newest_first(app: TestApp) {
        let owner = app.owner_with(0).await;
        for number in 1..=5 {
            refused(&owner.key, &owner.bank, &format!("{number}67890")).await;
            app.clock().advance(Duration::from_secs(1));
        }
        let (mut seen, mut query) = (Vec::new(), "limit=2".to_owned());
        loop {
            let page = owner.get(&format!("{PATH}?{query}")).await.ok();
            let rows = page["refused"].as_array().unwrap();
            seen.extend(rows.iter().map(|one| one["reference"].as_str().unwrap().to_owned()));
            if page["has_more"] == false {
                break;
            }
            query = format!("limit=2&after={}", page["next"].as_str().unwrap());
        }
        assert_eq!(seen, ["567890", "467890", "367890", "267890", "167890"]);
    }

    async fn a_client_sees_its_own_and_nobody_anothers(app: TestApp) {
        let owner = app.owner_with(0).await;
        let (one, other) = (owner.client(true).await, owner.client(true).await);
        let (of_one, of_other) = (owner.client_key(&one).await, owner.client_key(&other).await);
        let bank = of_one.link_bank().await;
        refused(&of_one, &bank, "1167890").await;
        refused(&owner.key, &owner.bank, "2267890").await;
        let marta = owner.client_employee(&one, 1).await;
        assert_eq!(listed(&of_one, "").await.len(), 1);
        assert_eq!(listed(&marta, "").await.len(), 1);
        assert_eq!(listed(&of_other, "").await.len(), 0);
        assert_eq!(listed(&owner, "").await.len(), 2);
        assert_eq!(listed(&owner, &format!("client_owner_id={one}")).await.len(), 1);
        let stranger = app.owner().await;
        assert_eq!(listed(&stranger, "").await.len(), 0);
    }
}
