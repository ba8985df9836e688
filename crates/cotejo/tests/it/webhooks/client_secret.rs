//! `POST|GET|DELETE /v1/clients/{client_id}/webhook-secret`, and what receivers of a client's links check by it.

use std::time::Duration;

use domain::webhooks::DeliveryState;
use serde_json::{Value, json};
use testkit::owner::Key;
use testkit::receiver::{Receiver, is_signed, sign};
use testkit::scripted::{Asked, Play, Scripted};
use testkit::{Owner, Principal, Setup, TestApp, VirtualClock, both_engines, either_engine};
use tokio::task::yield_now;

use super::{Written, secret};
use crate::{pay, subscriptions};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// A client whose key makes links on an account of its own.
struct Client {
    id: String,
    key: Key,
    bank: String,
}

impl Client {
    async fn of(owner: &Owner) -> Self {
        let id = owner.client(true).await;
        let key = owner.client_key(&id).await;
        let bank = key.link_bank().await;
        Self { id, key, bank }
    }

    fn path(&self) -> String {
        format!("/v1/clients/{}/webhook-secret", self.id)
    }

    /// Gives it a secret, as the owner, with an overlap of so many hours.
    async fn given(&self, owner: &Owner, hours: u8) -> String {
        let answer = owner.post(&self.path(), json!({ "overlap_hours": hours })).await.ok();
        text(&answer["webhook_secret"])
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Tells whether a webhook has a valid signature for a client's receivers, by the rule that the guide gives them.
fn is_signed_for_client(asked: &Asked, secret: &str, word: &str) -> bool {
    let header = |name: &str| asked.header(&format!("x-{}-{name}", word.to_ascii_lowercase()));
    let (Some(timestamp), Some(signature)) = (header("timestamp"), header("client-signature"))
    else {
        return false;
    };
    signature == sign(secret, timestamp, &asked.body)
}

/// How often a request has that header.
fn count(asked: &Asked, name: &str) -> usize {
    asked.headers.iter().filter(|(header, _)| header == name).count()
}

/// Makes a link and ends it as failed, which is reported and costs nothing.
async fn report(caller: &Principal, bank: &str, url: &str) {
    let link = pay::make(caller, bank, json!({ "webhook_url": url })).await;
    caller.post(&format!("/v1/paymentlink/{link}/reject"), json!({})).await.ok();
}

/// The only event that there is.
async fn event(owner: &Owner) -> Written {
    let listed = owner.get("/v1/webhooks/deliveries").await.ok();
    let [delivery] = listed["deliveries"].as_array().unwrap().as_slice() else {
        panic!("{listed}")
    };
    let id = delivery["id"].as_str().unwrap().parse().unwrap();
    Written { owner: owner.id.parse().unwrap(), id }
}

async fn send_again(owner: &Owner, written: Written) {
    owner.post(&format!("/v1/webhooks/deliveries/{}/redeliver", written.id), json!({})).await.ok();
}

/// How many former secrets are kept.
fn kept_former(app: &TestApp) -> i64 {
    app.database().number("select count(*) from client_webhook_secrets where previous is not null")
}

/// Tells whether a careful receiver of a client accepts a webhook at that time.
fn is_believed_for_client(asked: &Asked, secret: &str, clock: &VirtualClock) -> bool {
    use app::Clock as _;
    let sent = asked.header("x-service-timestamp").and_then(|text| text.parse::<i64>().ok());
    let is_fresh = sent.is_some_and(|sent| (clock.now().as_seconds() - sent).abs() <= 300);
    is_fresh && is_signed_for_client(asked, secret, "Service")
}

both_engines! {
    async fn webhooks_of_a_clients_links_alone_are_signed_for_it(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (Client::of(&owner).await, Client::of(&owner).await);
        let (of_client, of_owner) = (client.given(&owner, 24).await, secret(&owner).await);
        assert!(of_client != of_owner && of_client.len() == 64);
        let person = owner.client_employee(&client.id, 1).await;
        for (caller, bank, is_of_client) in [
            (&*client.key, &client.bank, true),
            (&*person, &client.bank, true),
            // On the client's account, by the owner.
            (&*owner.key, &client.bank, false),
            (&*owner, &owner.bank, false),
            (&*other.key, &other.bank, false),
        ] {
            let receiver = Receiver::with_status(204);
            report(caller, bank, &receiver.url()).await;
            let received = &receiver.received(1).await[0];
            // The described header is the owner's, alone in it and by whichever maker.
            assert!(is_signed(received, &of_owner, "Service"));
            assert_eq!(count(received, "x-service-signature"), 1);
            assert_eq!(received.header("webhook-signature").unwrap().split(' ').count(), 1);
            assert_eq!(count(received, "x-service-client-signature"), usize::from(is_of_client));
            assert_eq!(is_signed_for_client(received, &of_client, "Service"), is_of_client);
            assert!(!is_signed_for_client(received, &of_owner, "Service"));
        }
    }

    async fn what_does_not_open_holds_up_no_webhook(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (Client::of(&owner).await, Client::of(&owner).await);
        for tampering in [
            "update client_webhook_secrets set secret = owner_id",
            // One that is sealed, to the place of another client.
            "update client_webhook_secrets set secret = (select secret from client_webhook_secrets \
             order by client_id desc limit 1)",
        ] {
            for one in [&client, &other] {
                one.given(&owner, 0).await;
            }
            app.database().execute(tampering);
            let receiver = Receiver::with_status(204);
            let of = if client.id < other.id { &client } else { &other };
            report(&of.key, &of.bank, &receiver.url()).await;
            let received = &receiver.received(1).await[0];
            assert!(is_signed(received, &secret(&owner).await, "Service"), "{tampering}");
            assert_eq!(count(received, "x-service-client-signature"), 0, "{tampering}");
            let overlapping = owner.post(&of.path(), json!({ "overlap_hours": 24 })).await;
            overlapping.refused(500, "INTERNAL_SERVER_ERROR");
            let new = of.given(&owner, 0).await;
            let receiver = Receiver::with_status(204);
            report(&of.key, &of.bank, &receiver.url()).await;
            assert!(is_signed_for_client(&receiver.received(1).await[0], &new, "Service"));
        }
    }

    async fn only_the_owner_gives_and_takes_it(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = Client::of(&owner).await;
        let given = client.given(&owner, 24).await;
        let luis = owner.employee(1, &["clients:write", "integrations:write"]).await;
        let person = owner.client_employee(&client.id, 2).await;
        let path = client.path();
        for caller in [&*owner.key, &*client.key, &*luis, &*person] {
            for answer in [
                caller.get(&path).await,
                caller.post(&path, json!({})).await,
                caller.delete(&path).await,
            ] {
                let refused = answer.refused(403, "OWNER_SESSION_REQUIRED");
                assert!(!refused.to_string().contains(&given));
            }
        }
        for (caller, path) in [
            (&stranger, path.as_str()),
            (&owner, "/v1/clients/cli_00000000000000000000000000/webhook-secret"),
            (&owner, "/v1/clients/nothing/webhook-secret"),
        ] {
            caller.get(path).await.refused(404, "NOT_FOUND");
            caller.post(path, json!({})).await.refused(404, "NOT_FOUND");
            caller.delete(path).await.refused(404, "NOT_FOUND");
        }
        // The owner's own stays out of its reach.
        client.key.get("/me/webhook-secret").await.refused(403, "FORBIDDEN");
        let standing = owner.get(&path).await.ok();
        assert!(standing["client_webhook_secret"].is_object(), "{standing}");
    }
}

either_engine! {
    async fn a_clients_receiver_is_tried_out_as_by_a_link_of_its(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let (given, of_owner) = (client.given(&owner, 24).await, secret(&owner).await);
        let receiver = Receiver::with_status(204);
        let try_out = async |body: Value| {
            app.clock().flow(owner.post("/v1/webhooks/test", body)).await.ok()["delivery"]["id"].clone()
        };
        let named = json!({ "url": receiver.url(), "client_owner_id": client.id });
        let id = try_out(named).await;
        try_out(json!({ "url": receiver.url(), "client_owner_id": null })).await;
        let received = receiver.received(2).await;
        for (asked, is_of_client) in received.iter().zip([true, false]) {
            assert!(is_signed(asked, &of_owner, "Service"));
            assert_eq!(is_signed_for_client(asked, &given, "Service"), is_of_client);
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            assert_eq!(body.get("credit_balance").is_some(), !is_of_client);
        }
        // It is the owner's all the same.
        let path = format!("/v1/webhooks/deliveries/{}", id.as_str().unwrap());
        owner.get(&path).await.ok();
        let person = owner.client_employee(&client.id, 1).await;
        person.get(&path).await.refused(404, "NOT_FOUND");
        // Without a secret it is what the client's receivers are sent then.
        owner.delete(&client.path()).await.ok();
        try_out(json!({ "url": receiver.url(), "client_owner_id": client.id })).await;
        assert_eq!(count(&receiver.received(3).await[2], "x-service-client-signature"), 0);
    }

    async fn a_careful_receiver_of_a_client_passes_the_check_that_names_it(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let (given, clock) = (client.given(&owner, 24).await, app.clock().clone());
        let receiver = Scripted::start(move |asked| {
            let is_believed = is_believed_for_client(asked, &given, &clock);
            Play::Answer(if is_believed { 204 } else { 401 }, Vec::new())
        });
        let check = async |client: Value| {
            let body = json!({ "url": receiver.base_url(), "client_owner_id": client });
            app.clock().flow(owner.post("/v1/webhooks/check", body)).await.ok()
        };
        let answer = check(json!(client.id)).await;
        assert_eq!(answer["grade"], "passed", "{answer:#}");
        let answer = check(Value::Null).await;
        assert_eq!((&answer["checks"][0]["check"], &answer["checks"][0]["grade"]), (&json!("genuine"), &json!("failed")));
    }

    async fn a_client_is_named_by_whom_sees_the_clients(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (client, foreign) = (owner.client(true).await, stranger.client(true).await);
        let luis = owner.employee(1, &["integrations:write"]).await;
        let eva = owner.employee(2, &["integrations:write", "clients:read"]).await;
        let receiver = Receiver::with_status(204);
        let body = |client: &str| json!({ "url": receiver.url(), "client_owner_id": client });
        for path in ["/v1/webhooks/test", "/v1/webhooks/check"] {
            luis.post(path, body(&client)).await.refused(403, "FORBIDDEN");
            for unknown in [&*foreign, "cli_00000000000000000000000000", "nobody"] {
                owner.post(path, body(unknown)).await.refused(404, "NOT_FOUND");
            }
        }
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 0);
        app.clock().flow(eva.post("/v1/webhooks/test", body(&client))).await.ok();
        app.clock().flow(luis.post("/v1/webhooks/test", json!({ "url": receiver.url() }))).await.ok();
    }

    async fn it_is_shown_once_and_later_only_since_when(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let path = client.path();
        let standing = async || owner.get(&path).await.ok()["client_webhook_secret"].clone();
        assert_eq!(standing().await, Value::Null);
        let made = owner.post(&path, json!({})).await.ok();
        let fields: Vec<_> = made.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["message", "previous_valid_until", "webhook_secret"]);
        assert_eq!(made["previous_valid_until"], Value::Null);
        let since = json!({ "created_at": app.now().to_string(), "previous_valid_until": null });
        assert_eq!(standing().await, since);
        app.clock().advance(Duration::from_secs(60));
        let rotated = owner.post(&path, json!({ "overlap_hours": 1 })).await.ok();
        let until = app.now().plus(HOUR).to_string();
        assert_eq!(rotated["previous_valid_until"], until);
        assert_ne!(rotated["webhook_secret"], made["webhook_secret"]);
        let since = json!({ "created_at": app.now().to_string(), "previous_valid_until": until });
        assert_eq!(standing().await, since);
        for hours in [json!(-1), json!(169), json!(1.5), json!("24")] {
            let answer = owner.post(&path, json!({ "overlap_hours": hours })).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "overlap_hours", "{hours}");
        }
        assert_eq!(standing().await, since);
        // What is gone is gone, and is asked for again without harm.
        for _ in 0..2 {
            owner.delete(&path).await.ok();
            assert_eq!(standing().await, Value::Null);
        }
        let trail = owner.get("/v1/audit?limit=100").await.ok();
        let of = |action: &str| {
            let entries = trail["entries"].as_array().unwrap().iter();
            entries.filter(|entry| entry["action"] == action && entry["subject"] == client.id).count()
        };
        assert_eq!((of("IssueClientWebhookSecret"), of("RevokeClientWebhookSecret")), (2, 1));
        for one in [&made, &rotated] {
            assert!(!trail.to_string().contains(&text(&one["webhook_secret"])));
        }
        assert_eq!(app.database().number("select count(*) from client_webhook_secrets"), 0);
    }

    async fn the_same_call_again_makes_nothing_and_reveals_no_secret(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let path = client.path();
        let make = |hours: u8| {
            let call = owner.request("POST", &path).header("Idempotency-Key", "k-1");
            call.json(&json!({ "overlap_hours": hours })).send()
        };
        let made = make(24).await.ok();
        let body = make(24).await.refused(409, "CONFLICT");
        assert!(!body.to_string().contains(&text(&made["webhook_secret"])));
        make(1).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        let receiver = Receiver::with_status(204);
        report(&client.key, &client.bank, &receiver.url()).await;
        let known = text(&made["webhook_secret"]);
        assert!(is_signed_for_client(&receiver.received(1).await[0], &known, "Service"));
    }

    async fn the_link_of_a_clients_subscription_is_signed_for_it(setup: Setup) {
        let app = subscriptions::begin(setup).await;
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let of_client = client.given(&owner, 24).await;
        let receiver = Receiver::with_status(204);
        let more = json!({ "webhook_url": receiver.url() });
        let made = subscriptions::make(&client.key, &client.bank, more).await;
        let link = subscriptions::link_of(&client.key, &subscriptions::id(&made), 1).await;
        pay::paid_with(&app.nobody(), &link, "167890").await;
        let received = &receiver.received(1).await[0];
        assert!(is_signed(received, &secret(&owner).await, "Service"));
        assert!(is_signed_for_client(received, &of_client, "Service"));
    }

    async fn what_was_reported_before_is_signed_when_it_is_sent_again(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let receiver = Receiver::with_status(204);
        report(&client.key, &client.bank, &receiver.url()).await;
        let written = event(&owner).await;
        written.ended(&app).await;
        let of_client = client.given(&owner, 24).await;
        send_again(&owner, written).await;
        written.tried(&app, 2).await;
        written.ended(&app).await;
        owner.delete(&client.path()).await.ok();
        send_again(&owner, written).await;
        written.tried(&app, 3).await;
        let received = receiver.received(3).await;
        let signed: Vec<_> =
            received.iter().map(|one| is_signed_for_client(one, &of_client, "Service")).collect();
        assert_eq!(signed, [false, true, false]);
        assert_eq!(count(&received[2], "x-service-client-signature"), 0);
    }

    async fn a_clients_receiver_that_knows_the_former_secret_is_notified_again_at_once(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let former = client.given(&owner, 24).await;
        let new = client.given(&owner, 1).await;
        let known = former.clone();
        let receiver = Scripted::start(move |asked| {
            let is_known = is_signed_for_client(asked, &known, "Service");
            Play::Answer(if is_known { 204 } else { 401 }, Vec::new())
        });
        report(&client.key, &client.bank, &receiver.base_url()).await;
        let (delivery, attempts) = event(&owner).await.ended(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 2));
        let (asked, of_owner) = (receiver.asked(), secret(&owner).await);
        assert_eq!(asked[0].body, asked[1].body);
        for (request, signer) in asked.iter().zip([&new, &former]) {
            assert!(is_signed_for_client(request, signer, "Service"));
            assert!(is_signed(request, &of_owner, "Service"));
            assert_eq!(count(request, "x-service-client-signature"), 1);
        }
    }

    async fn where_both_were_rotated_the_repeat_has_both_former_ones(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let (former, of_owner) = (client.given(&owner, 24).await, secret(&owner).await);
        client.given(&owner, 1).await;
        owner.post("/me/webhook-secret/rotate", json!({ "overlap_hours": 1 })).await.ok();
        let receiver = Scripted::start(move |asked| {
            let is_known = is_signed_for_client(asked, &former, "Service");
            let is_known = is_known && is_signed(asked, &of_owner, "Service");
            Play::Answer(if is_known { 204 } else { 403 }, Vec::new())
        });
        report(&client.key, &client.bank, &receiver.base_url()).await;
        let (delivery, attempts) = event(&owner).await.ended(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 2));
    }

    async fn an_overlap_of_nothing_ends_a_clients_former_secret_at_once(app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        client.given(&owner, 24).await;
        let new = client.given(&owner, 0).await;
        assert_eq!(kept_former(&app), 0);
        let receiver = Scripted::start(|_| Play::Answer(401, Vec::new()));
        report(&client.key, &client.bank, &receiver.base_url()).await;
        let (_, attempts) = event(&owner).await.tried(&app, 1).await;
        assert_eq!(attempts.len(), 1, "no repeat");
        assert!(is_signed_for_client(&receiver.asked()[0], &new, "Service"));
    }

    async fn a_clients_former_secret_is_forgotten_when_its_overlap_is_over(mut app: TestApp) {
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        for hours in [24, 1] {
            client.given(&owner, hours).await;
        }
        assert_eq!(kept_former(&app), 1);
        app.clock().advance(HOUR);
        // The first look of a start forgets what has had its day.
        app.restart().await;
        while kept_former(&app) > 0 {
            yield_now().await;
        }
        assert_eq!(app.database().number("select count(*) from client_webhook_secrets"), 1);
    }

    async fn its_header_has_the_word_of_the_installation(setup: Setup) {
        let app = setup.header_word("Mi-Tienda").start().await;
        let owner = app.owner().await;
        let client = Client::of(&owner).await;
        let of_client = client.given(&owner, 24).await;
        let receiver = Receiver::with_status(204);
        report(&client.key, &client.bank, &receiver.url()).await;
        let received = &receiver.received(1).await[0];
        assert!(is_signed_for_client(received, &of_client, "Mi-Tienda"));
        assert_eq!(count(received, "x-service-client-signature"), 0);
    }
}
