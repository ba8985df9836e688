//! A shop: an owner with accounts at the bank, links that ask for money, and a system that is
//! notified of them.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testkit::receiver::is_signed;
use testkit::scripted::{Play, Scripted};

use crate::bank::{Bank, KEY};
use crate::cast::{Owner, ok};
use crate::http::{Connection, ask};

/// Amount that every link asks for, as the bank and the service are given it.
pub(crate) const AMOUNT: &str = "150.75";
const AMOUNT_ASKED: f64 = 150.75;

/// An account at the bank.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// Its number at the bank, where it is not on the sandbox.
    pub(crate) number: String,
    /// The id that the service has given it.
    pub(crate) id: String,
}

/// An owner that sells.
pub(crate) struct Shop {
    pub(crate) owner: Owner,
    pub(crate) accounts: Vec<Account>,
    /// What its webhooks are signed with.
    pub(crate) secret: String,
}

impl Shop {
    /// Signs the owner in at a server, and links as many accounts.
    pub(crate) fn open(owner: Owner, addr: SocketAddr, bank: &Bank, accounts: usize) -> Self {
        let shop = Self::on_the_sandbox(owner, addr);
        let owner = &shop.owner;
        let link = |number| {
            let number = format!("01020000890000{number:06}");
            bank.open_account(&number, KEY);
            let wanted = json!({
                "bank_provider": "BDV", "description": "Cuenta de la tienda", "password": KEY,
                "user_bank_phone": { "countryCode": "58", "number": "4120000001" },
                "user_bank_dni": { "dni_type": "J", "dni_number": "123456784" },
                "metadata": [{ "key_name": "account_number", "key_value": number }],
            });
            let linked = ok(ask(addr, ("POST", "/usersbank"), &owner.session, Some(&wanted)));
            Account { number, id: linked["userbank"]["id"].as_str().unwrap().to_owned() }
        };
        let accounts = (1..=accounts).map(link).collect();
        Self { accounts, ..shop }
    }

    /// Signs the owner in at a server. Its one account is the one that it was made with.
    pub(crate) fn on_the_sandbox(mut owner: Owner, addr: SocketAddr) -> Self {
        owner.issue_keys(addr, &[]);
        let answer = ok(ask(addr, ("GET", "/me/webhook-secret"), &owner.session, None));
        let secret = answer["webhook_secret"].as_str().unwrap().to_owned();
        let accounts = vec![Account { number: String::new(), id: owner.bank.clone() }];
        Self { owner, accounts, secret }
    }

    /// Makes a link on that account, whose end is reported there, and answers its id.
    pub(crate) fn ask_for_money(
        &self,
        line: &mut Connection,
        account: &Account,
        webhook_url: &str,
    ) -> io::Result<String> {
        let wanted = json!({
            "amount": AMOUNT_ASKED, "description": "Pedido 7", "user_bank_id": account.id,
            "webhook_url": webhook_url,
        });
        let target = ("POST", "/v1/paymentlink");
        let made = ok(line.call(target, &self.owner.keys[0].text, Some(&wanted))?);
        Ok(made["paymentlink"]["id"].as_str().unwrap().to_owned())
    }
}

/// Returns the link's status, as the holder of the key is shown it.
pub(crate) fn status(addr: SocketAddr, key: &str, link: &str) -> String {
    let info = ok(ask(addr, ("GET", &format!("/paymentlink/{link}/info")), key, None));
    info["data"]["payment_link"]["status"].as_str().unwrap().to_owned()
}

/// A webhook, as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    /// The id in its header.
    pub(crate) event: String,
    /// Whether the shop's secret has signed these very bytes.
    pub(crate) is_signed: bool,
    /// Whether it says that it may have been received before.
    pub(crate) may_repeat: bool,
    /// The link that it reports, and what that is.
    pub(crate) link: String,
    pub(crate) status: String,
    /// The bytes.
    pub(crate) body: String,
}

/// The shop's system, which is notified of links.
pub(crate) struct Receiver {
    server: Scripted,
    received: Arc<Mutex<Vec<Webhook>>>,
}

impl Receiver {
    /// Checks signatures by that secret, notes what it receives, and answers by `script`.
    pub(crate) fn open(
        secret: &str,
        script: impl Fn(&Webhook) -> Play + Send + Sync + 'static,
    ) -> Self {
        let received: Arc<Mutex<Vec<Webhook>>> = Arc::default();
        let (secret, notes) = (secret.to_owned(), Arc::clone(&received));
        let server = Scripted::start(move |asked| {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            let webhook = Webhook {
                event: asked.header("x-service-event-id").unwrap_or_default().to_owned(),
                is_signed: is_signed(asked, &secret, "Service"),
                may_repeat: asked.header("x-service-may-repeat") == Some("true"),
                link: body["payment_link_id"].as_str().unwrap_or_default().to_owned(),
                status: body["status"].as_str().unwrap_or_default().to_owned(),
                body: asked.body.clone(),
            };
            notes.lock().unwrap().push(webhook.clone());
            script(&webhook)
        });
        Self { server, received }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/hook", self.server.base_url())
    }

    /// Everything that it received.
    pub(crate) fn received(&self) -> Vec<Webhook> {
        self.received.lock().unwrap().clone()
    }
}
