//! `GET /me`

use serde_json::json;
use testkit::{TestApp, either_engine};

either_engine! {
    async fn every_caller_is_shown_its_owner(app: TestApp) {
        let owner = app.owner().await;
        let user = json!({
            "id": owner.id,
            "username": owner.email,
            "email": owner.email,
            "full_name": owner.email,
            "company_name": owner.email,
            "credits": 1000,
            "plan_id": null,
            "plan_is_active": true,
            "is_demo": false,
            "user_type": "commerce",
        });
        let key = owner.key_with(&[]).await;
        for caller in [&*owner, &*owner.key, &owner.key.by_app_key(), &*key] {
            assert_eq!(caller.get("/me").await.ok()["user"], user);
        }
    }

    async fn a_clients_caller_sees_no_credits_and_no_plan(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let user = owner.client_key(&client).await.get("/me").await.ok()["user"].clone();
        assert_eq!(user["id"], owner.id);
        for absent in ["credits", "plan_id", "plan_is_active"] {
            assert!(user.get(absent).is_none(), "{user}");
        }
    }

    async fn both_headers_may_be_there_if_they_agree(app: TestApp) {
        let owner = app.owner().await;
        let both = |text: &str| owner.key.request("GET", "/me").header("APPKEY", text).send();
        both(&owner.key.text).await.ok();
        both("ck_live_other").await.refused(401, "UNAUTHORIZED");
    }

    async fn anything_but_bearer_is_refused(app: TestApp) {
        let owner = app.owner().await;
        for line in [format!("Basic {}", owner.key.text), owner.key.text.clone(), "Bearer".into()] {
            let call = app.nobody().request("GET", "/me").header("authorization", &line);
            let answer = call.send().await;
            answer.refused(401, "UNAUTHORIZED");
            assert!(answer.header("www-authenticate").is_some_and(|line| line.contains("Bearer")));
        }
        let call = app.nobody().request("GET", "/me");
        call.header("authorization", &format!("bearer {}", owner.key.text)).send().await.ok();
    }
}
