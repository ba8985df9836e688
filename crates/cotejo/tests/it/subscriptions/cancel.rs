//! `POST /v1/subscriptions/{subscription_id}/cancelbyowner` and `undo-cancel`

use serde_json::{Value, json};
use testkit::{Setup, both_engines, either_engine};

use super::{act, begin, cycles, day_comes, details, id, link_of, make};
use crate::pay::{begin_slowly, paid_with, status};
use crate::slow_bank::SLOW;

both_engines! {
    async fn a_canceled_subscription_asks_for_nothing_any_more(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let link = link_of(&owner.key, &of, 1).await;
        let canceled = act(&owner.key, &of, "cancelbyowner", json!({})).await.ok()["subscription"].clone();
        assert_eq!((&canceled["status"], &canceled["renovationDate"]), (&json!("cancelled"), &Value::Null));
        assert_eq!(canceled["paymentLinkId"], Value::Null);
        assert_eq!(status(&owner.key, &link).await, "canceled");
        assert_eq!(cycles(&owner.key, &of).await, ["1 canceled 2026-11-20 canceled"]);
        let again = act(&owner.key, &of, "cancelbyowner", json!({})).await.ok()["subscription"].clone();
        assert_eq!(again, canceled);
        for what in ["undo-cancel", "pause", "resume"] {
            act(&owner.key, &of, what, json!({})).await.refused(409, "CONFLICT");
        }
        day_comes(&app, "2027-06-01").await;
        assert_eq!(cycles(&owner.key, &of).await.len(), 1);
        let path = format!("/v1/subscriptions/{of}/cycles/1/link");
        owner.key.post(&path, json!({})).await.refused(409, "CONFLICT");
    }
}

either_engine! {
    async fn one_that_ends_with_its_period_owes_no_other_and_goes_on_if_that_is_undone(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        day_comes(&app, "2026-12-18").await;
        let second = link_of(&owner.key, &of, 2).await;
        let at_end = json!({ "atPeriodEnd": true });
        let answer = act(&owner.key, &of, "cancelbyowner", at_end.clone()).await.ok();
        assert_eq!(answer["subscription"]["cancelAtPeriodEnd"], true);
        assert_eq!((&answer["subscription"]["status"], &answer["subscription"]["renovationDate"]), (&json!("active"), &Value::Null));
        // It was asked for ahead, and nobody is to pay it now.
        assert_eq!(status(&owner.key, &second).await, "stopped");
        let resume = format!("/v1/paymentlink/{second}/resume");
        owner.key.post(&resume, json!({})).await.refused(409, "CONFLICT");
        act(&owner.key, &of, "undo-cancel", json!({})).await.ok();
        assert_eq!(status(&owner.key, &second).await, "pending");
        // There is nothing more to undo.
        act(&owner.key, &of, "undo-cancel", json!({})).await.ok();
        act(&owner.key, &of, "cancelbyowner", at_end).await.ok();
        day_comes(&app, "2026-12-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        assert_eq!(status(&owner.key, &second).await, "canceled");
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["2 canceled 2026-12-20 canceled", "1 paid 2026-11-20 paid"]
        );
    }

    async fn a_period_that_was_paid_ahead_runs_before_the_end(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        day_comes(&app, "2026-12-18").await;
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 2).await, "267890").await;
        act(&owner.key, &of, "cancelbyowner", json!({ "atPeriodEnd": true })).await.ok();
        day_comes(&app, "2027-01-19").await;
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        day_comes(&app, "2027-01-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
    }

    async fn a_payer_who_is_being_checked_does_not_find_the_subscription_gone(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        begin_slowly(&app, &link_of(&owner.key, &of, 1).await, "110004").await;
        let answer = act(&owner.key, &of, "cancelbyowner", json!({})).await;
        answer.refused(409, "REQUEST_IN_PROGRESS");
        assert_eq!(details(&owner.key, &of).await["status"], "pending");
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(details(&owner.key, &of).await["status"], "active");
    }
}
