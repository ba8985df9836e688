//! A balance that falls to a level is reported once for each time that it does.

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::receiver::{Receiver, is_signed};
use testkit::{Setup, TestApp, both_engines, either_engine};

use super::{charge, charge_all, events_of, listen, written};
use crate::pay;
use crate::webhooks::secret;

const KIND: &str = "credits.low_balance";

/// The levels that were reported, in the order in which they were reached.
fn levels(events: &[Value]) -> Vec<i64> {
    events.iter().map(|event| event["data"]["level"].as_i64().unwrap()).collect()
}

either_engine! {
    async fn every_level_is_reported_by_the_charge_that_reaches_it(app: TestApp) {
        let owner = app.owner_with(5).await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[3, 1, 0]).await;
        for (number, events) in [(1, 0), (2, 1), (3, 1), (4, 2)] {
            charge(&owner.key, &owner.bank, number).await;
            assert_eq!(written(&app, KIND), events, "after {number}");
        }
        charge(&owner.key, &owner.bank, 5).await;
        let events = events_of(&receiver, 3).await;
        let mut reached = levels(&events);
        reached.sort_unstable();
        assert_eq!(reached, [0, 1, 3]);
        let last = events.iter().find(|event| event["data"]["level"] == 0).unwrap();
        assert_eq!(last["data"], json!({ "level": 0, "balance": 0, "available": 0 }));
        assert_eq!((&last["type"], &last["livemode"]), (&json!(KIND), &json!(true)));
        assert_eq!(last["created_at"], app.now().to_string());
        let received = receiver.received(3).await;
        let secret = secret(&owner).await;
        assert!(received.iter().all(|asked| is_signed(asked, &secret, "Service")));
        // What is refused for want of credits reaches nothing again.
        let refused = owner.key.verify(&owner.bank, json!({ "bank_reference": "667890" })).await;
        refused.refused(402, "NOT_ENOUGH_CREDITS");
        assert_eq!(written(&app, KIND), 3);
    }

    async fn what_is_so_already_is_not_reported(app: TestApp) {
        let owner = app.owner_with(5).await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[100, 5, 4]).await;
        assert_eq!(written(&app, KIND), 0);
        charge(&owner.key, &owner.bank, 1).await;
        assert_eq!(levels(&events_of(&receiver, 1).await), [4]);
        // Setting the same again repeats nothing.
        listen(&owner, &receiver.url(), &[100, 5, 4]).await;
        charge(&owner.key, &owner.bank, 2).await;
        assert_eq!(written(&app, KIND), 1);
    }

    async fn credits_that_are_added_arm_the_levels_again(app: TestApp) {
        let owner = app.owner_with(4).await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[3, 1]).await;
        charge_all(&owner.key, &owner.bank, 1..4).await;
        assert_eq!(written(&app, KIND), 2);
        // To 2: the level of 1 can be reached again, and that of 3 cannot.
        owner.grant(1).await;
        charge(&owner.key, &owner.bank, 4).await;
        assert_eq!(written(&app, KIND), 3);
        owner.grant(3).await;
        charge(&owner.key, &owner.bank, 5).await;
        let mut reached = levels(&events_of(&receiver, 4).await);
        reached.sort_unstable();
        assert_eq!(reached, [1, 1, 3, 3]);
    }

    async fn one_change_that_passes_several_levels_names_the_lowest(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[500, 100, 10, 3]).await;
        owner.grant(-995).await;
        let events = events_of(&receiver, 1).await;
        assert_eq!(events[0]["data"], json!({ "level": 10, "balance": 5, "available": 5 }));
        assert_eq!(written(&app, KIND), 1);
    }

    async fn a_reservation_that_is_given_back_reports_nothing(app: TestApp) {
        let owner = app.owner_with(4).await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[3]).await;
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "123456" })).await;
        answer.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(written(&app, KIND), 0);
        charge(&owner.key, &owner.bank, 1).await;
        assert_eq!(levels(&events_of(&receiver, 1).await), [3]);
    }

    async fn a_repeated_call_reports_once(app: TestApp) {
        let owner = app.owner_with(4).await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[3, 2]).await;
        for _ in 0..3 {
            let call = owner.key.request("POST", &verify_path(&owner.bank));
            let call = call.header("idempotency-key", "caja-7");
            call.json(&json!({ "bank_reference": "167890" })).send().await.ok();
            charge(&owner.key, &owner.bank, 1).await;
        }
        assert_eq!(levels(&events_of(&receiver, 1).await), [3]);
        assert_eq!(written(&app, KIND), 1);
    }

    async fn a_paid_link_reports_both(app: TestApp) {
        let owner = app.owner_with(4).await;
        let (shop, office) = (Receiver::with_status(200), Receiver::with_status(200));
        listen(&owner, &office.url(), &[3]).await;
        let link = pay::make(&owner.key, &owner.bank, json!({ "webhook_url": shop.url() })).await;
        pay::paid_with(&app.nobody(), &link, "167890").await;
        assert_eq!(levels(&events_of(&office, 1).await), [3]);
        let paid: Value = serde_json::from_str(&shop.received(1).await[0].body).unwrap();
        assert_eq!((&paid["status"], &paid["type"]), (&json!("paid"), &json!("payment_link.paid")));
    }
}

both_engines! {
    async fn fifty_charges_at_once_report_each_level_once(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner_with(60).await;
        let receiver = Receiver::with_status(200);
        let all = [59, 50, 45, 40, 30, 20, 11, 10, 5];
        listen(&owner, &receiver.url(), &all).await;
        join_all((1..=50).map(|number| charge(&owner.key, &owner.bank, number))).await;
        assert_eq!(owner.balance().await, 10);
        let events = events_of(&receiver, 8).await;
        let mut reached = levels(&events);
        reached.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(reached, all[..8]);
        assert!(events.iter().all(|event| event["data"]["level"] == event["data"]["balance"]));
        assert_eq!(written(&app, KIND), 8);
    }
}
