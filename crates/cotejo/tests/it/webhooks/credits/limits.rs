//! A limit that is used is reported by the charge that uses it up.

use domain::time::Timestamp;
use futures_util::future::join_all;
use serde_json::json;
use testkit::receiver::Receiver;
use testkit::{Setup, TestApp, both_engines};

use super::{charge, charge_all, events_of, listen, written};

const KEY: &str = "credits.key_limit_reached";
const CLIENT: &str = "credits.client_quota_reached";

/// Eight in the evening of 30 November in Caracas, and the midnight after it.
const EVENING: Timestamp = Timestamp::from_micros(1_796_083_200_000_000);
const DECEMBER: Timestamp = Timestamp::from_micros(1_796_097_600_000_000);

both_engines! {
    async fn a_keys_limit_is_reported_with_the_key(setup: Setup) {
        let app = setup.from(EVENING).start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        let key = owner.key_limited_to(2).await;
        // What comes to nothing uses nothing up.
        key.verify(&owner.bank, json!({ "bank_reference": "123456" })).await;
        charge(&key, &owner.bank, 1).await;
        key.verify(&owner.bank, json!({ "bank_reference": "123456" })).await;
        assert_eq!(written(&app, KEY), 0);
        charge(&key, &owner.bank, 2).await;
        let events = events_of(&receiver, 1).await;
        assert_eq!(events[0]["type"], KEY);
        assert_eq!(events[0]["data"], json!({
            "api_key_id": key.id, "name": "caja", "limit": 2, "used": 2, "month": "2026-11",
            "resets_at": "2026-12-01T04:00:00.000Z",
        }));
        for _ in 0..2 {
            let answer = key.verify(&owner.bank, json!({ "bank_reference": "367890" })).await;
            answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        }
        assert_eq!(written(&app, KEY), 1);
    }

    async fn a_limit_that_is_raised_is_reached_again_and_one_that_is_lowered_is_not(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        let key = owner.key_limited_to(1).await;
        charge(&key, &owner.bank, 1).await;
        assert_eq!(written(&app, KEY), 1);
        owner.set_limit(&key, json!(4)).await.ok();
        charge_all(&key, &owner.bank, 2..4).await;
        // The person who lowers it sees that in the answer.
        let lowered = owner.set_limit(&key, json!(2)).await.ok();
        assert_eq!(lowered["remaining"], 0);
        let answer = key.verify(&owner.bank, json!({ "bank_reference": "467890" })).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(written(&app, KEY), 1);
        owner.set_limit(&key, json!(4)).await.ok();
        charge(&key, &owner.bank, 4).await;
        let events = events_of(&receiver, 2).await;
        let mut limits: Vec<_> = events.iter().map(|event| event["data"]["limit"].as_i64()).collect();
        limits.sort_unstable();
        assert_eq!(limits, [Some(1), Some(4)]);
        owner.set_limit(&key, json!(null)).await.ok();
        charge(&key, &owner.bank, 5).await;
        assert_eq!(written(&app, KEY), 2);
    }

    async fn a_clients_quota_is_reported_once_for_all_its_keys(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        let client = owner.client(true).await;
        let (one, two) = (owner.client_key(&client).await, owner.client_key(&client).await);
        let bank = one.link_bank().await;
        owner.set_quota(&client, json!(2)).await.ok();
        charge(&one, &bank, 1).await;
        assert_eq!(written(&app, CLIENT), 0);
        charge(&two, &bank, 2).await;
        let events = events_of(&receiver, 1).await;
        assert_eq!(events[0]["type"], CLIENT);
        let data = &events[0]["data"];
        assert_eq!((&data["client_id"], &data["name"]), (&json!(client), &json!("Sucursal")));
        assert_eq!((&data["limit"], &data["used"]), (&json!(2), &json!(2)));
        let answer = one.verify(&bank, json!({ "bank_reference": "367890" })).await;
        answer.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!((written(&app, CLIENT), written(&app, KEY)), (1, 0));
    }

    async fn a_standalone_key_on_a_clients_account_can_use_both_up(app: TestApp) {
        let owner = app.owner_with(2).await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[1]).await;
        let client = owner.client(true).await;
        let bank = owner.client_key(&client).await.link_bank().await;
        owner.set_quota(&client, json!(1)).await.ok();
        let key = owner.key_limited_to(1).await;
        charge(&key, &bank, 1).await;
        let events = events_of(&receiver, 3).await;
        let mut types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        types.sort_unstable();
        assert_eq!(types, [CLIENT, KEY, "credits.low_balance"]);
    }

    async fn every_month_can_be_used_up(setup: Setup) {
        let app = setup.from(EVENING).start().await;
        let mut owner = app.owner().await;
        let key = owner.key_limited_to(1).await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        charge(&key, &owner.bank, 1).await;
        events_of(&receiver, 1).await;
        app.settle().await;
        app.clock().advance_to(DECEMBER);
        owner.sign_in_again().await;
        charge(&key, &owner.bank, 2).await;
        assert_eq!(written(&app, KEY), 2);
    }

    async fn fifty_charges_at_once_use_a_limit_up_once(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        listen(&owner, &receiver.url(), &[]).await;
        let key = owner.key_limited_to(20).await;
        let calls = (1..=50).map(|number| {
            let body = json!({ "bank_reference": format!("{number}67890") });
            key.verify(&owner.bank, body)
        });
        let answers = join_all(calls).await;
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 20);
        assert_eq!(events_of(&receiver, 1).await[0]["data"]["used"], 20);
        assert_eq!(written(&app, KEY), 1);
    }

    async fn an_owner_without_an_endpoint_is_notified_of_nothing(app: TestApp) {
        let owner = app.owner_with(1).await;
        let key = owner.key_limited_to(1).await;
        charge(&key, &owner.bank, 1).await;
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 0);
        assert_eq!(app.database().number("select count(*) from due where kind <> 5"), 0);
    }
}
