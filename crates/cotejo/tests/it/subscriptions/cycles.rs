//! Cycles open one after another, each once, and a receiver hears of each.

use app::queue::pass;
use app::subscriptions::SubscriptionStep;
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Setup, both_engines, either_engine};

use super::{act, attend, begin, cycles, day_comes, details, id, link_of, make};
use crate::pay::{begin_slowly, info, paid_with, said, status};
use crate::slow_bank::SLOW;

both_engines! {
    async fn each_cycle_asks_ahead_of_its_day_and_a_receiver_hears_of_each_payment(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let made = make(&owner.key, &owner.bank, json!({ "webhook_url": receiver.url() })).await;
        let of = id(&made);
        let first = link_of(&owner.key, &of, 1).await;
        paid_with(&app.nobody(), &first, "167890").await;
        // Days do not go by while the receiver is asked.
        receiver.received(1).await;
        app.settle().await;
        day_comes(&app, "2026-12-16").await;
        assert_eq!(cycles(&owner.key, &of).await, ["1 paid 2026-11-20 paid"]);
        day_comes(&app, "2026-12-17").await;
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["2 open 2026-12-20 pending", "1 paid 2026-11-20 paid"]
        );
        assert_eq!(details(&owner.key, &of).await["renovationIsPaid"], true);
        day_comes(&app, "2026-12-20").await;
        assert_eq!(details(&owner.key, &of).await["renovationIsPaid"], false);
        let second = link_of(&owner.key, &of, 2).await;
        paid_with(&app.nobody(), &second, "267890").await;

        let received = receiver.received(2).await;
        let bodies = received.iter().map(|asked| serde_json::from_str::<Value>(&asked.body).unwrap());
        let reported: Vec<_> = bodies.map(|body| {
            let link = &body["payment_link"];
            (body["status"].clone(), link["id"].clone(), link["with_subscription_id"].clone(), link["type"].clone())
        }).collect();
        let paid = |link: &str| (json!("paid"), json!(link), json!(of), json!("subscription"));
        assert_eq!(reported, [paid(&first), paid(&second)]);
        let paid = details(&owner.key, &of).await;
        assert_eq!((&paid["renovationCount"], &paid["renovationDate"]), (&json!(2), &json!("2027-01-20")));
    }

    async fn each_cycle_opens_once_though_a_year_was_missed_and_several_nodes_look(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let more = json!({ "pay_first": false, "subscriptionPeriodType": "month", "startDate": "2026-12-31" });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        app.clock().set_to(super::hours_of("2027-12-20", 8));
        for _ in 0..40 {
            let looks = (0..3).map(|_| pass::<SubscriptionStep>(app.app(), &|| false));
            for looked in join_all(looks).await {
                looked.unwrap();
            }
        }
        let found = cycles(&owner.key, &of).await;
        let due: Vec<&str> = found.iter().map(|cycle| cycle.split(' ').nth(2).unwrap()).collect();
        assert_eq!(
            due,
            [
                "2027-11-30", "2027-10-31", "2027-09-30", "2027-08-31", "2027-07-31", "2027-06-30",
                "2027-05-31", "2027-04-30", "2027-03-31", "2027-02-28", "2027-01-31",
            ]
        );
        assert!(found.iter().all(|cycle| cycle.ends_with("failed") && cycle.contains("lapsed")), "{found:?}");
        assert_eq!(app.database().number("select count(*) from payment_links"), 11);
        assert_eq!(details(&owner.key, &of).await["isPastDue"], true);
    }
}

either_engine! {
    async fn a_first_cycle_that_nobody_pays_ends_the_subscription(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let made = make(&owner.key, &owner.bank, json!({ "webhook_url": receiver.url() })).await;
        let (of, link) = (id(&made), link_of(&owner.key, &id(&made), 1).await);
        day_comes(&app, "2026-11-23").await;
        assert_eq!(status(&owner.key, &link).await, "pending");
        day_comes(&app, "2026-11-24").await;
        let failed = info(&owner.key, &link).await;
        assert_eq!(failed["status"], "failed");
        let body: Value = serde_json::from_str(&receiver.received(1).await[0].body).unwrap();
        assert_eq!(body["status"], "failed");
        assert_eq!(body["payment_link"]["status_detail"], failed["status_detail"]);
        let ended = details(&owner.key, &of).await;
        assert_eq!((&ended["status"], &ended["renovationDate"]), (&json!("cancelled"), &Value::Null));
        assert_eq!(cycles(&owner.key, &of).await, ["1 canceled 2026-11-20 failed"]);
    }

    async fn a_payer_who_is_being_checked_when_the_grace_ends_decides_first(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let link = link_of(&owner.key, &of, 1).await;
        app.clock().set_to(super::hours_of("2026-11-24", 0).minus(std::time::Duration::from_secs(3)));
        begin_slowly(&app, &link, "110004").await;
        app.clock().advance(std::time::Duration::from_secs(2));
        attend(&app).await;
        assert_eq!(cycles(&owner.key, &of).await, ["1 open 2026-11-20 pending"]);
        app.clock().advance(SLOW);
        app.settle().await;
        attend(&app).await;
        assert_eq!(cycles(&owner.key, &of).await, ["1 paid 2026-11-20 paid"]);
        assert_eq!(details(&owner.key, &of).await["status"], "active");
    }

    async fn so_many_cycles_as_were_asked_for_end_with_the_last_period(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "cycles": 2 })).await);
        for (day, cycle, reference) in [("2026-11-20", 1, "167890"), ("2026-12-17", 2, "267890")] {
            day_comes(&app, day).await;
            let link = link_of(&owner.key, &of, cycle).await;
            assert_eq!(said(&paid_with(&app.nobody(), &link, reference).await), "Pago confirmado");
        }
        day_comes(&app, "2027-01-19").await;
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        day_comes(&app, "2027-01-20").await;
        let ended = details(&owner.key, &of).await;
        assert_eq!((&ended["status"], &ended["renovationLimitType"]), (&json!("completed"), &json!("limited")));
        act(&owner.key, &of, "cancelbyowner", json!({})).await.refused(409, "CONFLICT");
        assert_eq!(cycles(&owner.key, &of).await.len(), 2);
    }

    async fn a_new_price_is_that_of_the_cycles_that_open_from_then_on(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let first = link_of(&owner.key, &of, 1).await;
        let changed = act(&owner.key, &of, "price", json!({ "productPrice": 200 })).await.ok();
        assert_eq!(changed["subscription"]["uniqueProduct"]["productPrice"], 200.0);
        assert_eq!(info(&owner.key, &first).await["amount"], 150.75);
        paid_with(&app.nobody(), &first, "167890").await;
        day_comes(&app, "2026-12-20").await;
        let second = link_of(&owner.key, &of, 2).await;
        assert_eq!(info(&owner.key, &second).await["amount"], 200.0);
        act(&owner.key, &of, "price", json!({ "productPrice": 0 })).await.refused(400, "IS_NOT_POSITIVE_AMOUNT");
    }

    async fn a_trial_runs_before_the_first_period_is_asked_for(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({ "trialDays": 10 })).await;
        assert_eq!((&made["status"], &made["isTrialing"]), (&json!("active"), &json!(true)));
        assert_eq!((&made["renovationIsPaid"], &made["renovationDate"]), (&json!(true), &json!("2026-11-30")));
        let of = id(&made);
        assert_eq!(cycles(&owner.key, &of).await, [""; 0]);
        day_comes(&app, "2026-11-27").await;
        assert_eq!(cycles(&owner.key, &of).await, ["1 open 2026-11-30 pending"]);
        day_comes(&app, "2026-12-04").await;
        // What follows a trial is past due, and does not expire.
        let late = details(&owner.key, &of).await;
        assert_eq!((&late["status"], &late["isPastDue"]), (&json!("active"), &json!(true)));
    }
}
