//! Limits of key, client and balance: decided together, and never exceeded.

use serde_json::{Value, json};
use testkit::{Principal, TestApp, both_engines};

/// Verifies the payment number `n`, a new one for every number.
async fn verify(caller: &Principal, bank: &str, n: u32) -> testkit::Response {
    caller.verify(bank, json!({ "bank_reference": format!("{n}67890") })).await
}

/// The facts of a limit of `limit` that is used up.
fn used_up(limit: i64) -> Value {
    let resets_at = "2026-12-01T04:00:00.000Z";
    json!({ "limit": limit, "used": limit, "remaining": 0, "resets_at": resets_at })
}

both_engines! {
    async fn a_key_spends_its_limit_and_no_more(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_limited_to(2).await;
        verify(&key, &owner.bank, 1).await.ok();
        verify(&key, &owner.bank, 2).await.ok();
        let answer = verify(&key, &owner.bank, 3).await;
        let body = answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(body["facts"], used_up(2));

        // Another key and the session have their own, or none.
        verify(&owner.key, &owner.bank, 3).await.ok();
        verify(&owner, &owner.bank, 4).await.ok();
        let activity = owner.activity_of(&key).await;
        assert_eq!((&activity["request_total"], &activity["credit_total"]), (&json!(3), &json!(2)));
        assert_eq!(activity["requests"][0]["status"], "refused");
        assert_eq!(
            activity["requests"][0]["error_code"],
            "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED"
        );
    }

    async fn a_limit_of_zero_blocks_and_a_raised_one_opens(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_limited_to(0).await;
        let answer = verify(&key, &owner.bank, 1).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        owner.set_limit(&key, json!(1)).await.ok();
        verify(&key, &owner.bank, 1).await.ok();
        owner.set_limit(&key, Value::Null).await.ok();
        verify(&key, &owner.bank, 2).await.ok();
        // What was used stays used.
        owner.set_limit(&key, json!(2)).await.ok();
        let answer = verify(&key, &owner.bank, 3).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
    }

    async fn a_client_shares_its_quota_among_its_keys(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (one, other) = (owner.client_key(&client).await, owner.client_key(&client).await);
        let bank = one.link_bank().await;
        owner.set_quota(&client, json!(2)).await.ok();
        verify(&one, &bank, 1).await.ok();
        verify(&other, &bank, 2).await.ok();
        for key in [&one, &other] {
            let answer = verify(key, &bank, 3).await;
            let body = answer.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");
            assert_eq!(body["facts"], used_up(2));
        }
        let limit = owner.limit_of(&one).await;
        assert_eq!((&limit["consumed"], &limit["quota_used"]), (&json!(1), &json!(2)));
    }

    async fn a_standalone_key_on_a_clients_account_is_held_to_both(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let bank = owner.client_key(&client).await.link_bank().await;
        let key = owner.key_limited_to(1).await;
        owner.set_quota(&client, json!(2)).await.ok();
        verify(&key, &bank, 1).await.ok();
        let answer = verify(&key, &bank, 2).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        verify(&owner.key, &bank, 2).await.ok();
        let answer = verify(&owner.key, &bank, 3).await;
        answer.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        // An account of nobody's is not held to it.
        verify(&owner.key, &owner.bank, 3).await.ok();
    }

    async fn credits_that_are_spent_are_gone(app: TestApp) {
        let owner = app.owner_with(1).await;
        verify(&owner.key, &owner.bank, 1).await.ok();
        let answer = verify(&owner.key, &owner.bank, 2).await;
        let body = answer.refused(402, "NOT_ENOUGH_CREDITS");
        assert_eq!(body["facts"], json!({ "available": 0 }));
        owner.grant(1).await;
        verify(&owner.key, &owner.bank, 2).await.ok();
        assert_eq!(owner.balance().await, 0);
    }

    async fn a_clients_caller_sees_nothing_of_the_owners_credits(app: TestApp) {
        let owner = app.owner_with(1).await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let answer = verify(&key, &bank, 1).await.ok();
        assert!(answer["data"].get("user_credits_total").is_none(), "{answer}");
        let body = verify(&key, &bank, 2).await.refused(402, "NOT_ENOUGH_CREDITS");
        assert!(body.get("facts").is_none(), "{body}");
    }

    async fn the_limit_of_the_key_is_reported_before_the_balance(app: TestApp) {
        let owner = app.owner_with(0).await;
        let key = owner.key_limited_to(0).await;
        let answer = verify(&key, &owner.bank, 1).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        verify(&owner.key, &owner.bank, 1).await.refused(402, "NOT_ENOUGH_CREDITS");
    }
}
