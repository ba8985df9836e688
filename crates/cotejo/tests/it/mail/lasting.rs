//! What outlives the session that did it: each is reported to the owner, with the page where it is undone.

use std::time::Duration;

use app::refusals;
use serde_json::{Value, json};
use testkit::employee::PASSWORD;
use testkit::receiver::Receiver;
use testkit::{Owner, Response, Setup, TestApp, both_engines};

use super::notices::deliver_notices;
use super::with_mail;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const HOME: &str = "127.0.0.1";

/// The owner's notices of that kind, the latest first.
async fn of(owner: &Owner, kind: &str) -> Vec<Value> {
    let page = owner.get("/v1/notices?limit=100").await.ok();
    let notices = page["notices"].as_array().unwrap().iter();
    notices.filter(|notice| notice["kind"] == kind).cloned().collect()
}

/// Signs in from that address.
async fn sign_in(app: &TestApp, from: &str, email: &str, password: &str) -> Response {
    let nobody = app.nobody();
    let call = nobody.request("POST", "/auth/login").header("x-forwarded-for", from);
    call.json(&json!({ "email": email, "password": password })).send().await
}

both_engines! {
    async fn a_key_that_is_issued_or_rotated_is_reported_until_its_text_is_over(app: TestApp) {
        let owner = app.owner().await;
        assert_eq!(of(&owner, "key_issued").await, [] as [Value; 0], "the operator made the first");
        let key = owner.issue(json!({ "name": "caja dos" })).await;
        let issued = of(&owner, "key_issued").await;
        assert_eq!((issued.len(), &issued[0]["is_open"]), (1, &json!(true)));
        assert_eq!(issued[0]["subject"], format!("{} caja dos", key.id));
        let text = issued[0]["text"].as_str().unwrap();
        assert!(text.contains("la llave caja dos,") && !text.contains(&key.id), "{text}");
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app/notices").await;
        assert!(page.contains(&format!("href=\"/app/keys/{}\"", key.id)), "{page}");
        // Who rotates it has got another text, and the former opens nothing.
        app.clock().advance(Duration::from_secs(1));
        owner.post(&format!("/v1/api-keys/{}/rotate", key.id), json!({})).await.ok();
        let open = async || {
            let issued = of(&owner, "key_issued").await;
            issued.iter().map(|one| one["is_open"].as_bool().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(open().await, [true, false]);
        owner.revoke(&key).await;
        assert_eq!(open().await, [false, false]);
        // What was refused issued nothing.
        owner.post("/auth/api-key", json!({})).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(open().await.len(), 2);
    }

    async fn a_webhook_secret_is_reported_when_it_is_seen_once_a_day_and_when_it_is_rotated(app: TestApp) {
        let mut owner = app.owner().await;
        for _ in 0..3 {
            owner.get("/me/webhook-secret").await.ok();
        }
        let seen = of(&owner, "webhook_secret_seen").await;
        assert_eq!((seen.len(), &seen[0]["times"]), (1, &json!(1)));
        assert_eq!(seen[0]["subject"], format!("{} {HOME}", owner.id));
        // A key is somebody else.
        let key = owner.key_with(&["integrations"]).await;
        key.get("/me/webhook-secret").await.ok();
        let seen = of(&owner, "webhook_secret_seen").await;
        assert_eq!((seen.len(), &seen[0]["subject"]), (2, &json!(format!("{} {HOME}", key.id))));
        owner.post("/me/webhook-secret/rotate", json!({ "overlap_hours": 1 })).await.ok();
        let client = owner.client(false).await;
        let path = format!("/v1/clients/{client}/webhook-secret");
        owner.post(&path, json!({ "overlap_hours": 0 })).await.ok();
        let rotated = of(&owner, "webhook_secret_rotated").await;
        let subjects: Vec<_> = rotated.iter().map(|one| one["subject"].as_str().unwrap()).collect();
        assert_eq!(subjects, [&format!("{client} Sucursal"), &owner.id]);
        for notice in seen.iter().chain(&rotated) {
            assert!(notice["is_open"] == true && !notice.to_string().contains("whsec"), "{notice}");
        }
        app.clock().advance(DAY);
        owner.sign_in_again().await;
        owner.get("/me/webhook-secret").await.ok();
        assert_eq!(of(&owner, "webhook_secret_seen").await.len(), 3);
    }

    async fn another_receiver_and_another_own_rate_are_reported_with_what_was_before(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let set = async |body: Value| owner.put("/v1/webhooks/endpoint", body).await.ok();
        for _ in 0..2 {
            set(json!({ "url": receiver.url() })).await;
        }
        set(json!({ "url": null })).await;
        let changed = of(&owner, "receiver_changed").await;
        let subjects: Vec<_> = changed.iter().map(|one| one["subject"].clone()).collect();
        assert_eq!(subjects, ["127.0.0.1 → -", "- → 127.0.0.1"]);

        for rate in ["800", "840", "840"] {
            let body = json!({ "currency": "USD", "value_date": "2026-11-20", "rate": rate, "source": "Tienda Ejemplo" });
            owner.put("/v1/exchange-rates", body).await.ok();
        }
        let changed = of(&owner, "own_rate_changed").await;
        let subjects: Vec<_> = changed.iter().map(|one| one["subject"].clone()).collect();
        assert_eq!(subjects, ["USD 2026-11-20: 800.00 → 840.00 (+5.00 %)", "USD 2026-11-20: - → 800.00"]);
        let other = app.owner().await;
        assert_eq!(of(&other, "own_rate_changed").await, [] as [Value; 0]);
    }

    async fn a_person_is_reported_once_it_can_sign_in_until_it_is_removed(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["payments:read"]).await;
        let client = owner.client(false).await;
        let marta = owner.client_employee(&client, 2).await;
        let admitted = of(&owner, "person_admitted").await;
        assert_eq!(admitted.len(), 2);
        for (notice, person) in admitted.iter().zip([&marta.id, &luis.id]) {
            let is_of = notice["subject"].as_str().unwrap().starts_with(&format!("{person} "));
            assert!(is_of && notice["is_open"] == true, "{notice}");
        }
        owner.delete(&luis.path()).await.ok();
        let admitted = of(&owner, "person_admitted").await;
        assert_eq!((&admitted[0]["is_open"], &admitted[1]["is_open"]), (&json!(true), &json!(false)));
    }

    async fn who_signs_in_by_neither_a_known_browser_nor_a_known_network_is_reported(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        assert_eq!(of(&owner, "unknown_sign_in").await, [] as [Value; 0], "the first is no news");
        sign_in(&app, "203.0.113.7", &luis.email, "wrong wrong wrong").await.refused(401, "UNAUTHORIZED");
        assert_eq!(of(&owner, "unknown_sign_in").await.len(), 0);
        for _ in 0..2 {
            sign_in(&app, "203.0.113.7", &luis.email, PASSWORD).await.ok();
        }
        let unknown = of(&owner, "unknown_sign_in").await;
        assert_eq!(unknown.len(), 1, "{unknown:?}");
        let subject = unknown[0]["subject"].as_str().unwrap();
        assert!(subject.starts_with(&luis.id) && subject.ends_with("(203.0.113.7)"), "{subject}");
        // The same network is another's no more than before.
        sign_in(&app, "203.0.113.7", &owner.email, &owner.password).await.ok();
        assert_eq!(of(&owner, "unknown_sign_in").await.len(), 2);
        // A browser that has a session of the person is known wherever it goes, and no other person's is.
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let there = [("sec-fetch-site", "same-origin"), ("x-forwarded-for", "198.51.100.9")];
        let fields = |email: &str, password: &str| [("email", email.to_owned()), ("password", password.to_owned())];
        let send = async |fields: [(&str, String); 2]| {
            let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
            let answer = browser.send_only("/app/sign-in", &fields, &there).await;
            assert_eq!(answer.status, 303, "{answer:?}");
        };
        send(fields(&owner.email, &owner.password)).await;
        assert_eq!(of(&owner, "unknown_sign_in").await.len(), 2);
        send(fields(&luis.email, PASSWORD)).await;
        let unknown = of(&owner, "unknown_sign_in").await;
        assert_eq!(unknown.len(), 3);
        assert!(unknown[0]["subject"].as_str().unwrap().ends_with("(198.51.100.9)"), "{unknown:?}");
        let page = app.browser();
        page.sign_in_as(&owner).await;
        assert!(page.open("/app/notices").await.contains("href=\"/app/sessions\""));
    }

    async fn a_key_that_is_over_and_still_in_use_is_reported_once_a_day(app: TestApp) {
        let mut owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        owner.revoke(&key).await;
        let used = async |times: usize| {
            for _ in 0..times {
                key.get("/me").await.refused(401, "UNAUTHORIZED");
            }
            refusals::write(app.app()).await.unwrap();
        };
        for _ in 0..3 {
            used(5).await;
        }
        let former = of(&owner, "former_key_used").await;
        assert_eq!((former.len(), &former[0]["times"]), (1, &json!(1)));
        assert_eq!(former[0]["subject"], format!("{} caja ({HOME})", key.id));
        assert!(!former[0].to_string().contains(&key.text), "{former:?}");
        app.clock().advance(DAY);
        used(1).await;
        owner.sign_in_again().await;
        assert_eq!(of(&owner, "former_key_used").await.len(), 2);
    }

    async fn the_mail_names_what_it_is_about_and_leads_to_its_page(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let key = owner.issue(json!({ "name": "caja dos" })).await;
        deliver_notices(&app).await;
        let mails = server.mails();
        assert_eq!((mails.len(), mails[0].to()), (1, vec![&*owner.email]));
        assert_eq!(mails[0].header("Subject"), "Se emitió una llave de API");
        let body = mails[0].body();
        assert!(body.lines().any(|line| line == "- caja dos"), "{body}");
        assert!(body.lines().any(|line| line.ends_with("/app/keys")), "{body}");
        assert!(!body.contains(&key.id) && !body.contains(&key.text), "{body}");
    }
}
