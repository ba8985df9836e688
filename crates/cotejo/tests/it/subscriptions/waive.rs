//! `POST /v1/subscriptions/{subscription_id}/cycles/{cycle}/waive`

use serde_json::{Value, json};
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines, either_engine};

use super::payer_page::{open, page_of, press};
use super::{act, begin, cycles, day_comes, details, id, link_of, make};
use crate::pay::{begin_slowly, info, paid_with, send, status};
use crate::payment_links::accept::shown;
use crate::slow_bank::SLOW;

async fn waive(caller: &Principal, of: &str, cycle: u32, body: Value) -> Response {
    act(caller, of, &format!("cycles/{cycle}/waive"), body).await
}

/// A subscription whose first cycle was paid and whose second one can be paid.
async fn asked(app: &TestApp, owner: &Owner, more: Value) -> String {
    let of = id(&make(&owner.key, &owner.bank, more).await);
    paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
    day_comes(app, "2026-12-21").await;
    assert_eq!(cycles(&owner.key, &of).await.len(), 2);
    of
}

both_engines! {
    async fn a_period_that_is_waived_is_not_owed_any_more(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = asked(&app, &owner, json!({})).await;
        assert_eq!(details(&owner.key, &of).await["isPastDue"], true);
        let link = link_of(&owner.key, &of, 2).await;
        let reason = json!({ "reason": "Un mes de cortesía" });
        let waived = waive(&owner.key, &of, 2, reason).await.ok()["subscription"].clone();
        assert_eq!((&waived["isPastDue"], &waived["renovationIsPaid"]), (&json!(false), &json!(true)));
        assert_eq!((&waived["renovationDate"], &waived["renovationCount"]), (&json!("2027-01-20"), &json!(1)));
        assert_eq!(waived["paymentLinkId"], Value::Null);
        assert_eq!(status(&owner.key, &link).await, "canceled");
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["2 waived 2026-12-20 canceled", "1 paid 2026-11-20 paid"]
        );
        let lines = "select count(*) from audit where action = 'WaiveCycle'";
        assert_eq!(app.database().number(lines), 1);
        // The same again changes nothing, nor is there another link of it.
        assert_eq!(waive(&owner.key, &of, 2, json!({})).await.ok()["subscription"], waived);
        assert_eq!(app.database().number(lines), 1);
        act(&owner.key, &of, "cycles/2/link", json!({})).await.refused(409, "CONFLICT");
        // It neither lapses nor is reminded of, as it would be a day after it was due; the next one opens.
        day_comes(&app, "2026-12-22").await;
        day_comes(&app, "2027-01-17").await;
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["3 open 2027-01-20 pending", "2 waived 2026-12-20 canceled", "1 paid 2026-11-20 paid"]
        );
        let reminded = "select count(*) from subscription_cycles where number = 1 and reminded > 0";
        assert_eq!(app.database().number(reminded), 0);
    }

    async fn money_that_is_accepted_within_the_day_pays_a_waived_period_all_the_same(setup: Setup) {
        let app = begin(setup).await;
        let mut owner = app.owner().await;
        let of = asked(&app, &owner, json!({})).await;
        let link = link_of(&owner.key, &of, 2).await;
        waive(&owner.key, &of, 2, json!({})).await.ok();
        owner.sign_in_again().await;
        let movement = shown(&app, &owner, "8000123456", 15_075).await;
        let body = json!({ "movement_id": movement });
        owner.post(&format!("/v1/paymentlink/{link}/accept"), body).await.ok();
        assert_eq!(info(&owner.key, &link).await["status"], "paid");
        assert_eq!(details(&owner.key, &of).await["renovationCount"], 2);
        waive(&owner.key, &of, 2, json!({})).await.refused(409, "RENOVATION_IS_ALREADY_PAID");
        let trail = owner.get("/v1/audit").await.ok();
        let entries = trail["entries"].as_array().unwrap();
        let waived = entries.iter().find(|entry| entry["action"] == "WaiveCycle").unwrap();
        assert_eq!((&waived["subject"], &waived["after"]), (&json!(of), &json!({ "cycle_waived": 2, "waive_reason": null })));
    }
}

either_engine! {
    async fn a_first_period_that_is_waived_lets_the_subscription_begin(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        let of = id(&made);
        assert_eq!(made["status"], "pending");
        let waived = waive(&owner.key, &of, 1, json!({})).await.ok()["subscription"].clone();
        assert_eq!((&waived["status"], &waived["renovationCount"]), (&json!("active"), &json!(0)));
        day_comes(&app, "2026-11-30").await;
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        day_comes(&app, "2026-12-17").await;
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["2 open 2026-12-20 pending", "1 waived 2026-11-20 canceled"]
        );
    }

    async fn a_lapsed_period_is_waived_with_the_link_that_followed_and_its_payer_finds_none(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = asked(&app, &owner, json!({})).await;
        day_comes(&app, "2026-12-24").await;
        let failed = link_of(&owner.key, &of, 2).await;
        let renewed = act(&owner.key, &of, "cycles/2/link", json!({})).await.ok()["paymentlink"]["id"].clone();
        let renewed = renewed.as_str().unwrap();
        waive(&owner.key, &of, 2, json!({})).await.ok();
        assert_eq!(status(&owner.key, &failed).await, "failed");
        assert_eq!(status(&owner.key, renewed).await, "canceled");
        let answer = send(&app.nobody(), &format!("/pay/{failed}/renew"), &[]).await;
        assert_eq!(answer.header("location"), Some(format!("/pay/{failed}").as_str()));
        assert_eq!(details(&owner.key, &of).await["isPastDue"], false);
    }

    async fn other_periods_are_refused(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = asked(&app, &owner, json!({})).await;
        waive(&owner.key, &of, 1, json!({})).await.refused(409, "RENOVATION_IS_ALREADY_PAID");
        for cycle in [0, 3] {
            waive(&owner.key, &of, cycle, json!({})).await.refused(404, "NOT_FOUND");
        }
        for body in [json!({ "reason": "x".repeat(201) }), json!({ "note": "x" })] {
            waive(&owner.key, &of, 2, body).await.refused(400, "VALIDATION_ERROR");
        }
        act(&owner.key, &of, "cancelbyowner", json!({})).await.ok();
        waive(&owner.key, &of, 2, json!({})).await.refused(409, "CONFLICT");
    }

    async fn a_payer_who_is_being_checked_decides_before_the_owner_waives(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        begin_slowly(&app, &link_of(&owner.key, &of, 1).await, "110004").await;
        waive(&owner.key, &of, 1, json!({})).await.refused(409, "REQUEST_IN_PROGRESS");
        assert_eq!(cycles(&owner.key, &of).await, ["1 open 2026-11-20 pending"]);
        app.clock().advance(SLOW);
        app.settle().await;
        waive(&owner.key, &of, 1, json!({})).await.refused(409, "RENOVATION_IS_ALREADY_PAID");
    }

    async fn a_payer_who_cancels_keeps_a_period_that_was_waived(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        let (of, page, payer) = (id(&made), page_of(&made), app.nobody());
        waive(&owner.key, &of, 1, json!({})).await.ok();
        assert!(open(&payer, &page).await.contains("Está al día"));
        let confirm = open(&payer, &format!("{page}/cancel")).await;
        assert!(confirm.contains("La suscripción sigue hasta el 19/12/2026."), "{confirm}");
        assert!(!confirm.contains("ya pagó"), "nobody has paid: {confirm}");
        assert_eq!(press(&payer, &format!("{page}/cancel")).await, page);
        let canceled = details(&owner.key, &of).await;
        assert_eq!((&canceled["status"], &canceled["cancelAtPeriodEnd"]), (&json!("active"), &json!(true)));
        day_comes(&app, "2026-12-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        assert_eq!(cycles(&owner.key, &of).await, ["1 waived 2026-11-20 canceled"]);
    }

    async fn no_page_says_that_a_period_was_paid_which_was_waived(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({ "cycles": 1 })).await;
        let (of, page) = (id(&made), page_of(&made));
        waive(&owner.key, &of, 1, json!({})).await.ok();
        day_comes(&app, "2026-12-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "completed");
        let shown = open(&app.nobody(), &page).await;
        assert!(shown.contains("Se cumplieron todos sus períodos. No debe nada."), "{shown}");
        assert!(!shown.contains("pagaron"), "{shown}");
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let shown = browser.open(&format!("/app/subscriptions/{of}")).await;
        assert!(shown.contains("Terminó: se cumplieron todos sus períodos"), "{shown}");
    }
}
