//! `GET /me`

use serde_json::json;
use testkit::employee::PASSWORD;
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

    async fn a_session_shows_who_signed_in_and_a_key_nobody(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (luis, marta) = (owner.employee(1, &[]).await, owner.client_employee(&client, 2).await);
        let person = |id: &str, email: &str, kind: &str| json!({ "id": id, "email": email, "kind": kind });
        for (who, password, expected) in [
            (&*owner, &*owner.password, person(&owner.id, &owner.email, "owner")),
            (&*luis, PASSWORD, person(&luis.id, &luis.email, "employee")),
            (&*marta, PASSWORD, person(&marta.id, &marta.email, "client")),
        ] {
            let shown = who.get("/me").await.ok()["person"].clone();
            for field in ["id", "email", "kind"] {
                assert_eq!(shown[field], expected[field], "{shown}");
            }
            assert!(shown["name"].as_str().is_some_and(|name| !name.is_empty()), "{shown}");
            assert_eq!(shown.as_object().unwrap().len(), 4, "{shown}");
            let body = json!({ "email": shown["email"], "password": password });
            let opened = app.nobody().post("/auth/login", body).await.ok();
            assert_eq!(opened["person"], shown);
            let body = json!({ "refresh_token": opened["refresh_token"] });
            assert_eq!(app.nobody().post("/auth/refresh", body).await.ok()["person"], shown);
        }
        let of_client = owner.client_key(&client).await;
        for key in [&owner.key, &of_client] {
            assert!(key.get("/me").await.ok().get("person").is_none());
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
