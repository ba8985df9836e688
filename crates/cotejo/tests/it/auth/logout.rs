//! `POST /auth/logout`

use serde_json::json;
use testkit::{TestApp, either_engine};

use super::refresh::{Tokens, refresh, sign_in};

either_engine! {
    async fn it_ends_the_session_at_once_and_no_other(app: TestApp) {
        let owner = app.owner().await;
        let Tokens { session, refresh: token } = sign_in(&app, &owner).await;
        session.post("/auth/logout", json!({})).await.ok();
        session.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &token).await.refused(401, "UNAUTHORIZED");
        session.post("/auth/logout", json!({})).await.refused(401, "UNAUTHORIZED");
        owner.get("/me").await.ok();
        owner.key.get("/me").await.ok();
    }

    async fn it_leaves_a_line_in_the_audit_trail(app: TestApp) {
        let owner = app.owner().await;
        owner.post("/auth/logout", json!({})).await.ok();
        let lines = "select count(*) from audit where action = 'Logout' and actor = subject";
        assert_eq!(app.database().number(lines), 1);
        assert_eq!(app.database().number("select count(*) from sessions where ended_at > 1"), 1);
    }
}
