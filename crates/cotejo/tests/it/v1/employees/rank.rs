//! An employee gives only what it holds, and decides only about who holds no more.

use serde_json::{Value, json};
use testkit::{TestApp, either_engine};

use super::invite;

either_engine! {
    async fn an_employee_invites_to_no_more_than_it_may_do_itself(app: TestApp) {
        let owner = app.owner().await;
        let eva = owner.employee(1, &["team:write", "payments:read"]).await;
        for (permissions, status) in [
            (json!([]), 200),
            (json!(["payments:read"]), 200),
            (json!(["team:write", "team:read"]), 200),
            (json!(["payments:write"]), 403),
            (json!(["payments:read", "billing:read"]), 403),
        ] {
            let email = format!("{}@tienda.example", permissions.to_string().len());
            let body = json!({ "email": email, "name": "Luis", "permissions": permissions });
            let answer = eva.post("/v1/employees", body).await;
            assert_eq!(answer.status, status, "{permissions}");
        }
        let trail = "select count(*) from audit where action = 'InviteEmployee'";
        assert_eq!(app.database().number(trail), 4);
    }

    async fn an_employee_changes_and_removes_nobody_who_may_do_more(app: TestApp) {
        let owner = app.owner().await;
        let eva = owner.employee(1, &["team:write", "payments:read"]).await;
        let more = owner.employee(2, &["payments:write"]).await;
        let pending = invite(&owner, "ana@tienda.example", &["billing:read"]).await;
        let pending = format!("/v1/employees/{}", pending["employee"]["id"].as_str().unwrap());
        for body in [
            json!({ "is_active": false }),
            json!({ "permissions": [] }),
            json!({ "name": "Otro" }),
        ] {
            for path in [&more.path(), &pending] {
                eva.patch(path, body.clone()).await.refused(403, "FORBIDDEN");
            }
        }
        for path in [&more.path(), &pending] {
            eva.delete(path).await.refused(403, "FORBIDDEN");
        }
        eva.post(&format!("{pending}/invitation"), json!({})).await.refused(403, "FORBIDDEN");
        more.get("/me").await.ok();

        let less = owner.employee(3, &["payments:read"]).await;
        let up = json!({ "permissions": ["payments:write"] });
        eva.patch(&less.path(), up.clone()).await.refused(403, "FORBIDDEN");
        // Nor does it give itself more.
        eva.patch(&eva.path(), up.clone()).await.refused(403, "FORBIDDEN");
        let named = eva.patch(&less.path(), json!({ "name": " Luis R. " })).await.ok();
        assert_eq!(named["employee"]["name"], "Luis R.");
        owner.patch(&less.path(), up).await.ok();
        eva.delete(&less.path()).await.refused(403, "FORBIDDEN");
        owner.patch(&eva.path(), json!({ "permissions": ["team:write", "payments:write"] })).await.ok();
        eva.delete(&less.path()).await.ok();
        less.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn what_changes_nothing_is_not_on_record(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["payments:read"]).await;
        let before = owner.get("/v1/employees").await.ok();
        for body in [
            json!({ "name": "Luis", "permissions": ["payments:read"], "is_active": true }),
            json!({ "name": "Luis", "accepted_at": Value::Null }),
        ] {
            owner.patch(&luis.path(), body).await.ok();
        }
        assert_eq!(owner.get("/v1/employees").await.ok(), before);
        let trail = "select count(*) from audit where action = 'ChangeEmployee'";
        assert_eq!(app.database().number(trail), 0);
    }
}
