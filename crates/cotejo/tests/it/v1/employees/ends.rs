//! However a person's access ends or shrinks, it does so at once: also for calls that were admitted before.

use domain::ids::{EmployeeId, OwnerId};
use domain::rights::{Area, Rights};
use serde_json::json;
use store::fault::Fault;
use store::tx::Tx;
use store::{employees, sessions};
use testkit::employee::PASSWORD;
use testkit::{Employee, Owner, Principal, TestApp, both_engines};

use super::{invite, sign_in};
use crate::changed::after;

/// Runs an employee's call so that the change happens after it was admitted and before it writes.
async fn meanwhile<T>(
    app: &TestApp,
    owner: &Owner,
    change: impl Fn(&mut Tx<'_>, OwnerId) -> Result<(), Fault> + Send + Sync + 'static,
    call: impl Future<Output = T>,
) -> T {
    after(app, owner.id.parse().unwrap(), change, call).await
}

/// Leaves an employee these rights.
fn leave(
    app: &TestApp,
    employee: &Employee,
    rights: Rights,
) -> impl Fn(&mut Tx<'_>, OwnerId) -> Result<(), Fault> + Send + Sync + use<> {
    let (id, now): (EmployeeId, _) = (employee.id.parse().unwrap(), app.now());
    move |tx, owner| {
        let found = employees::find(tx, owner, id)?.unwrap();
        employees::change(tx, owner, &employees::Employee { rights, updated_at: now, ..found })
    }
}

/// Removes an employee.
fn remove(
    app: &TestApp,
    employee: &Employee,
) -> impl Fn(&mut Tx<'_>, OwnerId) -> Result<(), Fault> + Send + Sync + use<> {
    let (id, now): (EmployeeId, _) = (employee.id.parse().unwrap(), app.now());
    move |tx, owner| {
        employees::remove(tx, owner, id, now)?;
        sessions::end_of_employee(tx, owner, id, now)
    }
}

both_engines! {
    async fn a_change_of_permissions_holds_in_the_session_that_is_open(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["clients:read"]).await;
        let create = || luis.post("/v1/clients", json!({ "name": "Sucursal" }));
        create().await.refused(403, "FORBIDDEN");
        owner.patch(&luis.path(), json!({ "permissions": ["clients:write"] })).await.ok();
        create().await.ok();
        owner.patch(&luis.path(), json!({ "permissions": [] })).await.ok();
        create().await.refused(403, "FORBIDDEN");
        luis.get("/v1/clients").await.refused(403, "FORBIDDEN");
        assert_eq!(luis.get("/me").await.ok()["user"]["employee"]["permissions"], json!([]));
    }

    async fn who_is_switched_off_is_out_everywhere_and_signs_in_again_once_switched_on(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        let other = sign_in(&owner, &luis.email).await.ok();
        let second = owner.with_bearer(other["token"].as_str().unwrap());
        luis.get("/me").await.ok();
        second.get("/me").await.ok();
        owner.patch(&luis.path(), json!({ "is_active": false })).await.ok();
        for session in [&*luis, &second] {
            session.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        let refresh = json!({ "refresh_token": other["refresh_token"] });
        app.nobody().post("/auth/refresh", refresh.clone()).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &luis.email).await.refused(403, "USER_IS_NOT_ACTIVE");
        // Who does not know the password learns nothing of that.
        let wrong = json!({ "email": luis.email, "password": format!("{PASSWORD}!") });
        app.nobody().post("/auth/login", wrong).await.refused(401, "UNAUTHORIZED");
        owner.patch(&luis.path(), json!({ "is_active": true })).await.ok();
        luis.get("/me").await.refused(401, "UNAUTHORIZED");
        app.nobody().post("/auth/refresh", refresh).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &luis.email).await.ok();
    }

    async fn who_is_removed_is_out_for_good_and_the_address_is_free(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let luis = owner.employee(1, &[]).await;
        for _ in 0..2 {
            owner.delete(&luis.path()).await.ok();
        }
        luis.get("/me").await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &luis.email).await.refused(401, "UNAUTHORIZED");
        owner.patch(&luis.path(), json!({ "is_active": true })).await.refused(404, "NOT_FOUND");
        assert_eq!(owner.get("/v1/employees").await.ok()["total"], 0);
        let trail = "select count(*) from audit where action = 'RemoveEmployee'";
        assert_eq!(app.database().number(trail), 1);
        let again = Employee::of(&stranger, &luis.email, &[]).await;
        again.get("/me").await.ok();
        // Removing the former one again takes nothing from the new one.
        owner.delete(&luis.path()).await.ok();
        sign_in(&owner, &luis.email).await.ok();
    }

    async fn with_its_owner_an_employee_is_out(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        let pending = invite(&owner, "eva@tienda.example", &[]).await;
        let off = format!("update owner_profiles set is_active = false where email = '{}'", owner.email);
        app.tamper(&off).await;
        luis.get("/me").await.refused(403, "USER_IS_NOT_ACTIVE");
        sign_in(&owner, &luis.email).await.refused(403, "USER_IS_NOT_ACTIVE");
        let token = testkit::employee::token_of(&pending);
        super::accept(&owner, &token).await.refused(404, "NOT_FOUND");
    }

    async fn an_employee_sees_and_ends_its_own_sessions_and_the_owner_all(app: TestApp) {
        let owner = app.owner().await;
        let (luis, eva) = (owner.employee(1, &[]).await, owner.employee(2, &[]).await);
        let ids = async |caller: &Principal| {
            let listed = caller.get("/auth/sessions").await.ok();
            assert_eq!(listed["total"], listed["sessions"].as_array().unwrap().len());
            listed["sessions"].as_array().unwrap().clone()
        };
        assert_eq!(ids(&owner).await.len(), 3);
        let own = ids(&luis).await;
        assert_eq!((own.len(), &own[0]["employee_id"]), (1, &json!(luis.id)));
        let of_eva = ids(&eva).await[0]["id"].as_str().unwrap().to_owned();
        let path = format!("/auth/sessions/{of_eva}");
        luis.delete(&path).await.refused(404, "NOT_FOUND");
        eva.get("/me").await.ok();
        owner.delete(&path).await.ok();
        eva.get("/me").await.refused(401, "UNAUTHORIZED");
        luis.post("/auth/logout", json!({})).await.ok();
        luis.get("/me").await.refused(401, "UNAUTHORIZED");
        assert_eq!(ids(&owner).await.len(), 1);
    }

    async fn what_was_let_in_before_the_end_writes_nothing_after_it(app: TestApp) {
        let owner = app.owner().await;
        let rights = [
            "team:write", "clients:write", "bank_accounts:write", "payment_links:write",
            "integrations:write", "payments:write",
        ];
        let of_link = json!({ "amount": 10, "description": "x", "user_bank_id": owner.bank });
        let link = crate::pay::make(&owner.key, &owner.bank, json!({})).await;
        let cancel = format!("/v1/paymentlink/{link}/cancel");
        let accept = format!("/v1/paymentlink/{link}/accept");
        let verify = testkit::principal::verify_path(&owner.bank);
        let movement = json!({ "movement_id": "mov_00000000000000000000000000" });
        let accept_movement = "/v1/movements/mov_00000000000000000000000000/accept";
        let person = json!({ "email": "eva@tienda.example", "name": "Eva" });
        for (number, (method, path, body)) in (1..).zip([
            ("POST", "/v1/employees", person),
            ("POST", "/v1/clients", json!({ "name": "Sucursal" })),
            ("POST", "/usersbank", json!({ "bank_provider": "BANK_TEST" })),
            ("POST", "/v1/paymentlink", of_link),
            ("POST", &*cancel, json!({})),
            ("POST", &*accept, movement),
            ("POST", accept_movement, json!({})),
            ("PUT", "/v1/payment-link-settings", json!({ "max_attempts": 3, "announce_expiry": true })),
            ("PUT", "/v1/webhooks/endpoint", json!({ "url": null })),
            ("POST", &*verify, json!({ "bank_reference": "67890" })),
        ]) {
            let luis = owner.employee(number, &rights).await;
            let call = luis.request(method, path).json(&body).send();
            let answer = meanwhile(&app, &owner, remove(&app, &luis), call).await;
            answer.refused(401, "UNAUTHORIZED");
            let eva = owner.employee(100 + number, &rights).await;
            let rest = [Area::Statistics.read()].into_iter().collect();
            let call = eva.request(method, path).json(&body).send();
            let answer = meanwhile(&app, &owner, leave(&app, &eva, rest), call).await;
            answer.refused(403, "FORBIDDEN");
        }
        let written = "select count(*) from audit where action in ('CreateClient', 'LinkBankAccount', 'CancelLink', \
             'AcceptLink', 'AcceptMovement', 'SetLinkSettings', 'SetWebhookEndpoint')";
        assert_eq!(app.database().number(written), 0);
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
        assert_eq!(app.database().number("select count(*) from employees where name = 'Eva'"), 0);
    }

    async fn who_loses_rank_meanwhile_gives_what_it_no_longer_holds_to_nobody(app: TestApp) {
        let owner = app.owner().await;
        let eva = owner.employee(1, &["team:write", "payments:write"]).await;
        let luis = owner.employee(2, &[]).await;
        let team = || [Area::Team.write()].into_iter().collect();
        let body = json!({ "permissions": ["payments:write"] });
        let path = luis.path();
        let call = eva.patch(&path, body.clone());
        // Sent again, it is answered what it lacks.
        meanwhile(&app, &owner, leave(&app, &eva, team()), call).await.refused(503, "SERVICE_UNAVAILABLE");
        eva.patch(&luis.path(), body).await.refused(403, "FORBIDDEN");
        owner.patch(&eva.path(), json!({ "permissions": ["team:write", "payments:write"] })).await.ok();
        let person = json!({ "email": "ana@tienda.example", "name": "Ana", "permissions": ["payments:read"] });
        let call = eva.post("/v1/employees", person);
        meanwhile(&app, &owner, leave(&app, &eva, team()), call).await.refused(503, "SERVICE_UNAVAILABLE");
        assert_eq!(owner.get("/v1/employees").await.ok()["total"], 2);
    }

    async fn an_invitation_that_is_withdrawn_meanwhile_is_not_accepted(app: TestApp) {
        let owner = app.owner().await;
        let (id, token) = super::invited(&owner, "luis@tienda.example").await;
        let (id, now): (EmployeeId, _) = (id.parse().unwrap(), app.now());
        let withdraw = move |tx: &mut Tx<'_>, owner: OwnerId| employees::remove(tx, owner, id, now);
        let call = super::accept(&owner, &token);
        meanwhile(&app, &owner, withdraw, call).await.refused(404, "NOT_FOUND");
        sign_in(&owner, "luis@tienda.example").await.refused(401, "UNAUTHORIZED");
        // The claim that is left does not keep the address from the person who is invited next.
        let (_, token) = super::invited(&owner, "luis@tienda.example").await;
        super::accept(&owner, &token).await.ok();
        sign_in(&owner, "luis@tienda.example").await.ok();
    }

    async fn who_is_switched_off_while_it_signs_in_gets_no_session(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        let (id, now): (EmployeeId, _) = (luis.id.parse().unwrap(), app.now());
        let off = move |tx: &mut Tx<'_>, owner: OwnerId| {
            let found = employees::find(tx, owner, id)?.unwrap();
            let off = employees::Employee { is_active: false, updated_at: now, ..found };
            employees::change(tx, owner, &off)?;
            sessions::end_of_employee(tx, owner, id, now)
        };
        let call = sign_in(&owner, &luis.email);
        meanwhile(&app, &owner, off, call).await.refused(403, "USER_IS_NOT_ACTIVE");
        assert_eq!(owner.get("/auth/sessions").await.ok()["total"], 1);
    }
}
