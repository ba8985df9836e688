//! `GET /auth/sessions` and `DELETE /auth/sessions/{session_id}`

use std::time::Duration;

use domain::session::IDLE_MAX;
use serde_json::Value;
use testkit::{Principal, TestApp, both_engines};

use super::refresh::{Tokens, refresh, sign_in};

async fn open(caller: &Principal) -> Vec<Value> {
    caller.get("/auth/sessions").await.ok()["sessions"].as_array().unwrap().clone()
}

/// The id of the session that asks.
async fn own_id(caller: &Principal) -> String {
    let sessions = open(caller).await;
    let current: Vec<_> = sessions.iter().filter(|it| it["is_current"] == true).collect();
    assert_eq!(current.len(), 1, "{sessions:?}");
    current[0]["id"].as_str().unwrap().to_owned()
}

both_engines! {
    async fn each_open_session_is_listed_with_where_it_came_from(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        app.clock().advance(Duration::from_secs(1));
        let Tokens { session, .. } = sign_in(&app, &owner).await;
        let listed = session.get("/auth/sessions").await.ok();
        assert_eq!(listed["total"], 2);
        let sessions = open(&session).await;
        assert_eq!(sessions[0]["is_current"], true, "the newest comes first");
        assert_eq!(sessions[1]["is_current"], false);
        assert_eq!(sessions[0]["address"], "127.0.0.1");
        assert_eq!(sessions[0]["network"], "127.0.0.1");
        assert_eq!(sessions[0]["created_at"], sessions[0]["refreshed_at"]);
        assert_ne!(own_id(&session).await, own_id(&owner).await);
        assert_eq!(open(&stranger).await.len(), 1, "another owner's are its own");
    }

    async fn a_session_that_was_ended_opens_nothing_and_is_listed_no_more(app: TestApp) {
        let owner = app.owner().await;
        let Tokens { session, refresh: token } = sign_in(&app, &owner).await;
        let path = format!("/auth/sessions/{}", own_id(&session).await);
        owner.delete(&path).await.ok();
        session.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &token).await.refused(401, "UNAUTHORIZED");
        assert_eq!(open(&owner).await.len(), 1);
        // The answer may have been lost: sent again, it is answered alike, and leaves no second line.
        owner.delete(&path).await.ok();
        let lines = "select count(*) from audit where action = 'EndSession'";
        assert_eq!(app.database().number(lines), 1);
        owner.get("/me").await.ok();
    }

    async fn a_session_may_end_itself(app: TestApp) {
        let owner = app.owner().await;
        let Tokens { session, .. } = sign_in(&app, &owner).await;
        session.delete(&format!("/auth/sessions/{}", own_id(&session).await)).await.ok();
        session.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn a_session_of_another_owner_is_none(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        for id in [own_id(&stranger).await.as_str(), "ses_00000000000000000000000000", "made-up"] {
            owner.delete(&format!("/auth/sessions/{id}")).await.refused(404, "NOT_FOUND");
        }
        stranger.get("/me").await.ok();
    }

    async fn a_session_that_is_over_by_itself_is_listed_no_more(app: TestApp) {
        let mut owner = app.owner().await;
        app.clock().advance(IDLE_MAX);
        owner.sign_in_again().await;
        assert_eq!(open(&owner).await.len(), 1);
    }
}
