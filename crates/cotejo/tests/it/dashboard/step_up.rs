//! A code is asked for before what is delicate, with all that was typed.

use testkit::{Authenticator, TestApp, either_engine};

either_engine! {
    async fn a_code_lets_a_form_through_that_was_held_up(app: TestApp) {
        let owner = app.owner().await;
        let mut authenticator = Authenticator::of(&app, &owner, &owner.password).await;
        let browser = app.browser();
        let code = authenticator.recovery_codes.pop().unwrap();
        let mut fields = vec![("email", &*owner.email), ("password", &*owner.password)];
        let answer = browser.send("/app/sign-in", &fields).await;
        assert_eq!(answer.status, 401);
        assert!(answer.text().contains("name=\"code\""));
        fields.push(("code", &code));
        assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303);
        // The proof of the sign-in is over.
        app.clock().advance(std::time::Duration::from_secs(11 * 60));
        let path = format!("/app/keys/{}", owner.key.id);
        browser.open(&path).await;
        let rotate = format!("{path}/rotate");
        let name = name_of(&browser.open(&path).await);
        let held = browser.send(&rotate, &[("rotate_name", &*name)]).await;
        assert_eq!(held.status, 403);
        let page = held.text();
        assert!(page.contains(&format!("name=\"rotate_name\" value=\"{name}\"")), "{page}");
        let wrong = browser.send(&rotate, &[("rotate_name", &*name), ("step_up_code", "000000")]).await;
        assert_eq!(wrong.status, 403);
        assert!(wrong.text().contains("code-wrong"));
        let code = authenticator.recovery_codes.pop().unwrap();
        let done = browser.send(&rotate, &[("rotate_name", &*name), ("step_up_code", &code)]).await;
        assert_eq!(done.status, 200);
        assert!(done.text().contains("ck_live_"));
        owner.key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn the_secret_of_webhooks_is_shown_once_a_code_is_given(app: TestApp) {
        let owner = app.owner().await;
        let secret = crate::webhooks::secret(&owner).await;
        let mut authenticator = Authenticator::of(&app, &owner, &owner.password).await;
        let browser = app.browser();
        let code = authenticator.recovery_codes.pop().unwrap();
        let fields = [("email", &*owner.email), ("password", &*owner.password), ("code", &*code)];
        assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303);
        app.clock().advance(std::time::Duration::from_secs(11 * 60));
        let page = browser.open("/app/webhooks/setup").await;
        assert!(page.contains("action=\"/app/webhooks/secret\""), "{page}");
        let held = browser.send("/app/webhooks/secret", &[]).await;
        assert_eq!(held.status, 403);
        assert!(held.text().contains("step_up_code") && !held.text().contains(&secret));
        let code = authenticator.recovery_codes.pop().unwrap();
        let shown = browser.send("/app/webhooks/secret", &[("step_up_code", &code)]).await;
        assert_eq!(shown.status, 200);
        assert!(shown.text().contains(&secret));
    }
}

/// The name of the key whose page it is.
fn name_of(page: &str) -> String {
    let (_, rest) = page.split_once("<h1><bdi>").unwrap();
    rest.split_once('<').unwrap().0.to_owned()
}
