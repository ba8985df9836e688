//! What a key did in a month, and how its limit stands.

use std::time::Duration;

use serde_json::json;
use testkit::{TestApp, both_engines};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How many rows a table has.
fn rows(page: &str) -> usize {
    page.matches("<th scope=\"row\"").count()
}

both_engines! {
    async fn credits_and_requests_are_listed_by_month_25_a_page(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        for number in 1..=26 {
            app.clock().advance(Duration::from_secs(1));
            let asked = json!({ "bank_reference": format!("{number}67890") });
            key.verify(&owner.bank, asked).await.ok();
        }
        let asked = json!({ "bank_reference": "123456" });
        key.verify(&owner.bank, asked).await.refused(404, "PAYMENT_NOT_FOUND");
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = format!("/app/keys/{}/activity", key.id);
        let credits = browser.open(&path).await;
        assert_eq!(rows(&credits), 25);
        assert!(credits.contains("<dd>26</dd>") && credits.contains("<dd>27</dd>"), "{credits}");
        assert!(credits.contains("26 en total"), "{credits}");
        let second = browser.open(&format!("{path}?month=2026-11&list=credits&page=2")).await;
        assert_eq!(rows(&second), 1);
        let requests = browser.open(&format!("{path}?month=2026-11&list=requests")).await;
        assert_eq!(rows(&requests), 25);
        assert!(requests.contains("27 en total") && requests.contains("No encontrado"));
        assert!(requests.contains("<code>PAYMENT_NOT_FOUND</code>"), "{requests}");
        assert!(requests.contains("month=2026-11&#38;list=requests&#38;page=2") || requests.contains("month=2026-11&list=requests&page=2"), "{requests}");
        // The month after, which both are offered of.
        app.clock().advance(12 * DAY);
        browser.sign_in_as(&owner).await;
        let empty = browser.open(&path).await;
        assert!(empty.contains("no se gastaron créditos"), "{empty}");
        for month in ["2026-12\" selected", "2026-11\""] {
            assert!(empty.contains(&format!("<option value=\"{month}")), "{month}: {empty}");
        }
        assert_eq!(rows(&browser.open(&format!("{path}?month=2026-11")).await), 25);
    }

    async fn what_a_revoked_key_did_is_still_to_be_seen(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(&format!("/app/keys/{}", key.id)).await;
        let revoked = browser.send(&format!("/app/keys/{}/revoke", key.id), &[("revoke_name", "caja")]).await;
        let leads_to = revoked.header("location").unwrap().to_owned();
        let list = browser.open(&leads_to).await;
        let path = format!("/app/keys/{}/activity", key.id);
        assert!(list.contains(&format!("href=\"{path}\"")), "{list}");
        let page = browser.open(&path).await;
        assert!(page.contains("Llave revocada") && rows(&page) == 1, "{page}");
    }

    async fn a_limit_says_whose_it_is_and_what_the_month_comes_to(app: TestApp) {
        let owner = app.owner().await;
        let (client, key) = (owner.client(true).await, owner.key_limited_to(3).await);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = format!("/app/keys/{}", key.id);
        for reference in ["167890", "267890"] {
            key.verify(&owner.bank, json!({ "bank_reference": reference })).await.ok();
        }
        // Two in twenty days come to three in thirty; and one more is all.
        let page = browser.open(&path).await;
        assert!(page.contains("Vale el límite propio") && page.contains("<dd>3</dd>"), "{page}");
        assert!(!page.contains("A este ritmo") && !page.contains("agotado"), "{page}");
        key.verify(&owner.bank, json!({ "bank_reference": "367890" })).await.ok();
        let page = browser.open(&path).await;
        assert!(page.contains("se rechaza hasta el 2026-12-01"), "{page}");
        browser.send(&format!("{path}/limit"), &[("limit", "4")]).await;
        assert!(browser.open(&path).await.contains("A este ritmo"));

        owner.set_quota(&client, json!(1_500)).await.ok();
        let scope = json!({ "client_owner_id": client, "user_banks": [] });
        owner.put(&format!("/v1/api-keys/{}/scope", key.id), scope).await.ok();
        let page = browser.open(&path).await;
        assert!(page.contains("Vale la cuota del cliente") && page.contains("<dd>1.500</dd>"), "{page}");
        assert!(page.contains("no cuenta mientras esté atada a un cliente: 4."), "{page}");
        assert!(!page.contains(&format!("action=\"{path}/limit\"")));
        let set = browser.send(&format!("{path}/limit"), &[("limit", "9")]).await;
        assert_eq!(set.status, 409);
    }
}
