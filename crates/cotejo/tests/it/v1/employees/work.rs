//! What an employee is, does and is answered, and what is on record of it.

use std::time::Duration;

use app::admin::{AdminError, NewOwner, Operator, create_owner};
use domain::money::Credits;
use domain::text::EmailAddress;
use serde_json::{Value, json};
use testkit::employee::{PASSWORD, token_of};
use testkit::owner::link_bank;
use testkit::{TestApp, either_engine};

use super::{accept, invite, sign_in};

either_engine! {
    async fn who_is_invited_accepts_signs_in_and_works(app: TestApp) {
        let owner = app.owner().await;
        let mut invited = invite(&owner, " Luis@Tienda.example ", &["payments:write"]).await;
        let token = token_of(&invited);
        let url = invited["invitation_url"].take();
        assert!(url.as_str().unwrap().ends_with(&format!("/invitation/{token}")), "{url}");
        let id = invited["employee"]["id"].take();
        assert_eq!(invited["employee"], json!({
            "id": null,
            "email": "luis@tienda.example",
            "name": "Luis",
            "permissions": ["payments:read", "payments:write"],
            "is_active": true,
            "accepted_at": null,
            "invitation_expires_at": "2026-11-27T12:00:00.000Z",
            "issued_by": { "kind": "owner", "id": null },
            "issued_at": "2026-11-20T12:00:00.000Z",
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
        }));
        sign_in(&owner, "luis@tienda.example").await.refused(401, "UNAUTHORIZED");
        let body = json!({ "token": token, "password": PASSWORD, "name": "Luis Rojas" });
        app.nobody().post("/auth/invitations/accept", body).await.ok();

        let mut signed_in = sign_in(&owner, "LUIS@tienda.example").await.ok();
        let token = signed_in["token"].take();
        assert_eq!(signed_in["user"], json!({
            "id": owner.id,
            "username": "luis@tienda.example",
            "email": "luis@tienda.example",
            "full_name": "Luis Rojas",
            // Its name is its address, which is nobody else's to know.
            "company_name": "",
            "is_demo": false,
            "user_type": "commerce",
            "employee": { "id": id, "permissions": ["payments:read", "payments:write"] },
        }));
        let luis = owner.with_bearer(token.as_str().unwrap());
        assert_eq!(luis.get("/me").await.ok()["user"], signed_in["user"]);
        luis.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        luis.post("/v1/paymentlink", json!({})).await.refused(403, "FORBIDDEN");
        // Refreshed it is still who it was.
        let body = json!({ "refresh_token": signed_in["refresh_token"] });
        let refreshed = app.nobody().post("/auth/refresh", body).await.ok();
        assert_eq!(refreshed["user"], signed_in["user"]);
        let listed = owner.get("/v1/employees").await.ok();
        assert_eq!(listed["total"], 1);
        assert_eq!(listed["employees"][0]["name"], "Luis Rojas");
        assert_eq!(listed["employees"][0]["accepted_at"], "2026-11-20T12:00:00.000Z");
        assert!(!listed.to_string().contains("argon2"));
    }

    async fn credits_are_shown_to_whom_billing_is_open(app: TestApp) {
        let owner = app.owner().await;
        let with = owner.employee(1, &["payments:write", "billing:read"]).await;
        let without = owner.employee(2, &["payments:write"]).await;
        assert_eq!(with.get("/me").await.ok()["user"]["credits"], 1000);
        let user = without.get("/me").await.ok()["user"].clone();
        assert!(user.get("credits").is_none() && user.get("plan_is_active").is_none(), "{user}");
        for (employee, reference, credits) in
            [(&with, "167890", Some(999)), (&without, "267890", None)]
        {
            let body = json!({ "bank_reference": reference });
            for _ in 0..2 {
                let answer = employee.verify(&owner.bank, body.clone()).await.ok();
                assert_eq!(answer["data"]["user_credits_total"].as_i64(), credits, "{answer}");
            }
        }
        assert_eq!(owner.balance().await, 998);
        // What it asked is counted under its own name.
        let own = with.get("/me/activity").await.ok();
        assert_eq!((&own["request_total"], &own["credit_total"]), (&json!(2), &json!(1)));
        assert_eq!(owner.get("/me/activity").await.ok()["request_total"], 0);
        // The owner sees it, also when the person is gone, and nobody else does.
        let path = format!("/v1/employees/{}/activity", with.id);
        with.get(&path).await.refused(403, "OWNER_SESSION_REQUIRED");
        for _ in 0..2 {
            let mut seen = owner.get(&path).await.ok();
            seen["message"] = own["message"].clone();
            assert_eq!(seen, own);
            owner.delete(&with.path()).await.ok();
        }
    }

    async fn account_numbers_are_whole_only_for_whom_accounts_are_open(setup: testkit::Setup) {
        let pushed = crate::bdv_push::PushedAccount::by_nobody(setup).await;
        let with = pushed.owner.employee(1, &["bank_accounts:read"]).await;
        let without = pushed.owner.employee(2, &["payments:write"]).await;
        let numbers = async |caller: &testkit::Principal| {
            caller.get("/me/usersbank").await.ok()["user_banks"]
                .as_array().unwrap().iter()
                .find(|bank| bank["id"] == *pushed.account).unwrap()["bank_accounts"].clone()
        };
        let whole = numbers(&pushed.owner).await;
        assert_eq!(numbers(&with).await, whole);
        assert_ne!(numbers(&without).await, whole);
        assert_eq!(numbers(&without).await, numbers(&pushed.owner.key).await);
    }

    async fn what_an_employee_does_is_on_record_under_its_name(app: TestApp) {
        let owner = app.owner().await;
        let rights = ["bank_accounts:write", "payment_links:write", "clients:write"];
        app.clock().advance(Duration::from_secs(1));
        let luis = owner.employee(1, &rights).await;
        app.clock().advance(Duration::from_secs(1));
        let bank = link_bank(&luis).await;
        luis.delete(&format!("/usersbank/{bank}/to-trash")).await.ok();
        let link = crate::pay::make(&luis, &owner.bank, json!({})).await;
        luis.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        luis.post("/v1/clients", json!({ "name": "Sucursal" })).await.ok();
        let entries = owner.get("/v1/audit").await.ok()["entries"].clone();
        let entries = entries.as_array().unwrap();
        let of = |action: &str| {
            let found = entries.iter().find(|entry| entry["action"] == action);
            found.unwrap_or_else(|| panic!("{action}: {entries:?}"))
        };
        let session = luis.get("/auth/sessions").await.ok()["sessions"][0]["id"].clone();
        for action in
            ["Login", "LinkBankAccount", "TrashBankAccount", "CreateLink", "CancelLink", "CreateClient"]
        {
            let entry = of(action);
            assert_eq!(entry["employee"], json!({ "id": luis.id, "name": "Luis" }), "{action}");
            assert_eq!((&entry["actor"], &entry["address"]), (&session, &json!("127.0.0.1")));
        }
        let accepted = of("AcceptInvitation");
        assert_eq!((&accepted["actor"], &accepted["subject"]), (&json!(luis.id), &json!(luis.id)));
        let invited = of("InviteEmployee");
        assert_eq!((&invited["employee"], &invited["subject"]), (&Value::Null, &json!(luis.id)));
        // The name stays when the person is gone.
        app.clock().advance(Duration::from_secs(1));
        owner.delete(&luis.path()).await.ok();
        let entries = owner.get("/v1/audit").await.ok()["entries"].clone();
        assert_eq!(entries[0]["action"], "RemoveEmployee");
        assert!(entries.as_array().unwrap().iter().any(|entry| entry["employee"]["id"] == *luis.id));
    }

    async fn a_payment_is_new_to_one_of_two_employees_and_their_answers_are_their_own(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["payments:write"]).await;
        let eva = owner.employee(2, &["payments:write"]).await;
        let body = json!({ "bank_reference": "67890", "source_name": "caja 1" });
        let call = async |caller: &testkit::Principal| {
            let path = testkit::principal::verify_path(&owner.bank);
            let call = caller.request("POST", &path).header("idempotency-key", "one");
            call.json(&body).send().await.ok()["data"]["is_new"].clone()
        };
        assert_eq!([call(&luis).await, call(&eva).await, call(&luis).await], [true, false, true]);
    }

    async fn the_same_address_is_invited_once_and_answers_alike_wherever_it_signs_in(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let first = invite(&owner, "luis@tienda.example", &[]).await;
        let body = json!({ "email": "LUIS@tienda.example", "name": "Otro" });
        let again = owner.post("/v1/employees", body).await.refused(409, "CONFLICT");
        assert_eq!(again["facts"]["id"], first["employee"]["id"]);
        accept(&owner, &token_of(&first)).await.ok();
        // Whether somebody signs in with an address elsewhere is not shown to who invites it.
        let own = invite(&stranger, &owner.email, &[]).await;
        let other = invite(&stranger, "luis@tienda.example", &[]).await;
        let unknown = invite(&stranger, "nadie@tienda.example", &[]).await;
        for invitation in [&own, &other, &unknown] {
            assert_eq!(invitation["message"], unknown["message"]);
            assert_eq!(invitation["employee"]["accepted_at"], Value::Null);
        }
        // It shows when they accept.
        for (invitation, code) in [(own, "CONFLICT"), (other, "CONFLICT")] {
            accept(&stranger, &token_of(&invitation)).await.refused(409, code);
        }
        accept(&stranger, &token_of(&unknown)).await.ok();
        let new = NewOwner {
            email: EmailAddress::parse("nadie@tienda.example").unwrap(),
            name: None,
            password: None,
            credits: Credits::ZERO,
            test_account: false,
        };
        let taken = create_owner(&Operator::of(app.app()), new.clone()).await.unwrap_err();
        assert!(matches!(taken, AdminError::EmailTaken(_)), "{taken}");
        // The address of somebody who was removed is free again, for the first who comes.
        let listed = stranger.get("/v1/employees").await.ok()["employees"].clone();
        for employee in listed.as_array().unwrap() {
            let id = employee["id"].as_str().unwrap();
            stranger.delete(&format!("/v1/employees/{id}")).await.ok();
        }
        create_owner(&Operator::of(app.app()), new).await.unwrap();
    }
}
