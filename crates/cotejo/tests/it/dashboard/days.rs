//! The days that a list is narrowed to: what is none, or turned round, is said beside its field, and nothing is listed.

use serde_json::json;
use testkit::{TestApp, either_engine};

use crate::pay::make;

const LISTS: [&str; 5] = [
    "/app/links",
    "/app/payments/movements",
    "/app/payments/notifications",
    "/app/notices",
    "/app/webhooks",
];

either_engine! {
    async fn days_that_are_none_or_turned_round_are_said_beside_their_field(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "1167890" })).await.ok();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let not_understood = "no se entiende; escríbalo como 2026-01-31";
        for list in LISTS {
            for (query, field, said) in [
                ("from=ayer", "from", not_understood),
                ("from=2026-11-20&to=2026-02-30", "to", not_understood),
                ("from=2026-11-20&to=2026-11-19", "to", "es antes del primer día"),
            ] {
                let page = browser.open(&format!("{list}?{query}")).await;
                let problem = format!("id=\"{field}-wrong\">{said}");
                assert!(page.contains(&problem), "{list}?{query}: {page}");
                assert_eq!(page.matches("-wrong\">").count(), 1, "{list}?{query}: {page}");
                for row in [&*link, "1167890"] {
                    assert!(!page.contains(row), "{list}?{query}: {page}");
                }
            }
            let page = browser.open(&format!("{list}?from=2026-11-20&to=2026-11-20")).await;
            assert!(!page.contains("-wrong\">") && page.contains("value=\"2026-11-20\""), "{list}: {page}");
        }
        assert!(browser.open("/app/links?from=2026-11-20&to=2026-11-20").await.contains(&link));
        browser.send("/app/language", &[("language", "en"), ("next", "/app")]).await;
        let page = browser.open("/app/links?from=2026-11-20&to=2026-11-19").await;
        assert!(page.contains("is before the first date"), "{page}");
    }
}
