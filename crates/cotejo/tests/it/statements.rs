//! What a verification costs the store, as its line of the log tells. The numbers are pinned: more
//! of them is slower, and must be meant.

use serde_json::{Value, json};
use testkit::log::{AccessLine, access_line};
use testkit::principal::verify_path;
use testkit::{Owner, TestApp, both_engines};

/// Asks, and answers the line about it.
async fn line(owner: &Owner, request_id: &str, body: Value) -> AccessLine {
    let call = owner.key.request("POST", &verify_path(&owner.bank));
    call.header("x-request-id", request_id).json(&body).send().await;
    access_line(request_id).await
}

both_engines! {
    async fn of_a_new_payment(app: TestApp) {
        let owner = app.owner().await;
        // The first of a month makes the rows that it counts in.
        line(&owner, "first", json!({ "bank_reference": "167890" })).await;
        let line = line(&owner, "cost-new", json!({ "bank_reference": "267890" })).await;
        assert_eq!(line.route, "/userbankpayment/{bank_id}/betaserio");
        assert_eq!(line.status, 200);
        assert_eq!(line.caller.as_deref(), Some(owner.key.id.as_str()));
        // Two waits to know the caller, two to recall what is known, one to reserve and two to settle.
        assert_eq!((line.statements, line.waits), (21, 7));
    }

    async fn of_a_new_payment_of_a_client(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        owner.set_quota(&client, json!(100)).await.ok();
        key.verify(&bank, json!({ "bank_reference": "167890" })).await.ok();
        let call = key.request("POST", &verify_path(&bank)).header("x-request-id", "cost-client");
        call.json(&json!({ "bank_reference": "267890" })).send().await.ok();
        let line = access_line("cost-client").await;
        // A quota is one more row to lock, and adds no wait.
        assert_eq!((line.statements, line.waits), (23, 7));
    }

    async fn of_a_repeat(app: TestApp) {
        let owner = app.owner().await;
        line(&owner, "first", json!({ "bank_reference": "67890" })).await;
        let line = line(&owner, "cost-repeat", json!({ "bank_reference": "67890" })).await;
        assert_eq!((line.statements, line.waits), (10, 8));
    }

    async fn of_a_payment_that_is_not_found(app: TestApp) {
        let owner = app.owner().await;
        line(&owner, "first", json!({ "bank_reference": "123456" })).await;
        let line = line(&owner, "cost-not-found", json!({ "bank_reference": "123456" })).await;
        assert_eq!((line.status, line.code.as_deref()), (404, Some("PAYMENT_NOT_FOUND")));
        assert_eq!((line.statements, line.waits), (18, 7));
    }

    async fn of_a_refused_caller(app: TestApp) {
        let owner = app.owner().await;
        let call = app.nobody().request("POST", &verify_path(&owner.bank));
        call.header("x-request-id", "cost-nobody").send().await.refused(401, "UNAUTHORIZED");
        let line = access_line("cost-nobody").await;
        assert_eq!((line.statements, line.waits, line.caller), (0, 0, None));
    }
}
