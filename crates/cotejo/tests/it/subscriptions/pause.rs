//! `POST /v1/subscriptions/{subscription_id}/pause` and `resume`

use serde_json::json;
use testkit::{Setup, either_engine};

use super::{act, begin, cycles, day_comes, details, id, link_of, make};
use crate::pay::paid_with;

either_engine! {
    async fn periods_that_begin_in_a_pause_are_not_asked_for(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        act(&owner.key, &of, "pause", json!({})).await.refused(409, "CONFLICT");
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        day_comes(&app, "2026-12-01").await;
        let paused = act(&owner.key, &of, "pause", json!({})).await.ok()["subscription"].clone();
        // The period that runs was paid, and runs to its end.
        assert_eq!(paused["status"], "active");
        day_comes(&app, "2026-12-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "inactive");
        let listed = owner.key.post("/me/subscriptions", json!({ "status": "inactive" })).await.ok();
        assert_eq!(listed["total"], 1);
        day_comes(&app, "2027-01-25").await;
        assert_eq!(cycles(&owner.key, &of).await, ["1 paid 2026-11-20 paid"]);
        let resumed = act(&owner.key, &of, "resume", json!({})).await.ok()["subscription"].clone();
        assert_eq!((&resumed["status"], &resumed["renovationDate"]), (&json!("active"), &json!("2027-02-20")));
        day_comes(&app, "2027-02-17").await;
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["4 open 2027-02-20 pending", "1 paid 2026-11-20 paid"]
        );
    }
}
