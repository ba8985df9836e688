//! Where an owner is notified, and at which levels.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Setup, TestApp, either_engine};

use super::{PATH, charge, listen, written};

either_engine! {
    async fn there_is_none_until_the_owner_sets_one(app: TestApp) {
        let owner = app.owner().await;
        assert_eq!(owner.get(PATH).await.ok()["endpoint"], Value::Null);
        let began = app.now().to_string();
        let url = "https://tienda.example/avisos?clave=7";
        let set = owner.put(PATH, json!({ "url": url })).await.ok();
        let expected = json!({
            "url": url, "low_balance_levels": [100, 10, 0], "created_at": began,
            "updated_at": began,
        });
        assert_eq!((&set["endpoint"], set["message"].is_string()), (&expected, true));
        assert_eq!(owner.get(PATH).await.ok()["endpoint"], expected);
        assert_eq!(app.owner().await.get(PATH).await.ok()["endpoint"], Value::Null);
    }

    async fn levels_are_sorted_and_stay_where_none_are_named(app: TestApp) {
        let owner = app.owner().await;
        let began = app.now().to_string();
        let set = listen(&owner, "https://tienda.example/1", &[5, 500, 0]).await;
        assert_eq!(set["low_balance_levels"], json!([500, 5, 0]));
        app.clock().advance(Duration::from_secs(1));
        let moved = owner.put(PATH, json!({ "url": "https://tienda.example/2" })).await.ok();
        let moved = &moved["endpoint"];
        assert_eq!(moved["low_balance_levels"], json!([500, 5, 0]));
        assert_eq!((&moved["created_at"], &moved["updated_at"]), (&json!(began), &json!(app.now().to_string())));
        assert_eq!(listen(&owner, "https://tienda.example/2", &[]).await["low_balance_levels"], json!([]));
        let removed = owner.put(PATH, json!({ "url": null })).await.ok();
        assert_eq!(removed["endpoint"], Value::Null);
        // An owner that sets one again begins anew.
        let again = owner.put(PATH, json!({ "url": "https://tienda.example/3" })).await.ok();
        assert_eq!(again["endpoint"]["low_balance_levels"], json!([100, 10, 0]));
        assert_eq!(again["endpoint"]["created_at"], app.now().to_string());
        let lines = "select count(*) from audit where action = 'SetWebhookEndpoint'";
        assert_eq!(app.database().number(lines), 5);
    }

    async fn what_is_wrong_is_named_and_changes_nothing(app: TestApp) {
        let owner = app.owner().await;
        let set = listen(&owner, "https://tienda.example/1", &[7]).await;
        let url = "https://tienda.example/2";
        for body in [
            json!({}),
            json!({ "uri": url }),
            json!({ "url": "tienda.example" }),
            json!({ "url": url, "low_balance_levels": [-1] }),
            json!({ "url": url, "low_balance_levels": [1, 1] }),
            json!({ "url": url, "low_balance_levels": (0..11).collect::<Vec<_>>() }),
        ] {
            owner.put(PATH, body).await.refused(400, "VALIDATION_ERROR");
        }
        assert_eq!(owner.get(PATH).await.ok()["endpoint"], set);
    }

    async fn an_address_that_may_not_be_called_is_refused(setup: Setup) {
        let app = setup.without_private_webhooks().start().await;
        let owner = app.owner().await;
        for url in ["http://127.0.0.1:8/", "http://169.254.169.254/latest", "http://10.0.0.7/"] {
            let answer = owner.put(PATH, json!({ "url": url })).await;
            answer.refused(400, "WEBHOOK_URL_NOT_ALLOWED");
        }
        assert_eq!(owner.get(PATH).await.ok()["endpoint"], Value::Null);
    }

    async fn no_key_sees_or_sets_it(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["integrations"]).await;
        for key in [&key, &owner.key] {
            key.get(PATH).await.refused(403, "OWNER_SESSION_REQUIRED");
            let answer = key.put(PATH, json!({ "url": null })).await;
            answer.refused(403, "OWNER_SESSION_REQUIRED");
        }
    }

    async fn an_event_goes_to_the_endpoint_that_was_set_when_it_was_written(app: TestApp) {
        let owner = app.owner_with(3).await;
        let (one, two) = (Receiver::with_status(200), Receiver::with_status(200));
        listen(&owner, &one.url(), &[2, 1]).await;
        charge(&owner.key, &owner.bank, 1).await;
        listen(&owner, &two.url(), &[2, 1]).await;
        charge(&owner.key, &owner.bank, 2).await;
        assert_eq!((one.received(1).await.len(), two.received(1).await.len()), (1, 1));
        owner.put(PATH, json!({ "url": null })).await.ok();
        charge(&owner.key, &owner.bank, 3).await;
        assert_eq!(written(&app, "credits.low_balance"), 2);
    }
}
