//! Signing in with a browser, and the cookie that it gets.

use std::time::Duration;

use serde_json::json;
use testkit::{TestApp, either_engine};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The line by which the answer sets a cookie.
fn set_cookie(answer: &testkit::Response) -> String {
    answer.header("set-cookie").expect("a cookie").to_owned()
}

either_engine! {
    async fn a_cookie_opens_pages_until_somebody_signs_out(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        for path in ["/", "/app"] {
            let answer = browser.get(path).await;
            assert_eq!(answer.status, 303, "{path}");
        }
        assert_eq!(browser.get("/app/keys?page=2").await.header("location"), Some("/app/sign-in?next=/app/keys%3Fpage%3D2"));
        browser.sign_in_as(&owner).await;
        let cookies = browser.cookies();
        assert!(browser.open("/app/keys").await.contains("ck_live_…"));
        let answer = browser.send("/app/sign-out", &[]).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/app/sign-in")));
        assert_eq!(browser.cookies(), "");
        // Nor does a copy of the cookie open anything.
        let (name, value) = cookies.split_once('=').unwrap();
        browser.set_cookie(name, value);
        assert_eq!(browser.get("/app/keys").await.status, 303);
    }

    async fn the_cookie_opens_no_api_and_no_token_opens_a_page(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let cookie = browser.cookies();
        let (_, text) = cookie.split_once('=').unwrap();
        let by_cookie = app.nobody().request("GET", "/me").header("cookie", &cookie).send().await;
        by_cookie.refused(401, "UNAUTHORIZED");
        owner.with_bearer(text).get("/me").await.refused(401, "UNAUTHORIZED");
        for principal in [&*owner, &*owner.key] {
            assert_eq!(principal.get("/app").await.status, 303);
        }
        // It is one of the owner's sessions, which sees and ends it.
        let sessions = owner.get("/auth/sessions").await.ok();
        let listed = sessions["sessions"].as_array().unwrap();
        assert_eq!(listed.len(), 2);
        let other = listed.iter().find(|session| session["is_current"] == false).unwrap();
        let id = other["id"].as_str().unwrap();
        owner.delete(&format!("/auth/sessions/{id}")).await.ok();
        assert_eq!(browser.get("/app").await.status, 303);
    }

    async fn a_session_goes_on_while_it_is_used_but_not_for_ever(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for _ in 0..4 {
            app.clock().advance(20 * DAY);
            assert_eq!(browser.get("/app").await.status, 200);
        }
        app.clock().advance(10 * DAY);
        assert_eq!(browser.get("/app").await.status, 303);
        browser.sign_in_as(&owner).await;
        app.clock().advance(30 * DAY);
        assert_eq!(browser.get("/app").await.status, 303);
    }

    async fn an_employee_and_a_clients_person_see_their_own_places(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payment_links:read"]).await;
        let browser = app.browser();
        browser.sign_in(&employee.email, testkit::employee::PASSWORD).await;
        let page = browser.open("/app").await;
        assert!(page.contains("href=\"/app/links\"") && !page.contains("href=\"/app/keys\""));
        assert_eq!(browser.get("/app/keys").await.status, 403);
        let client = owner.client(false).await;
        let person = owner.client_employee(&client, 2).await;
        browser.sign_in(&person.email, testkit::employee::PASSWORD).await;
        assert!(browser.open("/app").await.contains("Sucursal"));
        owner.patch(&format!("/v1/clients/{client}"), json!({ "is_active": false })).await.ok();
        assert_eq!(browser.get("/app").await.status, 303);
    }
}

either_engine! {
    async fn a_wrong_password_says_nothing_of_the_account_and_keeps_the_address(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        let mut pages = Vec::new();
        for email in [&*owner.email, "nobody@example.com"] {
            let fields = [("email", email), ("password", "wrong wrong wrong"), ("next", "/app/keys")];
            let answer = browser.send("/app/sign-in", &fields).await;
            assert_eq!(answer.status, 401);
            assert!(answer.header("set-cookie").is_none());
            let page = answer.text();
            assert!(page.contains("value=\"/app/keys\"") && !page.contains("wrong wrong"), "{page}");
            pages.push(page.replace(email, "EMAIL"));
        }
        assert_eq!(pages[0], pages[1]);
        assert!(pages[0].contains("value=\"EMAIL\""));
    }

    async fn the_address_that_was_asked_for_is_opened_then_and_no_other_sites(app: TestApp) {
        let owner = app.owner().await;
        for (next, opened) in [
            ("/app/keys", "/app/keys"),
            ("//evil.example", "/app"),
            ("https://evil.example/app", "/app"),
            ("/pay/x", "/app"),
        ] {
            let fields = [("email", &*owner.email), ("password", &*owner.password), ("next", next)];
            let answer = app.browser().send("/app/sign-in", &fields).await;
            assert_eq!((answer.status, answer.header("location")), (303, Some(opened)), "{next}");
        }
    }

    async fn the_cookie_is_kept_from_scripts_and_other_sites(app: TestApp) {
        let owner = app.owner().await;
        let fields = [("email", &*owner.email), ("password", &*owner.password)];
        let line = set_cookie(&app.browser().send("/app/sign-in", &fields).await);
        for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(line.contains(part), "{line}");
        }
        assert!(!line.contains("Domain"), "{line}");
    }

    async fn what_another_site_sends_signs_nobody_in_and_changes_nothing(app: TestApp) {
        let owner = app.owner().await;
        let fields = [("email", &*owner.email), ("password", &*owner.password)];
        for headers in [[("sec-fetch-site", "cross-site")], [("origin", "https://evil.example")], [("origin", "null")]] {
            for path in ["/app/sign-in", "/app/forgotten", "/app/language"] {
                let fields = [&fields[..], &[("language", "en")]].concat();
                let answer = app.browser().send_only(path, &fields, &headers).await;
                assert_eq!((answer.status, answer.header("set-cookie")), (403, None), "{path} {headers:?}");
            }
        }
    }

    async fn the_language_that_somebody_chose_stays(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        assert!(browser.open("/app/sign-in").await.contains("lang=\"es\""));
        let answer = browser.send("/app/language", &[("language", "en"), ("next", "/app")]).await;
        assert_eq!(answer.header("location"), Some("/app"));
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app/keys").await.contains("New API key"));
    }
}
