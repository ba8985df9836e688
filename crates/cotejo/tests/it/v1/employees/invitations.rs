//! Invitations: once, for a while, and nothing to learn from those of others.

use std::time::Duration;

use app::admin::{Operator, OwnerName, set_owner_active};
use domain::ids::{EmployeeId, OwnerId};
use domain::invitation::{INVITATION_LIFETIME, InvitationHash};
use domain::rights::Rights;
use domain::secret::PersonalText;
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::employees::{self, Employee, Invitation};
use store::issuers::Inviter;
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::employee::{PASSWORD, token_of};
use testkit::{Setup, TestApp, both_engines};

use super::{accept, invite, invited, sign_in};
use crate::changed::{keep_claims, lose_claims};
use crate::pay::form;

const EMAIL: &str = "luis@tienda.example";

/// So many employees who were invited.
async fn fill(app: &TestApp, owner: OwnerId, count: i64) {
    let now = app.now();
    let write = move |tx: &mut Tx<'_>| {
        for number in 0..count {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&number.to_be_bytes());
            let invitation =
                Invitation { hash: InvitationHash::from_bytes([0; 32]), expires_at: now };
            let employee = Employee {
                id: EmployeeId::from_bytes(bytes),
                client: None,
                email: PersonalText::new(format!("{number}@tienda.example")),
                name: "Luis".to_owned(),
                rights: Rights::NONE,
                is_active: true,
                password_hash: None,
                invitation: Some(invitation),
                inviter: Inviter::default(),
                invited_at: now,
                accepted_at: None,
                removed_at: None,
                created_at: now,
                updated_at: now,
            };
            employees::insert(tx, owner, &employee, invitation)?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, owner, write).await.unwrap();
}

both_engines! {
    async fn an_invitation_ends_with_its_inviters_right(app: TestApp) {
        let owner = app.owner().await;
        let may = ["team:write", "payments:read"];
        let is_good = async |token: &str| {
            let page = app.nobody().get(&format!("/invitation/{token}")).await;
            page.status == 200
        };
        for (number, end) in [
            json!({ "is_active": false }),
            json!({ "permissions": ["payments:read"] }),
            json!({ "permissions": ["team:write"] }),
            Value::Null,
        ]
        .into_iter()
        .enumerate()
        {
            let eva = owner.employee(u32::try_from(number).unwrap(), &may).await;
            let email = format!("{number}.{EMAIL}");
            let invited = invite(&eva, &email, &["payments:read"]).await;
            let (id, token) = (invited["employee"]["id"].as_str().unwrap(), token_of(&invited));
            assert!(is_good(&token).await);
            let _ = match &end {
                Value::Null => owner.delete(&format!("{}?with_issued=false", eva.path())).await.ok(),
                end => owner.patch(&eva.path(), end.clone()).await.ok(),
            };
            assert!(!is_good(&token).await, "{end}");
            accept(&owner, &token).await.refused(404, "NOT_FOUND");
            sign_in(&owner, &email).await.refused(401, "UNAUTHORIZED");
            // What the owner gives is the owner's word.
            let renewed = owner.post(&format!("/v1/employees/{id}/invitation"), json!({})).await.ok();
            accept(&owner, &token).await.refused(404, "NOT_FOUND");
            accept(&owner, &token_of(&renewed)).await.ok();
            sign_in(&owner, &email).await.ok();
        }
    }

    async fn who_is_raised_above_its_inviter_is_invited_anew(app: TestApp) {
        let owner = app.owner().await;
        let eva = owner.employee(1, &["team:write", "payments:read"]).await;
        let invited = invite(&eva, EMAIL, &["payments:read"]).await;
        let path = format!("/v1/employees/{}", invited["employee"]["id"].as_str().unwrap());
        let more = json!({ "permissions": ["payments:write"] });
        owner.patch(&path, more).await.ok();
        // Eva was shown the address, and may not admit a person who may more than she.
        accept(&owner, &token_of(&invited)).await.refused(404, "NOT_FOUND");
        owner.delete(&format!("{}?with_issued=false", eva.path())).await.ok();
        accept(&owner, &token_of(&invited)).await.refused(404, "NOT_FOUND");
        let renewed = owner.post(&format!("{path}/invitation"), json!({})).await.ok();
        accept(&owner, &token_of(&renewed)).await.ok();
        sign_in(&owner, EMAIL).await.ok();
    }

    async fn an_invitation_does_not_come_back_with_its_inviter(app: TestApp) {
        let owner = app.owner().await;
        let may = ["team:write", "payments:read"];
        for (number, end, back) in [
            (1, json!({ "is_active": false }), json!({ "is_active": true })),
            (2, json!({ "permissions": ["team:write"] }), json!({ "permissions": may })),
        ] {
            let eva = owner.employee(number, &may).await;
            let token = token_of(&invite(&eva, &format!("{number}.{EMAIL}"), &["payments:read"]).await);
            owner.patch(&eva.path(), end).await.ok();
            owner.patch(&eva.path(), back).await.ok();
            accept(&owner, &token).await.refused(404, "NOT_FOUND");
        }
        // Those of an owner that was shut out neither, on a node whose clock is behind.
        let token = token_of(&invite(&owner, EMAIL, &["payments:read"]).await);
        let (operator, name) = (|| Operator::of(app.app()), OwnerName::Id(owner.id.parse().unwrap()));
        set_owner_active(&operator(), &name, false).await.unwrap();
        set_owner_active(&operator(), &name, true).await.unwrap();
        app.clock().set_to(app.now().minus(Duration::from_secs(3)));
        accept(&owner, &token).await.refused(404, "NOT_FOUND");
    }

    async fn another_password_ends_the_invitations_that_its_person_has_open(app: TestApp) {
        let owner = app.owner().await;
        let eva = owner.employee(1, &["team:write", "payments:read"]).await;
        let of_owner = token_of(&invite(&owner, EMAIL, &["payments:read"]).await);
        let of_eva = token_of(&invite(&eva, "2@example.com", &["payments:read"]).await);
        let change = json!({ "current_password": owner.password, "new_password": "otra frase de prueba" });
        owner.post("/auth/password", change).await.ok();
        accept(&owner, &of_owner).await.refused(404, "NOT_FOUND");
        accept(&owner, &of_eva).await.ok();
    }

    async fn whose_address_is_let_go_of_while_it_accepts_accepts_again(app: TestApp) {
        let owner = app.owner().await;
        let (_, token) = invited(&owner, EMAIL).await;
        lose_claims(&app, None);
        accept(&owner, &token).await.refused(409, "REQUEST_IN_PROGRESS");
        keep_claims(&app);
        accept(&owner, &token).await.ok();
        sign_in(&owner, EMAIL).await.ok();
        assert_eq!(app.audit().await.len(), 0);
    }

    async fn an_invitation_is_accepted_once_even_at_once(app: TestApp) {
        let owner = app.owner().await;
        let (id, token) = invited(&owner, EMAIL).await;
        let body = |n: usize| json!({ "token": token, "password": format!("{PASSWORD} {n}") });
        let nobody = app.nobody();
        let calls = (0..5).map(|n| nobody.post("/auth/invitations/accept", body(n)));
        let ends: Vec<_> = join_all(calls).await.iter().map(|answer| answer.status).collect();
        let accepted = ends.iter().position(|status| *status == 200).expect("one accepted");
        assert_eq!(ends.iter().filter(|status| **status == 200).count(), 1, "{ends:?}");
        assert!(ends.iter().all(|status| [200, 404].contains(status)), "{ends:?}");
        // The password is that of the call that succeeded.
        for n in 0..5 {
            let body = json!({ "email": EMAIL, "password": format!("{PASSWORD} {n}") });
            let status = nobody.post("/auth/login", body).await.status;
            assert_eq!(status, if n == accepted { 200 } else { 401 });
        }
        assert_eq!(app.database().number("select count(*) from employees"), 1);
        let trail = "select count(*) from audit where action = 'AcceptInvitation'";
        assert_eq!(app.database().number(trail), 1);
        assert_eq!(owner.get("/v1/employees").await.ok()["employees"][0]["id"], id);
    }

    async fn who_guesses_invitations_from_one_address_soon_waits(setup: Setup) {
        let app = setup.behind_a_proxy().attempts_per_minute(5).start().await;
        let owner = app.owner().await;
        let (_, token) = invited(&owner, EMAIL).await;
        let (nobody, thief, person) = (app.nobody(), "203.0.113.7", "203.0.113.8");
        let guess = |number: u32| format!("iv_live_{number:032}");
        let by_api = async |from: &str, token: &str| {
            let body = json!({ "token": token, "password": PASSWORD });
            let call = nobody.request("POST", "/auth/invitations/accept");
            call.header("x-forwarded-for", from).json(&body).send().await
        };
        let by_page = async |from: &str, token: &str| {
            let fields = [("name", "Luis"), ("password", PASSWORD), ("again", PASSWORD)];
            let call = form(&nobody, &format!("/invitation/{token}"), &fields);
            call.header("x-forwarded-for", from).send().await
        };
        let look = async |from: &str, token: &str| {
            let call = nobody.request("GET", &format!("/invitation/{token}"));
            call.header("x-forwarded-for", from).send().await
        };
        for number in 0..5 {
            by_api(thief, &guess(number)).await.refused(404, "NOT_FOUND");
            assert_eq!(by_page(thief, &guess(number)).await.status, 404);
        }
        for number in 0..150 {
            assert_eq!(look(thief, &guess(number)).await.status, 404, "{number}");
        }
        // The right one does not pass either, so that the answer shows nothing.
        for token in [&guess(5), &token] {
            by_api(thief, token).await.refused(429, "REQUEST_LIMIT_REACHED");
            for answer in [by_page(thief, token).await, look(thief, token).await] {
                assert_eq!(answer.status, 429);
                assert!(answer.header("retry-after").is_some() && !answer.text().contains(EMAIL));
            }
        }
        // Its person, from elsewhere, is not kept waiting.
        assert_eq!(look(person, &token).await.status, 200);
        by_api(person, &token).await.ok();
    }

    async fn two_invitations_of_one_address_make_one_employee_even_at_once(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (one, other) = (invited(&owner, EMAIL).await, invited(&stranger, EMAIL).await);
        let ends = join_all([accept(&owner, &one.1), accept(&stranger, &other.1)]).await;
        let mut ends: Vec<_> = ends.iter().map(|answer| answer.status).collect();
        ends.sort_unstable();
        assert_eq!(ends, [200, 409]);
        sign_in(&owner, EMAIL).await.ok();
    }

    async fn unknown_used_over_and_withdrawn_invitations_are_answered_alike(app: TestApp) {
        let mut owner = app.owner().await;
        let (_, used) = invited(&owner, "usada@tienda.example").await;
        accept(&owner, &used).await.ok();
        let (id, withdrawn) = invited(&owner, "retirada@tienda.example").await;
        owner.delete(&format!("/v1/employees/{id}")).await.ok();
        let (id, of_inactive) = invited(&owner, "inactiva@tienda.example").await;
        owner.patch(&format!("/v1/employees/{id}"), json!({ "is_active": false })).await.ok();
        let (id, renewed) = invited(&owner, "renovada@tienda.example").await;
        let again = owner.post(&format!("/v1/employees/{id}/invitation"), json!({})).await.ok();
        let (_, expired) = invited(&owner, "vencida@tienda.example").await;
        let last = INVITATION_LIFETIME - Duration::from_micros(1);
        app.clock().advance(last);
        owner.sign_in_again().await;
        let (_, good) = invited(&owner, "buena@tienda.example").await;
        accept(&owner, &token_of(&again)).await.ok();
        app.clock().advance(Duration::from_micros(1));
        let unknown = format!("iv_live_{}", "a".repeat(32));
        let mut answers = Vec::new();
        for token in [
            &used, &withdrawn, &of_inactive, &renewed, &expired, &unknown,
            "x", "", "iv_live_", &"x".repeat(5_000), "iv_live_' or 1=1 --", "\u{0}",
        ] {
            let body = accept(&owner, token).await.refused(404, "NOT_FOUND");
            answers.push((body["message"].clone(), body["details"].clone(), body["facts"].clone()));
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        // What is wrong with the rest of the body is answered first, whichever the secret.
        for token in [&good, &unknown, &used] {
            let short = json!({ "token": token, "password": "corta" });
            let answer = app.nobody().post("/auth/invitations/accept", short).await;
            assert_eq!(answer.refused(400, "VALIDATION_ERROR")["details"][0]["field"], "password");
        }
        accept(&owner, &good).await.ok();
    }

    async fn another_invitation_ends_the_former_one_and_nobody_is_invited_who_is_in(app: TestApp) {
        let owner = app.owner().await;
        let (id, former) = invited(&owner, EMAIL).await;
        let path = format!("/v1/employees/{id}/invitation");
        let renew = |key: &str| {
            owner.request("POST", &path).header("idempotency-key", key).json(&json!({})).send()
        };
        let renewed = renew("one").await.ok();
        // The answer holds a secret: it is not given again, and nothing is done again.
        assert_eq!(renew("one").await.refused(409, "CONFLICT")["facts"]["id"], *id);
        accept(&owner, &former).await.refused(404, "NOT_FOUND");
        accept(&owner, &token_of(&renewed)).await.ok();
        owner.post(&path, json!({})).await.refused(409, "CONFLICT");
        owner.delete(&format!("/v1/employees/{id}")).await.ok();
        owner.post(&path, json!({})).await.refused(404, "NOT_FOUND");
    }

    async fn an_invitation_is_made_once_for_a_key_of_idempotency(app: TestApp) {
        let owner = app.owner().await;
        let call = |key: &str, email: &str| {
            let body = json!({ "email": email, "name": "Luis" });
            owner.request("POST", "/v1/employees").header("idempotency-key", key).json(&body).send()
        };
        let made = call("one", EMAIL).await.ok();
        let again = call("one", EMAIL).await.refused(409, "CONFLICT");
        assert_eq!(again["facts"]["id"], made["employee"]["id"]);
        call("one", "otra@tienda.example").await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(owner.get("/v1/employees").await.ok()["total"], 1);
        // A refusal takes no key.
        call("two", EMAIL).await.refused(409, "CONFLICT");
        call("two", "otra@tienda.example").await.ok();
    }

    async fn secrets_are_hashed_at_rest_and_in_no_list(app: TestApp) {
        let owner = app.owner().await;
        let addresses = "select count(*) from locators where kind = 2";
        let before = app.database().number(addresses);
        let (_, token) = invited(&owner, EMAIL).await;
        // Nobody claims an address for somebody else.
        assert_eq!(app.database().number(addresses), before);
        for path in ["/v1/employees", "/v1/audit"] {
            assert!(!owner.get(path).await.ok().to_string().contains(&token), "{path}");
        }
        let kept = "select count(*) from employees where length(invitation_hash) = 32";
        assert_eq!(app.database().number(kept), 1);
        accept(&owner, &token).await.ok();
        let gone = "select count(*) from employees where invitation_hash is null and password_hash like '$argon2id$%'";
        assert_eq!(app.database().number(gone), 1);
        // Nothing leads to it any more.
        assert_eq!(app.database().number("select count(*) from locators where kind = 5"), 0);
        assert_eq!(app.database().number(addresses), before + 1);
    }

    async fn what_an_invitation_takes_has_limits(app: TestApp) {
        let owner = app.owner().await;
        for (body, fields) in [
            (json!({}), vec!["email", "name"]),
            (json!({ "email": "a@b.example", "name": "\u{7}x" }), vec!["name"]),
            (json!({ "email": format!("{}@b.example", "x".repeat(300)), "name": "L" }), vec!["email"]),
            (json!({ "email": EMAIL, "name": "L", "permissions": "all" }), vec!["permissions"]),
            (
                json!({ "email": EMAIL, "name": "L", "permissions": vec!["x"; 101] }),
                vec!["permissions"],
            ),
        ] {
            let refused = owner.post("/v1/employees", body).await.refused(400, "VALIDATION_ERROR");
            let details = refused["details"].as_array().unwrap();
            let named: Vec<Value> = details.iter().map(|detail| detail["field"].clone()).collect();
            assert_eq!(named, fields);
        }
        let body = json!({ "email": EMAIL, "name": "L", "permissions": ["api_keys"] });
        owner.post("/v1/employees", body).await.refused(400, "UNKNOWN_PERMISSION");
        let (_, token) = invited(&owner, EMAIL).await;
        for password in ["once bytes.".to_owned(), "x".repeat(1_025)] {
            let body = json!({ "token": token, "password": password });
            let answer = app.nobody().post("/auth/invitations/accept", body).await;
            assert_eq!(answer.refused(400, "VALIDATION_ERROR")["details"][0]["field"], "password");
        }
        let body = json!({ "token": token, "password": "x".repeat(1_024) });
        app.nobody().post("/auth/invitations/accept", body).await.ok();
    }

    async fn an_owner_has_so_many_employees_and_no_more(app: TestApp) {
        let owner = app.owner().await;
        let limit = store::employees::EMPLOYEES_MAX;
        fill(&app, owner.id.parse().unwrap(), limit - 1).await;
        app.tamper("update employees set invitation_hash = null").await;
        invite(&owner, EMAIL, &[]).await;
        let body = json!({ "email": "otra@tienda.example", "name": "L" });
        let refused = owner.post("/v1/employees", body.clone()).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused["facts"]["limit"], limit);
        let newest = owner.get("/v1/employees").await.ok()["employees"][0]["id"].clone();
        owner.delete(&format!("/v1/employees/{}", newest.as_str().unwrap())).await.ok();
        owner.post("/v1/employees", body).await.ok();
    }
}
