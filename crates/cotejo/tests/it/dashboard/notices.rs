//! What the owner is notified of that went wrong, and what of it is sent by mail.

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::receiver::Receiver;
use testkit::{TestApp, both_engines};

use crate::webhooks::write;

both_engines! {
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
