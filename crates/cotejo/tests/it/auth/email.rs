//! `PUT /auth/email`, where the service sends no mail.

use domain::ids::{OwnerId, SessionId};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::tx::Tx;
use store::{owners, sessions};
use testkit::employee::PASSWORD;
use testkit::{Principal, Response, TestApp, both_engines};

use crate::changed::{after, keep_claims, lose_claims};

async fn sign_in(caller: &Principal, email: &str, password: &str) -> Response {
    let body = json!({ "email": email, "password": password });
    caller.without_credential().post("/auth/login", body).await
}

async fn change(caller: &Principal, email: &str, password: &str) -> Response {
    caller.put("/auth/email", json!({ "email": email, "password": password })).await
}

/// How many addresses lead to somebody.
fn claims(app: &TestApp) -> i64 {
    app.database().number("select count(*) from locators where kind = 2")
}

both_engines! {
    async fn it_is_at_once_and_ends_the_other_sessions_of_that_person(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (luis, marta) = (owner.employee(1, &[]).await, owner.client_employee(&client, 1).await);
        let people = [
            (&*owner, &*owner.email, &*owner.password),
            (&*luis, &*luis.email, PASSWORD),
            (&*marta, &*marta.email, PASSWORD),
        ];
        for (number, (person, former, password)) in people.into_iter().enumerate() {
            let other = sign_in(person, former, password).await.ok();
            let other = person.with_bearer(other["token"].as_str().unwrap());
            let new = format!("nuevo{number}@tienda.example");
            let answer = change(person, &format!(" {} ", new.to_uppercase()), password).await.ok();
            assert_eq!(answer["is_pending"], false);
            person.get("/me").await.ok();
            other.get("/me").await.refused(401, "UNAUTHORIZED");
            sign_in(person, former, password).await.refused(401, "UNAUTHORIZED");
            sign_in(person, &new, password).await.ok();
        }
        assert_eq!(owner.get("/me").await.ok()["user"]["email"], "nuevo0@tienda.example");
        // It is in the owner's log, with what was and what is.
        let trail = owner.get("/v1/audit").await.ok();
        let changes: Vec<&Value> = trail["entries"].as_array().unwrap().iter()
            .filter(|entry| entry["action"] == "ChangeEmail").collect();
        assert_eq!(changes.len(), 3);
        let after = json!({ "email": "nuevo1@tienda.example" });
        let of_luis = changes.iter().find(|entry| entry["after"] == after).unwrap();
        assert_eq!(of_luis["before"], json!({ "email": luis.email }));
        assert_eq!(of_luis["employee"]["id"], luis.id);
        // The former addresses are anybody's.
        owner.employee(2, &[]).await;
        change(&luis, &owner.email, PASSWORD).await.ok();
        sign_in(&luis, &owner.email, PASSWORD).await.ok();
        assert_eq!(app.audit().await.len(), 0);
    }

    async fn what_is_wrong_with_it_is_said_and_changes_nothing(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let luis = owner.employee(1, &[]).await;
        let pending = json!({ "email": "eva@tienda.example", "name": "Eva", "permissions": [] });
        let invited = owner.post("/v1/employees", pending).await.ok();
        let field = |answer: &Response| {
            answer.refused(400, "VALIDATION_ERROR")["details"][0]["field"].clone()
        };
        assert_eq!(field(&change(&luis, "x@example.com", "wrong wrong wrong").await), "password");
        assert_eq!(field(&change(&luis, &luis.email, PASSWORD).await), "email");
        // An address that a person signs in with, or that the same merchant invited, stays that person's.
        for taken in [&*other.email, &*owner.email, "eva@tienda.example"] {
            change(&luis, taken, PASSWORD).await.refused(409, "CONFLICT");
        }
        // Five tries in a quarter of an hour, those of changes of the password among them.
        change(&luis, "y@example.com", PASSWORD).await.refused(429, "REQUEST_LIMIT_REACHED");
        sign_in(&luis, &luis.email, PASSWORD).await.ok();
        change(&owner.key, "x@example.com", &owner.password).await.refused(403, "OWNER_SESSION_REQUIRED");
        // Who is invited has its address still.
        let accept = json!({ "token": testkit::employee::token_of(&invited), "password": PASSWORD });
        app.nobody().post("/auth/invitations/accept", accept).await.ok();
        let trail = "select count(*) from audit where action = 'ChangeEmail'";
        assert_eq!(app.database().number(trail), 0);
    }

    async fn of_two_that_want_one_address_at_once_one_has_it(app: TestApp) {
        let owner = app.owner().await;
        let (luis, eva) = (owner.employee(1, &[]).await, owner.employee(2, &[]).await);
        let new = "nuevo@tienda.example";
        let answers = join_all([&luis, &eva].map(|person| change(person, new, PASSWORD))).await;
        let ends: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        assert!(ends == [200, 409] || ends == [409, 200], "{ends:?}");
        sign_in(&owner, new, PASSWORD).await.ok();
        assert_eq!(app.audit().await.len(), 0);
    }

    async fn who_was_signed_out_meanwhile_changes_nothing(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let (claimed, now) = (claims(&app), app.now());
        let end = move |tx: &mut Tx<'_>, owner: OwnerId| {
            sessions::end_all(tx, owner, now)?;
            owners::find(tx, owner).map(drop)
        };
        let wanted = json!({ "email": "nuevo@tienda.example", "password": owner.password });
        let call = owner.put("/auth/email", wanted);
        after(&app, owner.id.parse().unwrap(), end, call).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &owner.email, &owner.password).await.ok();
        // Nor does the address lead to it: it is whose it becomes.
        change(&other, "nuevo@tienda.example", &other.password).await.ok();
        assert_eq!(claims(&app), claimed);
    }

    async fn an_address_whose_claim_is_gone_when_it_is_written_becomes_nobodys(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let new = "nuevo@tienda.example";
        for (to, code) in [(None, "REQUEST_IN_PROGRESS"), (Some(&*other.email), "CONFLICT")] {
            lose_claims(&app, to);
            change(&owner, new, &owner.password).await.refused(409, code);
            keep_claims(&app);
            assert_eq!(owner.get("/me").await.ok()["user"]["email"], owner.email);
        }
        // The one who has claimed it gets it.
        change(&other, new, &other.password).await.ok();
        sign_in(&other, new, &other.password).await.ok();
        assert_eq!(app.audit().await.len(), 0);
    }

    async fn of_a_change_and_a_refused_one_to_the_same_address_at_once_it_stays_the_persons(app: TestApp) {
        let owner = app.owner().await;
        let claimed = claims(&app);
        let new = "nuevo@tienda.example";
        let answer = sign_in(&owner, &owner.email, &owner.password).await.ok();
        let refused = owner.with_bearer(answer["token"].as_str().unwrap());
        let listed = refused.get("/auth/sessions").await.ok();
        let sessions = listed["sessions"].as_array().unwrap();
        let current = sessions.iter().find(|it| it["is_current"] == true).unwrap();
        let (id, now) = (current["id"].as_str().unwrap().parse::<SessionId>().unwrap(), app.now());
        let end = move |tx: &mut Tx<'_>, owner: OwnerId| {
            sessions::end(tx, owner, id, now)?;
            owners::find(tx, owner).map(drop)
        };
        let both = [&refused, &owner].map(|caller| change(caller, new, &owner.password));
        let answers = after(&app, owner.id.parse().unwrap(), end, join_all(both)).await;
        answers[0].refused(401, "UNAUTHORIZED");
        // One whose claim the refused one let go of, before it was written, is sent again, as its answer asks.
        if answers[1].status != 200 {
            answers[1].refused(409, "REQUEST_IN_PROGRESS");
            change(&owner, new, &owner.password).await.ok();
        }
        sign_in(&owner, new, &owner.password).await.ok();
        assert_eq!(claims(&app), claimed);
        assert_eq!(app.audit().await.len(), 0);
    }

    async fn of_changes_of_one_person_at_once_the_last_address_alone_leads_to_it(app: TestApp) {
        let owner = app.owner().await;
        let claimed = claims(&app);
        let new: Vec<_> = (0..5).map(|number| format!("nuevo{number}@tienda.example")).collect();
        let answers = join_all(new.iter().map(|new| change(&owner, new, &owner.password))).await;
        for answer in answers {
            answer.ok();
        }
        assert_eq!(claims(&app), claimed);
        let present = owner.get("/me").await.ok()["user"]["email"].as_str().unwrap().to_owned();
        sign_in(&owner, &present, &owner.password).await.ok();
        assert_eq!(app.audit().await.len(), 0);
    }
}
