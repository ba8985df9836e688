//! What the requests that come most often cost the store, as their lines of the log show. More statements or
//! more waits are slower, and must be meant.

use serde_json::{Value, json};
use testkit::log::{AccessLine, access_line};
use testkit::principal::verify_path;
use testkit::{Engine, Owner, Setup, TestApp, both_engines};

/// Asks for a payment while nothing is cached, and answers the line about it.
async fn line(app: &TestApp, owner: &Owner, name: &str, body: Value) -> AccessLine {
    app.invalidate_auth_cache().await;
    let id = request_id(app, name);
    let call = owner.key.request("POST", &verify_path(&owner.bank));
    call.header("x-request-id", &id).json(&body).send().await.ok();
    access_line(&id).await
}

/// The id of a request, which differs on each engine.
fn request_id(app: &TestApp, name: &str) -> String {
    let engine = match app.database().url() {
        Some(_) => Engine::Postgres,
        None => Engine::Sqlite,
    };
    format!("{name}-{engine:?}")
}

#[track_caller]
fn costs_at_most(line: &AccessLine, statements: u64, waits: u64) {
    assert!(line.statements > 0 && line.waits > 0, "{line:?}");
    assert!(line.statements <= statements && line.waits <= waits, "{line:?}");
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
        costs_at_most(&line, 20, 6);
    }

    async fn of_a_repeat(app: TestApp) {
        let owner = app.owner().await;
        line(&app, &owner, "first", json!({ "bank_reference": "67890" })).await;
        let line = line(&app, &owner, "cost-repeat", json!({ "bank_reference": "67890" })).await;
        // One of them asks whether the credential is still live, since the answer is for that one.
        costs_at_most(&line, 10, 8);
    }

    async fn of_who_am_i(app: TestApp) {
        let owner = app.owner().await;
        // The first call has the location of its key be cached.
        owner.key.request("GET", "/me").send().await.ok();
        app.invalidate_auth_cache().await;
        let id = request_id(&app, "cost-me");
        owner.key.request("GET", "/me").header("x-request-id", &id).send().await.ok();
        // One wait to know the caller, one for its owner.
        costs_at_most(&access_line(&id).await, 2, 2);
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
        assert!(
            costs.iter().any(|(statements, waits)| *statements <= 18 && *waits <= 4),
            "{costs:?}"
        );
    });
}
