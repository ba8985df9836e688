//! What an owner chooses for its links: after how many tries they fail, and whether ends without a
//! payment are reported.

use std::time::Duration;

use app::links::LinkExpiry;
use app::queue::pass;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Owner, Setup, TestApp, both_engines, either_engine};

use crate::pay::{begin_slowly, info, make, paid_with, pay, status, text};
use crate::slow_bank::{SLOW, outwait};

const PATH: &str = "/v1/payment-link-settings";
const SECOND: Duration = Duration::from_secs(1);

async fn choose(owner: &Owner, max_attempts: Value, announce_expiry: bool) {
    let body = json!({ "max_attempts": max_attempts, "announce_expiry": announce_expiry });
    owner.put(PATH, body).await.ok();
}

/// How many events were written, whether they have been received or not.
fn written(app: &TestApp) -> i64 {
    app.database().number("select count(*) from webhook_deliveries")
}

/// The word of the first event that the receiver got.
async fn first_status(receiver: &Receiver) -> Value {
    let body: Value = serde_json::from_str(&receiver.received(1).await[0].body).unwrap();
    body["status"].clone()
}

either_engine! {
    async fn nothing_is_chosen_until_the_owner_does(app: TestApp) {
        let owner = app.owner().await;
        let shown = owner.get(PATH).await.ok();
        assert_eq!((&shown["max_attempts"], &shown["announce_expiry"]), (&json!(null), &json!(false)));
        choose(&owner, json!(3), true).await;
        let shown = owner.get(PATH).await.ok();
        assert_eq!((&shown["max_attempts"], &shown["announce_expiry"]), (&json!(3), &json!(true)));
        let slip = json!({ "max_attempts": 5, "announce": true });
        owner.put(PATH, slip).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(owner.get(PATH).await.ok(), shown);
        assert_eq!(app.owner().await.get(PATH).await.ok()["max_attempts"], json!(null));
    }

    async fn a_link_fails_by_answers_that_time_cannot_change(app: TestApp) {
        let owner = app.owner().await;
        choose(&owner, json!(3), false).await;
        let receiver = Receiver::with_status(200);
        let more = json!({ "webhook_url": receiver.url() });
        let id = make(&owner.key, &owner.bank, more).await;
        // Another amount and outgoing count; not found, several and a bank that is down never do.
        for reference in ["110001", "123456", "110003", "110006", "110009", "223456", "110010"] {
            paid_with(&app.nobody(), &id, reference).await;
            assert_eq!(status(&owner, &id).await, "pending", "{reference}");
        }
        paid_with(&app.nobody(), &id, "210001").await;
        let link = info(&owner, &id).await;
        assert_eq!(link["status"], "failed");
        assert!(link["status_detail"].as_str().unwrap().contains("intentos de pago (3)"), "{link}");
        assert_eq!(first_status(&receiver).await, "failed");
        paid_with(&app.nobody(), &id, "167890").await;
        assert_eq!((status(&owner, &id).await.as_str(), owner.balance().await), ("failed", 1_000));
        assert_eq!(written(&app), 1);
    }

    async fn one_reference_is_one_try_however_it_is_typed(app: TestApp) {
        let owner = app.owner().await;
        choose(&owner, json!(2), false).await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        for reference in ["110001", "110001", "00-110001", "9110001", "79110001"] {
            paid_with(&app.nobody(), &id, reference).await;
            assert_eq!(status(&owner, &id).await, "pending", "{reference}");
        }
        paid_with(&app.nobody(), &id, "210001").await;
        assert_eq!(status(&owner, &id).await, "failed");
    }

    async fn what_was_used_counts_too_and_a_paid_link_never_fails(app: TestApp) {
        let owner = app.owner().await;
        choose(&owner, json!(1), false).await;
        let ids = [
            make(&owner.key, &owner.bank, json!({})).await,
            make(&owner.key, &owner.bank, json!({})).await,
        ];
        paid_with(&app.nobody(), &ids[0], "167890").await;
        paid_with(&app.nobody(), &ids[0], "110001").await;
        paid_with(&app.nobody(), &ids[1], "167890").await;
        assert_eq!(status(&owner, &ids[0]).await, "paid");
        assert_eq!(status(&owner, &ids[1]).await, "failed");
    }

    async fn who_is_being_checked_decides(app: TestApp) {
        let owner = app.owner().await;
        choose(&owner, json!(1), false).await;
        for (slow, is_found) in [("110004", true), ("110005", false)] {
            let id = make(&owner.key, &owner.bank, json!({})).await;
            let start = app.now();
            begin_slowly(&app, &id, slow).await;
            paid_with(&app.nobody(), &id, "210001").await;
            assert_eq!(status(&owner, &id).await, "pending");
            if is_found {
                app.clock().advance_to(start.plus(SLOW));
            } else {
                outwait(&app, start, start).await;
            }
            app.settle().await;
            assert_eq!(status(&owner, &id).await, if is_found { "paid" } else { "failed" });
        }
        assert_eq!(owner.balance().await, 999);
    }

    async fn the_end_of_a_links_time_is_reported_once(app: TestApp) {
        let mut owner = app.owner().await;
        choose(&owner, json!(null), true).await;
        let receiver = Receiver::with_status(200);
        let minute = json!({ "webhook_url": receiver.url(), "expiration_time": 1 });
        let id = make(&owner.key, &owner.bank, minute.clone()).await;
        let paid = make(&owner.key, &owner.bank, minute.clone()).await;
        paid_with(&app.nobody(), &paid, "167890").await;
        assert_eq!(first_status(&receiver).await, "paid");
        let never = json!({ "webhook_url": receiver.url(), "expiration_time": -1 });
        make(&owner.key, &owner.bank, never).await;
        app.clock().advance(60 * SECOND - SECOND);
        app.settle().await;
        assert_eq!(written(&app), 1, "that one was paid");
        app.clock().advance(SECOND);
        // Two nodes come upon it.
        let (one, two) = join(pass::<LinkExpiry>(app.app(), &|| false), pass::<LinkExpiry>(app.app(), &|| false)).await;
        assert!(one.is_ok() && two.is_ok());
        app.settle().await;
        assert_eq!(written(&app), 2);
        receiver.received(2).await;
        app.clock().advance(3_600 * SECOND);
        owner.sign_in_again().await;
        app.settle().await;
        assert_eq!((written(&app), status(&owner, &id).await.as_str()), (2, "expired"));
        assert_eq!(app.database().number("select count(*) from due where kind = 3"), 0);
    }

    async fn nothing_is_reported_where_the_owner_does_not_want_it(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let minute = json!({ "webhook_url": receiver.url(), "expiration_time": 1 });
        let canceled = make(&owner.key, &owner.bank, minute.clone()).await;
        make(&owner.key, &owner.bank, minute).await;
        owner.post(&format!("/v1/paymentlink/{canceled}/cancel"), json!({})).await.ok();
        app.clock().advance(60 * SECOND);
        app.settle().await;
        assert_eq!(written(&app), 0);
        assert_eq!(app.database().number("select count(*) from due where kind = 3"), 0);
    }

    async fn a_canceled_link_is_reported_as_canceled(app: TestApp) {
        let owner = app.owner().await;
        choose(&owner, json!(null), true).await;
        let receiver = Receiver::with_status(200);
        let minute = json!({ "webhook_url": receiver.url(), "expiration_time": 1 });
        let id = make(&owner.key, &owner.bank, minute).await;
        let path = format!("/v1/paymentlink/{id}/cancel");
        owner.post(&path, json!({})).await.ok();
        owner.post(&path, json!({})).await.ok();
        assert_eq!(first_status(&receiver).await, "canceled");
        app.clock().advance(60 * SECOND);
        app.settle().await;
        assert_eq!(written(&app), 1, "its time says nothing any more");
    }

    async fn a_link_that_is_being_checked_is_not_over(app: TestApp) {
        let owner = app.owner().await;
        choose(&owner, json!(null), true).await;
        let receiver = Receiver::with_status(200);
        let minute = json!({ "webhook_url": receiver.url(), "expiration_time": 1 });
        let id = make(&owner.key, &owner.bank, minute).await;
        app.clock().advance(50 * SECOND);
        let start = app.now();
        begin_slowly(&app, &id, "110004").await;
        app.clock().advance_to(start.plus(11 * SECOND));
        pass::<LinkExpiry>(app.app(), &|| false).await.unwrap();
        assert_eq!(written(&app), 0);
        app.clock().advance_to(start.plus(SLOW));
        app.settle().await;
        assert_eq!(first_status(&receiver).await, "paid");
        app.clock().advance(60 * SECOND);
        app.settle().await;
        assert_eq!(written(&app), 1);
    }

    async fn a_link_is_over_once_its_last_check_is(app: TestApp) {
        let owner = app.owner().await;
        choose(&owner, json!(null), true).await;
        let receiver = Receiver::with_status(200);
        let minute = json!({ "webhook_url": receiver.url(), "expiration_time": 1 });
        let id = make(&owner.key, &owner.bank, minute).await;
        let start = app.now();
        begin_slowly(&app, &id, "110005").await;
        outwait(&app, start, start).await;
        app.settle().await;
        // It may have been looked at while the check was open: then it is looked at again.
        if written(&app) == 0 {
            app.clock().advance(11 * SECOND);
            app.settle().await;
        }
        assert_eq!((first_status(&receiver).await, written(&app)), (json!("expired"), 1));
        assert_eq!(status(&owner, &id).await, "expired");
    }
}

both_engines! {
    async fn of_two_checks_that_are_the_last_one_fails_the_link(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        choose(&owner, json!(2), false).await;
        let receiver = Receiver::with_status(200);
        for round in 1..=3 {
            let id = make(&owner.key, &owner.bank, json!({ "webhook_url": receiver.url() })).await;
            let payer = app.nobody();
            let tries = (1..=3).map(|n| {
                let (payer, id) = (payer.clone(), id.clone());
                async move { pay(&payer, &id, &format!("{round}{n}10001")).await }
            });
            join_all(tries).await;
            app.settle().await;
            assert_eq!((status(&owner, &id).await.as_str(), written(&app)), ("failed", round));
        }
    }

    async fn what_was_reported_as_over_is_over_where_a_clock_is_behind(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        choose(&owner, json!(null), true).await;
        let receiver = Receiver::with_status(200);
        let minute = json!({ "webhook_url": receiver.url(), "expiration_time": 1 });
        let id = make(&owner.key, &owner.bank, minute).await;
        app.clock().advance(60 * SECOND);
        app.settle().await;
        assert_eq!(first_status(&receiver).await, "expired");
        // A node whose clock is a minute behind sees the same.
        app.database().execute("update payment_links set expires_at = expires_at + 60000000");
        assert_eq!(status(&owner, &id).await, "expired");
        for act in ["cancel", "reject", "stop", "resume"] {
            let answer = owner.post(&format!("/v1/paymentlink/{id}/{act}"), json!({})).await;
            answer.refused(409, "CONFLICT");
        }
        let patch = owner.request("PATCH", &format!("/paymentlink/{id}/patch"));
        patch.json(&json!({ "amount": 7 })).send().await.refused(409, "CONFLICT");
        let page = app.nobody().get(&format!("/pay/{id}")).await;
        assert!(!text(&page).contains("name=\"reference\""));
        let listed = |filter| {
            let owner = &owner;
            async move { owner.post("/me/payment-links", filter).await.ok() }
        };
        let expired = listed(json!({ "status": "expired" })).await;
        assert!(expired.to_string().contains(&id), "{expired}");
        let pending = listed(json!({ "status": "pending" })).await;
        assert!(!pending.to_string().contains(&id), "{pending}");
        app.clock().advance(60 * SECOND);
        app.settle().await;
        assert_eq!(written(&app), 1);
    }
}
