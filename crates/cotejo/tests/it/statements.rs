//! What requests cost the store, as their lines of the log tell, and what a delivery does. The
//! numbers are pinned: more of them is slower, and must be meant.

use std::time::Duration;

use app::webhooks::secret_of;
use domain::webhooks::Phases;
use serde_json::{Value, json};
use store::deliveries::{self, Attempt, Conclusion, Next};
use store::evidence::of_attempt;
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::bank::{KEY, SimulatedBank};
use testkit::log::{AccessLine, access_line};
use testkit::principal::verify_path;
use testkit::{Owner, Setup, TestApp, both_engines};

use crate::{pay, webhooks};

/// Asks, and answers the line about it.
async fn line(owner: &Owner, request_id: &str, body: Value) -> AccessLine {
    let call = owner.key.request("POST", &verify_path(&owner.bank));
    call.header("x-request-id", request_id).json(&body).send().await;
    access_line(request_id).await
}

both_engines! {
    async fn of_a_new_payment(app: TestApp) {
        let owner = app.owner().await;
        // The first of a month makes the rows that it counts in.
        line(&owner, "first", json!({ "bank_reference": "167890" })).await;
        let line = line(&owner, "cost-new", json!({ "bank_reference": "267890" })).await;
        assert_eq!(line.route, "/userbankpayment/{bank_id}/betaserio");
        assert_eq!(line.status, 200);
        assert_eq!(line.caller.as_deref(), Some(owner.key.id.as_str()));
        // Two waits to know the caller, two to recall what is known, one to reserve and two to settle.
        assert_eq!((line.statements, line.waits), (21, 7));
    }

    async fn of_a_new_payment_of_a_client(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        owner.set_quota(&client, json!(100)).await.ok();
        key.verify(&bank, json!({ "bank_reference": "167890" })).await.ok();
        let call = key.request("POST", &verify_path(&bank)).header("x-request-id", "cost-client");
        call.json(&json!({ "bank_reference": "267890" })).send().await.ok();
        let line = access_line("cost-client").await;
        // A quota is one more row to lock, and adds no wait.
        assert_eq!((line.statements, line.waits), (23, 7));
    }

    async fn of_a_repeat(app: TestApp) {
        let owner = app.owner().await;
        line(&owner, "first", json!({ "bank_reference": "67890" })).await;
        let line = line(&owner, "cost-repeat", json!({ "bank_reference": "67890" })).await;
        assert_eq!((line.statements, line.waits), (10, 8));
    }

    async fn of_a_payment_that_is_not_found(app: TestApp) {
        let owner = app.owner().await;
        line(&owner, "first", json!({ "bank_reference": "123456" })).await;
        let line = line(&owner, "cost-not-found", json!({ "bank_reference": "123456" })).await;
        assert_eq!((line.status, line.code.as_deref()), (404, Some("PAYMENT_NOT_FOUND")));
        assert_eq!((line.statements, line.waits), (18, 7));
    }

    async fn of_a_refused_caller(app: TestApp) {
        let owner = app.owner().await;
        let call = app.nobody().request("POST", &verify_path(&owner.bank));
        call.header("x-request-id", "cost-nobody").send().await.refused(401, "UNAUTHORIZED");
        let line = access_line("cost-nobody").await;
        assert_eq!((line.statements, line.waits, line.caller), (0, 0, None));
    }

    async fn of_a_new_payment_at_a_bank_that_lists(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let linked = owner.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
        let path = verify_path(linked["userbank"]["id"].as_str().unwrap());
        bank.pay("000079912345", 15_075, Duration::ZERO);
        bank.pay("000079912346", 15_075, Duration::ZERO);
        let verify = async |reference: &str, request_id: &str| {
            let call = owner.key.request("POST", &path).header("x-request-id", request_id);
            call.json(&json!({ "bank_reference": reference, "amount": 150.75 })).send().await.ok();
            access_line(request_id).await
        };
        verify("79912345", "first-at-bank").await;
        let line = verify("79912346", "cost-at-bank").await;
        // Two more than in the sandbox: what the account is reached with, which is waited for, and
        // the search for what the bank shows beside that for what was typed.
        assert_eq!((line.statements, line.waits), (23, 8));
    }

    async fn of_a_look_at_a_link(app: TestApp) {
        let owner = app.owner().await;
        let id = pay::make(&owner.key, &owner.bank, json!({})).await;
        let call = app.nobody().request("GET", &format!("/pay/{id}"));
        call.header("x-request-id", "cost-look").send().await;
        let line = access_line("cost-look").await;
        assert_eq!((line.status, line.caller), (200, None));
        assert_eq!((line.statements, line.waits), (5, 5));
    }

    async fn of_a_payers_check_that_pays(app: TestApp) {
        let owner = app.owner().await;
        let more = json!({ "webhook_url": "http://127.0.0.1:9/" });
        // The first of a month makes the rows that it counts in.
        line(&owner, "first", json!({ "bank_reference": "367890" })).await;
        let id = pay::make(&owner.key, &owner.bank, more).await;
        let call = app.nobody().request("POST", &format!("/pay/{id}"));
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        let call = call.body("reference=467890&seen=15075");
        call.header("x-request-id", "cost-pay").send().await;
        let line = access_line("cost-pay").await;
        assert_eq!(line.status, 303);
        assert_eq!(pay::status(&owner.key, &id).await, "paid");
        assert_eq!((line.statements, line.waits), (31, 14));
    }

    async fn of_a_delivery(app: TestApp) {
        let owner = app.owner().await;
        let (service, meter) = (app.app(), Meter::default());
        // When the service, whose clock stands still, does not look yet.
        let now = app.now().plus(Duration::from_secs(60));
        let written = webhooks::write_due_at(&app, &owner, "http://127.0.0.1:9/", now).await;
        let webhooks::Written { owner, id } = written;
        // The first of an owner's makes what they are signed with.
        secret_of(service, &Meter::default(), owner).await.unwrap();

        let find = move |tx: &mut Tx<'_>| deliveries::scan(tx, now, None);
        assert_eq!(service.store.look_up(&meter, find).await.unwrap().len(), 1);
        let until = now.plus(delivery::LEASE);
        let take = move |tx: &mut Tx<'_>| deliveries::take(tx, owner, id, now, until);
        let taken = service.store.write(&meter, Lane::Completion, owner, take).await.unwrap();
        let (delivery, lease) = taken.unwrap();
        secret_of(service, &meter, owner).await.unwrap();
        let attempt = Attempt {
            number: 1,
            began_at: now,
            duration: Duration::ZERO,
            status: Some(200),
            heard: Vec::new(),
            answer: Vec::new(),
            trouble: None,
            sent: None,
            address: None,
            is_reused: false,
            phases: Phases::default(),
        };
        let (next, digests) = (Next::Delivered, of_attempt(delivery.chain, &attempt));
        let conclusion = Conclusion { attempt, step: 1, next, notice: None, digests };
        let keep = move |tx: &mut Tx<'_>| deliveries::record(tx, owner, id, lease, &conclusion);
        assert!(service.store.write(&meter, Lane::Completion, owner, keep).await.unwrap());
        assert_eq!((meter.statements(), meter.waits()), (7, 5));
    }
}
