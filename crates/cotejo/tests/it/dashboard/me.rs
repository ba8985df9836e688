//! One's own password, second factor and forgotten password.

use serde_json::json;
use testkit::{Authenticator, Setup, TestApp, TestMailServer, either_engine};

either_engine! {
    async fn a_password_is_changed_and_other_sessions_end(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = "/app/me/password";
        browser.open("/app/me").await;
        let wrong = [("current_password", "wrong wrong wrong"), ("new_password", "another password")];
        let answer = browser.send(path, &wrong).await;
        assert!(answer.status == 400 && answer.text().contains("current_password-wrong"));
        let short = [("current_password", &*owner.password), ("new_password", "short")];
        let answer = browser.send(path, &short).await;
        assert!(answer.status == 400 && answer.text().contains("new_password-wrong"));
        let right = [("current_password", &*owner.password), ("new_password", "another password")];
        assert_eq!(browser.send(path, &right).await.status, 303);
        owner.get("/me").await.refused(401, "UNAUTHORIZED");
        assert_eq!(browser.get("/app/me").await.status, 200);
        app.browser().sign_in(&owner.email, "another password").await;
    }

    async fn a_second_factor_is_set_up_its_codes_renewed_and_ended(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/me").await;
        let answer = browser.send("/app/me/second-factor", &[("password", "wrong wrong wrong")]).await;
        assert_eq!(answer.status, 400);
        let answer = browser.send("/app/me/second-factor", &[("password", &owner.password)]).await;
        assert_eq!(answer.status, 200);
        let page = answer.text();
        assert!(page.contains("otpauth://totp/"));
        let (_, rest) = page.split_once("data-copy=\"").unwrap();
        let (secret, _) = rest.split_once('"').unwrap();
        assert!(page.contains("class=\"qr\""), "{page}");
        let confirm = "/app/me/second-factor/confirm";
        let wrong = browser.send(confirm, &[("code", "000000")]).await;
        assert!(wrong.status == 400 && wrong.text().contains("code-wrong"));
        let code = Authenticator::set_up(&json!({ "secret": secret })).code(app.now());
        let answer = browser.send(confirm, &[("code", &code)]).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let page = answer.text();
        let (_, rest) = page.split_once("<pre class=\"pre\">").unwrap();
        let (codes, _) = rest.split_once("</pre>").unwrap();
        assert_eq!(codes.lines().count(), 10);
        assert!(browser.open("/app/me").await.contains("<strong>10</strong>"));
        // The code was shown just now.
        for (form, box_of) in [("codes", "renew_sure"), ("end", "end_sure")] {
            let asked = browser.send(&format!("/app/me/second-factor/{form}"), &[(box_of, "")]).await;
            assert!(asked.status == 400 && asked.text().contains(&format!("{box_of}-wrong")), "{}", asked.text());
        }
        assert!(browser.open("/app/me").await.contains("<strong>10</strong>"));
        let renewed = browser.send("/app/me/second-factor/codes", &[("renew_sure", "yes")]).await;
        assert!(renewed.status == 200 && !renewed.text().contains(codes.lines().next().unwrap()));
        assert_eq!(browser.send("/app/me/second-factor/end", &[("end_sure", "yes")]).await.status, 303);
        assert!(browser.open("/app/me").await.contains("Empezar"));
    }
}

either_engine! {
    async fn a_forgotten_password_gets_a_link_and_nobody_learns_who_is_there(setup: Setup) {
        let server = TestMailServer::start();
        let app = setup.with_mail(server.settings()).start().await;
        let owner = app.owner().await;
        let mut pages = Vec::new();
        for email in [&*owner.email, "nobody@example.com"] {
            let answer = app.browser().send("/app/forgotten", &[("email", email)]).await;
            assert_eq!(answer.status, 200);
            pages.push(answer.text());
        }
        assert_eq!(pages[0], pages[1]);
        assert_eq!(app.browser().send("/app/forgotten", &[("email", "ana")]).await.status, 422);
        app.settle().await;
        assert_eq!(app.database().number("select count(*) from mails"), 1);
    }

    async fn a_clients_person_is_not_shown_its_clients_address_as_its_own(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "name": "Sucursal", "email": "sucursal@example.com" });
        let client = owner.post("/v1/clients", body).await.ok();
        let person = owner.client_employee(client["client"]["id"].as_str().unwrap(), 1).await;
        let browser = app.browser();
        browser.sign_in(&person.email, testkit::employee::PASSWORD).await;
        assert!(!browser.open("/app/me").await.contains("sucursal@example.com"));
    }

    async fn a_service_without_mail_says_so(app: TestApp) {
        let page = app.browser().open("/app/forgotten").await;
        assert!(page.contains("no envía correos") && !page.contains("<form"));
    }
}
