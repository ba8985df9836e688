//! Trying a receiver out, checking it, and where the owner's systems are notified of its credits.

use serde_json::json;
use testkit::receiver::Receiver;
use testkit::{Setup, TestApp, either_engine};

either_engine! {
    async fn a_receiver_is_tried_out_and_the_page_says_what_came_of_it(app: TestApp) {
        let owner = app.owner().await;
        let (well, ill) = (Receiver::with_status(204), Receiver::with_status(500));
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/webhooks/test").await;
        for (receiver, event, said) in [
            (&well, "paid", "su servidor lo aceptó. (HTTP 204)"),
            (&ill, "failed", "No llegó bien:"),
        ] {
            let url = receiver.url();
            let fields = [("url", &*url), ("event", event)];
            let answer = app.clock().flow(browser.send("/app/webhooks/test", &fields)).await;
            assert_eq!(answer.status, 200);
            let page = answer.text();
            assert!(page.contains(said) && page.contains(&url), "{page}");
            assert!(page.contains("href=\"/app/webhooks/deliveries/evt_"), "{page}");
            assert!(page.contains(&format!("value=\"{event}\" selected")), "{page}");
        }
        for url in ["", "tienda", "ftp://tienda.example"] {
            let refused = browser.send("/app/webhooks/test", &[("url", url), ("event", "paid")]).await;
            assert_eq!(refused.status, 400, "{url}");
            assert!(refused.text().contains("url-wrong"), "{url}");
        }
    }

    async fn a_receiver_is_checked_and_each_rule_has_its_grade(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/webhooks/test").await;
        let url = receiver.url();
        let fields = [("url", &*url), ("event", "paid")];
        let checked = app.clock().flow(browser.send("/app/webhooks/check", &fields)).await;
        let page = checked.text();
        // It takes whatever comes.
        assert!(page.contains("no cumple") && page.contains("acepta una firma falsa"), "{page}");
        assert_eq!(page.matches("<th scope=\"row\"").count(), 10, "{page}");
        let refused = browser.send("/app/webhooks/check", &[("url", "tienda")]).await;
        assert_eq!(refused.status, 400);
    }

    async fn an_address_that_may_not_be_called_is_said_beside_its_field(setup: Setup) {
        let app = setup.without_private_webhooks().start().await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/webhooks/setup").await;
        let url = ("url", "http://127.0.0.1:9/");
        for (path, other) in [
            ("/app/webhooks/endpoint", ("low_balance_levels", "1")),
            ("/app/webhooks/test", ("event", "paid")),
            ("/app/webhooks/check", ("event", "paid")),
        ] {
            let refused = browser.send(path, &[url, other]).await;
            assert_eq!(refused.status, 400, "{path}");
            assert!(refused.text().contains("id=\"url-wrong\""), "{path}: {}", refused.text());
        }
    }
}

either_engine! {
    async fn where_credits_are_reported_is_set_and_taken_back(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let (page, path) = ("/app/webhooks/setup", "/app/webhooks/endpoint");
        assert!(browser.open(page).await.contains("value=\"100 10 0\""));
        let url = Receiver::with_status(204).url();
        let fields = [("url", &*url), ("low_balance_levels", "50, 500")];
        assert_eq!(browser.send(path, &fields).await.status, 303);
        let endpoint = owner.get("/v1/webhooks/endpoint").await.ok()["endpoint"].clone();
        assert_eq!((&endpoint["url"], &endpoint["low_balance_levels"]), (&json!(url), &json!([500, 50])));
        assert!(browser.open(page).await.contains("value=\"500 50\""));
        for (url, levels, field) in [
            ("tienda", "50", "url-wrong"),
            (&*url, "-1", "low_balance_levels-wrong"),
            (&*url, "7 7", "low_balance_levels-wrong"),
        ] {
            let refused = browser.send(path, &[("url", url), ("low_balance_levels", levels)]).await;
            assert_eq!(refused.status, 400);
            assert!(refused.text().contains(field), "{}", refused.text());
        }
        assert_eq!(browser.send(path, &[("low_balance_levels", "7")]).await.status, 400);
        assert_eq!(browser.send(path, &[("url", ""), ("low_balance_levels", "50")]).await.status, 303);
        assert_eq!(owner.get("/v1/webhooks/endpoint").await.ok()["endpoint"], json!(null));
    }
}
