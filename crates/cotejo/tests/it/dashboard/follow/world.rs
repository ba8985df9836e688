//! An owner with one of everything that a page is about, and two clients.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Key, Owner, TestApp};

use crate::exchange_rate::record_dollar;
use crate::pay::{make, pay};
use crate::payment_links::accept::shown_of;
use crate::subscriptions;

pub(super) struct World {
    pub(super) owner: Owner,
    /// A client that verifies payments.
    pub(super) client: String,
    /// One that may not.
    pub(super) closed_client: String,
    _receiver: Receiver,
}

impl World {
    pub(super) async fn new(app: &TestApp) -> Self {
        let owner = app.owner().await;
        let (client, closed_client) = (owner.client(true).await, owner.client(false).await);
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        owner.client_key(&closed_client).await;
        let of_closed = owner.key.link_bank().await;
        let body = json!({ "client_owner_id": closed_client });
        owner.put(&format!("/v1/usersbank/{of_closed}/client"), body).await.ok();
        owner.employee(99, &["payments:read"]).await;
        let end = app.now().plus(Duration::from_secs(10 * 24 * 60 * 60)).to_string();
        owner.issue(json!({ "name": "feria", "expires_at": end })).await;
        record_dollar(app, "872.3927", "2026-11-19", "2026-11-20").await;

        let receiver = Receiver::with_status(410);
        let of_owner = Dealing { app, key: &owner.key, bank: &owner.bank, number: 1 };
        of_owner.links(&receiver).await;
        of_owner.verifications().await;
        of_owner.subscriptions().await;
        of_owner.refused(&owner, None).await;
        let of_client = Dealing { app, key: &key, bank: &bank, number: 2 };
        of_client.links(&receiver).await;
        of_client.verifications().await;
        of_client.subscription(json!({ "pay_first": false })).await;
        of_client.refused(&owner, Some(&client)).await;
        receiver.received(2).await;
        app.settle().await;
        let notices = "select count(*) from notices";
        assert!(app.database().number(notices) > 0, "nobody is told that events reached nobody");
        // Of each account, whichever comes first where none is chosen.
        for account in [&owner.bank, &bank, &of_closed] {
            shown_of(app, &owner, account, "7654321", 15_075).await;
        }
        Self { owner, client, closed_client, _receiver: receiver }
    }
}

/// Work of a key on an account. No two of these share a reference.
struct Dealing<'a> {
    app: &'a TestApp,
    key: &'a Key,
    bank: &'a str,
    number: u32,
}

impl Dealing<'_> {
    fn reference(&self, end: &str) -> String {
        format!("{}{end}", self.number)
    }

    /// Links in every state that has something of its own to do.
    async fn links(&self, receiver: &Receiver) {
        let link = async |more: Value| make(self.key, self.bank, more).await;
        let open = link(json!({})).await;
        pay(&self.app.nobody(), &open, &self.reference("1123456")).await;
        // As where the bank shows a payment that a person must accept.
        let waits =
            "update verifications set same_bank = 1 where link_id is not null and state = 2";
        self.app.tamper(waits).await;
        let paid = link(json!({})).await;
        pay(&self.app.nobody(), &paid, &self.reference("1167890")).await;
        link(json!({ "currency": "USD" })).await;
        let rejected = link(json!({ "webhook_url": receiver.url() })).await;
        let reject = format!("/v1/paymentlink/{rejected}/reject");
        self.key.post(&reject, json!({})).await.ok();
    }

    async fn subscription(&self, more: Value) -> String {
        let made = subscriptions::make(self.key, self.bank, more).await;
        subscriptions::id(&made)
    }

    /// Subscriptions in every state that has something of its own to do.
    async fn subscriptions(&self) {
        let runs = json!({ "pay_first": false });
        self.subscription(runs.clone()).await;
        for (act, body) in [("cancelbyowner", json!({ "atPeriodEnd": true })), ("pause", json!({}))]
        {
            let of = self.subscription(runs.clone()).await;
            self.key.post(&format!("/v1/subscriptions/{of}/{act}"), body).await.ok();
        }
        // Its cycle is owed, and the link that asks for it has ended.
        let of = self.subscription(json!({})).await;
        let link = subscriptions::link_of(self.key, &of, 1).await;
        self.key.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
    }

    async fn verifications(&self) {
        let ask = async |end: &str| {
            let body = json!({ "bank_reference": self.reference(end) });
            self.key.verify(self.bank, body).await
        };
        ask("2123456").await.refused(404, "PAYMENT_NOT_FOUND");
        ask("2167890").await.ok();
    }

    /// A reference that a limit refuses.
    async fn refused(&self, owner: &Owner, client: Option<&str>) {
        for limit in [json!(0), Value::Null] {
            let set = match client {
                Some(client) => owner.set_quota(client, limit.clone()).await,
                None => owner.set_limit(self.key, limit.clone()).await,
            };
            set.ok();
            if limit == json!(0) {
                let body = json!({ "bank_reference": self.reference("3167890") });
                assert_eq!(self.key.verify(self.bank, body).await.status, 403);
            }
        }
    }
}
