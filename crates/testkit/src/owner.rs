//! An owner with everything that it has, and the keys that it issues.

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};

use app::admin::{self, CreatedOwner, Operator, OwnerName};
use domain::ids::OwnerId;
use domain::money::Credits;
use serde_json::{Value, json};

use crate::{Principal, Response};

/// An owner. It calls by its session.
#[derive(Debug)]
pub struct Owner {
    /// Its id.
    pub id: String,
    /// Its e-mail address.
    pub email: String,
    /// Its password.
    pub password: String,
    /// Its default key.
    pub key: Key,
    /// Its test bank account.
    pub bank: String,
    owner: OwnerId,
    session: Principal,
    /// How many clients were made by [`Self::client`].
    clients: AtomicU32,
}

/// A key. It calls by `Authorization: Bearer`.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    principal: Principal,
}

impl Owner {
    pub(crate) async fn sign_in(nobody: &Principal, made: CreatedOwner) -> Self {
        let text = made.api_key.expose().to_owned();
        let principal = nobody.with_bearer(&text);
        let mut owner = Self {
            id: made.owner.to_string(),
            email: made.email.to_string(),
            password: made.password.expose().to_owned(),
            key: Key { id: made.api_key_id.to_string(), text, principal },
            bank: made.user_bank.expect("a test account").to_string(),
            owner: made.owner,
            session: nobody.clone(),
            clients: AtomicU32::new(0),
        };
        owner.sign_in_again().await;
        owner
    }

    /// Opens another session, as when the former one has run out.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn sign_in_again(&mut self) {
        let body = json!({ "email": self.email, "password": self.password });
        let answer = self.session.post("/auth/login", body).await.ok();
        let token = answer["token"].as_str().expect("a token");
        self.session = self.session.with_bearer(token);
    }

    /// Issues a key with these permissions.
    pub async fn key_with(&self, permissions: &[&str]) -> Key {
        self.issue(json!({ "name": "caja", "permissions": permissions })).await
    }

    /// Issues a key that may verify payments, with a monthly limit.
    pub async fn key_limited_to(&self, credits: i64) -> Key {
        let key = self.key_with(&["payment_verifications"]).await;
        self.set_limit(&key, json!(credits)).await.ok();
        key
    }

    /// Issues a key that may verify payments on these accounts alone.
    pub async fn key_for(&self, banks: &[&str]) -> Key {
        let permissions = ["payment_verifications", "bank_accounts_manage", "integrations"];
        self.issue(json!({ "name": "caja", "user_banks": banks, "permissions": permissions })).await
    }

    /// Issues the key that this body asks for.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn issue(&self, body: Value) -> Key {
        self.issued(&self.post("/auth/api-key", body).await.ok()["api_key"])
    }

    /// The key that an answer holds.
    #[must_use]
    pub fn issued(&self, record: &Value) -> Key {
        let text = record["api_key"].as_str().expect("a key's text").to_owned();
        Key {
            id: record["id"].as_str().expect("a key's id").to_owned(),
            principal: self.session.with_bearer(&text),
            text,
        }
    }

    /// Makes a client with a name of its own, `Sucursal` the first one, and answers its id.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn client(&self, payments_enabled: bool) -> String {
        let name = match self.clients.fetch_add(1, Ordering::Relaxed) {
            0 => "Sucursal".to_owned(),
            before => format!("Sucursal núm. {}", before + 1),
        };
        let body = json!({ "name": name, "payments_enabled": payments_enabled });
        let answer = self.post("/v1/clients", body).await.ok();
        answer["client"]["id"].as_str().expect("an id").to_owned()
    }

    /// Issues a key that is bound to the client.
    pub async fn client_key(&self, client: &str) -> Key {
        self.issue(json!({ "name": "sucursal", "client_owner_id": client })).await
    }

    /// Grants credits, or takes some away.
    ///
    /// # Panics
    /// Where they cannot be.
    pub async fn grant(&self, credits: i64) {
        let app = self.app();
        let operator = Operator::of(&app);
        let name = OwnerName::Id(self.owner);
        admin::grant_credits(&operator, &name, Credits::new(credits)).await.expect("a grant");
    }

    /// Switches a key off.
    pub async fn deactivate(&self, key: &Key) {
        let body = json!({ "is_active": false });
        self.patch(&format!("/v1/api-keys/{}", key.id), body).await.ok();
    }

    /// Revokes a key for good.
    pub async fn revoke(&self, key: &Key) {
        self.delete(&format!("/v1/api-keys/{}", key.id)).await.ok();
    }

    /// Sets a key's monthly limit.
    pub async fn set_limit(&self, key: &Key, limit: Value) -> Response {
        let path = format!("/v1/api-keys/{}/credit-limit", key.id);
        self.put(&path, json!({ "monthly_credit_limit": limit })).await
    }

    /// Sets the quota of a client.
    pub async fn set_quota(&self, client: &str, limit: Value) -> Response {
        let path = format!("/v1/clients/{client}/credit-limit");
        self.put(&path, json!({ "monthly_credit_limit": limit })).await
    }

    /// The limit record of a key in the current month.
    pub async fn limit_of(&self, key: &Key) -> Value {
        self.get(&format!("/v1/api-keys/{}/credit-limit", key.id)).await.ok()
    }

    /// The first page of a key's activity in the current month.
    pub async fn activity_of(&self, key: &Key) -> Value {
        self.get(&format!("/v1/api-keys/{}/activity", key.id)).await.ok()
    }

    /// The balance.
    ///
    /// # Panics
    /// Where the service does not report it.
    pub async fn balance(&self) -> i64 {
        self.key.get("/me").await.ok()["user"]["credits"].as_i64().expect("a balance")
    }
}

impl Deref for Owner {
    type Target = Principal;

    fn deref(&self) -> &Principal {
        &self.session
    }
}

impl Key {
    /// Links a test bank account, and answers its id.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn link_bank(&self) -> String {
        link_bank(self).await
    }
}

impl Deref for Key {
    type Target = Principal;

    fn deref(&self) -> &Principal {
        &self.principal
    }
}

/// Links a test bank account as that caller, and answers its id.
///
/// # Panics
/// Where the service refuses.
pub async fn link_bank(caller: &Principal) -> String {
    let answer = caller.post("/usersbank", json!({ "bank_provider": "BANK_TEST" })).await.ok();
    answer["userbank"]["id"].as_str().expect("an id").to_owned()
}
