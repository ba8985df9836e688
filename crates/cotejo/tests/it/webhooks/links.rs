//! What is reported of payment links.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::receiver::{Receiver, is_signed};
use testkit::{Setup, TestApp, both_engines};

use super::secret;
use crate::exchange_rate::record_dollar;
use crate::{bdv, pay};

/// The body that a receiver got.
fn body(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

both_engines! {
    async fn a_paid_link_is_reported_and_shows_as_paid_by_then(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let more = json!({
            "webhook_url": receiver.url(), "name": "Pedido 7",
            "metadata": { "orden": "A-7", "cajas": 2 },
        });
        let id = pay::make(&owner.key, &owner.bank, more).await;
        pay::paid_with(&app.nobody(), &id, "123456").await;
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 0);
        pay::paid_with(&app.nobody(), &id, "167890").await;

        let received = &receiver.received(1).await[0];
        assert!(is_signed(received, &secret(&owner).await, "Service"));
        let body = body(&received.body);
        assert_eq!((&body["status"], &body["payment_link_id"]), (&json!("paid"), &json!(id)));
        assert_eq!(body["credit_balance"], 999);
        assert_eq!(body["livemode"], false);
        let pairs = [("cajas", "2"), ("orden", "A-7")];
        let pairs = pairs.map(|(key, value)| json!({ "key": key, "value": value }));
        assert_eq!(body["metadata"], json!(pairs));
        let link = pay::info(&owner.key, &id).await;
        assert_eq!(link["status"], "paid");
        for field in ["amount", "currency", "description", "name", "url", "webhook_url"] {
            assert_eq!(body["payment_link"][field], link[field], "{field}");
        }
        assert_eq!(body["user_bank_payment"]["amount"], pay::AMOUNT);
        assert_eq!(body["user_bank_payment"]["credit_cost"], 1);
        // Whatever is typed into a paid link notifies nobody of anything.
        pay::pay(&app.nobody(), &id, "267890").await;
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 1);
    }

    async fn a_link_in_dollars_is_reported_and_shown_with_the_price_that_was_paid(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        record_dollar(&app, "891.25", "2026-11-19", "2026-11-20").await;
        let receiver = Receiver::with_status(200);
        let more = json!({
            "amount": 25, "currency": "USD", "expiration_time": -1, "webhook_url": receiver.url(),
        });
        let link = pay::make(&owner.key, &account, more).await;
        let info = format!("/paymentlink/{link}/info");
        let data = owner.key.get(&info).await.ok()["data"].clone();
        assert_eq!((&data["payment_link"]["status"], &data["user_bank_payment"]), (&json!("pending"), &Value::Null));
        bank.pay("000079912345", 2_228_125, Duration::ZERO);
        let fields = [("reference", "79912345"), ("seen", "2228125"), ("phone", pay::THEIRS[0].1)];
        pay::send(&app.nobody(), &format!("/pay/{link}"), &fields).await;

        let body = body(&receiver.received(1).await[0].body);
        let listed = owner.get("/v1/payments").await.ok()["payments"][0].clone();
        let data = owner.key.get(&info).await.ok()["data"].clone();
        let price = json!({
            "amount": 25.0, "currency": "USD", "rate": 891.25, "value_date": "2026-11-20", "source": "BCV",
        });
        for (place, payment) in [
            ("webhook", &body["user_bank_payment"]),
            ("info", &data["user_bank_payment"]),
            ("list", &listed),
        ] {
            assert_eq!((&payment["price"], &payment["amount"]), (&price, &json!(22_281.25)), "{place}");
            for field in ["id", "bank_reference_id"] {
                assert_eq!(payment[field], listed[field], "{place}: {field}");
            }
        }
    }

    async fn a_rejected_link_is_reported_with_its_reason_and_a_canceled_one_is_not(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let more = json!({ "webhook_url": receiver.url() });
        let canceled = pay::make(&owner.key, &owner.bank, more.clone()).await;
        owner.post(&format!("/v1/paymentlink/{canceled}/cancel"), json!({})).await.ok();
        let rejected = pay::make(&owner.key, &owner.bank, more).await;
        let reason = json!({ "status_detail": "Sin existencias" });
        let reject = format!("/v1/paymentlink/{rejected}/reject");
        owner.post(&reject, reason.clone()).await.ok();
        owner.post(&reject, reason).await.ok();

        let body = body(&receiver.received(1).await[0].body);
        assert_eq!((&body["status"], &body["payment_link_id"]), (&json!("failed"), &json!(rejected)));
        assert_eq!(body["payment_link"]["status_detail"], "Sin existencias");
        assert_eq!(body["user_bank_payment"], Value::Null);
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 1);
    }

    async fn a_clients_link_reveals_nothing_of_the_owners_credits(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let receiver = Receiver::with_status(200);
        let more = json!({ "webhook_url": receiver.url() });
        let (paid, rejected) =
            (pay::make(&key, &bank, more.clone()).await, pay::make(&key, &bank, more).await);
        pay::paid_with(&app.nobody(), &paid, "167890").await;
        key.post(&format!("/v1/paymentlink/{rejected}/reject"), json!({})).await.ok();
        for webhook in receiver.received(2).await {
            let body = body(&webhook.body);
            assert!(body.get("credit_balance").is_none(), "{body}");
        }
    }

    async fn a_crash_before_the_delivery_loses_nothing(setup: Setup) {
        let mut app = setup.start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(503);
        let more = json!({ "webhook_url": receiver.url() });
        let id = pay::make(&owner.key, &owner.bank, more).await;
        pay::paid_with(&app.nobody(), &id, "167890").await;
        receiver.received(1).await;
        app.crash();
        // Past the lease of its holder, and past the time of the second attempt.
        app.clock().advance(Duration::from_secs(60));
        app.start_again().await;
        let received = receiver.received(2).await;
        assert_eq!(received[0].body, received[1].body);
        assert_eq!(pay::status(&owner.key, &id).await, "paid");
    }
}
