//! `GET /v1/webhooks/events`: what happened, for a receiver that missed it, with the bytes that were sent.

use std::collections::HashSet;

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Owner, TestApp, both_engines};

use super::write;

/// A page of the feed.
pub(crate) async fn feed(owner: &Owner, query: &str) -> Value {
    owner.get(&format!("/v1/webhooks/events?{query}")).await.ok()
}

/// All events behind a place, as somebody reads them who goes on while there is more: also where an
/// attempt is just being kept, whose event waits for the next page.
async fn rest(owner: &Owner, query: &str) -> Vec<Value> {
    let (mut events, mut place) = (Vec::new(), query.to_owned());
    loop {
        let page = feed(owner, &place).await;
        events.extend(page["events"].as_array().unwrap().iter().cloned());
        if page["has_more"] == json!(false) {
            return events;
        }
        if page["next"].is_string() {
            place = format!("{query}&{}", after(&page));
        }
    }
}

/// The ids on a page.
fn ids(page: &Value) -> Vec<String> {
    let events = page["events"].as_array().unwrap();
    events.iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

/// Returns the parameter that asks for what follows a page.
fn after(page: &Value) -> String {
    format!("after={}", page["next"].as_str().unwrap())
}

both_engines! {
    async fn who_missed_webhooks_catches_up_with_the_same_bytes(app: TestApp) {
        let owner = app.owner().await;
        let nothing = feed(&owner, "").await;
        assert_eq!((&nothing["events"], &nothing["next"]), (&json!([]), &json!(null)));
        assert_eq!(nothing["has_more"], json!(false));

        let (well, gone) = (Receiver::with_status(204), Receiver::with_status(410));
        let mut written = Vec::new();
        for receiver in [&well, &gone, &well] {
            app.clock().advance(std::time::Duration::from_secs(1));
            let one = write(&app, &owner, &receiver.url()).await;
            one.ended(&app).await;
            written.push(one.id.to_string());
        }
        let first = feed(&owner, "limit=2").await;
        assert_eq!((ids(&first), &first["has_more"]), (written[..2].to_vec(), &json!(true)));
        let last = feed(&owner, &after(&first)).await;
        assert_eq!((ids(&last), &last["has_more"]), (written[2..].to_vec(), &json!(false)));
        let bodies = [&well.received(1).await[0], &gone.received(1).await[0], &well.received(2).await[1]]
            .map(|asked| asked.body.clone());
        let events = [&first["events"][0], &first["events"][1], &last["events"][0]];
        for (event, body) in events.iter().zip(&bodies) {
            assert_eq!(event["body"].as_str(), Some(&**body), "byte for byte");
            assert_eq!(event["body_sha256"].as_str().map(str::len), Some(64));
            assert_eq!(event["contents_deleted_at"], json!(null));
            assert_eq!(event["event"], "payment_link.paid");
        }
        let states = events.map(|event| event["state"].as_str().unwrap());
        assert_eq!(states, ["delivered", "exhausted", "delivered"]);
        assert_eq!(events[1]["trouble"]["code"], "gone");

        // Nothing more, until something happens; and what is sent again does not move.
        let end = feed(&owner, &after(&last)).await;
        assert_eq!((ids(&end), &end["next"]), (vec![], &last["next"]));
        owner.post(&format!("/v1/webhooks/deliveries/{}/redeliver", written[0]), json!({})).await.ok();
        assert!(ids(&feed(&owner, &after(&last)).await).is_empty());
        let fourth = write(&app, &owner, &well.url()).await;
        fourth.ended(&app).await;
        assert_eq!(ids(&feed(&owner, &after(&last)).await), [fourth.id.to_string()]);

        let stranger = app.owner().await;
        assert!(ids(&feed(&stranger, "").await).is_empty());
        let foreign = format!("/v1/webhooks/events?{}", after(&first));
        stranger.get(&foreign).await.refused(400, "VALIDATION_ERROR");
        let unknown = written[0].replace("evt_", "cur_").replace('0', "1");
        for query in [&format!("after={unknown}"), "after=evt_7", "event=paid", "limit=101"] {
            let refused = owner.get(&format!("/v1/webhooks/events?{query}")).await;
            refused.refused(400, "VALIDATION_ERROR");
        }
    }

    async fn events_of_credits_are_listed_too_and_asked_for_by_kind(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let endpoint = json!({ "url": receiver.url(), "low_balance_levels": [999] });
        owner.put("/v1/webhooks/endpoint", endpoint).await.ok();
        let paid = write(&app, &owner, &receiver.url()).await;
        paid.ended(&app).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let received = receiver.received(2).await;

        assert_eq!(rest(&owner, "limit=1").await.len(), 2);
        let of_credits = feed(&owner, "event=credits.low_balance").await;
        let [event] = of_credits["events"].as_array().unwrap().as_slice() else {
            panic!("{of_credits}")
        };
        assert_eq!((&event["event"], &event["payment_link_id"]), (&json!("credits.low_balance"), &json!(null)));
        assert_eq!(event["body"].as_str(), Some(&*received[1].body));
        assert_eq!(ids(&feed(&owner, "event=payment_link.paid").await), [paid.id.to_string()]);
        assert!(ids(&feed(&owner, "event=test").await).is_empty());
        // A place is good whatever it is asked with.
        assert!(ids(&feed(&owner, &after(&of_credits)).await).is_empty());
    }

    async fn nothing_is_lost_or_listed_twice_while_events_are_made(app: TestApp) {
        const TASKS: usize = 6;
        const EVENTS: usize = 15;
        let owner = app.owner().await;
        let key = owner.key_with(&["integrations"]).await;
        let receiver = Receiver::with_status(204);
        let url = receiver.url();
        let makers = join_all((0..TASKS).map(|_| async {
            let mut made = Vec::new();
            for _ in 0..EVENTS {
                made.push(write(&app, &owner, &url).await.id.to_string());
            }
            made
        }));
        let reader = async {
            let (mut listed, mut place) = (Vec::new(), String::new());
            loop {
                let page = key.get(&format!("/v1/webhooks/events?limit=7&{place}")).await.ok();
                listed.extend(ids(&page));
                if page["next"].is_string() {
                    place = after(&page);
                }
                if listed.len() >= TASKS * EVENTS && page["has_more"] == json!(false) {
                    return listed;
                }
            }
        };
        let (made, listed) = join(makers, reader).await;
        let made: HashSet<_> = made.into_iter().flatten().collect();
        assert_eq!(listed.len(), made.len());
        assert_eq!(listed.into_iter().collect::<HashSet<_>>(), made);
    }
}
