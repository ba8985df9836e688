//! Whose forms are taken: those of a page of the same session, sent by our own pages.

use testkit::{TestApp, either_engine};

const FORM: &str = "/app/keys/new";

async fn keys(owner: &testkit::Owner) -> usize {
    owner.get("/me/api-keys").await.ok()["api_keys"].as_array().unwrap().len()
}

either_engine! {
    async fn a_form_without_the_sessions_token_does_nothing(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (browser, other) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        let old = browser.form_token();
        browser.send("/app/sign-out", &[]).await;
        browser.sign_in_as(&owner).await;
        other.sign_in_as(&stranger).await;
        let foreign = other.form_token();
        let ours = [("sec-fetch-site", "same-origin")];
        for token in ["", "0", &*old, &*foreign] {
            let fields = [("form_token", token), ("name", "caja")];
            let answer = browser.send_only(FORM, &fields, &ours).await;
            assert_eq!(answer.status, 403, "{token}");
            assert!(answer.text().contains("El formulario venció"));
        }
        let answer = browser.send_only(FORM, &[("name", "caja")], &ours).await;
        assert_eq!(answer.status, 403);
        assert_eq!(keys(&owner).await, 1);
    }

    async fn a_form_that_another_site_sends_does_nothing(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let token = browser.form_token();
        let fields = [("form_token", &*token), ("name", "caja")];
        for header in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("origin", "https://evil.example"),
            ("origin", "null"),
        ] {
            let answer = browser.send_only(FORM, &fields, &[header]).await;
            assert_eq!(answer.status, 403, "{header:?}");
        }
        assert_eq!(keys(&owner).await, 1);
        assert_eq!(browser.send_only(FORM, &fields, &[]).await.status, 200);
        assert_eq!(keys(&owner).await, 2);
    }

    async fn what_was_typed_outlives_another_language_at_the_sign_in(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        let waiting = browser.send_only(FORM, &[("form_token", "x"), ("name", "caja \"2\"")], &[]).await;
        let page = waiting.text();
        assert!(page.contains("form=\"sign-in\" formaction=\"/app/language\""), "{page}");
        // The button sends all that stands in the form.
        let all = [
            ("next", FORM),
            ("again:name", "caja \"2\""),
            ("again:again", "yes"),
            ("email", &*owner.email),
            ("password", "half of a pass"),
            ("language", "en"),
        ];
        let answer = browser.send("/app/language", &all).await;
        assert_eq!(answer.status, 200);
        let page = answer.text();
        assert!(page.contains("lang=\"en\"") && page.contains("Your session has ended"), "{page}");
        for kept in ["name=\"again:name\" value=\"caja &#34;2&#34;\"", &*format!("value=\"{}\"", owner.email), "name=\"next\" value=\"/app/keys/new\""] {
            assert!(page.contains(kept), "{kept}: {page}");
        }
        assert!(!page.contains("half of a pass"), "{page}");
        assert!(browser.open("/app/sign-in").await.contains("lang=\"en\""));
        // Pages that carry a form and cannot carry it on offer no other language.
        browser.sign_in_as(&owner).await;
        let given_back = browser.send(FORM, &[("form_token", "another"), ("name", "caja")]).await;
        assert!(given_back.status == 403 && !given_back.text().contains("/app/language"));
    }

    async fn a_press_of_a_button_outlives_the_session_too(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        owner.post("/auth/logout", serde_json::json!({})).await.ok();
        app.tamper("update sessions set ended_at = 1 where ended_at is null").await;
        let answer = browser.send("/app/first-payment", &[]).await;
        assert_eq!(answer.status, 401);
        assert!(answer.text().contains("name=\"again:again\""));
        let fields = [
            ("email", &*owner.email),
            ("password", &*owner.password),
            ("next", "/app/first-payment"),
            ("again:again", "yes"),
        ];
        let answer = browser.send("/app/sign-in", &fields).await;
        assert!(answer.status == 200 && answer.text().contains("action=\"/app/first-payment\""));
        assert_eq!(browser.send("/app/first-payment", &[]).await.status, 303);
    }

    async fn what_was_typed_outlives_the_session(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(FORM).await;
        let sessions = owner.get("/auth/sessions").await.ok();
        let listed = sessions["sessions"].as_array().unwrap();
        let other = listed.iter().find(|session| session["is_current"] == false).unwrap();
        owner.delete(&format!("/auth/sessions/{}", other["id"].as_str().unwrap())).await.ok();
        let answer = browser.send(FORM, &[("name", "caja \"2\"")]).await;
        assert_eq!(answer.status, 401);
        let page = answer.text();
        assert!(page.contains("name=\"again:name\" value=\"caja &#34;2&#34;\""), "{page}");
        assert!(!page.contains("again:form_token"));
        let fields = [
            ("email", &*owner.email),
            ("password", &*owner.password),
            ("next", FORM),
            ("again:name", "caja \"2\""),
        ];
        let answer = browser.send("/app/sign-in", &fields).await;
        assert_eq!(answer.status, 200);
        assert!(answer.text().contains("name=\"name\" value=\"caja &#34;2&#34;\""));
        assert_eq!(browser.send(FORM, &[("name", "caja \"2\"")]).await.status, 200);
        assert_eq!(keys(&owner).await, 2);
    }
}

either_engine! {
    async fn a_form_that_is_sent_twice_does_its_work_once(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(FORM).await;
        let page = browser.open(FORM).await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let fields = [("name", "caja"), ("once", once)];
        assert_eq!(browser.send(FORM, &fields).await.status, 200);
        let again = browser.send(FORM, &fields).await;
        assert_eq!(again.status, 409);
        assert_eq!(keys(&owner).await, 2);
    }
}
