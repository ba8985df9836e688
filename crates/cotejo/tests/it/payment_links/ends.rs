//! Calling a link off, stopping it, letting it go on, rejecting it.

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{Principal, Response, TestApp, both_engines, either_engine};

use crate::pay::{begin_slowly, info, make, paid_with, said, status};
use crate::slow_bank::SLOW;

async fn act(caller: &Principal, id: &str, act: &str) -> Response {
    caller.post(&format!("/v1/paymentlink/{id}/{act}"), json!({})).await
}

#[track_caller]
fn now_is(answer: &Response, status: &str) -> Value {
    let link = answer.ok()["paymentlink"].clone();
    assert_eq!(link["status"], status);
    link
}

either_engine! {
    async fn a_link_is_stopped_and_goes_on(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        now_is(&act(&owner.key, &id, "stop").await, "stopped");
        now_is(&act(&owner.key, &id, "stop").await, "stopped");
        now_is(&act(&owner.key, &id, "resume").await, "pending");
        now_is(&act(&owner.key, &id, "resume").await, "pending");
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
        for what in ["stop", "resume", "cancel", "reject"] {
            act(&owner.key, &id, what).await.refused(409, "CONFLICT");
        }
        assert_eq!(status(&owner, &id).await, "paid");
    }

    async fn a_stopped_link_runs_out_all_the_same(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({ "expiration_time": 1 })).await;
        act(&owner.key, &id, "stop").await.ok();
        app.clock().advance(std::time::Duration::from_secs(60));
        assert_eq!(status(&owner, &id).await, "expired");
        act(&owner.key, &id, "resume").await.refused(409, "CONFLICT");
        act(&owner.key, &id, "cancel").await.refused(409, "CONFLICT");
    }

    async fn an_end_is_final_and_may_be_asked_for_twice(app: TestApp) {
        let owner = app.owner().await;
        let (first, second) = (
            make(&owner.key, &owner.bank, json!({})).await,
            make(&owner.key, &owner.bank, json!({})).await,
        );
        now_is(&act(&owner.key, &first, "cancel").await, "canceled");
        let again = now_is(&act(&owner.key, &first, "cancel").await, "canceled");
        assert_eq!(again, info(&owner, &first).await);
        act(&owner.key, &first, "reject").await.refused(409, "CONFLICT");
        let why = json!({ "status_detail": "Pedido agotado" });
        let path = format!("/v1/paymentlink/{second}/reject");
        let failed = now_is(&owner.key.post(&path, why).await, "failed");
        assert_eq!(failed["status_detail"], "Pedido agotado");
        assert!(again.get("status_detail").is_none());
        act(&owner.key, &second, "resume").await.refused(409, "CONFLICT");
        let third = make(&owner.key, &owner.bank, json!({})).await;
        let failed = now_is(&act(&owner.key, &third, "reject").await, "failed");
        assert_eq!(failed["status_detail"], "El comercio rechazó el enlace de pago.");
    }

    async fn a_payer_who_is_being_checked_does_not_find_the_link_gone(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        begin_slowly(&app, &id, "110004").await;
        let wait = act(&owner.key, &id, "cancel").await;
        wait.refused(409, "REQUEST_IN_PROGRESS");
        assert!(wait.header("retry-after").is_some());
        act(&owner.key, &id, "reject").await.refused(409, "REQUEST_IN_PROGRESS");
        // Nobody else begins, and a check that had begun is answered to the end.
        now_is(&act(&owner.key, &id, "stop").await, "stopped");
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!((status(&owner, &id).await.as_str(), owner.balance().await), ("paid", 999));
    }

    async fn what_an_owner_does_to_a_link_is_on_record(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        act(&owner.key, &id, "stop").await.ok();
        act(&owner.key, &id, "stop").await.ok();
        act(&owner.key, &id, "cancel").await.ok();
        let lines = |action: &str| {
            let text = "select count(*) from audit where action = ";
            app.database().number(&format!("{text}'{action}' and subject = '{id}'"))
        };
        let found = ["CreateLink", "StopLink", "CancelLink"].map(lines);
        assert_eq!(found, [1, 1, 1]);
    }
}

both_engines! {
    async fn links_that_end_at_once_each_end_once(app: TestApp) {
        let owner = app.owner().await;
        // Never asked: what is sent waits in the database.
        let asked = || json!({ "webhook_url": "http://127.0.0.1:8/" });
        let ids = join_all((0..12).map(|_| make(&owner.key, &owner.bank, asked()))).await;
        let acts = ["reject", "cancel", "stop", "reject", "cancel"];
        let all = acts.iter().flat_map(|what| ids.iter().map(move |id| (id, *what)));
        let answers = join_all(all.map(|(id, what)| act(&owner.key, id, what))).await;
        let mut rejected = 0;
        for (number, id) in ids.iter().enumerate() {
            let to_it = acts.iter().zip(answers.iter().skip(number).step_by(ids.len()));
            let end = status(&owner, id).await;
            let its = if end == "failed" { "reject" } else { "cancel" };
            for (what, answer) in to_it.filter(|(what, _)| **what != "stop") {
                if *what == its {
                    assert_eq!(now_is(answer, &end)["id"], **id);
                } else {
                    answer.refused(409, "CONFLICT");
                }
            }
            let text = "select count(*) from audit where action in ('RejectLink', 'CancelLink')";
            assert_eq!(app.database().number(&format!("{text} and subject = '{id}'")), 1);
            rejected += i64::from(end == "failed");
        }
        let of_rejected = "select count(*) from webhook_deliveries d join payment_links l \
             on l.owner_id = d.owner_id and l.id = d.subject_id where l.state = 2";
        assert_eq!(app.database().number(of_rejected), rejected);
        let of_all = "select count(*) from webhook_deliveries";
        assert_eq!(app.database().number(of_all), rejected);
    }
}
