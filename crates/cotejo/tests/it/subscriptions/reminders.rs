//! Reminders: events to the owner's systems on their days, as long as the payment is owed.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Owner, Setup, TestApp, both_engines, either_engine};

use super::{act, attend, begin, details, hour_comes, hours_of, id, link_of, make, wanted};
use crate::pay::{begin_slowly, paid_with};
use crate::slow_bank::SLOW;

const GUIDE: &str = include_str!("../../../../../docs/guide/subscriptions.md");

/// The names of the fields of something.
fn names(of: &Value) -> BTreeSet<&str> {
    of.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Sets where the owner's systems are notified.
async fn listen(owner: &Owner, receiver: &Receiver) {
    let body = json!({ "url": receiver.url(), "low_balance_levels": [] });
    owner.put("/v1/webhooks/endpoint", body).await.ok();
}

/// How many reminders were written, whether they have been received or not.
fn written(app: &TestApp) -> i64 {
    app.database()
        .number("select count(*) from webhook_deliveries where event = 'subscription.reminder'")
}

/// The contents of the reminders that the receiver got, once it got so many, in their order. A month that turns is
/// reported to it, too.
async fn reminders(receiver: &Receiver, count: usize) -> Vec<Value> {
    let mut asked = count;
    loop {
        let received = receiver.received(asked).await;
        let events = received.iter().map(|asked| serde_json::from_str(&asked.body).unwrap());
        let mut events: Vec<Value> =
            events.filter(|event: &Value| event["type"] == "subscription.reminder").collect();
        if events.len() >= count {
            events.sort_by_key(|event| event["id"].as_str().unwrap().to_owned());
            assert!(events.iter().all(|event| event.get("status").is_none()));
            return events;
        }
        asked = received.len() + 1;
    }
}

/// Returns the days of reminders, in their order.
fn days(events: &[Value]) -> Vec<i64> {
    events.iter().map(|event| event["data"]["day"].as_i64().unwrap()).collect()
}

both_engines! {
    async fn a_payer_is_reminded_on_each_day_until_the_payment(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver).await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda Ñandú" })).await.ok();
        let more = json!({ "startDate": "2026-12-10", "graceDays": 10 });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        for (day, hours, count) in [
            ("2026-12-06", 12, 0), ("2026-12-07", 8, 0), ("2026-12-07", 9, 1), ("2026-12-08", 12, 1),
            ("2026-12-10", 8, 1), ("2026-12-10", 9, 2), ("2026-12-11", 20, 3), ("2026-12-11", 21, 3),
        ] {
            hour_comes(&app, day, hours).await;
            assert_eq!(written(&app), count, "{day} at {hours}");
            reminders(&receiver, usize::try_from(count).unwrap()).await;
            app.settle().await;
        }
        let events = reminders(&receiver, 3).await;
        assert_eq!(days(&events), [-3, 0, 1]);
        let link = link_of(&owner.key, &of, 1).await;
        let url = format!("{}/pay/{link}", app.app().settings.base_url);
        let text = format!(
            "[PRUEBA, no pague] Tienda Ñandú le recuerda su próximo pago. Gimnasio, del 10 de diciembre de 2026 al 9 de \
             enero de 2027. Bs. 150,75. Día de pago: 10/12/2026; se puede pagar hasta el 20/12/2026. Página de prueba: {url}"
        );
        let mut data = events[0]["data"].clone();
        let whatsapp = data["whatsapp_url"].take();
        let whatsapp = whatsapp.as_str().unwrap();
        assert!(whatsapp.starts_with("https://wa.me/584120000000?text=%5BPRUEBA%2C%20no"), "{whatsapp}");
        let expected = json!({
            "subscription_id": of, "name": "Gimnasio", "customer_name": "Cliente de prueba",
            "customer_phone": "0412-0000000", "cycle": 1, "first_day": "2026-12-10", "last_day": "2027-01-09",
            "due_date": "2026-12-10", "payable_until": "2026-12-20", "day": -3, "amount": 150.75,
            "currency": "VEF", "payment_link_id": link, "payment_link_url": url, "text": text, "whatsapp_url": null,
        });
        assert_eq!((data, &events[0]["livemode"]), (expected, &json!(false)));
        // The guide shows the same.
        let shown = GUIDE.split("```json event\n").nth(1).unwrap().split("```").next().unwrap();
        let shown: Value = serde_json::from_str(shown).unwrap();
        assert_eq!(names(&shown), names(&events[0]));
        assert_eq!(names(&shown["data"]), names(&events[0]["data"]));
        assert!(events[2]["data"]["text"].as_str().unwrap().contains("su pago está pendiente"));

        paid_with(&app.nobody(), &link, "167890").await;
        for day in ["2026-12-13", "2026-12-17"] {
            hour_comes(&app, day, 12).await;
        }
        assert_eq!(written(&app), 3);
        let listed = owner.key.get("/v1/webhooks/deliveries?event=subscription.reminder").await;
        let listed = listed.ok()["deliveries"].clone();
        assert_eq!((listed.as_array().unwrap().len(), &listed[0]["payment_link_id"]), (3, &Value::Null));
        assert_eq!(listed[0]["livemode"], false);
    }

    async fn a_payer_who_is_being_checked_is_not_reminded(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        listen(&owner, &Receiver::with_status(200)).await;
        let more = json!({ "startDate": "2026-12-10", "reminderDays": [0] });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        hour_comes(&app, "2026-12-08", 12).await;
        let link = link_of(&owner.key, &of, 1).await;
        app.clock().set_to(hours_of("2026-12-10", 9).minus(std::time::Duration::from_secs(3)));
        begin_slowly(&app, &link, "110004").await;
        app.clock().advance(std::time::Duration::from_secs(2));
        attend(&app).await;
        assert_eq!(written(&app), 0);
        app.clock().advance(SLOW);
        app.settle().await;
        hour_comes(&app, "2026-12-10", 12).await;
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        assert_eq!(written(&app), 0);
    }
}

either_engine! {
    async fn after_a_week_without_a_node_one_reminder_is_sent(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver).await;
        let more = json!({ "startDate": "2026-12-10", "leadDays": 10, "graceDays": 6 });
        make(&owner.key, &owner.bank, more).await;
        hour_comes(&app, "2026-12-04", 12).await;
        assert_eq!(written(&app), 0);
        hour_comes(&app, "2026-12-12", 8).await;
        assert_eq!(days(&reminders(&receiver, 1).await), [1]);
        app.settle().await;
        hour_comes(&app, "2026-12-12", 12).await;
        assert_eq!(written(&app), 1);
        hour_comes(&app, "2026-12-13", 12).await;
        assert_eq!(days(&reminders(&receiver, 2).await), [1, 3]);
        app.settle().await;
        // Its time is over: the subscription has ended.
        hour_comes(&app, "2026-12-18", 12).await;
        assert_eq!(written(&app), 2);
    }

    async fn what_was_over_when_it_was_made_or_before_its_link_opens_is_left_out(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver).await;
        // At eight on its own due day.
        make(&owner.key, &owner.bank, json!({})).await;
        hour_comes(&app, "2026-11-20", 8).await;
        assert_eq!(written(&app), 0);
        hour_comes(&app, "2026-11-20", 9).await;
        assert_eq!(days(&reminders(&receiver, 1).await), [0]);
        app.settle().await;
        act(&owner.key, &details_id(&owner).await, "cancelbyowner", json!({})).await.ok();
        let more = json!({ "startDate": "2026-12-10", "leadDays": 1, "reminderDays": [-3, -2, -1, 2] });
        make(&owner.key, &owner.bank, more).await;
        for (day, count) in [("2026-12-07", 1), ("2026-12-08", 1), ("2026-12-09", 2), ("2026-12-12", 3)] {
            hour_comes(&app, day, 12).await;
            reminders(&receiver, count).await;
            app.settle().await;
        }
        assert_eq!(days(&reminders(&receiver, 3).await), [0, -1, 2]);
    }

    async fn what_is_canceled_paused_or_cannot_be_paid_is_not_reminded_of(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        listen(&owner, &Receiver::with_status(200)).await;
        let more = json!({ "reminderDays": [1] });
        let canceled = id(&make(&owner.key, &owner.bank, more.clone()).await);
        let ended = id(&make(&owner.key, &owner.bank, more.clone()).await);
        let paused = id(&make(&owner.key, &owner.bank, more.clone()).await);
        act(&owner.key, &canceled, "cancelbyowner", json!({})).await.ok();
        // Its owner has called off the link alone.
        let link = link_of(&owner.key, &ended, 1).await;
        owner.key.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        paid_with(&app.nobody(), &link_of(&owner.key, &paused, 1).await, "167890").await;
        act(&owner.key, &paused, "pause", json!({})).await.ok();
        for day in ["2026-11-21", "2026-12-17", "2026-12-21"] {
            hour_comes(&app, day, 12).await;
        }
        assert_eq!(written(&app), 0);
        let reminded = "select count(*) from subscription_cycles where reminded = 1";
        assert_eq!(app.database().number(reminded), 1);
    }

    async fn a_clock_that_is_set_ahead_reminds_in_the_order_of_the_days(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver).await;
        let more = json!({ "startDate": "2026-12-10", "graceDays": 10, "trialDays": 1 });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        let answer = act(&owner.key, &of, "clock", json!({ "to": "2026-12-22" })).await.ok();
        let happened: Vec<String> = answer["happened"].as_array().unwrap().iter().map(|step| {
            let at = step["at"].as_str().unwrap().split('.').next().unwrap();
            format!("{} {at}", step["what"].as_str().unwrap())
        }).collect();
        assert_eq!(
            happened,
            [
                "opened 2026-12-08T04:00:00", "reminded 2026-12-08T13:00:00", "reminded 2026-12-11T13:00:00",
                "reminded 2026-12-12T13:00:00", "reminded 2026-12-14T13:00:00", "reminded 2026-12-18T13:00:00",
                "lapsed 2026-12-22T04:00:00",
            ]
        );
        app.clock().advance(std::time::Duration::from_secs(2));
        assert_eq!(days(&reminders(&receiver, 5).await), [-3, 0, 1, 3, 7]);
    }

    async fn a_clients_subscription_is_reported_to_the_owner(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver).await;
        let key = owner.client_key(&owner.client(true).await).await;
        let bank = key.link_bank().await;
        let of = id(&make(&key, &bank, json!({ "reminderDays": [0] })).await);
        hour_comes(&app, "2026-11-20", 9).await;
        let event = reminders(&receiver, 1).await.remove(0);
        assert_eq!(event["data"]["subscription_id"], json!(of));
        for hidden in ["credit", "balance", "secret"] {
            assert!(!event.to_string().contains(hidden), "{event}");
        }
        // The client sees nothing of what goes to its owner's address.
        app.settle().await;
        let link = link_of(&key, &of, 1).await;
        let listed = key.get(&format!("/v1/webhooks/deliveries?payment_link_id={link}")).await;
        assert!([200, 403].contains(&listed.status), "{listed:?}");
        assert!(!listed.text().contains("subscription.reminder"), "{listed:?}");
    }

    async fn days_and_an_address_that_cannot_be_are_said_by_their_field(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let client = json!({ "clientName": "Ana", "clientPhone": "0412", "clientEmail": "nadie" });
        for (more, field) in [
            (json!({ "reminderDays": 3 }), "reminderDays"),
            (json!({ "reminderDays": ["3"] }), "reminderDays"),
            (json!({ "reminderDays": [31] }), "reminderDays"),
            (json!({ "reminderDays": [1, 1] }), "reminderDays"),
            (json!({ "reminderDays": [0, 1, 2, 3, 4, 5, 6, 7, 8] }), "reminderDays"),
            (json!({ "uniqueClient": client }), "uniqueClient.clientEmail"),
        ] {
            let answer = owner.key.post("/v1/subscription/make", wanted(&owner.bank, &more)).await;
            answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(answer.json()["details"][0]["field"], field, "{more}");
        }
        assert_eq!(app.database().number("select count(*) from subscriptions"), 0);
        let made = make(&owner.key, &owner.bank, json!({ "reminderDays": [7, -1] })).await;
        assert_eq!((&made["reminderDays"], &made["reminderMailStopped"]), (&json!([-1, 7]), &json!(false)));
        let usual = make(&owner.key, &owner.bank, json!({})).await;
        assert_eq!(usual["reminderDays"], json!([-3, 0, 1, 3, 7]));
        assert_eq!(usual["uniqueClient"]["clientEmail"], Value::Null);
    }
}

/// The id of the only subscription.
async fn details_id(owner: &Owner) -> String {
    let listed = owner.key.post("/me/subscriptions", json!({})).await.ok();
    id(&listed["subscriptions"][0])
}
