//! `POST /auth/password`

use std::time::Duration;

use domain::ids::OwnerId;
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::tx::Tx;
use store::{owners, sessions};
use testkit::employee::PASSWORD;
use testkit::{Principal, TestApp, both_engines, either_engine};

use crate::changed::after;

const NEW: &str = "otra frase de prueba";

fn change(current: &str, new: &str) -> Value {
    json!({ "current_password": current, "new_password": new })
}

async fn sign_in(caller: &Principal, email: &str, password: &str) -> testkit::Response {
    let body = json!({ "email": email, "password": password });
    caller.without_credential().post("/auth/login", body).await
}

/// Another session of the person who signs in so.
async fn session(caller: &Principal, email: &str, password: &str) -> Principal {
    let answer = sign_in(caller, email, password).await.ok();
    caller.with_bearer(answer["token"].as_str().unwrap())
}

either_engine! {
    async fn it_takes_the_present_one_and_ends_the_other_sessions_of_that_person_alone(app: TestApp) {
        let owner = app.owner().await;
        let (luis, eva) = (owner.employee(1, &[]).await, owner.employee(2, &[]).await);
        let of_owner = session(&owner, &owner.email, &owner.password).await;
        let of_luis = session(&owner, &luis.email, PASSWORD).await;
        for person in [&of_owner, &of_luis, &*eva] {
            person.get("/me").await.ok();
        }
        luis.post("/auth/password", change(PASSWORD, NEW)).await.ok();
        of_luis.get("/me").await.refused(401, "UNAUTHORIZED");
        for person in [&*luis, &*eva, &*owner, &of_owner] {
            person.get("/me").await.ok();
        }
        sign_in(&owner, &luis.email, PASSWORD).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &luis.email, NEW).await.ok();
        sign_in(&owner, &eva.email, PASSWORD).await.ok();

        owner.post("/auth/password", change(&owner.password, NEW)).await.ok();
        of_owner.get("/me").await.refused(401, "UNAUTHORIZED");
        for person in [&*owner, &*luis, &*eva, &*owner.key] {
            person.get("/me").await.ok();
        }
        sign_in(&owner, &owner.email, NEW).await.ok();
        let trail = app.database().texts("select action from audit where action = 'ChangePassword'");
        assert_eq!(trail.len(), 2);
    }

    async fn what_is_wrong_with_it_is_said_and_changes_nothing(app: TestApp) {
        let owner = app.owner().await;
        let long = "x".repeat(1_025);
        for (current, new, field) in [
            ("wrong wrong wrong", NEW, "current_password"),
            (&*long, NEW, "current_password"),
            ("", NEW, "current_password"),
            (&*owner.password, "corta", "new_password"),
            (&*owner.password, &*long, "new_password"),
            (&*owner.password, &*owner.password, "new_password"),
        ] {
            app.clock().advance(Duration::from_secs(40));
            let answer = owner.post("/auth/password", change(current, new)).await;
            let refused = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused["details"][0]["field"], field, "{refused}");
        }
        owner.key.post("/auth/password", change(&owner.password, NEW)).await
            .refused(403, "OWNER_SESSION_REQUIRED");
        sign_in(&owner, &owner.email, &owner.password).await.ok();
        let trail = "select count(*) from audit where action = 'ChangePassword'";
        assert_eq!(app.database().number(trail), 0);
    }

    async fn who_has_a_session_alone_guesses_five_times_in_a_quarter_of_an_hour(app: TestApp) {
        let owner = app.owner().await;
        let thief = session(&owner, &owner.email, &owner.password).await;
        let guess = change("wrong wrong wrong", NEW);
        for _ in 0..5 {
            thief.post("/auth/password", guess.clone()).await.refused(400, "VALIDATION_ERROR");
        }
        // Counted by person: another session of it, and the right one, wait too.
        for person in [&thief, &*owner] {
            let answer = person.post("/auth/password", change(&owner.password, NEW)).await;
            let refused = answer.refused(429, "PASSWORD_CHANGE_TRY_TOO_FREQUENT");
            assert!(refused["message"].is_string());
            assert_eq!(answer.header("retry-after"), Some("180"));
        }
        app.clock().advance(Duration::from_secs(180));
        owner.post("/auth/password", change(&owner.password, NEW)).await.ok();
        thief.get("/me").await.refused(401, "UNAUTHORIZED");
    }
}

both_engines! {
    async fn of_changes_at_once_one_is_made(app: TestApp) {
        let owner = app.owner().await;
        let sessions = [
            session(&owner, &owner.email, &owner.password).await,
            session(&owner, &owner.email, &owner.password).await,
        ];
        let calls = sessions.iter().enumerate().map(|(n, session)| {
            session.post("/auth/password", change(&owner.password, &format!("{NEW} {n}")))
        });
        let ends: Vec<_> = join_all(calls).await.iter().map(|answer| answer.status).collect();
        let made = ends.iter().position(|status| *status == 200).expect("one is made");
        // The other was ended by it, or came late.
        assert!([400, 401].contains(&ends[1 - made]), "{ends:?}");
        for n in 0..2 {
            let status = sign_in(&owner, &owner.email, &format!("{NEW} {n}")).await.status;
            assert_eq!(status, if n == made { 200 } else { 401 });
        }
    }

    async fn a_session_that_ends_meanwhile_and_a_password_that_is_reset_change_nothing(app: TestApp) {
        let mut owner = app.owner().await;
        let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
        let end = move |tx: &mut Tx<'_>, owner: OwnerId| sessions::end_all(tx, owner, now);
        let call = owner.post("/auth/password", change(&owner.password, NEW));
        after(&app, id, end, call).await.refused(401, "UNAUTHORIZED");
        owner.sign_in_again().await;
        let reset = move |tx: &mut Tx<'_>, owner: OwnerId| {
            owners::set_password_hash(tx, owner, "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", now)
        };
        let call = owner.post("/auth/password", change(&owner.password, NEW));
        after(&app, id, reset, call).await.refused(503, "SERVICE_UNAVAILABLE");
        sign_in(&owner, &owner.email, NEW).await.refused(401, "UNAUTHORIZED");
    }
}
