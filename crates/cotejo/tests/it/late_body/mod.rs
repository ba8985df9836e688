//! What a caller may is what it may when all of its request is here: a caller that holds back
//! the end of a body gains nothing by it.

mod every_operation;

use std::time::Duration;

use futures_util::future::join;
use serde_json::json;
use testkit::principal::{Call, verify_path};
use testkit::{Owner, Principal, Response, TestApp, both_engines};
use tokio::sync::oneshot;

/// How long a body may take.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Sends the call, and the end of its body when it was admitted and `meanwhile` is over.
async fn late(app: &TestApp, call: Call, meanwhile: impl Future<Output = ()>) -> Response {
    let (is_over, over) = oneshot::channel();
    let admitted = app.clock().is_awaited_anew(app.now().plus(TIME_MAX));
    let meanwhile = async {
        admitted.await;
        meanwhile.await;
        is_over.send(()).unwrap();
    };
    join(call.send_late(async { over.await.unwrap() }), meanwhile).await.0
}

fn verify(caller: &Principal, owner: &Owner) -> Call {
    let body = json!({ "bank_reference": "0000067890", "amount": 150.75 });
    caller.request("POST", &verify_path(&owner.bank)).json(&body)
}

fn create_key(caller: &Principal) -> Call {
    caller.request("POST", "/auth/api-key").json(&json!({ "name": "otra" }))
}

fn rotate(caller: &Principal) -> Call {
    caller.request("POST", "/v1/api-keys/default/rotate").json(&json!({}))
}

both_engines! {
    async fn a_call_whose_body_comes_late_is_served(app: TestApp) {
        let owner = app.owner().await;
        let verified = late(&app, verify(&owner.key, &owner), async {}).await.ok();
        assert_eq!(verified["data"]["is_new"], true);
        late(&app, create_key(&owner), async {}).await.ok();
        late(&app, rotate(&owner), async {}).await.ok();
    }

    async fn a_key_that_is_rotated_before_the_body_is_here_does_nothing(app: TestApp) {
        let owner = app.owner().await;
        let mut key = owner.key.clone();
        for begin in [verify, |key: &Principal, _: &Owner| create_key(key)] {
            let (call, mut anew) = (begin(&key, &owner), None);
            let rotated = async {
                anew = Some(owner.issued(&rotate(&owner).send().await.ok()["api_key"]));
            };
            late(&app, call, rotated).await.refused(401, "UNAUTHORIZED");
            key = anew.unwrap();
        }
        let listed = owner.get("/me/api-keys").await.ok();
        assert_eq!(listed["api_keys"].as_array().unwrap().len(), 1);
        assert_eq!(key.get("/me").await.ok()["user"]["credits"], 1_000);
    }

    async fn a_key_that_is_switched_off_before_the_body_is_here_does_nothing(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        let answer = late(&app, verify(&key, &owner), owner.deactivate(&key)).await;
        answer.refused(403, "API_KEY_IS_NOT_ACTIVE");
        assert_eq!(owner.balance().await, 1_000);
    }

    /// Whatever is changed of a key, the call is answered as one that came after the change: never 400, which a till
    /// does not send again.
    async fn a_key_that_is_changed_before_the_body_is_here_is_admitted_anew(app: TestApp) {
        let mut owner = app.owner().await;
        let client = owner.client(true).await;
        let other = owner.key.link_bank().await;
        let all = ["payment_verifications", "movements"];
        for (method, part, change, status) in [
            ("PATCH", "", json!({ "permissions": ["payment_verifications"] }), 200),
            ("PATCH", "", json!({ "permissions": ["movements"] }), 403),
            ("PATCH", "", json!({ "permissions": [] }), 403),
            ("PATCH", "", json!({ "expires_at": "2027-01-01T00:00:00Z" }), 200),
            ("PATCH", "", json!({ "name": "otra" }), 200),
            ("PATCH", "", json!({ "is_active": false }), 403),
            ("PUT", "/credit-limit", json!({ "monthly_credit_limit": 5 }), 200),
            ("PUT", "/credit-limit", json!({ "monthly_credit_limit": 0 }), 200),
            ("PUT", "/scope", json!({ "client_owner_id": null, "user_banks": [owner.bank] }), 200),
            ("PUT", "/scope", json!({ "client_owner_id": null, "user_banks": [other] }), 404),
            ("PUT", "/scope", json!({ "client_owner_id": client, "user_banks": [] }), 404),
            ("POST", "/rotate", json!({}), 401),
            ("DELETE", "", json!({}), 401),
        ] {
            let key = owner.key_with(&all).await;
            owner.key.verify(&owner.bank, json!({ "bank_reference": "0000067890", "amount": 150.75 })).await.ok();
            let call = verify(&key, &owner);
            let path = format!("/v1/api-keys/{}{part}", key.id);
            let changed = async {
                owner.request(method, &path).json(&change).send().await.ok();
            };
            let answer = late(&app, call, changed).await;
            assert_eq!(answer.status, status, "{part} {change}: {answer:?}");
            app.clock().advance(TIME_MAX);
            owner.sign_in_again().await;
        }
    }

    async fn a_key_is_limited_by_what_is_in_force_when_the_body_is_here(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        let limited = async { drop(owner.set_limit(&key, json!(0)).await.ok()) };
        let answer = late(&app, verify(&key, &owner), limited).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn a_session_that_ends_before_the_body_is_here_does_nothing(app: TestApp) {
        let owner = app.owner().await;
        let log_out = async { drop(owner.post("/auth/logout", json!({})).await.ok()) };
        late(&app, rotate(&owner), log_out).await.refused(401, "UNAUTHORIZED");
        owner.key.get("/me").await.ok();
    }
}
