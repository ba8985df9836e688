//! Who issued keys and people, and what becomes of it when its issuer ends.

mod lists;
mod sequences;

use domain::ids::{ActorId, KeyId, OwnerId};
use domain::keys::KeyHash;
use domain::permissions::Permissions;
use serde_json::{Value, json};
use store::issuers::Issuer;
use store::keys::{self, NewKey};
use store::lineage::LIVING_MAX;
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::owner::Key;
use testkit::{Employee, Owner, Principal, TestApp, either_engine};

/// Rights that it takes to invite employees and people of clients.
const INVITES: [&str; 6] = [
    "team:write",
    "clients:write",
    "payments:write",
    "payment_links:write",
    "bank_accounts:write",
    "integrations:write",
];

/// A key that issues keys.
async fn issuing(owner: &Owner) -> Key {
    owner.key_with(&["api_keys", "payment_links"]).await
}

/// A key that this caller issues.
async fn issue(owner: &Owner, by: &Principal, name: &str) -> Key {
    owner.issued(&by.post("/auth/api-key", json!({ "name": name })).await.ok()["api_key"])
}

fn path(key: &Key) -> String {
    format!("/v1/api-keys/{}", key.id)
}

/// Writes keys of that issuer past the service. Nobody knows their texts.
async fn fill(app: &TestApp, owner: &Owner, issuer: &Key, count: usize) {
    let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
    let by: KeyId = issuer.id.parse().unwrap();
    let job = move |tx: &mut Tx<'_>| {
        for number in 0..count {
            let key = KeyId::from_bytes(u128::try_from(number).unwrap().to_be_bytes());
            keys::insert(tx, id, &written(key, by), now)?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

/// Writes keys of that issuer past the service, each of which has issued one and was revoked.
async fn fill_with_revoked(app: &TestApp, owner: &Owner, issuer: &Key, count: usize) {
    let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
    let by: KeyId = issuer.id.parse().unwrap();
    let job = move |tx: &mut Tx<'_>| {
        let all = 0..u128::try_from(count).unwrap();
        let revoked = |number: u128| KeyId::from_bytes(number.to_be_bytes());
        for number in all.clone() {
            keys::insert(tx, id, &written(revoked(number), by), now)?;
            keys::insert(tx, id, &written(living(number), revoked(number)), now)?;
        }
        for number in all {
            keys::revoke(tx, id, revoked(number), now)?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

/// Key that lives which a revoked one of that number has issued.
fn living(number: u128) -> KeyId {
    KeyId::from_bytes((number + (1_u128 << 64)).to_be_bytes())
}

/// Revokes past the service what was written past it, to which no locator leads.
async fn empty(app: &TestApp, owner: &Owner, count: usize) {
    let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
    let job = move |tx: &mut Tx<'_>| {
        (0..u128::try_from(count).unwrap())
            .try_for_each(|number| keys::revoke(tx, id, living(number), now))
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

/// A key of that issuer whose text nobody knows.
fn written(id: KeyId, by: KeyId) -> NewKey {
    NewKey {
        id,
        name: format!("caja {id}"),
        hash: KeyHash::from_bytes([0; 32]),
        hint: "0000".to_owned(),
        is_default: false,
        client: None,
        selection: Vec::new(),
        permissions: Permissions::NONE,
        monthly_credit_limit: None,
        expires_at: None,
        issuer: Issuer { by: Some(ActorId::from(by)), ..Issuer::default() },
    }
}

either_engine! {
    async fn what_outlives_its_issuer_is_listed_and_ends_with_it_where_that_is_chosen(app: TestApp) {
        let owner = app.owner().await;
        let issuer = issuing(&owner).await;
        let (one, two) = (issue(&owner, &issuer, "uno").await, issue(&owner, &issuer, "dos").await);
        let refused = owner.delete(&path(&issuer)).await.refused(409, "CONFLICT");
        let named = |key: &Key, name: &str| json!({ "kind": "api_key", "id": key.id, "name": name });
        let mut issued = refused["facts"]["issued"].as_array().unwrap().clone();
        issued.sort_by_key(|one| one["name"].to_string());
        assert_eq!(issued, [named(&two, "dos"), named(&one, "uno")]);
        assert_eq!(refused["facts"]["total"], 2);
        issuer.get("/me").await.ok();
        let wrong = owner.delete(&format!("{}?with_issued=yes", path(&issuer))).await;
        wrong.refused(400, "VALIDATION_ERROR");

        // It goes on where that is chosen, and is found through the one that is no more.
        owner.delete(&format!("{}?with_issued=false", path(&issuer))).await.ok();
        one.get("/me").await.ok();
        owner.delete(&path(&issuer)).await.refused(409, "CONFLICT");
        owner.delete(&format!("{}?with_issued=true", path(&issuer))).await.ok();
        for key in [&issuer, &one, &two] {
            key.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        owner.delete(&path(&issuer)).await.ok();
        let trail = "select count(*) from audit where action = 'RevokeKey'";
        assert_eq!(app.database().number(trail), 3, "each has its line, once");
    }

    async fn a_second_mailbox_and_its_key_end_with_the_employee_who_invited_it(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let luis = owner.employee(1, &INVITES).await;
        let second = Employee::of_client(&luis, &client, "otro@correo.example").await;
        let key = issue(&owner, &second, "suya").await;
        // Its own person can be removed before, and what that has issued is found all the same.
        owner.delete(&format!("{}?with_issued=false", second.path())).await.ok();
        second.get("/me").await.refused(401, "UNAUTHORIZED");
        key.get("/me").await.ok();
        let facts = owner.delete(&luis.path()).await.refused(409, "CONFLICT")["facts"].clone();
        assert_eq!(facts["issued"][0]["id"], *key.id);
        luis.get("/me").await.ok();
        owner.delete(&format!("{}?with_issued=true", luis.path())).await.ok();
        luis.get("/me").await.refused(401, "UNAUTHORIZED");
        key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn who_gets_a_keys_new_text_is_its_issuer(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (marta, key) = (owner.client_employee(&client, 1).await, owner.client_key(&client).await);
        let rotated = marta.post(&format!("{}/rotate", path(&key)), json!({})).await.ok();
        let key = owner.issued(&rotated["api_key"]);
        owner.delete(&marta.path()).await.refused(409, "CONFLICT");
        let shown = owner.get(&format!("/api-keys/{}", key.id)).await.ok();
        assert_eq!(shown["api_key"]["issued_by"], json!({ "kind": "person", "id": marta.id }));
        // Its owner takes it back by another text.
        owner.post(&format!("{}/rotate", path(&key)), json!({})).await.ok();
        owner.delete(&marta.path()).await.ok();
    }

    async fn an_employee_ends_with_another_nothing_that_it_could_not_end_itself(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let luis = owner.employee(1, &INVITES).await;
        let marta = Employee::of_client(&luis, &client, "marta@correo.example").await;
        let key = issue(&owner, &marta, "suya").await;
        owner.patch(&luis.path(), json!({ "permissions": ["payments:read"] })).await.ok();
        let eva = owner.employee(2, &["team:write", "payments:read"]).await;
        // It learns how much there is, and the names of nothing.
        let facts = eva.delete(&luis.path()).await.refused(409, "CONFLICT")["facts"].clone();
        assert_eq!(facts, json!({ "issued": [], "total": 2 }));
        let with = format!("{}?with_issued=true", luis.path());
        eva.delete(&with).await.refused(403, "FORBIDDEN");
        marta.get("/me").await.ok();
        let may = [&INVITES[..], &["payments:read"]].concat();
        owner.patch(&eva.path(), json!({ "permissions": may })).await.ok();
        eva.delete(&with).await.ok();
        for gone in [&*luis, &*marta, &*key] {
            gone.get("/me").await.refused(401, "UNAUTHORIZED");
        }
    }

    async fn more_than_is_ended_at_once_is_ended_in_parts(app: TestApp) {
        let owner = app.owner().await;
        let issuer = issuing(&owner).await;
        fill(&app, &owner, &issuer, LIVING_MAX + 1).await;
        let facts = owner.delete(&path(&issuer)).await.refused(409, "CONFLICT")["facts"].clone();
        assert_eq!((facts["issued"].as_array().unwrap().len(), &facts["total"]), (100, &json!(LIVING_MAX)));
        let with = format!("{}?with_issued=true", path(&issuer));
        assert_eq!(owner.delete(&with).await.refused(409, "CONFLICT")["facts"], json!({ "limit": LIVING_MAX }));
        issuer.get("/me").await.ok();
        owner.delete(&format!("/v1/api-keys/{}", KeyId::from_bytes([0; 16]))).await.ok();
        owner.delete(&with).await.ok();
        let live = format!(
            "select count(*) from api_keys where revoked_at is null and owner_id in \
             (select owner_id from owner_profiles where email = '{}')",
            owner.email
        );
        assert_eq!(app.database().number(&live), 1, "the default key");
        let lines = app.database().number("select count(*) from audit where action = 'RevokeKey'");
        assert_eq!(usize::try_from(lines).unwrap(), LIVING_MAX + 2, "each has its line");
    }

    async fn what_is_not_followed_to_its_end_is_asked_about(app: TestApp) {
        let owner = app.owner().await;
        let issuer = issuing(&owner).await;
        fill_with_revoked(&app, &owner, &issuer, LIVING_MAX + 1).await;
        for query in ["", "?with_issued=true"] {
            let refused = owner.delete(&format!("{}{query}", path(&issuer))).await;
            assert_eq!(refused.refused(409, "CONFLICT")["facts"], json!({ "limit": LIVING_MAX }));
        }
        issuer.get("/me").await.ok();
        owner.delete(&format!("{}?with_issued=false", path(&issuer))).await.ok();
        issuer.get("/me").await.refused(401, "UNAUTHORIZED");
        empty(&app, &owner, LIVING_MAX + 1).await;
    }

    async fn the_default_key_ends_with_nobody(app: TestApp) {
        let owner = app.owner().await;
        let issued = issue(&owner, &owner.key, "caja").await;
        // Nothing of the owner's is asked about where something else ends.
        owner.delete(&path(&issued)).await.ok();
        owner.delete(&format!("{}?with_issued=true", path(&owner.key))).await
            .refused(409, "DEFAULT_KEY_FIXED");
        owner.key.get("/me").await.ok();
    }

    async fn a_clients_caller_sees_the_merchant_and_no_person(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (marta, key) = (owner.client_employee(&client, 1).await, owner.client_key(&client).await);
        let own = issue(&owner, &marta, "suya").await;
        let merchant = json!({ "kind": "merchant", "id": Value::Null });
        let somebody = json!({ "kind": "person", "id": Value::Null });
        for caller in [&*marta, &*key] {
            let of = async |key: &Key| {
                let shown = caller.get(&format!("/api-keys/{}", key.id)).await.ok();
                shown["api_key"]["issued_by"].clone()
            };
            assert_eq!((of(&key).await, of(&own).await), (merchant.clone(), somebody.clone()));
        }
        // It revokes what is its own client's, and is asked about nothing else.
        marta.delete(&path(&key)).await.ok();
    }
}
