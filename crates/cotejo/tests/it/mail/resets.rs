//! Another password by mail.

use std::collections::HashSet;

use domain::reset::RESET_LIFETIME;
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::employee::PASSWORD;
use testkit::{Response, Setup, TestApp, both_engines, either_engine, log};

use super::{ask, deliver, invite, reset, sign_in, with_mail};
use crate::pay::send;

const NEW: &str = "otra frase de prueba";

fn text(answer: &Response) -> String {
    String::from_utf8(answer.body.to_vec()).unwrap()
}

either_engine! {
    async fn a_link_sets_another_password_once_and_ends_all_sessions(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        let mails = server.mails();
        assert_eq!((mails.len(), mails[0].to()), (1, vec![&*owner.email]));
        let token = mails[0].token();
        reset(&owner, &token, "corta").await.refused(400, "VALIDATION_ERROR");
        // A look changes nothing.
        assert_eq!(app.nobody().get(&format!("/password-reset/{token}")).await.status, 200);
        let key = owner.key_with(&[]).await;
        let answer = reset(&owner, &token, NEW).await.ok();
        // Whoever knew the former password may have left it.
        assert_eq!(answer["issued"][0]["id"], *key.id);
        key.get("/me").await.ok();

        owner.get("/me").await.refused(401, "UNAUTHORIZED");
        owner.key.get("/me").await.ok();
        sign_in(&owner, &owner.email, &owner.password).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &owner.email, NEW).await.ok();
        reset(&owner, &token, PASSWORD).await.refused(404, "NOT_FOUND");
        let trail = app.database().texts(
            "select action from audit where action in ('RequestPasswordReset', 'ResetPassword') order by id",
        );
        assert_eq!(trail, ["RequestPasswordReset", "ResetPassword"]);
        // The person is notified of it, and nothing secret is left.
        deliver(&app).await;
        assert_eq!(server.mails().last().unwrap().header("Subject"), "Su contraseña cambió");
        assert_eq!(app.database().number("select count(*) from mails where facts is not null"), 0);
        assert_eq!(app.database().number("select count(*) from password_resets"), 0);
    }

    async fn an_employee_gets_one_and_the_owners_sessions_go_on(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let email = "luis@tienda.example";
        invite(&owner, email).await;
        // Who has not accepted signs in with nothing, and gets no link.
        ask(&owner, email).await.ok();
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);
        let accept = json!({ "token": server.mails()[0].token(), "password": PASSWORD });
        app.nobody().post("/auth/invitations/accept", accept).await.ok();
        let session = sign_in(&owner, email, PASSWORD).await.ok();
        let luis = app.nobody().with_bearer(session["token"].as_str().unwrap());
        ask(&owner, email).await.ok();
        deliver(&app).await;
        reset(&owner, &server.mails()[1].token(), NEW).await.ok();
        luis.get("/me").await.refused(401, "UNAUTHORIZED");
        owner.get("/me").await.ok();
        sign_in(&owner, email, NEW).await.ok();
    }

    async fn who_uses_a_link_signs_in_there_however_long_others_guess(setup: Setup) {
        let (app, server) = with_mail(setup.behind_a_proxy()).await;
        let owner = app.owner().await;
        let (home, other) = ("203.0.113.7", "203.0.113.8");
        let post = async |from: &str, path: &str, body: Value| {
            let nobody = app.nobody();
            nobody.request("POST", path).header("x-forwarded-for", from).json(&body).send().await
        };
        let sign_in = async |from: &str, password: &str| {
            post(from, "/auth/login", json!({ "email": owner.email, "password": password })).await
        };
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        let body = json!({ "token": server.mails()[0].token(), "password": NEW });
        post(home, "/auth/password/reset/confirm", body).await.ok();
        for number in 0..10 {
            let stranger = format!("2001:db8:{number}::1");
            sign_in(&stranger, PASSWORD).await.refused(401, "UNAUTHORIZED");
        }
        sign_in(other, NEW).await.refused(429, "REQUEST_LIMIT_REACHED");
        sign_in(home, NEW).await.ok();
    }

    async fn the_answer_is_the_same_for_every_address(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let off = app.owner().await;
        app.tamper(&format!(
            "update owner_profiles set is_active = false where email = '{}'",
            off.email,
        )).await;
        let mut answers = HashSet::new();
        for email in [&*owner.email, "nobody@example.com", &off.email] {
            answers.insert(text(&ask(&app.nobody(), email).await));
        }
        assert_eq!(answers.len(), 1, "{answers:?}");
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);
        assert_eq!(server.mails()[0].to(), [&*owner.email]);
        ask(&app.nobody(), "no address").await.refused(400, "VALIDATION_ERROR");
    }

    async fn a_person_gets_three_in_an_hour_and_a_link_works_for_an_hour(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        for _ in 0..5 {
            ask(&app.nobody(), &owner.email).await.ok();
            deliver(&app).await;
        }
        let mails = server.mails();
        assert_eq!(mails.len(), 3);
        // Each of them works, until one is used or the hour is over.
        let last = mails[2].token();
        app.clock().advance(RESET_LIFETIME);
        reset(&owner, &last, NEW).await.refused(404, "NOT_FOUND");
        assert_eq!(app.nobody().get(&format!("/password-reset/{last}")).await.status, 404);
        for old in app::sweep::ALL.iter().filter(|old| old.what.starts_with("links for another")) {
            app::sweep::sweep(app.app(), *old).await.unwrap();
        }
        assert_eq!(app.database().number("select count(*) from password_resets"), 0);
        ask(&app.nobody(), &owner.email).await.ok();
        deliver(&app).await;
        reset(&owner, &server.mails()[3].token(), NEW).await.ok();
    }

    async fn a_password_that_changes_otherwise_ends_the_links(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        let change = json!({ "current_password": owner.password, "new_password": NEW });
        owner.post("/auth/password", change).await.ok();
        reset(&owner, &server.mails()[0].token(), PASSWORD).await.refused(404, "NOT_FOUND");
        sign_in(&owner, &owner.email, NEW).await.ok();
    }

    async fn without_a_mail_server_there_is_none(app: TestApp) {
        let owner = app.owner().await;
        ask(&owner, &owner.email).await.refused(409, "CONFLICT");
        assert_eq!(app.database().number("select count(*) from password_resets"), 0);
    }

    async fn no_secret_and_no_address_is_in_the_log(setup: Setup) {
        log::keep_all();
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let invited = "luis@tienda.example";
        server.answer("451");
        invite(&owner, invited).await;
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        server.answer("550");
        app.clock().advance(std::time::Duration::from_secs(60));
        deliver(&app).await;
        server.answer("250");
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        let mut secrets: Vec<_> = server.mails().iter().map(testkit::Caught::token).collect();
        let last = secrets.last().unwrap().clone();
        app.nobody().get(&format!("/password-reset/{last}")).await;
        reset(&owner, &last, NEW).await.ok();
        reset(&owner, &last, NEW).await.refused(404, "NOT_FOUND");
        deliver(&app).await;
        secrets.extend([NEW, invited, &*owner.email].map(str::to_owned));
        let lines = log::all();
        assert!(lines.iter().any(|line| line.contains("mail retries exhausted")), "lines are kept");
        assert!(lines.iter().any(|line| line.contains("mail sent")), "lines are kept");
        for secret in secrets {
            let found: Vec<_> = lines.iter().filter(|line| line.contains(&secret)).collect();
            assert!(found.is_empty(), "{secret}: {found:?}");
        }
    }

    async fn requests_and_guesses_of_an_address_are_counted(setup: Setup) {
        let (app, _server) = with_mail(setup.attempts_per_minute(3)).await;
        let owner = app.owner().await;
        app.clock().advance(RESET_LIFETIME);
        for _ in 0..3 {
            ask(&app.nobody(), "nobody@example.com").await.ok();
        }
        ask(&app.nobody(), "nobody@example.com").await.refused(429, "REQUEST_LIMIT_REACHED");
        reset(&owner, "rs_live_x", NEW).await.refused(429, "REQUEST_LIMIT_REACHED");
    }
}

both_engines! {
    async fn of_two_that_use_a_link_at_once_one_does(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        let token = server.mails()[0].token();
        let passwords: Vec<_> = (0..5).map(|n| format!("{NEW} {n}")).collect();
        let calls = passwords.iter().map(|password| reset(&owner, &token, password));
        let ends: Vec<_> = join_all(calls).await.iter().map(|answer| answer.status).collect();
        let used = ends.iter().position(|status| *status == 200).expect("one is used");
        assert_eq!(ends.iter().filter(|status| **status == 404).count(), 4, "{ends:?}");
        for (n, password) in passwords.iter().enumerate() {
            let status = sign_in(&owner, &owner.email, password).await.status;
            assert_eq!(status, if n == used { 200 } else { 401 });
        }
        let trail = "select count(*) from audit where action = 'ResetPassword'";
        assert_eq!(app.database().number(trail), 1);
    }

    async fn who_is_switched_off_or_removed_meanwhile_sets_nothing(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let email = "luis@tienda.example";
        let id = invite(&owner, email).await["employee"]["id"].as_str().unwrap().to_owned();
        deliver(&app).await;
        let accept = json!({ "token": server.mails()[0].token(), "password": PASSWORD });
        app.nobody().post("/auth/invitations/accept", accept).await.ok();
        ask(&owner, email).await.ok();
        deliver(&app).await;
        let token = server.mails()[1].token();
        let path = format!("/v1/employees/{id}");
        owner.patch(&path, json!({ "is_active": false })).await.ok();
        reset(&owner, &token, NEW).await.refused(404, "NOT_FOUND");
        owner.patch(&path, json!({ "is_active": true })).await.ok();
        reset(&owner, &token, NEW).await.refused(404, "NOT_FOUND");
        ask(&owner, email).await.ok();
        deliver(&app).await;
        let token = server.mails()[2].token();
        owner.delete(&path).await.ok();
        reset(&owner, &token, NEW).await.refused(404, "NOT_FOUND");
    }
}

either_engine! {
    async fn the_page_sets_the_password_and_is_as_strict_as_the_payers(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        let path = format!("/password-reset/{}", server.mails()[0].token());
        let nobody = app.nobody();
        let page = nobody.get(&path).await;
        assert!(text(&page).contains(&owner.email) && text(&page).contains("Elija otra contraseña"));
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("referrer-policy"), Some("strict-origin"));
        assert!(page.header("cache-control").unwrap().contains("no-store"));
        let english = nobody.request("GET", &path).header("accept-language", "en").send().await;
        assert!(text(&english).contains("Choose a new password"));
        for (fields, wrong) in [
            ([("password", "corta"), ("again", "corta")], "password-wrong"),
            ([("password", NEW), ("again", PASSWORD)], "again-wrong"),
        ] {
            let answer = send(&nobody, &path, &fields).await;
            assert_eq!(answer.status, 422);
            assert!(text(&answer).contains(&format!("id=\"{wrong}\"")) && !text(&answer).contains(NEW));
        }
        let form = format!("password={0}&again={0}", NEW.replace(' ', "+"));
        let call = nobody.request("POST", &path);
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        let elsewhere = call.header("sec-fetch-site", "cross-site").body(form).send().await;
        assert_eq!(elsewhere.status, 403);
        let fields = [("password", NEW), ("again", NEW)];
        let done = send(&nobody, &path, &fields).await;
        assert_eq!((done.status, done.header("location")), (303, Some("/password-reset/done")));
        let page = text(&nobody.get("/password-reset/done").await);
        assert!(page.contains("Contraseña cambiada") && page.contains("/app/sign-in?next=/app/me"), "{page}");
        sign_in(&owner, &owner.email, NEW).await.ok();
        let unknown = format!("/password-reset/rs_live_{}", "0".repeat(84));
        for path in [&*path, &unknown, "/password-reset/x", "/password-reset/%3Cscript%3E"] {
            let answers = [nobody.get(path).await, send(&nobody, path, &fields).await];
            for answer in answers {
                assert_eq!(answer.status, 404, "{path}");
                assert!(text(&answer).contains("Este enlace no sirve"));
            }
        }
        assert_eq!(nobody.request("DELETE", &path).send().await.status, 405);
    }
}
