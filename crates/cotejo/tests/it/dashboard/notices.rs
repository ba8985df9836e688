//! What the owner is notified of that went wrong, and what of it is sent by mail.

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::receiver::Receiver;
use testkit::{TestApp, either_engine};

use crate::pay::{make, pay};
use crate::webhooks::write;

either_engine! {
    async fn notices_are_listed_with_what_to_do(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app/notices").await.contains("Nada salió mal"));
        write(&app, &owner, &Receiver::with_status(410).url()).await.ended(&app).await;
        let page = browser.open("/app/notices").await;
        assert!(page.contains("Un aviso no se entregó") && page.contains("127.0.0.1"), "{page}");
        assert!(page.contains("href=\"/app/webhooks\"") && page.contains("No se envió"), "{page}");
        let none = browser.open("/app/notices?from=2026-11-21").await;
        assert!(none.contains("En esos días no hubo avisos"), "{none}");
        let stranger = app.owner().await;
        browser.sign_in_as(&stranger).await;
        assert!(browser.open("/app/notices").await.contains("Nada salió mal"));
    }

    async fn a_notice_that_stands_is_dismissed_on_its_page_until_the_same_happens_again(app: TestApp) {
        let owner = app.owner().await;
        owner.grant(-1_000).await;
        let link = make(&owner, &owner.bank, json!({ "expiration_time": -1 })).await;
        assert_eq!(pay(&app.nobody(), &link, "167890").await.status, 503);
        let (browser, others) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        others.sign_in_as(&app.owner().await).await;
        let listed = async || owner.get("/v1/notices").await.ok()["notices"].clone();
        let open = async || {
            let notices = listed().await;
            notices.as_array().unwrap().iter().filter(|notice| notice["is_open"] == true).count()
        };
        assert!(open().await > 0);
        for notice in listed().await.as_array().unwrap() {
            let path = format!("/app/notices/{}/dismiss", notice["id"].as_str().unwrap());
            assert!(browser.open("/app/notices").await.contains(&format!("action=\"{path}\"")), "{notice}");
            assert_eq!(others.send(&path, &[]).await.status, 404);
            let answer = browser.send(&path, &[]).await;
            assert_eq!((answer.status, answer.header("location")), (303, Some("/app/notices")));
            assert!(!browser.open("/app/notices").await.contains(&path), "{notice}");
        }
        assert_eq!(open().await, 0);
        assert!(browser.open("/app/notices").await.contains("Resuelto"));
        app.clock().advance(std::time::Duration::from_secs(1));
        assert_eq!(pay(&app.nobody(), &link, "267890").await.status, 503);
        assert!(open().await > 0);
        assert!(browser.open("/app/notices").await.contains("/dismiss\""));
    }

    async fn what_happened_again_since_the_page_was_opened_is_not_dismissed_with_it(app: TestApp) {
        let owner = app.owner().await;
        owner.grant(-1_000).await;
        let link = make(&owner, &owner.bank, json!({ "expiration_time": -1 })).await;
        assert_eq!(pay(&app.nobody(), &link, "167890").await.status, 503);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/notices").await;
        let notice = async || {
            let listed = owner.get("/v1/notices").await.ok()["notices"].clone();
            let mut notices = listed.as_array().unwrap().clone().into_iter();
            notices.find(|notice| notice["kind"] == "link_refused_for_credits").unwrap()
        };
        app.clock().advance(std::time::Duration::from_secs(1));
        assert_eq!(pay(&app.nobody(), &link, "267890").await.status, 503);
        let standing = notice().await;
        assert_eq!(standing["times"], 2);
        let path = format!("/app/notices/{}/dismiss", standing["id"].as_str().unwrap());
        let answer = browser.send(&path, &[]).await;
        assert!(answer.status == 409 && answer.text().contains("volvió a pasar"), "{}", answer.text());
        assert_eq!(notice().await["is_open"], true);
        // That page shows both.
        assert_eq!(browser.send(&path, &[]).await.status, 303);
        assert_eq!(notice().await["is_open"], false);
        assert_eq!(browser.send(&path, &[]).await.status, 303, "and again is no other answer");
    }

    async fn what_goes_by_mail_is_chosen(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = "/app/notices/settings";
        let page = browser.open(path).await;
        assert!(page.contains("no envía correo") && page.contains("value=\"20\""), "{page}");
        let fields = [
            ("language", "en"),
            ("low_balance_below", "1.500"),
            ("mail", "low_balance"),
            ("mail", "rate_missing"),
            ("every_low_balance", "60"),
            ("every_webhook_failing", "1440"),
        ];
        assert_eq!(browser.send(path, &fields).await.status, 303);
        let kept = owner.get("/v1/notices/settings").await.ok();
        assert_eq!((&kept["language"], &kept["low_balance_below"]), (&json!("en"), &json!(1_500)));
        let rule = |kind: &str| {
            let rules = kept["rules"].as_array().unwrap();
            let rule = rules.iter().find(|rule| rule["kind"] == kind).unwrap();
            (rule["mail"].as_bool().unwrap(), rule["at_most_every_minutes"].as_i64().unwrap())
        };
        assert_eq!(rule("low_balance"), (true, 60));
        assert_eq!(rule("webhook_failing"), (false, 1_440));
        assert_eq!(rule("rate_missing"), (true, 60), "what the form lacks stays");
        browser.open(path).await;
        for (field, value) in [("low_balance_below", "0"), ("every_low_balance", "4"), ("language", "pt")] {
            let fields: Vec<_> = [("language", "es")].into_iter().filter(|(name, _)| *name != field).chain([(field, value)]).collect();
            let refused = browser.send(path, &fields).await;
            assert_eq!(refused.status, 400, "{field}");
            assert!(refused.text().contains(&format!("id=\"{field}-wrong\"")), "{field}: {}", refused.text());
        }
        browser.open(path).await;
        assert_eq!(browser.send(path, &[("language", "es"), ("low_balance_below", "")]).await.status, 303);
        let kept = owner.get("/v1/notices/settings").await.ok();
        assert_eq!(kept["low_balance_below"], json!(null));

        let employee = owner.employee(1, &["integrations:read"]).await;
        browser.sign_in(&employee.email, PASSWORD).await;
        assert!(browser.open(path).await.contains("Solo el titular los cambia"));
        assert_eq!(browser.send(path, &[("language", "es")]).await.status, 403);
    }
}
