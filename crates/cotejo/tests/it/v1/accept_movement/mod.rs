//! `POST /v1/movements/{movement_id}/accept`: a person makes a payment of money that nobody has claimed.

mod races;
mod reported;

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Owner, Principal, Response, TestApp, either_engine};

use crate::pay::make;
use crate::payment_links::accept::{self as links, OWED, listed, shown, shown_of};

pub(super) async fn accept(caller: &Principal, movement: &str) -> Response {
    caller.post(&path_of(movement), json!({})).await
}

/// Leaves the first report to the next caller.
pub(super) async fn accept_for_caller(caller: &Principal, movement: &str) -> Response {
    caller.post(&path_of(movement), json!({ "for_caller": true })).await
}

pub(super) fn path_of(movement: &str) -> String {
    format!("/v1/movements/{movement}/accept")
}

/// Returns the payment's id, whether it is new, and what the call cost.
#[track_caller]
pub(super) fn result(answer: &Response) -> (String, bool, i64) {
    let data = answer.ok()["data"].clone();
    let id = data["user_bank_payment"]["id"].as_str().unwrap().to_owned();
    (id, data["is_new"].as_bool().unwrap(), data["credit_cost"].as_i64().unwrap())
}

fn count(app: &TestApp, table: &str) -> i64 {
    app.database().number(&format!("select count(*) from {table}"))
}

/// The lines of the audit trail about acceptances.
async fn audited(owner: &Owner) -> Vec<Value> {
    let audit = owner.get("/v1/audit?limit=100").await.ok();
    let entries = audit["entries"].as_array().unwrap().iter();
    entries.filter(|entry| entry["action"] == "AcceptMovement").cloned().collect()
}

either_engine! {
    async fn a_movement_becomes_a_payment_as_by_a_verification(app: TestApp) {
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        assert_eq!(listed(&owner, &movement).await["claimed"], false);

        let answer = accept(&owner, &movement).await.ok();
        let data = &answer["data"];
        let payment = &data["user_bank_payment"];
        assert_eq!((&data["is_new"], &data["credit_cost"]), (&json!(true), &json!(1)));
        assert_eq!(data["user_credits_total"], 999);
        assert_eq!((&payment["bank_reference_id"], &payment["amount"]), (&json!("7654321"), &json!(150.75)));
        assert_eq!((&payment["user_bank_id"], &payment["status"]), (&json!(owner.bank), &json!("paid")));
        let shown = listed(&owner, &movement).await;
        assert_eq!((&shown["claimed"], &shown["user_bank_payment_id"]), (&json!(true), &payment["id"]));
        let payments = owner.get("/v1/payments").await.ok()["payments"].clone();
        assert_eq!((payments.as_array().unwrap().len(), &payments[0]["id"]), (1, &payment["id"]));

        // The charge has its line, the person the entry, the day its sum, and the trail who decided.
        let activity = owner.get("/me/activity").await.ok();
        assert_eq!((&activity["credit_total"], &activity["request_total"]), (&json!(1), &json!(1)));
        assert_eq!(activity["credits"][0]["origin"], "verification");
        assert_eq!(activity["requests"][0]["status"], "confirmed");
        let sum = format!("select count(*) from payment_sums where payments = 1 and amount = {OWED}");
        assert_eq!(app.database().number(&sum), 1);
        let audited = audited(&owner).await;
        assert_eq!((audited.len(), &audited[0]["subject"]), (1, &json!(movement)));
        let after = json!({ "user_bank_payment_id": payment["id"], "for_caller": false });
        assert_eq!((&audited[0]["before"], &audited[0]["after"]), (&Value::Null, &after));
    }

    /// The same again is a repeat, whoever sends it: the payment is known, and nothing is done.
    async fn a_movement_that_was_accepted_is_a_payment_that_is_not_new(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payments:write", "payments:read"]).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let (payment, ..) = result(&accept(&employee, &movement).await);
        for caller in [&*employee, &*owner] {
            assert_eq!(result(&accept(caller, &movement).await), (payment.clone(), false, 0));
        }
        assert_eq!((owner.balance().await, count(&app, "payments")), (999, 1));
        assert_eq!(audited(&owner).await.len(), 1);
        let by = format!("/v1/employees/{}/activity", employee.id);
        let activity = owner.get(&by).await.ok();
        assert_eq!((&activity["credit_total"], &activity["request_total"]), (&json!(1), &json!(2)));
        // An employee who may not know the credits is not shown them.
        assert_eq!(accept(&employee, &movement).await.ok()["data"].get("user_credits_total"), None);
    }

    /// Checks that it is answered like a call that asks for the same payment.
    async fn a_movement_that_a_call_or_a_link_claimed_is_a_payment_that_is_not_new(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "bank_reference": "67890", "amount": 150.75 });
        let verified = owner.key.verify(&owner.bank, body).await.ok()["data"]["user_bank_payment"].clone();
        let first = owner.get(&format!("/movements/{}", owner.bank)).await.ok()["movements"][0].clone();
        let first = first["id"].as_str().unwrap();
        let second = shown(&app, &owner, "7654321", OWED).await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        links::accept(&owner, &link, &second).await.ok();

        let (payment, is_new, cost) = result(&accept(&owner, first).await);
        assert_eq!((json!(payment), is_new, cost), (verified["id"].clone(), false, 0));
        let (payment, is_new, cost) = result(&accept(&owner, &second).await);
        let paid = listed(&owner, &second).await["user_bank_payment_id"].clone();
        assert_eq!((json!(payment), is_new, cost), (paid, false, 0));
        // What was reported is not left to anybody.
        for movement in [first, &second] {
            accept_for_caller(&owner, movement).await.refused(409, "PAYMENT_ALREADY_EXISTS");
        }
        assert_eq!((owner.balance().await, count(&app, "payments")), (998, 2));
        assert!(audited(&owner).await.is_empty());
        // Nor does what a person accepted pay a link.
        let third = shown(&app, &owner, "7654322", OWED).await;
        accept(&owner, &third).await.ok();
        let other = make(&owner.key, &owner.bank, json!({})).await;
        links::accept(&owner, &other, &third).await.refused(409, "PAYMENT_ALREADY_EXISTS");
    }

    async fn what_cannot_be_accepted_is_refused_and_changes_nothing(app: TestApp) {
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let outgoing = shown(&app, &owner, "7654322", -OWED).await;
        let bank = owner.key.link_bank().await;
        let trashed = shown_of(&app, &owner, &bank, "7654323", OWED).await;
        owner.delete(&format!("/usersbank/{bank}/to-trash")).await.ok();

        for unknown in ["mov_00000000000000000000000000", "x", &trashed] {
            accept(&owner, unknown).await.refused(404, "NOT_FOUND");
        }
        accept(&*app.owner().await, &movement).await.refused(404, "NOT_FOUND");
        accept(&owner, &outgoing).await.refused(400, "IS_NOT_POSITIVE_PAYMENT");
        let wrong = owner.post(&path_of(&movement), json!({ "for_caller": "yes" })).await;
        wrong.refused(400, "VALIDATION_ERROR");
        for table in ["payments", "verifications", "refused_attempts", "notices"] {
            assert_eq!(count(&app, table), 0, "{table}");
        }
        assert_eq!((owner.balance().await, audited(&owner).await.len()), (1_000, 0));
    }

    async fn an_account_of_a_client_that_is_switched_off_takes_no_payment(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let give = json!({ "client_owner_id": client });
        owner.put(&format!("/v1/usersbank/{}/client", owner.bank), give).await.ok();
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let switch = async |is_active: bool| {
            let body = json!({ "is_active": is_active });
            owner.patch(&format!("/v1/clients/{client}"), body).await.ok();
        };
        switch(false).await;
        accept(&owner, &movement).await.refused(403, "CLIENT_IS_NOT_ACTIVE");
        assert_eq!(count(&app, "payments"), 0);
        switch(true).await;
        assert!(result(&accept(&owner, &movement).await).1);
    }

    async fn balance_and_quota_refuse_as_they_do_a_verification(app: TestApp) {
        let owner = app.owner_with(0).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let refused = accept(&owner, &movement).await.refused(402, "NOT_ENOUGH_CREDITS");
        assert_eq!(refused["facts"]["available"], 0);
        let employee = owner.employee(1, &["payments:write"]).await;
        let refused = accept(&employee, &movement).await.refused(402, "NOT_ENOUGH_CREDITS");
        assert!(refused.get("facts").is_none_or(|facts| facts.get("available").is_none()), "{refused}");
        owner.grant(5).await;

        // It counts against the client whose account it is.
        let client = owner.client(true).await;
        let give = json!({ "client_owner_id": client });
        owner.put(&format!("/v1/usersbank/{}/client", owner.bank), give).await.ok();
        owner.set_quota(&client, json!(0)).await.ok();
        let refused = accept(&owner, &movement).await;
        refused.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(listed(&owner, &movement).await["claimed"], false);
        assert_eq!((count(&app, "verifications"), count(&app, "payments")), (0, 0));
        assert!(audited(&owner).await.is_empty());

        owner.set_quota(&client, json!(1)).await.ok();
        assert!(result(&accept(&owner, &movement).await).1);
        assert_eq!(owner.balance().await, 4);
        let more = shown(&app, &owner, "7654322", OWED).await;
        let refused = accept(&owner, &more).await;
        refused.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        // What is claimed needs no room.
        assert_eq!(result(&accept(&owner, &movement).await).2, 0);
    }

    async fn the_same_idempotency_key_is_answered_with_what_was_accepted(app: TestApp) {
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let other = shown(&app, &owner, "7654322", OWED).await;
        let send = async |movement: &str, body: Value| {
            let call = owner.request("POST", &path_of(movement)).header("idempotency-key", "caja-7");
            call.json(&body).send().await
        };
        // What was refused is not kept: the call runs again.
        send("mov_00000000000000000000000000", json!({})).await.refused(404, "NOT_FOUND");
        let first = send(&movement, json!({})).await;
        assert!(result(&first).1);
        app.clock().advance(Duration::from_secs(60));
        let again = send(&movement, json!({})).await;
        assert_eq!((again.status, &again.body), (200, &first.body));
        for (movement, body) in [(&other, json!({})), (&movement, json!({ "for_caller": true }))] {
            send(movement, body).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        }
        assert_eq!((owner.balance().await, count(&app, "payments")), (999, 1));
    }
}
