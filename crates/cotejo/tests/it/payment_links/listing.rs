//! Pages of links.

use serde_json::{Value, json};
use testkit::{Owner, TestApp, both_engines};

use crate::pay::{begin_slowly, make, paid_with};
use crate::slow_bank::SLOW;

/// The descriptions of the links that a listing answers, and how many it counts.
async fn listed(owner: &Owner, body: Value) -> (Vec<String>, i64) {
    let page = owner.key.post("/me/payment-links", body).await.ok();
    let links = page["payment_links"].as_array().unwrap().iter();
    let named = links.map(|link| link["description"].as_str().unwrap().to_owned());
    (named.collect(), page["total"].as_i64().unwrap())
}

async fn named(app: &TestApp, owner: &Owner, name: &str, more: Value) -> String {
    let mut more = more;
    more["description"] = json!(name);
    app.clock().advance(std::time::Duration::from_secs(1));
    make(&owner.key, &owner.bank, more).await
}

both_engines! {
    async fn the_newest_come_first_page_by_page(app: TestApp) {
        let owner = app.owner().await;
        for n in 1..=7 {
            named(&app, &owner, &n.to_string(), json!({})).await;
        }
        let page = async |page, limit| listed(&owner, json!({ "page": page, "limit": limit })).await;
        assert_eq!(page(1, 3).await, (vec!["7".into(), "6".into(), "5".into()], 7));
        assert_eq!(page(3, 3).await, (vec!["1".into()], 7));
        assert_eq!(page(4, 3).await, (Vec::new(), 7));
        assert_eq!(listed(&owner, json!({})).await.0.len(), 7);
        let far = owner.key.post("/me/payment-links", json!({ "page": 401 })).await;
        far.refused(400, "VALIDATION_ERROR");
    }

    async fn days_are_those_of_caracas_on_which_links_were_made(app: TestApp) {
        let owner = app.owner().await;
        // 08:00 of the 20th in Caracas; then 20:00, which is the 21st elsewhere; then the 21st.
        for (hours, name) in [(0, "morning"), (12, "evening"), (4, "midnight")] {
            app.clock().advance(std::time::Duration::from_secs(hours * 60 * 60));
            named(&app, &owner, name, json!({})).await;
        }
        for (days, found) in [
            (json!({ "from": "2026-11-20", "to": "2026-11-20" }), vec!["evening", "morning"]),
            (json!({ "from": "2026-11-21" }), vec!["midnight"]),
            (json!({ "to": "2026-11-19" }), vec![]),
            (json!({ "to": "2026-11-20", "search": "ING", "status": "pending" }), vec!["evening", "morning"]),
        ] {
            let names: Vec<String> = found.iter().map(ToString::to_string).collect();
            let count = i64::try_from(names.len()).unwrap();
            assert_eq!(listed(&owner, days.clone()).await, (names, count), "{days}");
            let days = |name: &str| days[name].as_str().unwrap_or_default().to_owned();
            let browser = app.browser();
            browser.sign_in_as(&owner).await;
            let (from, to) = (days("from"), days("to"));
            let page = browser.open(&format!("/app/links?from={from}&to={to}")).await;
            for name in ["morning", "evening", "midnight"] {
                assert_eq!(page.contains(&format!(">{name}<")), found.contains(&name), "{name}: {page}");
            }
        }
        let wrong = json!({ "from": "2026-11-21", "to": "2026-11-20" });
        owner.key.post("/me/payment-links", wrong).await.refused(400, "VALIDATION_ERROR");
    }

    async fn a_status_is_what_each_link_is_now(app: TestApp) {
        let owner = app.owner().await;
        let minute = || json!({ "expiration_time": 1 });
        let checked = named(&app, &owner, "checked", minute()).await;
        named(&app, &owner, "expired", minute()).await;
        let stopped = named(&app, &owner, "stopped", json!({})).await;
        let stopped_expired = named(&app, &owner, "stopped and expired", minute()).await;
        let canceled = named(&app, &owner, "canceled", json!({})).await;
        let rejected = named(&app, &owner, "failed", json!({})).await;
        let paid = named(&app, &owner, "paid", minute()).await;
        named(&app, &owner, "pending", json!({ "expiration_time": -1 })).await;
        for (id, act) in [
            (&stopped, "stop"),
            (&stopped_expired, "stop"),
            (&canceled, "cancel"),
            (&rejected, "reject"),
        ] {
            owner.key.post(&format!("/v1/paymentlink/{id}/{act}"), json!({})).await.ok();
        }
        paid_with(&app.nobody(), &paid, "167890").await;
        app.clock().advance(std::time::Duration::from_secs(50));
        begin_slowly(&app, &checked, "110004").await;
        app.clock().advance(std::time::Duration::from_secs(6));

        for (status, names) in [
            ("pending", vec!["pending", "checked"]),
            ("paid", vec!["paid"]),
            ("failed", vec!["failed"]),
            ("canceled", vec!["canceled"]),
            ("stopped", vec!["stopped"]),
            ("expired", vec!["stopped and expired", "expired"]),
        ] {
            let found = listed(&owner, json!({ "status": status })).await;
            assert_eq!(found, (names.iter().map(ToString::to_string).collect(), names.len() as i64));
            let body = json!({ "status": status });
            let page = owner.key.post("/me/payment-links", body).await.ok();
            let links = page["payment_links"].as_array().unwrap();
            assert!(links.iter().all(|link| link["status"] == status), "{status}");
        }
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(listed(&owner, json!({ "status": "paid" })).await.1, 2);
    }

    async fn links_are_searched_for_by_their_words(app: TestApp) {
        let owner = app.owner().await;
        let id = named(&app, &owner, "Café 100% Ñandú", json!({ "name": "Caja_1" })).await;
        named(&app, &owner, "Pan 100", json!({})).await;
        for (search, total) in [
            ("ñANDÚ", 1),
            ("café 100%", 1),
            ("caja_", 1),
            ("cajax", 0),
            ("100", 2),
            ("%", 1),
            (id.as_str(), 1),
            ("' or 1=1 --", 0),
            ("", 2),
        ] {
            assert_eq!(listed(&owner, json!({ "search": search })).await.1, total, "{search}");
        }
        assert_eq!(listed(&owner, json!({ "type": "default" })).await.1, 2);
        assert_eq!(listed(&owner, json!({ "type": "subscription" })).await.1, 0);
    }
}
