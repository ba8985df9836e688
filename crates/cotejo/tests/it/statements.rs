//! What requests cost the store, as their lines of the log tell, and what a delivery does. The
//! numbers are pinned: more of them is slower, and must be meant.

use std::time::Duration;

use app::webhook_secrets;
use domain::webhooks::Phases;
use domain::webhooks::evidence::Digest;
use serde_json::{Value, json};
use store::deliveries::{self, Attempt, Conclusion, Next};
use store::evidence::of_attempt;
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::bank::{KEY, SimulatedBank};
use testkit::log::{AccessLine, access_line};
use testkit::principal::verify_path;
use testkit::{Engine, Owner, Setup, TestApp, both_engines};

use crate::{pay, webhooks};

/// Asks, nothing being cached, and answers the line about it.
async fn line(app: &TestApp, owner: &Owner, request_id: &str, body: Value) -> AccessLine {
    app.invalidate_auth_cache().await;
    let call = owner.key.request("POST", &verify_path(&owner.bank));
    call.header("x-request-id", request_id).json(&body).send().await;
    access_line(request_id).await
}

both_engines! {
    async fn of_a_new_payment(app: TestApp) {
        let owner = app.owner().await;
        // The first of a month makes the rows that it counts in.
        line(&app, &owner, "first", json!({ "bank_reference": "167890" })).await;
        let line = line(&app, &owner, "cost-new", json!({ "bank_reference": "267890" })).await;
        assert_eq!(line.route, "/userbankpayment/{bank_id}/betaserio");
        assert_eq!(line.status, 200);
        assert_eq!(line.caller.as_deref(), Some(owner.key.id.as_str()));
        // One wait to know the caller, one for its account, one to recall what is known, one to reserve and two to
        // settle.
        assert_eq!((line.statements, line.waits), (20, 6));
    }

    async fn of_who_am_i(app: TestApp) {
        let owner = app.owner().await;
        // The first call has the way to its key be known.
        owner.key.request("GET", "/me").send().await.ok();
        app.invalidate_auth_cache().await;
        owner.key.request("GET", "/me").header("x-request-id", "cost-me").send().await.ok();
        let line = access_line("cost-me").await;
        // One wait to know the caller, one for its owner.
        assert_eq!((line.statements, line.waits), (2, 2));
    }

    async fn of_a_new_payment_of_a_client(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        owner.set_quota(&client, json!(100)).await.ok();
        key.verify(&bank, json!({ "bank_reference": "167890" })).await.ok();
        app.invalidate_auth_cache().await;
        let call = key.request("POST", &verify_path(&bank)).header("x-request-id", "cost-client");
        call.json(&json!({ "bank_reference": "267890" })).send().await.ok();
        let line = access_line("cost-client").await;
        // A quota is one more row to lock, and adds no wait.
        assert_eq!((line.statements, line.waits), (22, 6));
    }

    async fn of_a_new_payment_of_an_owner_that_listens(app: TestApp) {
        let owner = app.owner().await;
        let endpoint = json!({ "url": "http://127.0.0.1:8/", "low_balance_levels": [997] });
        owner.put("/v1/webhooks/endpoint", endpoint).await.ok();
        owner.set_limit(&owner.key, json!(100)).await.ok();
        line(&app, &owner, "first", json!({ "bank_reference": "167890" })).await;
        let quiet = line(&app, &owner, "cost-quiet", json!({ "bank_reference": "267890" })).await;
        // As of whoever has no endpoint.
        assert_eq!((quiet.statements, quiet.waits), (20, 6));
        // A level that is reached: the endpoint, which is waited for, the event, and the next level.
        let line = line(&app, &owner, "cost-level", json!({ "bank_reference": "367890" })).await;
        assert_eq!((line.statements, line.waits), (24, 7));
    }

    async fn of_a_repeat(app: TestApp) {
        let owner = app.owner().await;
        line(&app, &owner, "first", json!({ "bank_reference": "67890" })).await;
        let line = line(&app, &owner, "cost-repeat", json!({ "bank_reference": "67890" })).await;
        assert_eq!((line.statements, line.waits), (9, 7));
    }

    async fn of_a_payment_that_is_not_found(app: TestApp) {
        let owner = app.owner().await;
        line(&app, &owner, "first", json!({ "bank_reference": "123456" })).await;
        let line = line(&app, &owner, "cost-not-found", json!({ "bank_reference": "123456" })).await;
        assert_eq!((line.status, line.code.as_deref()), (404, Some("PAYMENT_NOT_FOUND")));
        assert_eq!((line.statements, line.waits), (16, 6));
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
            app.invalidate_auth_cache().await;
            let call = owner.key.request("POST", &path).header("x-request-id", request_id);
            call.json(&json!({ "bank_reference": reference, "amount": 150.75 })).send().await.ok();
            access_line(request_id).await
        };
        verify("79912345", "first-at-bank").await;
        let line = verify("79912346", "cost-at-bank").await;
        // Two more than in the sandbox: what the account is reached with, which is waited for, and
        // the search for what the bank shows beside that for what was typed.
        assert_eq!((line.statements, line.waits), (22, 7));
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
        let more = json!({ "webhook_url": "http://127.0.0.1:8/" });
        // The first of a month makes the rows that it counts in.
        line(&app, &owner, "first", json!({ "bank_reference": "367890" })).await;
        let id = pay::make(&owner.key, &owner.bank, more).await;
        let call = app.nobody().request("POST", &format!("/pay/{id}"));
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        let call = call.body("reference=467890&seen=15075");
        call.header("x-request-id", "cost-pay").send().await;
        let line = access_line("cost-pay").await;
        assert_eq!(line.status, 303);
        assert_eq!(pay::status(&owner.key, &id).await, "paid");
        assert_eq!((line.statements, line.waits), (30, 13));
    }

    async fn of_a_look_at_the_feed_of_events(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..3 {
            webhooks::write(&app, &owner, "http://127.0.0.1:8/").await.tried(&app, 1).await;
        }
        let mut place = String::new();
        let mut look = async |request_id: &str| {
            let call = owner.key.request("GET", &format!("/v1/webhooks/events?after={place}"));
            let page = call.header("x-request-id", request_id).send().await.ok();
            place = page["next"].as_str().unwrap().to_owned();
            let line = access_line(request_id).await;
            (page["events"].as_array().unwrap().len(), line.statements, line.waits)
        };
        // Two waits to know a caller whose way is not known yet, one to look; where there is news, one for a round, with a
        // statement for each event, and one to look again.
        assert_eq!(look("cost-news").await, (3, 11, 5));
        // The place, and what is behind it.
        assert_eq!(look("cost-no-news").await, (0, 4, 3));
    }

    async fn of_a_delivery(app: TestApp) {
        // Taking it, which is handed over, with the secret; and what came of it, in one wait each.
        assert_eq!(cost_of_deliveries(&app, 1, true).await, (5, 2));
    }

    async fn of_a_delivery_that_was_found(app: TestApp) {
        assert_eq!(cost_of_deliveries(&app, 1, false).await, (6, 3));
    }

    async fn of_deliveries_together(app: TestApp) {
        // Four for each, and no wait more.
        assert_eq!(cost_of_deliveries(&app, 20, true).await, (81, 2));
        assert_eq!(cost_of_deliveries(&app, 20, false).await, (101, 3));
    }
}

/// On SQLite the rows of a busy key and its account are read once a second, and charges do not invalidate them.
#[test]
fn of_a_new_payment_of_a_busy_key_on_sqlite() {
    testkit::run(Engine::Sqlite, async |setup: Setup| {
        let app = setup.start().await;
        let owner = app.owner().await;
        let mut costs = Vec::new();
        // However slow the machine is, two of these are asked within a second.
        for number in 0..20 {
            let call = owner.key.request("POST", &verify_path(&owner.bank));
            let (id, reference) = (format!("cost-busy-{number}"), format!("{}67890", number + 10));
            let call =
                call.header("x-request-id", &id).json(&json!({ "bank_reference": reference }));
            call.send().await.ok();
            let line = access_line(&id).await;
            costs.push((line.statements, line.waits));
        }
        assert!(costs.contains(&(17, 4)), "{costs:?}");
    });
}

/// What so many deliveries of an owner that are taken and kept together cost: statements and waits.
async fn cost_of_deliveries(app: &TestApp, count: usize, are_handed_over: bool) -> (u64, u64) {
    let owner = app.owner().await;
    let (service, meter) = (app.app(), Meter::default());
    // When the service, whose clock stands still, sends nothing yet.
    let now = app.now().plus(Duration::from_secs(60));
    let mut wanted = Vec::new();
    for _ in 0..count {
        let written = webhooks::write_due_at(app, &owner, "http://127.0.0.1:8/", now).await;
        wanted.push((written.id, are_handed_over));
    }
    let owner = owner.id.parse().unwrap();
    // The first of an owner's makes what they are signed with.
    webhook_secrets::of(service, &Meter::default(), owner).await.unwrap();

    let (ids, until) = (wanted.clone(), now.plus(delivery::LEASE));
    let take = move |tx: &mut Tx<'_>| deliveries::take_all(tx, owner, &wanted, now, until);
    let (taken, secrets) = service.store.write(&meter, Lane::Taking, owner, take).await.unwrap();
    webhook_secrets::open(service, owner, &secrets.unwrap()).unwrap();
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
    let (next, digests) = (Next::Delivered, of_attempt(Some(Digest::of(b"made up")), &attempt));
    let conclusion = Conclusion { attempt, step: 1, trouble: None, next, notice: None, digests };
    let keep = move |tx: &mut Tx<'_>| {
        let made = ids.iter().zip(&taken);
        let made = made.map(|((id, _), taken)| (*id, taken.as_ref().unwrap().0, &conclusion));
        deliveries::record_all(tx, owner, &made.collect::<Vec<_>>())
    };
    let kept = service.store.write(&meter, Lane::Keeping, owner, keep).await.unwrap();
    assert!(kept.len() == count && kept.iter().all(|holds| *holds));
    (meter.statements(), meter.waits())
}
