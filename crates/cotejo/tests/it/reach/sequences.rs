//! What keys reach after any sequence of changes, against a model.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::bank::{KEY, SimulatedBank};
use testkit::owner::{Key, link_bank};
use testkit::{Owner, Setup, both_engines};

/// How many changes a sequence has.
const STEPS: usize = 60;

/// An account as the model knows it. The first is at a bank that can be linked again.
struct Account {
    id: String,
    client: Option<usize>,
    is_trashed: bool,
}

/// A key as the model knows it: bound to a client, limited to accounts, revoked.
struct Reach {
    key: Key,
    client: Option<usize>,
    selection: BTreeSet<usize>,
    is_revoked: bool,
}

struct Model {
    owner: Owner,
    clients: [String; 2],
    accounts: Vec<Account>,
    keys: Vec<Reach>,
    state: u64,
}

impl Model {
    /// A number below `count`, the same in every run.
    fn below(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.state >> 33).unwrap() % count
    }

    fn some_client(&mut self) -> Option<usize> {
        self.below(3).checked_sub(1)
    }

    fn client_id(&self, client: Option<usize>) -> Value {
        client.map_or(Value::Null, |client| json!(self.clients[client]))
    }

    /// Which accounts a key reaches by the model.
    fn reached(&self, key: &Reach) -> BTreeSet<String> {
        let is_in_scope = |account: &&Account| key.client.is_none() || key.client == account.client;
        let accounts = self.accounts.iter().enumerate();
        let selected = accounts
            .filter(|(number, _)| key.selection.is_empty() || key.selection.contains(number))
            .map(|(_, account)| account);
        let reached = selected.filter(is_in_scope).filter(|account| !account.is_trashed);
        reached.map(|account| account.id.clone()).collect()
    }

    async fn set_scope(&mut self, number: usize) {
        let client = self.some_client();
        let chosen = self.below(1 << self.accounts.len());
        let selection: BTreeSet<usize> =
            (0..self.accounts.len()).filter(|account| chosen >> account & 1 == 1).collect();
        let banks: Vec<&str> = selection.iter().map(|it| self.accounts[*it].id.as_str()).collect();
        let body = json!({ "client_owner_id": self.client_id(client), "user_banks": banks });
        let path = format!("/v1/api-keys/{}/scope", self.keys[number].key.id);
        let answer = self.owner.put(&path, body).await;
        let is_selectable = selection.iter().all(|account| {
            let account = &self.accounts[*account];
            !account.is_trashed && (client.is_none() || client == account.client)
        });
        if self.keys[number].is_revoked {
            answer.refused(404, "NOT_FOUND");
        } else if is_selectable {
            answer.ok();
            (self.keys[number].client, self.keys[number].selection) = (client, selection);
        } else {
            answer.refused(400, "ACCOUNT_NOT_IN_CLIENT");
        }
    }

    async fn move_account(&mut self, number: usize) {
        let client = self.some_client();
        let body = json!({ "client_owner_id": self.client_id(client) });
        let path = format!("/v1/usersbank/{}/client", self.accounts[number].id);
        let answer = self.owner.put(&path, body).await;
        if self.accounts[number].is_trashed {
            answer.refused(404, "NOT_FOUND");
        } else {
            answer.ok();
            self.accounts[number].client = client;
        }
    }

    async fn trash_or_revive(&mut self, number: usize) {
        if !self.accounts[number].is_trashed {
            let path = format!("/usersbank/{}/to-trash", self.accounts[number].id);
            self.owner.delete(&path).await.ok();
            self.accounts[number].is_trashed = true;
        } else if number == 0 {
            // By its owner it comes back as the owner's.
            let linked = self.owner.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
            assert_eq!(linked["userbank"]["id"], self.accounts[0].id.as_str());
            (self.accounts[0].client, self.accounts[0].is_trashed) = (None, false);
        }
    }

    async fn rotate_or_revoke(&mut self, number: usize) {
        let path = format!("/v1/api-keys/{}", self.keys[number].key.id);
        if self.below(6) == 0 {
            self.owner.delete(&path).await.ok();
            self.keys[number].is_revoked = true;
            return;
        }
        let answer = self.owner.post(&format!("{path}/rotate"), json!({})).await;
        if self.keys[number].is_revoked {
            answer.refused(404, "NOT_FOUND");
            return;
        }
        let rotated = self.owner.issued(&answer.ok()["api_key"]);
        let former = std::mem::replace(&mut self.keys[number].key, rotated);
        former.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn step(&mut self) {
        let (key, account) = (self.below(self.keys.len()), self.below(self.accounts.len()));
        match self.below(10) {
            0..=3 => self.set_scope(key).await,
            4..=6 => self.move_account(account).await,
            7 | 8 => self.trash_or_revive(account).await,
            _ => self.rotate_or_revoke(key).await,
        }
    }

    async fn hold(&self, after: usize) {
        for reach in &self.keys {
            let listed = reach.key.get("/me/usersbank").await;
            if reach.is_revoked {
                listed.refused(401, "UNAUTHORIZED");
                continue;
            }
            let listed = listed.ok();
            let banks = listed["user_banks"].as_array().unwrap().iter();
            let banks: BTreeSet<String> =
                banks.map(|bank| bank["id"].as_str().unwrap().to_owned()).collect();
            assert_eq!(banks, self.reached(reach), "after {after} changes");
        }
    }
}

both_engines! {
    async fn after_any_sequence_of_changes_keys_reach_what_the_model_says(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        for seed in 1..=4 {
            let mut owner = app.owner().await;
            owner.sign_in_again().await;
            let clients = [owner.client(true).await, owner.client(true).await];
            let linked = owner.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
            let mut ids = vec![linked["userbank"]["id"].as_str().unwrap().to_owned()];
            ids.push(owner.bank.clone());
            ids.push(link_bank(&owner).await);
            ids.push(link_bank(&owner).await);
            let account = |id| Account { id, client: None, is_trashed: false };
            let accounts = ids.into_iter().map(account).collect();
            let mut keys = Vec::new();
            for _ in 0..4 {
                let key = owner.key_with(&["payment_verifications"]).await;
                let selection = BTreeSet::new();
                keys.push(Reach { key, client: None, selection, is_revoked: false });
            }
            let mut model = Model { owner, clients, accounts, keys, state: seed };
            for step in 1..=STEPS {
                model.step().await;
                model.hold(step).await;
            }
        }
    }
}
