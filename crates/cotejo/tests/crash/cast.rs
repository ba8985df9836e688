//! Who calls: owners with their keys, made by the program before and after its first start.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::http::{Answer, Connection, ask};
use crate::program::Site;

pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// A key that verifies payments.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) text: String,
    /// How many credits a month may cost, if it says so.
    pub(crate) limit: Option<i64>,
}

/// An owner with its account on the sandbox bank.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) credits: i64,
    pub(crate) bank: String,
    pub(crate) keys: Vec<Key>,
    /// The text of its session; none before it has signed in.
    pub(crate) session: String,
}

impl Owner {
    /// Makes an owner by the command line, with its default key.
    pub(crate) fn make(site: &Site, name: &str, credits: i64) -> Self {
        let (email, amount) = (format!("{name}@example.com"), credits.to_string());
        let create = ["owner", "create", "--json", "--password-stdin", "--email", &email];
        let begins = ["--test-account", "--credits", &amount];
        let (code, made) = site.run(&[&create[..], &begins].concat(), &format!("{PASSWORD}\n"));
        assert_eq!(code, Some(0), "{made}");
        let text = |field: &str| made[field].as_str().unwrap().to_owned();
        let key = Key { id: text("api_key_id"), text: text("api_key"), limit: None };
        let (id, bank) = (text("user_id"), text("user_bank_id"));
        Self { id, email, credits, bank, keys: vec![key], session: String::new() }
    }

    /// Signs in, and issues a key for each of these limits.
    pub(crate) fn issue_keys(&mut self, addr: SocketAddr, limits: &[Option<i64>]) {
        let login = json!({ "email": self.email, "password": PASSWORD });
        let answer = ok(ask(addr, ("POST", "/auth/login"), "", Some(&login)));
        self.session = answer["token"].as_str().unwrap().to_owned();
        for limit in limits.iter().copied() {
            let wanted = json!({ "name": "caja", "permissions": ["payment_verifications"] });
            let issued = ok(ask(addr, ("POST", "/auth/api-key"), &self.session, Some(&wanted)));
            let text = |field: &str| issued["api_key"][field].as_str().unwrap().to_owned();
            let key = Key { id: text("id"), text: text("api_key"), limit };
            if limit.is_some() {
                let body = json!({ "monthly_credit_limit": limit });
                let path = limit_path(&key);
                ok(ask(addr, ("PUT", &path), &self.session, Some(&body)));
            }
            self.keys.push(key);
        }
    }

    /// Returns the rest of its credits, as the service shows it to the owner.
    pub(crate) fn balance(&self, addr: SocketAddr) -> i64 {
        let me = ok(ask(addr, ("GET", "/me"), &self.session, None));
        me["user"]["credits"].as_i64().unwrap()
    }

    pub(crate) fn path(&self) -> String {
        format!("/userbankpayment/{}/betaserio", self.bank)
    }

    /// Asks for a payment on a connection of its own.
    #[track_caller]
    pub(crate) fn verify(&self, addr: SocketAddr, key: &Key, reference: &str) -> Answer {
        ask(addr, ("POST", &self.path()), &key.text, Some(&body(reference)))
    }

    /// Sends the same request and hangs up when the connection is dropped.
    pub(crate) fn send(&self, addr: SocketAddr, key: &Key, reference: &str) -> Connection {
        let mut connection = Connection::to(addr).unwrap();
        connection.send(("POST", &self.path()), &key.text, Some(&body(reference))).unwrap();
        connection
    }
}

/// Body that asks for the payment of that reference.
pub(crate) fn body(reference: &str) -> Value {
    json!({ "bank_reference": reference, "amount": 150.75 })
}

/// Returns the path of a key's limit.
pub(crate) fn limit_path(key: &Key) -> String {
    format!("/v1/api-keys/{}/credit-limit", key.id)
}

#[track_caller]
pub(crate) fn ok(answer: Answer) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}
