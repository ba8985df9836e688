//! A store that was put back from a copy: what the bank shows of before is accepted by a person, until the review is closed.

use std::time::Duration;

use app::review::{Mark, NAME};
use domain::review::ReviewWindow;
use domain::time::Timestamp;
use serde_json::{Value, json};
use store::{Meter, installation};
use testkit::bank::SimulatedBank;
use testkit::principal::verify_path;
use testkit::{Owner, Response, Setup, TestApp, both_engines, either_engine};

use crate::bdv::{link, start};
use crate::pay::{THEIRS, make, paid_by, pay_by, said, send, status, text};
use crate::subscriptions;

/// Past the bank's interval between two looks at a day, and the minute in which it says that something was paid.
const A_WHILE: Duration = Duration::from_secs(120);

const IN_REVIEW: &str = "PAYMENT_NEEDS_REVIEW";
const NOTICE: &str = "El comercio está revisando los pagos";

/// An owner with an account at the simulated bank.
struct Shop {
    bank: SimulatedBank,
    app: TestApp,
    owner: Owner,
    account: String,
}

impl Shop {
    async fn open(setup: Setup) -> Self {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        Self { bank, app, owner, account }
    }

    fn pay(&self, reference: &str) {
        self.bank.pay(reference, 15_075, Duration::ZERO);
    }

    async fn verify(&self, reference: &str) -> Response {
        self.app.clock().advance(A_WHILE);
        let body = json!({ "bank_reference": reference, "amount": 150.75 });
        self.owner.key.post(&verify_path(&self.account), body).await
    }

    /// Verifies: answers if the payment is new, and what it cost.
    async fn verified(&self, reference: &str) -> (bool, i64) {
        let data = self.verify(reference).await.ok()["data"].clone();
        (data["is_new"].as_bool().unwrap(), data["credit_cost"].as_i64().unwrap())
    }

    /// Starts the service anew as on a store that was put back now from a copy of an hour ago.
    async fn put_back(&mut self) -> ReviewWindow {
        self.app.clock().advance(A_WHILE);
        let until = self.app.now();
        self.put_back_at(until).await
    }

    /// The same, of a store that is put back at that instant.
    async fn put_back_at(&mut self, until: Timestamp) -> ReviewWindow {
        let window = ReviewWindow { since: until.minus(Duration::from_secs(3_600)), until };
        let mark = Mark { window, is_settled: true }.to_bytes();
        let meter = Meter::default();
        let write = self.app.app().store.write_shared(&meter, move |tx| {
            installation::remove(tx, NAME)?;
            installation::insert(tx, NAME, &mark)
        });
        assert!(write.await.unwrap());
        self.app.restart().await;
        self.app.clock().advance(A_WHILE);
        window
    }

    async fn close(&self) -> Value {
        let path = format!("/v1/usersbank/{}/review/close", self.account);
        self.owner.post(&path, json!({})).await.ok()["message"].clone()
    }

    /// The movement of that reference.
    async fn movement(&self, reference: &str) -> String {
        let path = format!("/movements/{}", self.account);
        let listed = self.owner.get(&path).await.ok();
        let mut all = listed["movements"].as_array().unwrap().iter();
        let is_it = |one: &&Value| one["amount"] == 150.75 && one.to_string().contains(reference);
        all.find(is_it).unwrap()["id"].as_str().unwrap().to_owned()
    }
}

both_engines! {
    async fn what_was_paid_before_waits_for_a_person(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.pay("000079912345");
        assert_eq!(shop.verified("912345").await, (true, 1));
        shop.pay("000079912346");
        let window = shop.put_back().await;

        // What the copy knows is answered as ever; what it does not know may have been accepted.
        assert_eq!(shop.verified("912345").await, (false, 0));
        for _ in 0..2 {
            let body = shop.verify("912346").await.refused(409, IN_REVIEW);
            let facts = json!({ "since": window.since.to_string(), "until": window.until.to_string() });
            assert_eq!(body["facts"], facts);
        }
        assert_eq!(shop.owner.balance().await, 999);
        let listed = shop.owner.get("/v1/verifications?limit=1").await.ok();
        assert_eq!(listed["verifications"][0]["error_code"], IN_REVIEW);

        // What is paid afterwards is as ever, too.
        shop.pay("000079912347");
        assert_eq!(shop.verified("912347").await, (true, 1));

        // A person accepts it, at no cost; and then it is known.
        let path = format!("/v1/movements/{}/accept", shop.movement("79912346").await);
        let accepted = shop.owner.post(&path, json!({})).await.ok()["data"].clone();
        assert_eq!((&accepted["is_new"], &accepted["credit_cost"]), (&json!(true), &json!(0)));
        assert_eq!(shop.verified("912346").await, (false, 0));
        assert_eq!(shop.owner.balance().await, 998);
    }

    async fn what_the_copy_had_not_reported_is_new_to_nobody_until_the_review_is_closed(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.pay("000079912345");
        shop.app.clock().advance(A_WHILE);
        // The bank's movement is known from here on, and nobody's.
        let body = json!({ "bank_reference": "912345", "amount": 1 });
        let asked = shop.owner.key.post(&verify_path(&shop.account), body).await;
        asked.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        let path = format!("/v1/movements/{}/accept", shop.movement("79912345").await);
        shop.owner.post(&path, json!({ "for_caller": true })).await.ok();
        shop.put_back().await;
        // It is in the copy, and may have been new to a caller after that.
        assert_eq!(shop.verified("912345").await, (false, 0));
        shop.close().await;
        assert_eq!(shop.verified("912345").await, (true, 1));
        assert_eq!(shop.verified("912345").await, (false, 0));

        // What is left to a caller since then is the next caller's, whatever is reviewed.
        shop.pay("000079912346");
        shop.put_back().await;
        shop.verify("912346").await.refused(409, IN_REVIEW);
        shop.owner.sign_in_again().await;
        let path = format!("/v1/movements/{}/accept", shop.movement("79912346").await);
        shop.owner.post(&path, json!({ "for_caller": true })).await.ok();
        assert_eq!(shop.verified("912346").await, (true, 0));
        assert_eq!(shop.verified("912346").await, (false, 0));
    }

    async fn a_closed_review_is_over_for_its_account_until_another_copy_is_put_back(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        assert_eq!(shop.close().await, "la cuenta no tenía nada por revisar");
        shop.pay("000079912345");
        shop.put_back().await;
        shop.verify("912345").await.refused(409, IN_REVIEW);
        assert_eq!(shop.close().await, "la cuenta está revisada");
        assert_eq!(shop.close().await, "la cuenta no tenía nada por revisar");
        assert_eq!(shop.verified("912345").await, (true, 1));
        let audited = "select count(*) from audit where action = 'CloseReview'";
        assert_eq!(shop.app.database().number(audited), 1);

        shop.pay("000079912346");
        shop.put_back().await;
        shop.verify("912346").await.refused(409, IN_REVIEW);
        shop.close().await;
        assert_eq!(shop.verified("912346").await, (true, 1));
    }
}

either_engine! {
    async fn a_payer_is_asked_for_nothing_and_is_not_to_pay_again(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let pending = make(&shop.owner.key, &shop.account, json!({})).await;
        shop.pay("000079912345");
        shop.put_back().await;
        let payer = shop.app.nobody();
        let page = text(&payer.get(&format!("/pay/{pending}")).await);
        assert_eq!(said(&page), NOTICE);
        assert!(page.contains("no pague de nuevo; el comercio lo está revisando"), "{page}");
        assert!(!page.contains("name=\"reference\""), "{page}");
        // Nor does a page that was open before take a reference.
        assert_eq!(pay_by(&payer, &pending, "912345", THEIRS).await.status, 303);
        assert_eq!(shop.app.database().number("select count(*) from verifications"), 0);

        // A link that was made since takes one, and what was paid before pays it by nobody's word but the merchant's.
        let later = make(&shop.owner.key, &shop.account, json!({})).await;
        assert_eq!(said(&paid_by(&payer, &later, "912345", THEIRS).await), NOTICE);
        assert_eq!(status(&shop.owner, &later).await, "pending");

        shop.close().await;
        shop.app.clock().advance(A_WHILE);
        assert_eq!(said(&paid_by(&payer, &pending, "912345", THEIRS).await), "Pago confirmado");
    }

    async fn a_period_that_opens_again_asks_nobody_to_pay_it_twice(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let monthly = json!({ "pay_first": false });
        let made = subscriptions::make(&shop.owner.key, &shop.account, monthly).await;
        // The period ends on the 20th: what was put back on the 21st lacks the link by which it was paid.
        shop.put_back_at(Timestamp::parse("2026-12-21T12:00:00Z").unwrap()).await;
        subscriptions::day_comes(&shop.app, "2026-12-22").await;
        let payer = shop.app.nobody();
        let again = subscriptions::link_of(&shop.owner.key, &subscriptions::id(&made), 1).await;
        let path = format!("/pay/{again}");
        let page = text(&payer.get(&path).await);
        assert_eq!(said(&page), NOTICE);
        assert!(!page.contains("name=\"reference\""), "{page}");

        // Another link of the same period neither; one that recurs since then is paid as ever.
        subscriptions::day_comes(&shop.app, "2026-12-24").await;
        let renewed = send(&payer, &format!("{path}/renew"), &[]).await;
        let renewed = renewed.header("location").unwrap().to_owned();
        assert_ne!(renewed, path);
        assert_eq!(said(&text(&payer.get(&renewed).await)), NOTICE);
        let first = subscriptions::make(&shop.owner.key, &shop.account, json!({})).await;
        let first = subscriptions::link_of(&shop.owner.key, &subscriptions::id(&first), 1).await;
        let page = text(&payer.get(&format!("/pay/{first}")).await);
        assert!(page.contains("name=\"reference\""), "{page}");

        shop.owner.sign_in_again().await;
        assert_eq!(shop.close().await, "la cuenta está revisada");
        let page = text(&payer.get(&renewed).await);
        assert!(page.contains("name=\"reference\""), "{page}");
    }

    async fn a_person_pays_a_link_with_what_waits_at_no_cost(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let pending = make(&shop.owner.key, &shop.account, json!({})).await;
        shop.pay("000079912345");
        shop.put_back().await;
        shop.verify("912345").await.refused(409, IN_REVIEW);
        let movement = shop.movement("79912345").await;
        let body = json!({ "movement_id": movement });
        shop.owner.post(&format!("/v1/paymentlink/{pending}/accept"), body).await.ok();
        assert_eq!(status(&shop.owner, &pending).await, "paid");
        assert_eq!(shop.owner.balance().await, 1_000);
    }

    async fn the_test_bank_is_as_ever(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.put_back().await;
        let body = json!({ "bank_reference": "67890", "amount": 150.75 });
        let verified = shop.owner.key.verify(&shop.owner.bank, body).await.ok();
        assert_eq!(verified["data"]["is_new"], true);
        let path = format!("/v1/usersbank/{}/review/close", shop.owner.bank);
        let closed = shop.owner.post(&path, json!({})).await.ok();
        assert_eq!(closed["message"], "la cuenta no tenía nada por revisar");
    }
}
