//! `POST /v1/webhooks/redeliveries`: everything that has failed since an instant, once more.

use std::time::Duration;

use app::queue::Work;
use app::webhooks::Redelivery;
use domain::ids::RedeliveryId;
use domain::webhooks::DeliveryState;
use serde_json::{Value, json};
use store::redelivery_jobs::{self, SLICE_LEN};
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{Owner, TestApp, both_engines};
use tokio::task::yield_now;

use super::{Written, first_look, write, write_due_at};

const PATH: &str = "/v1/webhooks/redeliveries";

async fn begin(owner: &Owner, body: Value) -> Value {
    owner.post(PATH, body).await.ok()["redelivery"].clone()
}

/// Lets time go on until the worker of jobs has looked, and rests: what begins now is found when time
/// goes on.
async fn attended(app: &TestApp) {
    app.clock().advance(Redelivery::POLL);
    app.clock().is_awaited(app.now().plus(Redelivery::POLL)).await;
}

async fn look(owner: &Owner, job: &Value) -> Value {
    let path = format!("{PATH}/{}", job["id"].as_str().unwrap());
    owner.get(&path).await.ok()["redelivery"].clone()
}

/// Lets time go on until the job is done.
async fn done(app: &TestApp, owner: &Owner, job: &Value) -> Value {
    let done = async {
        loop {
            let job = look(owner, job).await;
            if job["state"] == "done" {
                return job;
            }
            yield_now().await;
        }
    };
    app.clock().flow(done).await
}

/// Lets time go on until it has ended: nobody rings for so many.
async fn ended(app: &TestApp, written: Written) -> DeliveryState {
    app.clock().flow(written.ended(app)).await.0.state
}

/// An instant that does not come in a test.
fn later(app: &TestApp) -> domain::time::Timestamp {
    app.now().plus(Duration::from_secs(60 * 60))
}

/// Writes so many that were given up, as if long ago.
async fn given_up(app: &TestApp, owner: &Owner, url: &str, count: usize) -> Vec<Written> {
    first_look(app).await;
    let later = app.now().plus(Duration::from_secs(60));
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(write_due_at(app, owner, url, later).await);
    }
    let database = app.database();
    database.execute("delete from due where kind = 2");
    database.execute(
        "update webhook_deliveries set state = 2, attempts = 1, ended_at = 1 where state = 0",
    );
    all
}

both_engines! {
    async fn what_was_given_up_is_sent_again_and_nothing_else(app: TestApp) {
        let owner = app.owner().await;
        let script = |number| Play::Answer(if number == 1 { 410 } else { 204 }, Vec::new());
        let (one, other) = (Receiver::answering(script), Receiver::answering(script));
        let well = Receiver::with_status(204);
        let since = app.now();
        let mut written = Vec::new();
        for url in [one.url(), other.url(), well.url()] {
            app.clock().advance(Duration::from_secs(1));
            let delivery = write(&app, &owner, &url).await;
            delivery.ended(&app).await;
            written.push(delivery);
        }
        let stranger = app.owner().await;
        let theirs = write(&app, &stranger, &Receiver::with_status(410).url()).await;
        theirs.ended(&app).await;
        attended(&app).await;

        // One receiver alone.
        let host = other.url().split('/').nth(2).unwrap().to_owned();
        let job = begin(&owner, json!({ "since": since.to_string(), "receiver": host })).await;
        assert_eq!((&job["state"], &job["looked"]), (&json!("running"), &json!(0)));
        assert_eq!(job["total"], json!(3), "how many there are to look at");
        assert_eq!((&job["receiver"], &job["ended_at"]), (&json!(host), &json!(null)));
        // Another one has to wait, and the answer says for which.
        let refused = owner.post(PATH, json!({ "since": since.to_string() })).await;
        assert_eq!(refused.refused(409, "CONFLICT")["facts"]["id"], job["id"]);
        let path = format!("{PATH}/{}", job["id"].as_str().unwrap());
        stranger.get(&path).await.refused(404, "NOT_FOUND");
        let job = done(&app, &owner, &job).await;
        assert_eq!((&job["looked"], &job["redelivered"]), (&json!(3), &json!(1)));
        assert!(job["ended_at"].is_string());
        assert_eq!(ended(&app, written[1]).await, DeliveryState::Delivered);
        assert_eq!(written[0].look(&app).await.0.state, DeliveryState::Exhausted);

        // And all, but those that happened later.
        let job = begin(&owner, json!({ "since": since.to_string() })).await;
        let job = done(&app, &owner, &job).await;
        assert_eq!((&job["looked"], &job["redelivered"]), (&json!(3), &json!(1)));
        assert_eq!(ended(&app, written[0]).await, DeliveryState::Delivered);
        assert_eq!((one.requests(), other.requests(), well.requests()), (2, 2, 1));
        assert_eq!(theirs.look(&app).await.0.state, DeliveryState::Exhausted);

        owner.post(PATH, json!({})).await.refused(400, "VALIDATION_ERROR");
        owner.get(&format!("{PATH}/redo_1")).await.refused(404, "NOT_FOUND");
        let audited = "select count(*) from audit where action = 'RedeliverFailed'";
        assert_eq!(app.database().number(audited), 2);
    }

    async fn a_job_that_was_cut_short_goes_on_and_sends_each_once(mut app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let count = usize::try_from(SLICE_LEN).unwrap() + 30;
        let since = app.now();
        app.clock().advance(Duration::from_secs(1));
        let written = given_up(&app, &owner, &receiver.url(), count).await;
        app.clock().advance(Duration::from_secs(120));
        attended(&app).await;
        let job = begin(&owner, json!({ "since": since.to_string() })).await;

        // A slice, and a process that ends in the middle of the next.
        let (id, now) = (job["id"].as_str().unwrap().parse::<RedeliveryId>().unwrap(), app.now());
        let of = written[0].owner;
        let slice = move |tx: &mut Tx<'_>| redelivery_jobs::advance(tx, of, id, now);
        let store = app.app().store.clone();
        let is_more = store.write(&Meter::default(), Lane::Maintenance, of, slice).await.unwrap();
        assert!(is_more);
        app.crash();
        app.start_again().await;

        let job = done(&app, &owner, &job).await;
        assert_eq!((&job["looked"], &job["redelivered"]), (&json!(count), &json!(count)));
        assert_eq!(job["total"], json!(count));
        for one in written {
            assert_eq!(ended(&app, one).await, DeliveryState::Delivered);
        }
        assert_eq!(app.database().number("select count(*) from webhook_attempts"), i64::try_from(count).unwrap());
        assert_eq!(receiver.received(count).await.len(), count, "each is told once");
        assert_eq!(app.database().number("select count(*) from due where kind in (2, 6)"), 0);
    }

    /// A shop that was down and is up again wants what has failed now, and not when it would be tried.
    async fn what_waits_for_its_next_attempt_is_sent_now(app: TestApp) {
        let owner = app.owner().await;
        first_look(&app).await;
        let since = app.now();
        app.clock().advance(Duration::from_secs(1));
        let shop = Receiver::answering(|number| {
            Play::Answer(if number <= 2 { 503 } else { 204 }, Vec::new())
        });
        let silent = Receiver::answering(|_| Play::Silence);
        let mut down = Vec::new();
        for _ in 0..2 {
            let written = write(&app, &owner, &shop.url()).await;
            written.tried(&app, 1).await;
            down.push(written);
        }
        let under_way = write(&app, &owner, &silent.url()).await;
        silent.received(1).await;
        let untried = write_due_at(&app, &owner, &shop.url(), later(&app)).await;
        app.clock().advance(Duration::from_millis(1));

        let job = begin(&owner, json!({ "since": since.to_string() })).await;
        let job = done(&app, &owner, &job).await;
        assert_eq!((&job["total"], &job["looked"]), (&json!(3), &json!(3)));
        assert_eq!(job["redelivered"], 2);
        for written in down {
            assert_eq!(ended(&app, written).await, DeliveryState::Delivered);
            assert_eq!(written.look(&app).await.1.len(), 2);
        }
        assert_eq!(under_way.look(&app).await.1.len(), 0, "it is left to its end");
        assert_eq!(untried.look(&app).await.1.len(), 0, "it has not failed");
        assert_eq!((shop.requests(), silent.requests()), (4, 1));
        app.database().execute("delete from due where kind = 2");
        app.clock().advance(egress::DEADLINE);
    }

    async fn the_same_call_again_makes_no_other_job(app: TestApp) {
        let owner = app.owner().await;
        let since = app.now();
        attended(&app).await;
        let wish = |key: &str, since: String| {
            let call = owner.request("POST", PATH).header("Idempotency-Key", key);
            call.json(&json!({ "since": since })).send()
        };
        let first = wish("k-1", since.to_string()).await;
        let job = first.ok()["redelivery"].clone();
        // The one that runs is in the way of another, and of nobody who asks for the same.
        wish("k-2", since.to_string()).await.refused(409, "CONFLICT");
        assert_eq!(wish("k-1", since.to_string()).await.body, first.body);
        done(&app, &owner, &job).await;
        assert_eq!(wish("k-1", since.to_string()).await.body, first.body);
        wish("k-1", "2026-01-01T00:00:00Z".to_owned()).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(app.database().number("select count(*) from webhook_redeliveries"), 1);
        // What was refused has left nothing behind.
        assert_ne!(wish("k-2", since.to_string()).await.ok()["redelivery"]["id"], job["id"]);
    }
}
