//! The choice of what happens when a period lapses: made with the subscription, or by
//! `POST /v1/subscriptions/{subscription_id}/unpaid-policy`.

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Owner, Setup, TestApp, both_engines, either_engine};

use super::payer_page::{open, page_of};
use super::{act, attend, begin, cycles, day_comes, details, hours_of, id, link_of, make};
use crate::pay::{begin_slowly, info, paid_with, said, status};
use crate::slow_bank::SLOW;

/// A subscription whose first cycle was paid and whose second one has its last day.
async fn late(app: &TestApp, owner: &Owner, more: Value) -> Value {
    let made = make(&owner.key, &owner.bank, more).await;
    paid_with(&app.nobody(), &link_of(&owner.key, &id(&made), 1).await, "167890").await;
    day_comes(app, "2026-12-17").await;
    day_comes(app, "2026-12-23").await;
    assert_eq!(
        cycles(&owner.key, &id(&made)).await,
        ["2 open 2026-12-20 pending", "1 paid 2026-11-20 paid"]
    );
    made
}

async fn choose(owner: &Owner, of: &str, policy: &str) -> Value {
    let body = json!({ "unpaidPolicy": policy });
    act(&owner.key, of, "unpaid-policy", body).await.ok()["subscription"].clone()
}

both_engines! {
    async fn a_subscription_that_is_to_pause_asks_for_no_other_period_until_it_is_resumed(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = late(&app, &owner, json!({ "unpaidPolicy": "pause" })).await;
        let of = id(&made);
        assert_eq!(made["unpaidPolicy"], "pause");
        day_comes(&app, "2026-12-24").await;
        let paused = details(&owner.key, &of).await;
        assert_eq!((&paused["status"], &paused["isPastDue"]), (&json!("active"), &json!(true)));
        assert_eq!((&paused["pausedFrom"], &paused["resumesOn"]), (&json!("2027-01-20"), &Value::Null));
        day_comes(&app, "2027-01-21").await;
        assert_eq!(details(&owner.key, &of).await["status"], "inactive");
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["2 lapsed 2026-12-20 failed", "1 paid 2026-11-20 paid"]
        );
        // Whoever pays late does not resume it.
        let renewed = act(&owner.key, &of, "cycles/2/link", json!({})).await.ok()["paymentlink"]["id"].clone();
        paid_with(&app.nobody(), renewed.as_str().unwrap(), "267890").await;
        assert_eq!(details(&owner.key, &of).await["status"], "inactive");
        act(&owner.key, &of, "resume", json!({})).await.ok();
        day_comes(&app, "2027-02-17").await;
        assert_eq!(cycles(&owner.key, &of).await[0], "4 open 2027-02-20 pending");
    }

    async fn a_subscription_that_is_to_end_ends_with_the_period_that_lapses(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        // Its third period is asked for ahead.
        let more = json!({
            "unpaidPolicy": "end", "leadDays": 30, "webhook_url": receiver.url(), "reminderDays": [],
        });
        let made = make(&owner.key, &owner.bank, more).await;
        let (of, page) = (id(&made), page_of(&made));
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        receiver.received(1).await;
        app.settle().await;
        day_comes(&app, "2026-12-22").await;
        let (second, third) = (link_of(&owner.key, &of, 2).await, link_of(&owner.key, &of, 3).await);
        day_comes(&app, "2026-12-24").await;
        let ended = details(&owner.key, &of).await;
        assert_eq!((&ended["status"], &ended["renovationDate"]), (&json!("cancelled"), &Value::Null));
        assert_eq!((&ended["isPastDue"], &ended["paymentLinkId"]), (&json!(false), &Value::Null));
        assert_eq!(
            cycles(&owner.key, &of).await,
            [
                "3 canceled 2027-01-20 canceled", "2 canceled 2026-12-20 failed",
                "1 paid 2026-11-20 paid",
            ]
        );
        assert_eq!((status(&owner.key, &second).await, status(&owner.key, &third).await), ("failed".to_owned(), "canceled".to_owned()));
        let received = receiver.received(2).await;
        let body: Value = serde_json::from_str(&received[1].body).unwrap();
        assert_eq!((&body["status"], &body["payment_link_id"]), (&json!("failed"), &json!(second)));
        app.settle().await;
        // Nobody owes anything any more, and nothing opens.
        act(&owner.key, &of, "cycles/2/link", json!({})).await.refused(409, "CONFLICT");
        assert_eq!(said(&open(&app.nobody(), &page).await), "Terminó");
        day_comes(&app, "2027-06-01").await;
        assert_eq!(cycles(&owner.key, &of).await.len(), 3);
    }
}

either_engine! {
    async fn without_a_choice_a_subscription_goes_on_and_another_choice_holds_from_then_on(setup: Setup) {
        let app = begin(setup).await;
        let mut owner = app.owner().await;
        let made = late(&app, &owner, json!({})).await;
        let of = id(&made);
        assert_eq!(made["unpaidPolicy"], "stay");
        day_comes(&app, "2026-12-24").await;
        let chosen = choose(&owner, &of, "end").await;
        assert_eq!((&chosen["unpaidPolicy"], &chosen["isPastDue"]), (&json!("end"), &json!(true)));
        let lines = "select count(*) from audit where action = 'SetUnpaidPolicy'";
        assert_eq!(choose(&owner, &of, "end").await, chosen);
        assert_eq!(app.database().number(lines), 1);
        owner.sign_in_again().await;
        let trail = owner.get("/v1/audit").await.ok()["entries"].as_array().unwrap().clone();
        let trail = trail.iter().find(|one| one["action"] == "SetUnpaidPolicy").unwrap();
        let (was, is) = (json!({ "unpaid_policy": "stay" }), json!({ "unpaid_policy": "end" }));
        assert_eq!((&trail["before"], &trail["after"]), (&was, &is));
        // What lapsed before is owed all the same.
        day_comes(&app, "2027-01-17").await;
        assert_eq!(cycles(&owner.key, &of).await[..2], ["3 open 2027-01-20 pending", "2 lapsed 2026-12-20 failed"]);
        day_comes(&app, "2027-01-24").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        act(&owner.key, &of, "unpaid-policy", json!({ "unpaidPolicy": "stay" })).await.refused(409, "CONFLICT");
    }

    async fn a_payer_who_is_being_checked_decides_before_the_subscription_ends(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let more = json!({ "unpaidPolicy": "end", "leadDays": 30, "reminderDays": [] });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        day_comes(&app, "2026-12-22").await;
        // The link of the period that comes after the one that lapses.
        app.clock().set_to(hours_of("2026-12-24", 0).minus(std::time::Duration::from_secs(3)));
        begin_slowly(&app, &link_of(&owner.key, &of, 3).await, "110004").await;
        app.clock().advance(std::time::Duration::from_secs(2));
        attend(&app).await;
        assert_eq!(cycles(&owner.key, &of).await[1], "2 open 2026-12-20 expired");
        app.clock().advance(SLOW);
        app.settle().await;
        attend(&app).await;
        assert_eq!(
            cycles(&owner.key, &of).await,
            [
                "3 paid 2027-01-20 paid", "2 canceled 2026-12-20 failed",
                "1 paid 2026-11-20 paid",
            ]
        );
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        day_comes(&app, "2027-02-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
    }

    async fn a_period_that_was_paid_ahead_runs_to_its_end_after_another_has_lapsed(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let more = json!({ "unpaidPolicy": "end", "leadDays": 45, "reminderDays": [] });
        let made = make(&owner.key, &owner.bank, more).await;
        let (of, page) = (id(&made), page_of(&made));
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        day_comes(&app, "2026-12-22").await;
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 3).await, "367890").await;
        day_comes(&app, "2027-01-10").await;
        // The second one lapsed on 24 December, and nothing has opened since.
        let ending = details(&owner.key, &of).await;
        assert_eq!((&ending["status"], &ending["cancelAtPeriodEnd"]), (&json!("active"), &json!(true)));
        assert_eq!((&ending["isPastDue"], &ending["renovationIsPaid"]), (&json!(false), &json!(true)));
        assert_eq!((&ending["renovationDate"], &ending["paymentLinkId"]), (&Value::Null, &Value::Null));
        let all = ["3 paid 2027-01-20 paid", "2 canceled 2026-12-20 failed", "1 paid 2026-11-20 paid"];
        assert_eq!(cycles(&owner.key, &of).await, all);
        // It is not taken back, and nobody owes what lapsed.
        for what in ["undo-cancel", "cycles/2/link", "cycles/2/waive"] {
            act(&owner.key, &of, what, json!({})).await.refused(409, "CONFLICT");
        }
        let shown = open(&app.nobody(), &page).await;
        assert!(said(&shown) == "Termina pronto" && shown.contains("hasta el 19/02/2027"), "{shown}");
        assert!(!shown.contains("/cancel\"") && !shown.contains("/pay/2\""), "{shown}");
        day_comes(&app, "2027-02-19").await;
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        day_comes(&app, "2027-02-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        assert_eq!(said(&open(&app.nobody(), &page).await), "Terminó");
        assert_eq!(cycles(&owner.key, &of).await, all);
    }

    async fn the_clock_of_a_test_subscription_says_that_it_ended(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let more = json!({ "pay_first": false, "unpaidPolicy": "end", "reminderDays": [] });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        let answer = act(&owner.key, &of, "clock", json!({ "to": "2027-03-01" })).await.ok();
        let happened = answer["happened"].as_array().unwrap().iter();
        let happened: Vec<_> = happened.map(|one| (one["what"].clone(), one["cycle"].clone())).collect();
        let all = [("opened", json!(1)), ("lapsed", json!(1)), ("ended", Value::Null)];
        assert_eq!(happened, all.map(|(what, cycle)| (json!(what), cycle)));
        assert_eq!((&answer["reached"], &answer["subscription"]["status"]), (&json!(true), &json!("cancelled")));
        assert_eq!(info(&owner.key, &link_of(&owner.key, &of, 1).await).await["status"], "failed");
    }

    async fn there_is_no_other_choice(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let wanted = super::wanted(&owner.bank, &json!({ "unpaidPolicy": "forgive" }));
        owner.key.post("/v1/subscription/make", wanted).await.refused(400, "VALIDATION_ERROR");
        let of = id(&make(&owner.key, &owner.bank, json!({ "unpaidPolicy": null })).await);
        for body in [
            json!({}),
            json!({ "unpaidPolicy": "forgive" }),
            json!({ "unpaidPolicy": null }),
            json!({ "unpaidPolicy": "end", "note": "x" }),
        ] {
            act(&owner.key, &of, "unpaid-policy", body).await.refused(400, "VALIDATION_ERROR");
        }
        assert_eq!(details(&owner.key, &of).await["unpaidPolicy"], "stay");
    }
}
