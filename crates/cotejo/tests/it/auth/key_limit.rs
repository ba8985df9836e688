//! How many keys an owner may have.

use domain::ids::{KeyId, OwnerId};
use domain::keys::KeyHash;
use domain::permissions::Permissions;
use futures_util::future::join_all;
use serde_json::json;
use store::issuers::Issuer;
use store::keys::{self, KEYS_MAX, NewKey};
use store::locators::{self, Located};
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::{Key, Owner, Setup, TestApp, both_engines, either_engine};

/// Writes keys past the service until the owner has so many. Nobody knows their texts.
async fn fill_up_to(app: &TestApp, owner: &Owner, count: i64) {
    let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
    let job = move |tx: &mut Tx<'_>| {
        for number in keys::count(tx, id)?..count {
            let subject = i128::from(number).to_be_bytes();
            let mut hash = [0; 32];
            hash[..16].copy_from_slice(&id.to_bytes());
            hash[16..].copy_from_slice(&subject);
            locators::claim(tx, locators::Kind::ApiKey, &hash, Located { owner: id, subject })?;
            let key = NewKey {
                id: KeyId::from_bytes(subject),
                name: format!("caja {number}"),
                hash: KeyHash::from_bytes(hash),
                hint: "0000".to_owned(),
                is_default: false,
                client: None,
                selection: Vec::new(),
                permissions: Permissions::NONE,
                monthly_credit_limit: None,
                expires_at: None,
                issuer: Issuer::default(),
            };
            keys::insert(tx, id, &key, now)?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

async fn listed(owner: &Owner) -> i64 {
    let answer = owner.get("/me/api-keys").await.ok();
    i64::try_from(answer["api_keys"].as_array().unwrap().len()).unwrap()
}

either_engine! {
    async fn beyond_it_none_is_issued_and_up_to_it_all_are_listed(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        fill_up_to(&app, &owner, KEYS_MAX - 1).await;
        let last: Key = owner.key_with(&["payment_verifications"]).await;
        assert_eq!(listed(&owner).await, KEYS_MAX);

        let asked = json!({ "name": "caja" });
        let answer = owner.post("/auth/api-key", asked.clone()).await;
        let body = answer.refused(400, "VALIDATION_ERROR");
        assert_eq!(body["facts"], json!({ "limit": KEYS_MAX }));
        owner.key.post("/auth/api-key", asked.clone()).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(listed(&owner).await, KEYS_MAX);
        other.post("/auth/api-key", asked).await.ok();

        // A key that is revoked makes room for another.
        owner.revoke(&last).await;
        owner.key_with(&[]).await;
        assert_eq!(listed(&owner).await, KEYS_MAX);
    }

    async fn a_refusal_does_not_use_the_idempotency_key_up(app: TestApp) {
        let owner = app.owner().await;
        fill_up_to(&app, &owner, KEYS_MAX - 1).await;
        let last = owner.key_with(&[]).await;
        let create = || {
            let call = owner.request("POST", "/auth/api-key").header("Idempotency-Key", "k-1");
            call.json(&json!({ "name": "caja" })).send()
        };
        create().await.refused(400, "VALIDATION_ERROR");
        owner.revoke(&last).await;
        create().await.ok();
    }
}

both_engines! {
    async fn calls_at_once_do_not_exceed_it(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        fill_up_to(&app, &owner, KEYS_MAX - 3).await;
        let create = |number: i32| owner.post("/auth/api-key", json!({ "name": number.to_string() }));
        let ends = join_all((0..12).map(create)).await;
        let issued = ends.iter().filter(|answer| answer.status == 200).count();
        assert_eq!((issued, listed(&owner).await), (3, KEYS_MAX));
    }
}
