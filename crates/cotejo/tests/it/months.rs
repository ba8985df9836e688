//! Months are those of Caracas, and a charge belongs to the one in which it was reserved.

use domain::time::Timestamp;
use serde_json::{Value, json};
use testkit::{Key, Owner, Setup, both_engines};

use crate::slow_bank::{SLOW, SLOW_REFERENCE, about, finish, time_out};

/// 1 December 2026 in Caracas; in Greenwich the month is four hours old by then.
const DECEMBER: Timestamp = Timestamp::from_micros(1_796_097_600_000_000);

/// Eight in the evening of 30 November in Caracas: midnight in Greenwich.
const EVENING: Timestamp = Timestamp::from_micros(1_796_083_200_000_000);

async fn consumed(owner: &mut Owner, key: &Key, month: &str) -> Value {
    owner.sign_in_again().await;
    let path = format!("/v1/api-keys/{}/credit-limit?month={month}", key.id);
    owner.get(&path).await.ok()["consumed"].clone()
}

both_engines! {
    async fn the_last_evening_still_counts(setup: Setup) {
        let app = setup.from(EVENING).start().await;
        let mut owner = app.owner().await;
        let key = owner.key_limited_to(1).await;
        key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        let answer = key.verify(&owner.bank, json!({ "bank_reference": "267890" })).await;
        let body = answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(body["facts"]["resets_at"], "2026-12-01T04:00:00.000Z");
        assert_eq!(consumed(&mut owner, &key, "2026-11").await, 1);
        assert_eq!(owner.limit_of(&key).await["month"], "2026-11");
        assert_eq!(owner.activity_of(&key).await["credit_total"], 1);

        app.clock().advance_to(Timestamp::from_micros(DECEMBER.as_micros() - 1));
        let answer = key.verify(&owner.bank, json!({ "bank_reference": "267890" })).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        app.clock().advance_to(DECEMBER);
        key.verify(&owner.bank, json!({ "bank_reference": "267890" })).await.ok();
        assert_eq!(consumed(&mut owner, &key, "2026-12").await, 1);
        assert_eq!(consumed(&mut owner, &key, "2026-11").await, 1);
        assert_eq!(owner.limit_of(&key).await["month"], "2026-12");
    }

    async fn a_clients_quota_begins_anew_too(setup: Setup) {
        let app = setup.from(EVENING).start().await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        owner.set_quota(&client, json!(1)).await.ok();
        key.verify(&bank, json!({ "bank_reference": "167890" })).await.ok();
        let answer = key.verify(&bank, json!({ "bank_reference": "267890" })).await;
        answer.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        app.clock().advance_to(DECEMBER);
        key.verify(&bank, json!({ "bank_reference": "267890" })).await.ok();
    }

    async fn a_charge_belongs_to_the_month_of_its_reservation(setup: Setup) {
        // The search begins ten seconds before the month ends, and the bank answers after.
        let start = Timestamp::from_micros(DECEMBER.as_micros() - 10_000_000);
        let app = setup.from(start).start().await;
        let mut owner = app.owner().await;
        let key = owner.key_limited_to(1).await;
        time_out(&app, &key, &owner.bank, SLOW_REFERENCE).await;
        finish(&app).await;
        assert_eq!(app.now(), start.plus(SLOW));
        assert_eq!(consumed(&mut owner, &key, "2026-11").await, 1);
        assert_eq!(consumed(&mut owner, &key, "2026-12").await, 0);
        // The new month has its whole limit.
        key.verify(&owner.bank, about("67890")).await.ok();
        assert_eq!(consumed(&mut owner, &key, "2026-12").await, 1);
    }
}
