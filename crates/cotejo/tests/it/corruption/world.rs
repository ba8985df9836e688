//! A small world in which everything that is about money is there at least once.

use std::time::Duration;

use app::delivery_days::DeliveryDay;
use app::queue::pass;
use domain::bank_text::BankText;
use domain::ids::{BankId, MovementId, OwnerId};
use domain::matching::{PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::reference::BankReference;
use domain::time::CaracasDate;
use serde_json::{Value, json};
use store::tx::Tx;
use store::{Lane, Meter, accounts, movements};
use testkit::picture::{RED, png};
use testkit::receiver::Receiver;
use testkit::{Owner, Principal, Setup, TestApp};
use tokio::task::yield_now;

use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::exchange_rate::record_dollar;
use crate::pay::{make, paid_with, pay, send};
use crate::slow_bank::{LOST_REFERENCE, about, time_out};
use crate::webhooks::feed::feed;

/// A day, and the time after which it is sealed.
const DAY_AND_MARGIN: Duration = Duration::from_secs(27 * 60 * 60);

/// An owner whose bank sends notices, and everything that happened to it.
pub(super) struct World {
    pushed: PushedAccount,
    // They answer as long as they are there.
    _receivers: [Receiver; 3],
}

impl World {
    pub(super) async fn make(setup: Setup) -> Self {
        let pushed = PushedAccount::by_nobody(setup).await;
        let receivers = [200, 410, 503].map(Receiver::with_status);
        let [well, gone, failing] = receivers.each_ref().map(Receiver::url);
        let (app, owner) = (&pushed.app, &pushed.owner);
        chosen(owner, &well).await;
        noticed(&pushed).await;
        paid_after_all(&pushed, &well).await;
        of_the_same_bank(&pushed).await;
        of_a_client(app, owner, &well).await;
        asked(owner).await;
        employed(owner).await;

        let webhook = |url: &str| {
            json!({
                "webhook_url": url, "redirect_url": url, "metadata": { "pedido": "A-7" }
            })
        };
        let link = async |more: Value| make(&owner.key, &owner.bank, more).await;
        paid_with(&app.nobody(), &link(webhook(&well)).await, "267890").await;
        in_dollars(app, owner).await;
        let canceled = link(json!({})).await;
        end(&owner.key, &canceled, "cancel").await;
        let mut expiring = webhook(&well);
        expiring["expiration_time"] = json!(60);
        link(expiring.clone()).await;
        end(&owner.key, &link(webhook(&gone)).await, "reject").await;
        feed(owner, "").await;
        attempted(app).await;

        // Signed in as long as the owner is.
        let limited = owner.key_with(&["payment_links"]).await;
        owner.set_limit(&limited, json!(0)).await.ok();

        // What was delivered is sealed, and of a link the time is over.
        app.clock().advance(DAY_AND_MARGIN);
        while app.database().number("select count(*) from webhook_days") == 0 {
            pass::<DeliveryDay>(app.app(), &|| false).await.unwrap();
            yield_now().await;
        }
        app.settle().await;
        attempted(app).await;

        link(expiring).await;
        owner.key.verify(&owner.bank, about("767890")).await.ok();
        refused_check(app, owner, &limited).await;
        twin(app, owner).await;
        time_out(app, &owner.key, &owner.bank, LOST_REFERENCE).await;
        // What fails waits for its next attempt: the clock stands still from here.
        end(&owner.key, &link(webhook(&failing)).await, "reject").await;
        attempted(app).await;
        Self { pushed, _receivers: receivers }
    }

    /// Ends the service where it stands, so that nothing puts right what is altered, and one search stays open.
    pub(super) fn crash(mut self) -> Self {
        self.pushed.app.crash();
        self
    }

    pub(super) fn app(&self) -> &TestApp {
        &self.pushed.app
    }

    /// The id of the owner, as a query.
    pub(super) fn owner_id(&self) -> String {
        let email = &self.pushed.owner.email;
        format!("(select owner_id from owner_profiles where email = '{email}')")
    }
}

/// Sets up what the owner wants to be notified of.
async fn chosen(owner: &Owner, url: &str) {
    let settings = json!({ "max_attempts": 9, "announce_expiry": true });
    owner.put("/v1/payment-link-settings", settings).await.ok();
    let logo = owner.request("PUT", "/v1/profile/logo").body(png(16, 16, |_, _| RED));
    logo.send().await.ok();
    let endpoint = json!({ "url": url, "low_balance_levels": [500, 100] });
    owner.put("/v1/webhooks/endpoint", endpoint).await.ok();
    owner.grant(10).await;
    owner.grant(-5).await;
}

/// A payment that the bank notifies of, and that is claimed.
async fn noticed(pushed: &PushedAccount) {
    assert_eq!(codigo(&pushed.notify(pushed.secret(), notice("0134", "678912")).await), "00");
    let asked = json!({ "bank_reference": "678912", "amount": 150.75 });
    pushed.owner.key.verify(&pushed.account, asked).await.ok();
}

/// A link that is called off, which is reported, and paid all the same with what the bank notifies of.
async fn paid_after_all(pushed: &PushedAccount, url: &str) {
    let PushedAccount { owner, account, .. } = pushed;
    assert_eq!(codigo(&pushed.notify(pushed.secret(), notice("0134", "679913")).await), "00");
    let link = make(&owner.key, account, json!({ "webhook_url": url })).await;
    end(&owner.key, &link, "cancel").await;
    let page = owner.get(&format!("/movements/{account}")).await.ok();
    let mut movements = page["movements"].as_array().unwrap().iter();
    let movement = movements.find(|movement| movement["claimed"] == false).unwrap();
    let body = json!({ "movement_id": movement["id"] });
    owner.post(&format!("/v1/paymentlink/{link}/accept"), body).await.ok();
}

/// Payments between two customers of the bank: one known by its receipt, and one that its payer confirmed.
async fn of_the_same_bank(pushed: &PushedAccount) {
    let PushedAccount { owner, account, .. } = pushed;
    let verify = async |amount: u32, reference: &str| {
        pushed.app.clock().advance(Duration::from_secs(3));
        let body = json!({
            "bank_reference": reference, "amount": amount, "fecha_pago": "2026-11-20", "dni_pagador": "V12345678",
        });
        owner.key.verify(account, body).await
    };
    let pay = |receipt: &str, amount: i64| {
        pushed.bank.pay_same_bank(receipt, amount, "V12345678", Duration::ZERO);
    };
    pay("000079912345", 9_900);
    let mut body = notice("0102", "000079912345");
    body["monto"] = json!("99.0");
    assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
    verify(99, "79912345").await.ok();

    // One of which the bank has not listed the payment yet, and one of another bank's customer over as much.
    for (bank, reference) in [("0102", "000079967890"), ("0134", "000079911111")] {
        let mut body = notice(bank, reference);
        body["monto"] = json!("97.0");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
    }

    pay("000079954321", 9_800);
    verify(98, "8880001").await.refused(404, "PAYMENT_NOT_FOUND");
    let settings = json!({ "same_bank_by_payer": true });
    owner.put(&format!("/v1/usersbank/{account}/settings"), settings).await.ok();
    verify(98, "8880002").await.ok();
}

/// A client with a quota, a payment and a link of its own.
async fn of_a_client(app: &TestApp, owner: &Owner, url: &str) {
    let client = owner.client(true).await;
    owner.set_quota(&client, json!(100)).await.ok();
    let key = owner.client_key(&client).await;
    let bank = key.link_bank().await;
    key.verify(&bank, about("67890")).await.ok();
    let link = make(&key, &bank, json!({ "webhook_url": url })).await;
    paid_with(&app.nobody(), &link, "367890").await;
}

/// Calls of the default key, one of each end.
async fn asked(owner: &Owner) {
    let asked = json!({ "bank_reference": "1167890", "amount": 150.75 });
    owner.key.verify(&owner.bank, asked.clone()).await.ok();
    assert_eq!(owner.key.verify(&owner.bank, asked).await.ok()["data"]["is_new"], false);
    let limited = owner.key_limited_to(0).await;
    let refused = limited.verify(&owner.bank, about("467890")).await;
    refused.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
    owner.key.verify(&owner.bank, about("555555")).await.refused(404, "PAYMENT_NOT_FOUND");
    let other = json!({ "bank_reference": "110001", "amount": 150.75 });
    let other = owner.key.verify(&owner.bank, other).await;
    other.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
    let several = owner.key.verify(&owner.bank, about("110003")).await;
    several.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
}

/// An employee who works, and one who is invited and has not come yet.
async fn employed(owner: &Owner) {
    let works = owner.employee(1, &["payments:write"]).await;
    works.verify(&owner.bank, about("567890")).await.ok();
    let email = format!("empleado2.{}", owner.email);
    let invited = json!({ "email": email, "name": "Eva", "permissions": ["payments:read"] });
    owner.post("/v1/employees", invited).await.ok();
}

/// A link in dollars, paid at the rate that was held when it was made.
async fn in_dollars(app: &TestApp, owner: &Owner) {
    record_dollar(app, "872.3927", "2026-11-19", "2026-11-20").await;
    let link = make(&owner.key, &owner.bank, json!({ "amount": 10, "currency": "USD" })).await;
    let fields = [("reference", "967890"), ("seen", "872393")];
    assert_eq!(send(&app.nobody(), &format!("/pay/{link}"), &fields).await.status, 303);
}

async fn end(key: &Principal, link: &str, how: &str) {
    key.post(&format!("/v1/paymentlink/{link}/{how}"), json!({})).await.ok();
}

/// Waits until every event was sent once, those among them that report a receiver which fails.
async fn attempted(app: &TestApp) {
    let waiting = "select count(*) from webhook_deliveries where attempts = 0";
    while app.database().number(waiting) > 0 {
        yield_now().await;
    }
}

/// A check of a link that credits refuse, and that ends without anybody being notified.
async fn refused_check(app: &TestApp, owner: &Owner, limited: &Principal) {
    let link = make(limited, &owner.bank, json!({})).await;
    assert_eq!(pay(&app.nobody(), &link, "867890").await.status, 503);
    end(&owner.key, &link, "reject").await;
}

/// A movement that nobody has claimed, alike in account, amount and ending to one that is.
async fn twin(app: &TestApp, owner: &Owner) {
    let now = app.now();
    let id = MovementId::new(&*app.app().ids, now);
    let seen = Sighting {
        reference: BankReference::parse("91167890").unwrap(),
        bank_key: None,
        amount: Bolivars::from_hundredths(15_075),
        paid_on: CaracasDate::of(now),
        paid_at: None,
        payer: PayerFacts::default(),
        description: BankText::default(),
    };
    let (owner, bank): (OwnerId, BankId) = (owner.id.parse().unwrap(), owner.bank.parse().unwrap());
    let job = move |tx: &mut Tx<'_>| {
        let account = accounts::find(tx, owner, bank)?.unwrap();
        movements::insert(tx, owner, account.identity, &seen.clone().into_movement(id), now)
    };
    app.app().store.write(&Meter::default(), Lane::Admission, owner, job).await.unwrap();
}
