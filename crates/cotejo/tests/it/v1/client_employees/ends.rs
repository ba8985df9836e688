//! However the access of a client's person ends, it does so at once: also for calls that were admitted before.

use domain::ids::{ClientId, EmployeeId, OwnerId};
use serde_json::{Value, json};
use store::fault::Fault;
use store::tx::Tx;
use store::{clients, employees, sessions};
use testkit::employee::PASSWORD;
use testkit::owner::link_bank;
use testkit::{Employee, Owner, Principal, Response, TestApp, both_engines};

use crate::changed::after;

async fn sign_in(caller: &Principal, email: &str) -> Response {
    let body = json!({ "email": email, "password": PASSWORD });
    caller.without_credential().post("/auth/login", body).await
}

async fn refresh(app: &TestApp, signed_in: &Value) -> Response {
    let body = json!({ "refresh_token": signed_in["refresh_token"] });
    app.nobody().post("/auth/refresh", body).await
}

/// Ends an access in one transaction.
type Ending = Box<dyn Fn(&mut Tx<'_>, OwnerId) -> Result<(), Fault> + Send + Sync>;

/// Each way in which the access of a person of that client ends, as the service writes it.
fn endings(app: &TestApp, client: &str, person: &Employee) -> [Ending; 3] {
    let (client, id): (ClientId, EmployeeId) =
        (client.parse().unwrap(), person.id.parse().unwrap());
    let now = app.now();
    let client_off: Ending = Box::new(move |tx, owner| {
        let found = clients::find(tx, owner, client)?.unwrap();
        let off = clients::Client { is_active: false, updated_at: now, ..found };
        clients::change(tx, owner, &off)?;
        sessions::end_of_client(tx, owner, client, now)
    });
    let person_off: Ending = Box::new(move |tx, owner| {
        let found = employees::find(tx, owner, id)?.unwrap();
        let off = employees::Employee { is_active: false, updated_at: now, ..found };
        employees::change(tx, owner, &off)?;
        sessions::end_of_employee(tx, owner, id, now)
    });
    let removed: Ending = Box::new(move |tx, owner| {
        employees::remove(tx, owner, id, now)?;
        sessions::end_of_employee(tx, owner, id, now)
    });
    [client_off, person_off, removed]
}

/// Opens again what an ending has closed.
async fn open_again(owner: &Owner, client: &str) {
    owner.patch(&format!("/v1/clients/{client}"), json!({ "is_active": true })).await.ok();
}

both_engines! {
    async fn with_its_client_a_person_is_out_and_signs_in_again_once_it_is_back(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let (marta, eva) =
            (owner.client_employee(&client, 1).await, owner.client_employee(&other, 2).await);
        let luis = owner.employee(1, &[]).await;
        let second = sign_in(&owner, &marta.email).await.ok();
        let path = format!("/v1/clients/{client}");
        owner.patch(&path, json!({ "is_active": false })).await.ok();
        marta.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &second).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &marta.email).await.refused(403, "CLIENT_IS_NOT_ACTIVE");
        // Who does not know the password learns nothing of that.
        let wrong = json!({ "email": marta.email, "password": format!("{PASSWORD}!") });
        app.nobody().post("/auth/login", wrong).await.refused(401, "UNAUTHORIZED");
        for person in [&*eva, &*luis, &*owner] {
            person.get("/me").await.ok();
        }
        open_again(&owner, &client).await;
        marta.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &second).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &marta.email).await.ok();
    }

    async fn who_is_switched_off_or_removed_is_out_and_the_others_stay(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (marta, eva) =
            (owner.client_employee(&client, 1).await, owner.client_employee(&client, 2).await);
        let second = sign_in(&owner, &marta.email).await.ok();
        owner.patch(&marta.path(), json!({ "is_active": false })).await.ok();
        marta.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &second).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &marta.email).await.refused(403, "USER_IS_NOT_ACTIVE");
        owner.patch(&marta.path(), json!({ "is_active": true })).await.ok();
        let again = sign_in(&owner, &marta.email).await.ok();
        let again = owner.with_bearer(again["token"].as_str().unwrap());
        for _ in 0..2 {
            owner.delete(&marta.path()).await.ok();
        }
        again.get("/me").await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &marta.email).await.refused(401, "UNAUTHORIZED");
        owner.patch(&marta.path(), json!({ "is_active": true })).await.refused(404, "NOT_FOUND");
        eva.get("/me").await.ok();
        // With its owner everybody is out.
        let off = format!("update owner_profiles set is_active = false where email = '{}'", owner.email);
        app.tamper(&off).await;
        eva.get("/me").await.refused(403, "USER_IS_NOT_ACTIVE");
        sign_in(&owner, &eva.email).await.refused(403, "USER_IS_NOT_ACTIVE");
    }

    async fn another_password_ends_the_other_sessions_of_that_person_alone(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (marta, eva) =
            (owner.client_employee(&client, 1).await, owner.client_employee(&client, 2).await);
        let second = sign_in(&owner, &marta.email).await.ok();
        let second = owner.with_bearer(second["token"].as_str().unwrap());
        let change = json!({ "current_password": PASSWORD, "new_password": "otra frase de prueba" });
        marta.post("/auth/password", change).await.ok();
        second.get("/me").await.refused(401, "UNAUTHORIZED");
        for person in [&*marta, &*eva, &*owner] {
            person.get("/me").await.ok();
        }
        sign_in(&owner, &marta.email).await.refused(401, "UNAUTHORIZED");
    }

    async fn it_sees_and_ends_its_own_sessions_and_the_owner_all(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (marta, eva) =
            (owner.client_employee(&client, 1).await, owner.client_employee(&client, 2).await);
        let listed = async |caller: &Principal| caller.get("/auth/sessions").await.ok();
        assert_eq!(listed(&owner).await["total"], 3);
        let own = listed(&marta).await;
        assert_eq!((&own["total"], &own["sessions"][0]["employee_id"]), (&json!(1), &json!(marta.id)));
        let of_eva = listed(&eva).await["sessions"][0]["id"].as_str().unwrap().to_owned();
        let path = format!("/auth/sessions/{of_eva}");
        marta.delete(&path).await.refused(404, "NOT_FOUND");
        owner.delete(&path).await.ok();
        eva.get("/me").await.refused(401, "UNAUTHORIZED");
        marta.post("/auth/logout", json!({})).await.ok();
        marta.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn a_clients_person_who_was_let_in_before_the_end_writes_nothing_after_it(app: TestApp) {
        let mut owner = app.owner().await;
        let client = owner.client(true).await;
        let of_client = owner.client_key(&client).await;
        let bank = link_bank(&of_client).await;
        let link = crate::pay::make(&of_client, &bank, json!({})).await;
        let key = owner.client_key(&client).await;
        let (rotate, revoke) =
            (format!("/v1/api-keys/{}/rotate", key.id), format!("/v1/api-keys/{}", key.id));
        let cancel = format!("/v1/paymentlink/{link}/cancel");
        let trash = format!("/usersbank/{bank}/to-trash");
        let verify = testkit::principal::verify_path(&bank);
        let of_link = json!({ "amount": 10, "description": "x", "user_bank_id": bank });
        let mut number = 0;
        for (method, path, body) in [
            ("POST", "/auth/api-key", json!({ "name": "caja" })),
            ("POST", &*rotate, json!({})),
            ("DELETE", &*revoke, json!({})),
            ("POST", "/usersbank", json!({ "bank_provider": "BANK_TEST" })),
            ("DELETE", &*trash, json!({})),
            ("POST", "/v1/paymentlink", of_link),
            ("POST", &*cancel, json!({})),
            ("POST", &*verify, json!({ "bank_reference": "67890" })),
        ] {
            // Nobody signs in so often at once.
            app.clock().advance(std::time::Duration::from_secs(60));
            owner.sign_in_again().await;
            for way in 0..3 {
                number += 1;
                let marta = owner.client_employee(&client, number).await;
                let ending = endings(&app, &client, &marta).into_iter().nth(way).unwrap();
                let call = marta.request(method, path).json(&body).send();
                let answer = after(&app, owner.id.parse().unwrap(), ending, call).await;
                answer.refused(401, "UNAUTHORIZED");
                open_again(&owner, &client).await;
            }
        }
        let written = "select count(*) from audit where employee_id is not null \
            and action not in ('AcceptInvitation', 'Login')";
        assert_eq!(app.database().number(written), 0);
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
        key.get("/me").await.ok();
    }

    async fn who_ends_while_it_signs_in_gets_no_session(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let expected = [(403, "CLIENT_IS_NOT_ACTIVE"), (403, "USER_IS_NOT_ACTIVE"), (401, "UNAUTHORIZED")];
        for (number, (status, code)) in (1..).zip(expected) {
            let marta = owner.client_employee(&client, number).await;
            let ending = endings(&app, &client, &marta).into_iter().nth(number as usize - 1).unwrap();
            let call = sign_in(&owner, &marta.email);
            let answer = after(&app, owner.id.parse().unwrap(), ending, call).await;
            answer.refused(status, code);
            open_again(&owner, &client).await;
        }
        assert_eq!(owner.get("/auth/sessions").await.ok()["total"], 1);
    }
}
