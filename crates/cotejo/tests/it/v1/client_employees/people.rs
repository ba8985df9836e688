//! Who is invited, accepts, is listed, changed and removed.

use serde_json::{Value, json};
use store::employees::CLIENT_EMPLOYEES_MAX;
use testkit::employee::{PASSWORD, token_of};
use testkit::{Owner, Principal, Response, TestApp, both_engines};

const EMAIL: &str = "marta@sucursal.example";

async fn try_invite(inviter: &Principal, client: &str, email: &str) -> Response {
    let body = json!({ "email": email, "name": "Marta" });
    inviter.post(&format!("/v1/clients/{client}/invitation"), body).await
}

async fn accept(caller: &Principal, invited: &Value) -> Response {
    let body = json!({ "token": token_of(invited), "password": PASSWORD });
    caller.without_credential().post("/auth/invitations/accept", body).await
}

async fn sign_in(caller: &Principal, email: &str) -> Response {
    let body = json!({ "email": email, "password": PASSWORD });
    caller.without_credential().post("/auth/login", body).await
}

async fn listed(owner: &Owner, client: &str) -> Value {
    owner.get(&format!("/v1/clients/{client}/employees")).await.ok()
}

both_engines! {
    async fn who_is_invited_for_a_client_accepts_and_signs_in_as_its_person(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let mut invited = try_invite(&owner, &client, " Marta@Sucursal.example ").await.ok();
        let token = token_of(&invited);
        let url = invited["invitation_url"].take();
        assert!(url.as_str().unwrap().ends_with(&format!("/invitation/{token}")), "{url}");
        let id = invited["employee"]["id"].take();
        assert_eq!(invited["employee"], json!({
            "id": null,
            "client_id": client,
            "email": EMAIL,
            "name": "Marta",
            "is_active": true,
            "accepted_at": null,
            "invitation_expires_at": "2026-11-27T12:00:00.000Z",
            "issued_by": { "kind": "owner", "id": null },
            "issued_at": "2026-11-20T12:00:00.000Z",
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
        }));
        sign_in(&owner, EMAIL).await.refused(401, "UNAUTHORIZED");
        let body = json!({ "token": token, "password": PASSWORD, "name": "Marta Rojas" });
        app.nobody().post("/auth/invitations/accept", body.clone()).await.ok();
        app.nobody().post("/auth/invitations/accept", body).await.refused(404, "NOT_FOUND");

        let signed_in = sign_in(&owner, EMAIL).await.ok();
        // The client's own name and address, and nothing of the owner's but its id.
        let user = json!({
            "id": owner.id,
            "username": null,
            "email": null,
            "full_name": "Sucursal",
            "company_name": "Sucursal",
            "is_demo": false,
            "user_type": "commerce",
            "employee": { "id": id, "permissions": [] },
        });
        assert_eq!(signed_in["user"], user);
        let marta = owner.with_bearer(signed_in["token"].as_str().unwrap());
        assert_eq!(marta.get("/me").await.ok()["user"], user);
        let body = json!({ "refresh_token": signed_in["refresh_token"] });
        assert_eq!(app.nobody().post("/auth/refresh", body).await.ok()["user"], user);

        let people = listed(&owner, &client).await;
        assert_eq!((&people["total"], &people["employees"][0]["id"]), (&json!(1), &id));
        assert_eq!(people["employees"][0]["name"], "Marta Rojas");
        assert_eq!(people["employees"][0]["accepted_at"], "2026-11-20T12:00:00.000Z");
        assert!(!people.to_string().contains("argon2"));
        // It is none of the owner's own people.
        assert_eq!(owner.get("/v1/employees").await.ok()["total"], 0);
        let path = format!("/v1/employees/{}", id.as_str().unwrap());
        owner.patch(&path, json!({ "permissions": ["payments:write"] })).await.refused(404, "NOT_FOUND");
        owner.delete(&path).await.refused(404, "NOT_FOUND");
        marta.get("/me").await.ok();
    }

    async fn another_invitation_ends_the_former_and_an_accepted_one_is_not_renewed(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let first = try_invite(&owner, &client, EMAIL).await.ok();
        let id = first["employee"]["id"].as_str().unwrap();
        let again = try_invite(&owner, &client, EMAIL).await.refused(409, "CONFLICT");
        assert_eq!(again["facts"]["id"], id);
        let path = format!("/v1/clients/{client}/employees/{id}/invitation");
        let second = owner.post(&path, json!({})).await.ok();
        accept(&owner, &first).await.refused(404, "NOT_FOUND");
        accept(&owner, &second).await.ok();
        owner.post(&path, json!({})).await.refused(409, "CONFLICT");
        sign_in(&owner, EMAIL).await.ok();
    }

    async fn an_address_signs_in_one_person_no_matter_who_invites_it(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = owner.client(true).await;
        let client_of_stranger = stranger.client(true).await;
        let first = try_invite(&owner, &client, EMAIL).await.ok();
        let body = json!({ "email": EMAIL, "name": "Marta" });
        let of_stranger = stranger.post("/v1/employees", body.clone()).await.ok();
        let of_its_client = try_invite(&stranger, &client_of_stranger, &owner.email).await.ok();
        accept(&owner, &first).await.ok();
        accept(&owner, &of_stranger).await.refused(409, "CONFLICT");
        accept(&owner, &of_its_client).await.refused(409, "CONFLICT");
        // Within one merchant the address is known.
        owner.post("/v1/employees", body).await.refused(409, "CONFLICT");
        let other = owner.client(true).await;
        try_invite(&owner, &other, EMAIL).await.refused(409, "CONFLICT");
        // A person who was removed leaves it free.
        let id = first["employee"]["id"].as_str().unwrap();
        owner.delete(&format!("/v1/clients/{client}/employees/{id}")).await.ok();
        let moved = try_invite(&owner, &other, EMAIL).await.ok();
        accept(&owner, &moved).await.ok();
        sign_in(&owner, EMAIL).await.ok();
    }

    async fn nobody_is_invited_for_a_client_that_is_not_active_or_not_the_owners(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = owner.client(true).await;
        let path = format!("/v1/clients/{client}");
        let pending = try_invite(&owner, &client, EMAIL).await.ok();
        owner.patch(&path, json!({ "is_active": false })).await.ok();
        try_invite(&owner, &client, "eva@sucursal.example").await.refused(403, "CLIENT_IS_NOT_ACTIVE");
        accept(&owner, &pending).await.refused(404, "NOT_FOUND");
        owner.patch(&path, json!({ "is_active": true })).await.ok();
        accept(&owner, &pending).await.ok();
        for foreign in [stranger.client(true).await, "cli_00000000000000000000000000".to_owned()] {
            try_invite(&owner, &foreign, "eva@sucursal.example").await.refused(404, "NOT_FOUND");
            owner.get(&format!("/v1/clients/{foreign}/employees")).await.refused(404, "NOT_FOUND");
        }
        let wrong = json!({ "email": "nobody", "name": "" });
        let path = format!("/v1/clients/{client}/invitation");
        let error = owner.post(&path, wrong).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(error["details"].as_array().unwrap().len(), 2);
    }

    async fn an_employee_with_clients_invites_and_manages_a_clients_people(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let needs = ["payments:write", "payment_links:write", "bank_accounts:write", "integrations:write"];
        // Nobody gives another what it may not do itself.
        let eva = owner.employee(2, &["clients:write"]).await;
        try_invite(&eva, &client, EMAIL).await.refused(403, "FORBIDDEN");
        let luis = owner.employee(1, &[&needs[..], &["clients:write"]].concat()).await;
        let invited = try_invite(&luis, &client, EMAIL).await.ok();
        let path = format!("/v1/clients/{client}/employees");
        let person = format!("{path}/{}", invited["employee"]["id"].as_str().unwrap());
        assert_eq!(luis.get(&path).await.ok()["total"], 1);
        let changed = luis.patch(&person, json!({ "name": "Marta Rojas" })).await.ok();
        assert_eq!(changed["employee"]["name"], "Marta Rojas");
        luis.delete(&person).await.ok();
        let trail = "select count(*) from audit where action in \
            ('InviteClientEmployee', 'ChangeClientEmployee', 'RemoveClientEmployee') and employee_id is not null";
        assert_eq!(app.database().number(trail), 3);
        // What changes nothing leaves no line.
        let invited = try_invite(&luis, &client, EMAIL).await.ok();
        let person = format!("{path}/{}", invited["employee"]["id"].as_str().unwrap());
        luis.patch(&person, json!({ "name": "Marta", "is_active": true })).await.ok();
        let trail = "select count(*) from audit where action = 'ChangeClientEmployee'";
        assert_eq!(app.database().number(trail), 1);
    }

    async fn an_invitation_of_a_client_ends_with_its_inviters_right(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let all = ["payments:write", "payment_links:write", "bank_accounts:write", "integrations:write", "clients:write"];
        let luis = owner.employee(1, &all).await;
        let invited = try_invite(&luis, &client, EMAIL).await.ok();
        owner.patch(&luis.path(), json!({ "permissions": all[1..] })).await.ok();
        accept(&owner, &invited).await.refused(404, "NOT_FOUND");
        // It does not come back with the right: the person who has it again gives another.
        owner.patch(&luis.path(), json!({ "permissions": all })).await.ok();
        accept(&owner, &invited).await.refused(404, "NOT_FOUND");
        let id = invited["employee"]["id"].as_str().unwrap();
        let renewed = luis.post(&format!("/v1/clients/{client}/employees/{id}/invitation"), json!({})).await.ok();
        accept(&owner, &renewed).await.ok();
        // A person who has accepted is there by itself.
        owner.delete(&format!("{}?with_issued=false", luis.path())).await.ok();
        sign_in(&owner, EMAIL).await.ok();
    }

    async fn who_is_switched_off_is_let_back_in_by_the_owner_alone(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let all = ["payments:write", "payment_links:write", "bank_accounts:write", "integrations:write",
            "clients:write", "team:write"];
        let luis = owner.employee(1, &all).await;
        let eva = owner.employee(2, &["payments:read"]).await;
        let marta = owner.client_employee(&client, 3).await;
        let [off, on] = [false, true].map(|is_active| json!({ "is_active": is_active }));
        for (path, email) in [(marta.path(), &marta.email), (eva.path(), &eva.email)] {
            luis.patch(&path, off.clone()).await.ok();
            luis.patch(&path, on.clone()).await.refused(403, "OWNER_SESSION_REQUIRED");
            // Nor with another change, no matter who switched it off.
            owner.patch(&path, off.clone()).await.ok();
            let both = json!({ "is_active": true, "name": "Otra" });
            luis.patch(&path, both).await.refused(403, "OWNER_SESSION_REQUIRED");
            sign_in(&owner, email).await.refused(403, "USER_IS_NOT_ACTIVE");
            luis.patch(&path, json!({ "name": "Otra" })).await.ok();
            owner.patch(&path, on.clone()).await.ok();
            sign_in(&owner, email).await.ok();
        }
    }
}

both_engines! {
    async fn the_page_says_for_which_client_it_is(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let invited = try_invite(&owner, &client, EMAIL).await.ok();
        let page = app.nobody().get(&format!("/invitation/{}", token_of(&invited))).await;
        let page = String::from_utf8(page.body.to_vec()).unwrap();
        assert!(page.contains("Tendrá acceso a lo de") && page.contains("Sucursal"), "{page}");
        assert!(!page.contains(&owner.email), "{page}");
        let fields = [("name", "Marta"), ("password", PASSWORD), ("again", PASSWORD)];
        let path = format!("/invitation/{}", token_of(&invited));
        let accepted = crate::pay::send(&app.nobody(), &path, &fields).await;
        assert_eq!(accepted.status, 303);
        sign_in(&owner, EMAIL).await.ok();
        let own = json!({ "email": "otra@tienda.example", "name": "Luis" });
        let own = owner.post("/v1/employees", own).await.ok();
        let page = app.nobody().get(&format!("/invitation/{}", token_of(&own))).await;
        assert!(!String::from_utf8(page.body.to_vec()).unwrap().contains("Tendrá acceso"));
    }

    async fn a_client_has_so_many_people_and_no_more(app: TestApp) {
        let owner = app.owner().await;
        let (full, other) = (owner.client(true).await, owner.client(true).await);
        for number in 0..CLIENT_EMPLOYEES_MAX {
            app.clock().advance(std::time::Duration::from_secs(1));
            try_invite(&owner, &full, &format!("{number}@sucursal.example")).await.ok();
        }
        try_invite(&owner, &full, EMAIL).await.refused(400, "VALIDATION_ERROR");
        try_invite(&owner, &other, EMAIL).await.ok();
    }
}
