//! The beginning of a month is reported at midnight of Caracas, once.

use std::time::Duration;

use app::credits_events::MonthTurn;
use app::queue::pass;
use domain::time::Timestamp;
use futures_util::future::join;
use serde_json::json;
use testkit::receiver::Receiver;
use testkit::{Setup, both_engines};

use super::{PATH, charge_all, events_of, listen, written};

const KIND: &str = "credits.month_turned";

/// Eight in the evening of 30 November in Caracas: midnight in Greenwich. And the midnights after it.
const EVENING: Timestamp = Timestamp::from_micros(1_796_083_200_000_000);
const DECEMBER: Timestamp = Timestamp::from_micros(1_796_097_600_000_000);
const JANUARY: Timestamp = Timestamp::from_micros(1_798_776_000_000_000);

both_engines! {
    async fn a_month_is_reported_with_what_was_used_in_the_one_before(setup: Setup) {
        let app = setup.from(EVENING).start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        charge_all(&owner.key, &owner.bank, 1..4).await;
        let key = owner.key_with(&["payment_verifications"]).await;
        charge_all(&key, &owner.bank, 4..6).await;
        app.clock().advance_to(Timestamp::from_micros(DECEMBER.as_micros() - 1));
        app.settle().await;
        assert_eq!(written(&app, KIND), 0);
        app.clock().advance_to(DECEMBER);
        // Two nodes come upon it.
        let (one, two) =
            join(pass::<MonthTurn>(app.app(), &|| false), pass::<MonthTurn>(app.app(), &|| false)).await;
        assert!(one.is_ok() && two.is_ok());
        app.settle().await;
        let events = events_of(&receiver, 1).await;
        assert_eq!((&events[0]["type"], &events[0]["created_at"]), (&json!(KIND), &json!(DECEMBER.to_string())));
        assert_eq!(events[0]["data"], json!({
            "month": "2026-12", "began_at": "2026-12-01T04:00:00.000Z",
            "previous": { "month": "2026-11", "consumed": 5, "operations": 5, "reserved": 0 },
            "balance": 995, "available": 995,
        }));
        app.clock().advance(Duration::from_secs(60));
        app.settle().await;
        assert_eq!(written(&app, KIND), 1);
    }

    async fn months_that_nobody_saw_turn_are_reported_in_their_order(setup: Setup) {
        let mut app = setup.from(EVENING).start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        charge_all(&owner.key, &owner.bank, 1..3).await;
        app.stop().await;
        app.clock().advance_to(JANUARY);
        app.start_again().await;
        app.settle().await;
        app.settle().await;
        let events = events_of(&receiver, 2).await;
        let months = |field: &str| {
            let mut months: Vec<_> = events.iter().map(|event| event["data"][field].clone()).collect();
            months.sort_by_key(ToString::to_string);
            months
        };
        assert_eq!(months("month"), ["2026-12", "2027-01"]);
        let previous = |month: &str| {
            let event = events.iter().find(|event| event["data"]["previous"]["month"] == month);
            event.unwrap()["data"]["previous"]["consumed"].clone()
        };
        assert_eq!((previous("2026-11"), previous("2026-12")), (json!(2), json!(0)));
        app.settle().await;
        assert_eq!(written(&app, KIND), 2);
    }

    async fn only_an_owner_that_listens_is_notified(setup: Setup) {
        let app = setup.from(EVENING).start().await;
        let (owner, _other) = (app.owner().await, app.owner().await);
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        // Set again and again it is one endpoint, and has one row.
        listen(&owner, &receiver.url(), &[7]).await;
        let due = "select count(*) from due where kind = 4";
        assert_eq!(app.database().number(due), 1);
        owner.put(PATH, json!({ "url": null })).await.ok();
        assert_eq!(app.database().number(due), 0);
        app.clock().advance_to(DECEMBER);
        app.settle().await;
        assert_eq!(written(&app, KIND), 0);
    }

    async fn who_begins_to_listen_in_a_month_is_notified_of_the_next(setup: Setup) {
        let app = setup.from(DECEMBER).start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        app.settle().await;
        assert_eq!(written(&app, KIND), 0);
        app.clock().advance_to(JANUARY);
        app.settle().await;
        assert_eq!(events_of(&receiver, 1).await[0]["data"]["month"], "2027-01");
    }
}
