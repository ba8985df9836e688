//! `POST /auth/login`

use std::time::Duration;

use app::passwords::hash_now;
use app::settings::PasswordCost;
use domain::ids::OwnerId;
use domain::secret::SecretText;
use serde_json::{Value, json};
use store::tx::Tx;
use store::{owners, sessions};
use testkit::log::warnings_of;
use testkit::{Setup, TestApp, both_engines};

use crate::changed::after;

fn credentials(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password })
}

both_engines! {
    async fn it_opens_a_session_of_a_quarter_of_an_hour(app: TestApp) {
        let owner = app.owner().await;
        let body = credentials(&owner.email, &owner.password);
        let mut answer = app.nobody().post("/auth/login", body).await.ok();
        let token = answer["token"].take();
        assert!(answer["refresh_token"].take().is_string());
        assert!(answer["message"].take().is_string());
        assert_eq!(answer, json!({
            "message": null,
            "token": null,
            "refresh_token": null,
            "expires_at": "2026-11-20T12:15:00.000Z",
            "user": {
                "id": owner.id,
                "username": owner.email,
                "email": owner.email,
                "full_name": owner.email,
                "company_name": owner.email,
                "credits": 1000,
                "plan_id": null,
                "plan_is_active": true,
                "is_demo": false,
                "user_type": "commerce",
            },
            "person": {
                "id": owner.id,
                "name": owner.email,
                "email": owner.email,
                "kind": "owner",
            },
        }));

        let session = app.nobody().with_bearer(token.as_str().unwrap());
        app.clock().advance(Duration::from_secs(15 * 60 - 1));
        session.get("/me").await.ok();
        app.clock().advance(Duration::from_secs(1));
        session.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn the_address_is_read_as_people_write_it(app: TestApp) {
        let owner = app.owner().await;
        let body = credentials(&format!("  {} ", owner.email.to_uppercase()), &owner.password);
        app.nobody().post("/auth/login", body).await.ok();
    }

    async fn nobody_learns_whether_an_account_exists(app: TestApp) {
        let owner = app.owner().await;
        let long = "x".repeat(2_000);
        let mut messages = Vec::new();
        for (email, password) in [
            (owner.email.as_str(), "wrong wrong wrong"),
            (owner.email.as_str(), ""),
            (owner.email.as_str(), long.as_str()),
            ("nobody@example.com", owner.password.as_str()),
            ("no address", owner.password.as_str()),
        ] {
            let answer = app.nobody().post("/auth/login", credentials(email, password)).await;
            let body = answer.refused(401, "UNAUTHORIZED");
            messages.push(body["message"].clone());
        }
        messages.dedup();
        assert_eq!(messages.len(), 1, "{messages:?}");
    }

    async fn an_owner_that_is_not_active_learns_so_when_the_password_is_right(app: TestApp) {
        let owner = app.owner().await;
        let off = format!("update owner_profiles set is_active = false where email = '{}'", owner.email);
        app.tamper(&off).await;
        let right = credentials(&owner.email, &owner.password);
        app.nobody().post("/auth/login", right).await.refused(403, "USER_IS_NOT_ACTIVE");
        let wrong = credentials(&owner.email, "wrong wrong wrong");
        app.nobody().post("/auth/login", wrong).await.refused(401, "UNAUTHORIZED");
        // Sessions and keys that are there end with it.
        owner.get("/me").await.refused(403, "USER_IS_NOT_ACTIVE");
        owner.key.get("/me").await.refused(403, "USER_IS_NOT_ACTIVE");
    }

    async fn both_fields_are_needed(app: TestApp) {
        for (body, fields) in [
            (json!({}), vec!["email", "password"]),
            (json!({ "email": "a@example.com" }), vec!["password"]),
            (json!({ "email": null, "password": 1 }), vec!["email", "password"]),
        ] {
            let answer = app.nobody().post("/auth/login", body).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            let details = body["details"].as_array().unwrap();
            let named: Vec<_> = details.iter().map(|detail| detail["field"].clone()).collect();
            assert_eq!(named, fields);
        }
    }

    async fn a_session_that_was_ended_opens_nothing(app: TestApp) {
        let owner = app.owner().await;
        owner.get("/me").await.ok();
        app.tamper("update sessions set ended_at = 1").await;
        owner.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn a_token_that_was_changed_opens_nothing(app: TestApp) {
        let owner = app.owner().await;
        let body = credentials(&owner.email, &owner.password);
        let answer = app.nobody().post("/auth/login", body).await.ok();
        let token = answer["token"].as_str().unwrap();
        let (head, signature) = token.rsplit_once('.').unwrap();
        let flipped: String = signature.chars().rev().collect();
        for text in [format!("{head}.{flipped}"), format!("{head}."), "a.b.c".to_owned()] {
            app.nobody().with_bearer(&text).get("/me").await.refused(401, "UNAUTHORIZED");
        }
        // A session comes as a bearer only.
        let session = app.nobody().with_bearer(token).by_app_key();
        session.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn ten_attempts_a_minute_and_then_one_by_one(setup: Setup) {
        let app = setup.attempts_per_minute(10).start().await;
        // Making an owner has signed it in once.
        let owner = app.owner().await;
        let wrong = credentials(&owner.email, "wrong wrong wrong");
        for _ in 0..9 {
            let answer = app.nobody().post("/auth/login", wrong.clone()).await;
            answer.refused(401, "UNAUTHORIZED");
        }
        let right = credentials(&owner.email, &owner.password);
        let answer = app.nobody().post("/auth/login", right.clone()).await;
        let body = answer.refused(429, "REQUEST_LIMIT_REACHED");
        assert!(body["message"].as_str().unwrap().starts_with("too many requests"), "{body}");
        assert_eq!(answer.header("retry-after"), Some("6"));
        assert!(answer.header("ratelimit").is_some());
        assert!(answer.header("ratelimit-policy").is_some());
        // A person who is signed in is not held up.
        owner.get("/me").await.ok();

        app.clock().advance(Duration::from_secs(5));
        let answer = app.nobody().post("/auth/login", right.clone()).await;
        answer.refused(429, "REQUEST_LIMIT_REACHED");
        app.clock().advance(Duration::from_secs(1));
        app.nobody().post("/auth/login", right).await.ok();
    }

    async fn the_right_password_passes_a_spent_budget_unless_its_account_is_attacked(setup: Setup) {
        let app = setup.attempts_per_minute(10).start().await;
        let (attacked, calm) = (app.owner().await, app.owner().await);
        let login = async |email: &str, password: &str| {
            app.nobody().post("/auth/login", credentials(email, password)).await
        };
        for n in 0..8 {
            let email = if n < 3 { attacked.email.clone() } else { format!("{n}@example.com") };
            login(&email, "wrong wrong wrong").await.refused(401, "UNAUTHORIZED");
        }
        login(&attacked.email, &attacked.password).await.refused(429, "REQUEST_LIMIT_REACHED");
        for _ in 0..5 {
            login(&calm.email, &calm.password).await.ok();
        }
        // Whether an account exists does not show here either: each has three slips.
        for email in [calm.email.as_str(), "nobody@example.com"] {
            for _ in 0..3 {
                login(email, "wrong wrong wrong").await.refused(401, "UNAUTHORIZED");
            }
            login(email, &calm.password).await.refused(429, "REQUEST_LIMIT_REACHED");
        }
    }

    async fn a_hash_of_another_cost_is_renewed_by_the_next_sign_in(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        // The same password at twice the cost.
        let former = hash_now(
            &owner.password.as_str().into(),
            PasswordCost { memory_kib: 16, passes: 2 },
            &*app.app().ids,
        );
        let former = former.unwrap();
        let of = |email: &str| format!("from owner_profiles where email = '{email}'");
        app.tamper(&format!(
            "update owner_profiles set password_hash = '{former}' where email = '{}'",
            owner.email
        )).await;
        let renewed = format!(
            "select count(*) {} and password_hash like '$argon2id$v=19$m=8,t=1,p=1$%'",
            of(&owner.email)
        );
        let wrong = credentials(&owner.email, "wrong wrong wrong");
        app.nobody().post("/auth/login", wrong).await.refused(401, "UNAUTHORIZED");
        assert_eq!(app.database().number(&renewed), 0);
        let right = credentials(&owner.email, &owner.password);
        app.nobody().post("/auth/login", right.clone()).await.ok();
        assert_eq!(app.database().number(&renewed), 1);
        app.nobody().post("/auth/login", right).await.ok();
        // One whose cost holds stays as it is.
        let touched = format!("select count(*) {} and updated_at <> created_at", of(&other.email));
        app.clock().advance(Duration::from_secs(1));
        app.nobody().post("/auth/login", credentials(&other.email, &other.password)).await.ok();
        assert_eq!(app.database().number(&touched), 0);
    }

    async fn behind_a_proxy_clients_are_counted_apart_whatever_they_make_up(setup: Setup) {
        let app = setup.behind_a_proxy().attempts_per_minute(3).start().await;
        let attempt = async |made_up: &[u8], client: &str| {
            let forwarded = [made_up, b", ", client.as_bytes()].concat();
            let call = app.nobody().request("POST", "/auth/login");
            let call = call.raw_header("X-Forwarded-For", &forwarded);
            call.json(&credentials("nobody@example.com", "wrong wrong wrong")).send().await
        };
        // What is not UTF-8 was sent by the client; the proxy has appended the address.
        for made_up in [&b"\xff"[..], b"203.0.113.8, \xfe", b"caf\xc3\xa9"] {
            attempt(made_up, "203.0.113.7").await.refused(401, "UNAUTHORIZED");
        }
        attempt(b"\xff", "203.0.113.7").await.refused(429, "REQUEST_LIMIT_REACHED");
        attempt(b"\xff", "203.0.113.8").await.refused(401, "UNAUTHORIZED");
    }

    async fn wrong_keys_are_counted_too(setup: Setup) {
        let app = setup.attempts_per_minute(10).start().await;
        let owner = app.owner().await;
        let wrong = app.nobody().with_bearer("ck_live_nobody");
        for _ in 0..10 {
            wrong.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        wrong.get("/me").await.refused(429, "REQUEST_LIMIT_REACHED");
        // A valid key has no limit, and who brings no credential tries nothing.
        owner.key.get("/me").await.ok();
        app.nobody().get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn who_forwards_without_being_believed_is_warned_of_once_an_hour(app: TestApp) {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        let ask = async |forwarded: bool| {
            let nobody = app.nobody();
            let call = nobody.request("GET", "/me");
            let call = if forwarded { call.header("x-forwarded-for", "198.51.100.1") } else { call };
            call.send().await.refused(401, "UNAUTHORIZED");
            warnings_of("X-Forwarded-For").len()
        };
        assert_eq!((ask(false).await, ask(true).await, ask(true).await), (0, 1, 1));
        // However the clock is set meanwhile.
        app.clock().set_to(app.now().minus(3 * HOUR));
        app.clock().advance(HOUR);
        assert_eq!((ask(true).await, ask(true).await), (2, 2));
        app.clock().set_to(app.now().plus(3 * HOUR));
        assert_eq!(ask(true).await, 2);
    }

    async fn a_proxy_of_ours_is_not_warned_of(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let nobody = app.nobody();
        let call = nobody.request("GET", "/me").header("x-forwarded-for", "198.51.100.1");
        call.send().await.refused(401, "UNAUTHORIZED");
        assert!(warnings_of("X-Forwarded-For").is_empty());
    }

    async fn a_password_that_is_reset_while_it_is_checked_opens_nothing(app: TestApp) {
        let owner = app.owner().await;
        let cost = PasswordCost { memory_kib: 8, passes: 1 };
        let other = SecretText::from("correct horse battery staple");
        let hash = hash_now(&other, cost, &*app.app().ids).unwrap();
        let now = app.now();
        let reset = move |tx: &mut Tx<'_>, owner: OwnerId| {
            owners::set_password_hash(tx, owner, &hash, now)?;
            sessions::end_all(tx, owner, now)
        };
        let sessions = app.database().number("select count(*) from sessions");
        let body = credentials(&owner.email, &owner.password);
        let nobody = app.nobody();
        let answer = after(&app, owner.id.parse().unwrap(), reset, nobody.post("/auth/login", body));
        answer.await.refused(401, "UNAUTHORIZED");
        assert_eq!(app.database().number("select count(*) from sessions"), sessions);
        let body = credentials(&owner.email, other.expose());
        app.nobody().post("/auth/login", body).await.ok();
    }
}
