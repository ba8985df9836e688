//! A day with more attempts than are read at once: a person who proves one of them reads few of the others.

use std::time::Duration;

use domain::ids::EventId;
use domain::webhooks::{EventKind, Phases};
use serde_json::Value;
use store::deliveries::{self, Attempt, Conclusion, Event, Next};
use store::evidence::of_attempt;
use store::recording;
use store::sealed_days::LEAVES_MAX;
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::log::access_line;
use testkit::{Owner, TestApp, both_engines};

use super::export::verify;
use super::next_day;

/// How many are written in one transaction.
const AT_ONCE: usize = 250;

/// The first of a day's attempts in the order of its tree.
const FIRST: &str = "(select delivery_id from webhook_attempts order by delivery_id asc limit 1)";

/// Writes so many events that were received at once, and answers their ids in order.
async fn received_at_once(app: &TestApp, owner: &Owner, count: usize) -> Vec<EventId> {
    let (service, now) = (app.app(), app.now());
    let of = owner.id.parse().unwrap();
    let mut ids: Vec<_> = (0..count).map(|_| EventId::new(&*service.ids, now)).collect();
    for some in ids.chunks(AT_ONCE) {
        let some = some.to_vec();
        let write = move |tx: &mut Tx<'_>| {
            for id in &some {
                let event = Event {
                    id: *id,
                    kind: EventKind::LinkPaid,
                    subject: [1; 16],
                    client: None,
                    url: "https://shop.example/hook".to_owned(),
                    body: b"{}".to_vec(),
                };
                deliveries::enqueue(tx, of, &event, now)?;
                let until = now.plus(Duration::from_secs(60));
                let (delivery, lease) = deliveries::claim(tx, of, *id, now, until)?.unwrap();
                let attempt = Attempt {
                    number: 1,
                    began_at: now,
                    duration: Duration::ZERO,
                    status: Some(204),
                    answer_head: Vec::new(),
                    answer: Vec::new(),
                    trouble: None,
                    sent: None,
                    address: None,
                    is_reused: false,
                    phases: Phases::default(),
                };
                let digests = of_attempt(delivery.chain, &attempt);
                let (next, notice) = (Next::Delivered, None);
                let conclusion =
                    Conclusion { attempt, step: 1, trouble: None, next, notice, digests };
                recording::record(tx, of, *id, lease, &conclusion)?;
            }
            Ok(())
        };
        service.store.write(&Meter::default(), Lane::Admission, of, write).await.unwrap();
    }
    ids.sort_unstable();
    ids
}

/// The proof of an event, and how many statements it took.
async fn proof(owner: &Owner, id: EventId, request: &str) -> (Value, u64) {
    let path = format!("/v1/webhooks/deliveries/{id}/evidence");
    let call = owner.request("GET", &path).header("x-request-id", request);
    let proof = call.send().await.ok()["proof"].clone();
    (proof, access_line(request).await.statements)
}

both_engines! {
    async fn an_attempt_among_thousands_is_proved_by_few_of_them(app: TestApp) {
        let mut owner = app.owner().await;
        let block = usize::try_from(LEAVES_MAX).unwrap();
        let count = 2 * block + 7;
        let ids = received_at_once(&app, &owner, count).await;
        next_day(&app, 1).await;
        owner.sign_in_again().await;
        assert_eq!(app.database().number("select count(*) from webhook_day_blocks"), 2);
        // One of each block, and one behind them.
        for (place, name) in [(3, "first"), (block, "second"), (count - 1, "last")] {
            let (proof, statements) = proof(&owner, ids[place], &format!("proof-{name}")).await;
            assert_eq!(proof["days"][0]["attempts"], count);
            assert!(verify(&proof).is_some(), "{name}");
            assert!(statements <= 12, "{name}: {statements} statements");
        }
        // What somebody does to an attempt of another block is not even seen.
        let alter = |set: &str| {
            let sql = format!("update webhook_attempts set {set} where delivery_id = {FIRST}");
            app.database().execute(&sql);
        };
        alter("sent_digest = digest, digest = null");
        let (unaware, _) = proof(&owner, ids[block], "proof-unaware").await;
        assert!(verify(&unaware).is_some());
        alter("digest = sent_digest, sent_digest = null");
        // Blocks prove nothing themselves: without them, or with others, the attempts do.
        app.database().execute("update webhook_day_blocks set root = last_delivery_id where block = 0");
        let (spoiled, _) = proof(&owner, ids[block], "proof-spoiled").await;
        assert_eq!(spoiled, unaware);
        app.database().execute("delete from webhook_day_blocks");
        let (without, _) = proof(&owner, ids[block], "proof-without").await;
        assert_eq!(without, unaware);
    }
}
