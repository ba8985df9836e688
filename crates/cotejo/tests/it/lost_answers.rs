//! Commits whose answer is lost on the way from the server: whatever an operation had done by then, an
//! `Idempotency-Key` is answered by one body.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use testkit::bank::{KEY, SimulatedBank};
use testkit::owner::Key;
use testkit::proxy::is_committed;
use testkit::receiver::Receiver;
use testkit::{Engine, Owner, Response, Setup, TestApp};

use crate::pay::{make, paid_with};
use crate::payment_links::accept::shown;

/// More commits than any of these operations waits for.
const COMMITS_MAX: u32 = 12;

/// One owner with whatever the operations are about.
struct World {
    app: TestApp,
    owner: Owner,
    /// An account whose bank reports by itself.
    pushed: String,
    client: String,
    /// The key that verifies: another than the default one, which is rotated.
    till: Key,
    receiver: Receiver,
    /// How many calls were made, by which each of them is another.
    number: u32,
}

impl World {
    async fn start(setup: Setup) -> (SimulatedBank, Self) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).with_database_proxy().start().await;
        let owner = app.owner().await;
        let linked = owner.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
        let pushed = linked["userbank"]["id"].as_str().unwrap().to_owned();
        let client = owner.client(true).await;
        let till = owner.key_with(&["payment_verifications"]).await;
        let receiver = Receiver::with_status(204);
        (bank, Self { app, owner, pushed, client, till, receiver, number: 0 })
    }

    /// Returns a path and a body by which the operation of that name can be called now.
    async fn call(&mut self, name: &str) -> (String, Value) {
        self.number += 1;
        let (owner, number) = (&self.owner, self.number);
        let nothing = json!({});
        match name {
            "Verify" => {
                let body = json!({ "bank_reference": format!("{number}67890"), "amount": 1 });
                (testkit::principal::verify_path(&owner.bank), body)
            }
            "CreateLink" => {
                let body =
                    json!({ "amount": 5, "description": "Pedido", "user_bank_id": owner.bank });
                ("/v1/paymentlink".to_owned(), body)
            }
            "MakeSubscription" => {
                let body = json!({
                    "user_bank_id": owner.bank,
                    "pay_first": true,
                    "uniqueProduct": { "productName": "Gimnasio", "productPrice": 5 },
                    "uniqueClient": { "clientName": "Cliente", "clientPhone": "0412" },
                });
                ("/v1/subscription/make".to_owned(), body)
            }
            "AcceptLink" => {
                let link = make(owner, &owner.bank, json!({})).await;
                let movement = shown(&self.app, owner, &format!("8{number:08}"), 15_075).await;
                (format!("/v1/paymentlink/{link}/accept"), json!({ "movement_id": movement }))
            }
            "AcceptMovement" => {
                let movement = shown(&self.app, owner, &format!("7{number:08}"), 15_075).await;
                (format!("/v1/movements/{movement}/accept"), nothing)
            }
            "LinkBankAccount" => ("/usersbank".to_owned(), json!({ "bank_provider": "BANK_TEST" })),
            "CreateKey" => ("/auth/api-key".to_owned(), json!({ "name": "caja" })),
            "RotateKey" => (format!("/v1/api-keys/{}/rotate", self.key().await.id), nothing),
            "RotateDefaultKey" => ("/v1/api-keys/default/rotate".to_owned(), nothing),
            "CreateClient" => {
                ("/v1/clients".to_owned(), json!({ "name": format!("Sucursal {number}") }))
            }
            "InviteEmployee" => ("/v1/employees".to_owned(), self.person()),
            "InviteClientEmployee" => {
                (format!("/v1/clients/{}/invitation", self.client), self.person())
            }
            "RenewInvitation" => {
                let invited = owner.post("/v1/employees", self.person()).await.ok();
                let id = invited["employee"]["id"].as_str().unwrap();
                (format!("/v1/employees/{id}/invitation"), nothing)
            }
            "RenewClientInvitation" => {
                let path = format!("/v1/clients/{}/invitation", self.client);
                let invited = owner.post(&path, self.person()).await.ok();
                let id = invited["employee"]["id"].as_str().unwrap();
                (format!("/v1/clients/{}/employees/{id}/invitation", self.client), nothing)
            }
            "RotatePushSecret" => {
                (format!("/v1/usersbank/{}/push-secret/rotate", self.pushed), nothing)
            }
            "RotateWebhookSecret" => {
                ("/me/webhook-secret/rotate".to_owned(), json!({ "overlap_hours": 0 }))
            }
            "IssueClientWebhookSecret" => {
                let path = format!("/v1/clients/{}/webhook-secret", self.client);
                (path, json!({ "overlap_hours": 0 }))
            }
            "Redeliver" => {
                let more = json!({ "webhook_url": self.receiver.url() });
                let link = make(owner, &owner.bank, more).await;
                paid_with(&self.app.nobody(), &link, &format!("9{number}67890")).await;
                let listed = owner.get("/v1/webhooks/deliveries").await.ok();
                let id = listed["deliveries"][0]["id"].as_str().unwrap().to_owned();
                (format!("/v1/webhooks/deliveries/{id}/redeliver"), nothing)
            }
            "RedeliverFailed" => {
                ("/v1/webhooks/redeliveries".to_owned(), json!({ "since": "2026-11-19T00:00:00Z" }))
            }
            _ => panic!("{name}: say what it can be asked"),
        }
    }

    async fn key(&self) -> Key {
        self.owner.key_with(&["payment_links"]).await
    }

    fn person(&self) -> Value {
        let number = self.number;
        json!({ "email": format!("persona-{number}@tienda.example"), "name": "Eva" })
    }

    /// Loses the answer of the commit with that number, from now on; whether one was.
    fn lose_commit(&self, number: u32) -> Arc<AtomicBool> {
        let lost = Arc::new(AtomicBool::new(false));
        let (noted, mut count) = (Arc::clone(&lost), 0);
        self.app.proxy().cut_when(move |message| {
            count += u32::from(is_committed(message));
            let cuts = is_committed(message) && count == number;
            noted.fetch_or(cuts, Ordering::SeqCst);
            cuts
        });
        lost
    }

    async fn send(&self, name: &str, key: &str, (path, body): &(String, Value)) -> Response {
        // A key verifies: its owner's credits are in the answer.
        let caller = if name == "Verify" { &*self.till } else { &*self.owner };
        caller.request("POST", path).header("Idempotency-Key", key).json(body).send().await
    }
}

/// The operations whose calls take an `Idempotency-Key`, by the document.
async fn operations(app: &TestApp) -> Vec<&'static str> {
    let document = app.nobody().get("/openapi.json").await.json();
    let mut found = Vec::new();
    for entry in api::endpoints() {
        let of = &document["paths"][entry.path][entry.method.as_str().to_lowercase()];
        let takes_one = |all: &Vec<Value>| all.iter().any(|one| one["name"] == "Idempotency-Key");
        if of["parameters"].as_array().is_some_and(takes_one) {
            found.push(entry.name);
        }
    }
    found
}

#[test]
fn an_idempotency_key_is_answered_by_one_body_whichever_commit_is_lost() {
    testkit::run(Engine::Postgres, async |setup: Setup| {
        let (_bank, mut world) = World::start(setup).await;
        for name in operations(&world.app).await {
            let mut bodies = 0;
            for number in 1..=COMMITS_MAX {
                let call = world.call(name).await;
                let key = format!("{name}-{number}");
                let lost = world.lose_commit(number);
                let first = world.send(name, &key, &call).await;
                world.app.proxy().disarm();
                let again =
                    [world.send(name, &key, &call).await, world.send(name, &key, &call).await];
                let answered =
                    [&first, &again[0], &again[1]].map(|answer| (answer.status, &answer.body));
                let kept: Vec<_> = answered.iter().filter(|(status, _)| *status == 200).collect();
                bodies += kept.len();
                assert!(
                    kept.windows(2).all(|two| two[0] == two[1]),
                    "{name} {number}: {answered:?}"
                );
                let ends = answered.map(|(status, _)| status);
                // Lost before anything was known of its end, or done, and then kept or said to hold a secret.
                assert!(
                    ends.iter().all(|status| [200, 409, 503].contains(status)),
                    "{name} {number}: {answered:?}"
                );
                if !lost.load(Ordering::SeqCst) {
                    break;
                }
                assert!(number < COMMITS_MAX, "{name}: more commits than {COMMITS_MAX}");
            }
            assert!(bodies > 0, "{name} was never answered");
        }
    });
}
