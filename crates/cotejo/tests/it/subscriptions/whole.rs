//! A subscription from its making to its receipts, at a bank over real HTTP: paid in time, late, and in dollars whose rate
//! changes meanwhile.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::receiver::{Receiver, is_signed};
use testkit::{Owner, Principal, Setup, TestApp, both_engines};

use super::payer_page::{open, page_of, press};
use super::{cycles, day_comes, details, id, link_of, make};
use crate::bdv;
use crate::exchange_rate::record_dollar;
use crate::pay::rates::{OUTSIDE, hold};
use crate::pay::{THEIRS, follow, info, said, send, status, text};
use crate::webhooks::secret;

const AT_ONCE: Duration = Duration::ZERO;

/// Longer than the bank wants between two looks at an account.
const MOMENT: Duration = Duration::from_secs(3);

const FIRST_PERIOD: &str = "del 20 de noviembre al 19 de diciembre de 2026";
const SECOND_PERIOD: &str = "del 20 de diciembre de 2026 al 19 de enero de 2027";

/// A merchant with an account at the simulated bank, and the system that is notified of its links.
struct Shop {
    bank: SimulatedBank,
    app: TestApp,
    owner: Owner,
    account: String,
    /// The key of its webhooks' signatures.
    secret: String,
    receiver: Receiver,
}

impl Shop {
    async fn open(setup: Setup) -> Self {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let (account, secret) = (bdv::link(&owner).await, secret(&owner).await);
        let receiver = Receiver::with_status(200);
        Self { bank, app, owner, account, secret, receiver }
    }

    /// A monthly subscription that is paid first, whose links are reported.
    async fn subscribe(&self, mut more: Value) -> Subscribed {
        more["webhook_url"] = json!(self.receiver.url());
        let made = make(&self.owner.key, &self.account, more).await;
        assert_eq!((&made["livemode"], &made["status"]), (&json!(true), &json!("pending")));
        Subscribed { id: id(&made), page: page_of(&made) }
    }

    async fn link(&self, of: &Subscribed, cycle: i64) -> String {
        link_of(&self.owner.key, &of.id, cycle).await
    }

    async fn cycles(&self, of: &Subscribed) -> Vec<String> {
        cycles(&self.owner.key, &of.id).await
    }

    /// Types a reference into a link's page, as a payer who saw that amount in hundredths, and returns the page's message.
    async fn submit(&self, link: &str, reference: &str, seen: &str) -> String {
        let payer = self.app.nobody();
        let mut fields = vec![("reference", reference), ("seen", seen)];
        fields.extend(THEIRS);
        let answer = send(&payer, &format!("/pay/{link}"), &fields).await;
        said(&text(&follow(&payer, &answer).await))
    }

    /// Waits for so many webhooks and for everything under way: there are no more of them, and each is signed.
    async fn received(&self, count: usize) -> Vec<Value> {
        let received = self.receiver.received(count).await;
        self.app.settle().await;
        assert_eq!((received.len(), self.receiver.requests()), (count, count));
        let body = |asked| {
            assert!(is_signed(asked, &self.secret, "Service"), "{asked:?}");
            serde_json::from_str::<Value>(&asked.body).unwrap()
        };
        received.iter().map(body).collect()
    }

    /// Opens a receipt's page, which says all of this, and has its PDF made.
    async fn check_receipt(&self, path: &str, parts: &[&str]) {
        let payer = self.app.nobody();
        let page = text(&payer.get(path).await);
        for part in parts {
            assert!(page.contains(part), "{part}: {page}");
        }
        let pdf = payer.get(&format!("{path}/pdf")).await;
        assert_eq!((pdf.status, pdf.header("content-type")), (200, Some("application/pdf")));
        assert!(pdf.body.starts_with(b"%PDF"), "{path}");
    }

    /// Opens the payer's page, which says this of the subscription, and lists each period as paid, with its receipt.
    async fn check_page(&self, of: &Subscribed, standing: &str, paid: &[(&str, &str)]) {
        let page = open(&self.app.nobody(), &of.page).await;
        assert_eq!(said(&page), standing);
        let listed = page.split("id=\"paid\">").nth(1).unwrap_or_default();
        for (period, receipt) in paid {
            assert!(listed.contains(period), "{period}: {page}");
            assert!(listed.contains(&format!("href=\"{receipt}\">Ver comprobante")), "{page}");
        }
        assert_eq!(page.matches("Ver comprobante").count(), paid.len(), "{page}");
    }
}

/// A subscription, and the path of its payer's page.
struct Subscribed {
    id: String,
    page: String,
}

/// Checks that a webhook is about the link of a cycle that ended so, of real money.
#[track_caller]
fn check_event(event: &Value, of: &Subscribed, link: &str, status: &str) {
    let reported = &event["payment_link"];
    assert_eq!((&event["status"], &event["payment_link_id"]), (&json!(status), &json!(link)));
    assert_eq!((&reported["id"], &reported["status"]), (&json!(link), &json!(status)));
    let cycle = (&reported["type"], &reported["with_subscription_id"]);
    assert_eq!(cycle, (&json!("subscription"), &json!(of.id)));
    assert_eq!(event["livemode"], true);
}

/// Returns the path of the receipt that a webhook about a paid link leads to.
#[track_caller]
fn receipt_of(event: &Value) -> String {
    let url = event["user_bank_payment"]["receipt_url"].as_str().expect("the address of a receipt");
    let (_, address) = url.split_once("/recibo/").expect("the address of a page");
    format!("/recibo/{address}")
}

/// The numbers and the paths of the receipts, the latest first.
async fn receipts(caller: &Principal) -> Vec<(i64, String)> {
    let listed = caller.get("/v1/receipts").await.ok()["receipts"].clone();
    let shown = |receipt: &Value| {
        let (_, address) = receipt["url"].as_str().unwrap().split_once("/recibo/").unwrap();
        (receipt["number"].as_i64().unwrap(), format!("/recibo/{address}"))
    };
    listed.as_array().unwrap().iter().map(shown).collect()
}

/// Pays the first cycle by its link, and returns the path of the receipt.
async fn pay_in_time(shop: &Shop, of: &Subscribed) -> String {
    let link = shop.link(of, 1).await;
    shop.bank.pay("000079912345", 15_075, AT_ONCE);
    assert_eq!(shop.submit(&link, "912345", "15075").await, "Pago confirmado");
    let events = shop.received(1).await;
    check_event(&events[0], of, &link, "paid");
    assert_eq!(events[0]["user_bank_payment"]["amount"], json!(150.75));
    let receipt = receipt_of(&events[0]);
    shop.check_receipt(&receipt, &["N.º 000001", "Bs. 150,75", FIRST_PERIOD]).await;
    shop.check_page(of, "Está al día", &[(FIRST_PERIOD, &receipt)]).await;
    assert_eq!(details(&shop.owner.key, &of.id).await["status"], "active");
    receipt
}

/// Lets the second cycle open on its day and lapse on another, and returns its link, which failed.
async fn let_lapse(shop: &Shop, of: &Subscribed) -> String {
    let first = shop.link(of, 1).await;
    day_comes(&shop.app, "2026-12-16").await;
    assert_eq!(shop.cycles(of).await, ["1 paid 2026-11-20 paid"]);
    day_comes(&shop.app, "2026-12-17").await;
    let opened = ["2 open 2026-12-20 pending", "1 paid 2026-11-20 paid"];
    assert_eq!(shop.cycles(of).await, opened);
    let link = shop.link(of, 2).await;
    assert_ne!(link, first);
    day_comes(&shop.app, "2026-12-23").await;
    assert_eq!(shop.cycles(of).await, opened);
    day_comes(&shop.app, "2026-12-24").await;
    let lapsed = ["2 lapsed 2026-12-20 failed", "1 paid 2026-11-20 paid"];
    assert_eq!(shop.cycles(of).await, lapsed);
    let events = shop.received(2).await;
    check_event(&events[1], of, &link, "failed");
    assert_eq!(events[1]["user_bank_payment"], Value::Null);
    let known = info(&shop.owner.key, &link).await;
    assert_eq!(events[1]["payment_link"]["status_detail"], known["status_detail"]);
    assert!(known["status_detail"].is_string(), "{known}");
    link
}

/// Pays the second cycle from the payer's page, by another link than the failed one, and returns the path of the receipt.
async fn pay_late(shop: &Shop, of: &Subscribed, failed: &str) -> String {
    shop.app.clock().advance(MOMENT);
    let place = press(&shop.app.nobody(), &format!("{}/pay/2", of.page)).await;
    let link = place.strip_prefix("/pay/").expect("a link").to_owned();
    assert_ne!(link, failed);
    assert_eq!(shop.link(of, 2).await, link);
    shop.bank.pay("000079954321", 15_075, AT_ONCE);
    assert_eq!(shop.submit(&link, "954321", "15075").await, "Pago confirmado");
    let events = shop.received(3).await;
    check_event(&events[2], of, &link, "paid");
    let receipt = receipt_of(&events[2]);
    shop.check_receipt(&receipt, &["N.º 000002", "Bs. 150,75", SECOND_PERIOD]).await;
    receipt
}

both_engines! {
    async fn a_subscription_is_paid_in_time_and_then_late_and_each_payment_has_its_receipt(setup: Setup) {
        let shop = Shop::open(setup).await;
        let of = shop.subscribe(json!({})).await;
        let first = pay_in_time(&shop, &of).await;
        let failed = let_lapse(&shop, &of).await;
        shop.check_page(&of, "Tiene un pago atrasado", &[(FIRST_PERIOD, &first)]).await;
        let second = pay_late(&shop, &of, &failed).await;

        let paid = ["2 paid 2026-12-20 paid", "1 paid 2026-11-20 paid"];
        assert_eq!(shop.cycles(&of).await, paid);
        assert_eq!(status(&shop.owner.key, &failed).await, "failed");
        shop.check_page(&of, "Está al día", &[(SECOND_PERIOD, &second), (FIRST_PERIOD, &first)]).await;
        assert_eq!(receipts(&shop.owner.key).await, [(2, second), (1, first)]);
        let settled = details(&shop.owner.key, &of.id).await;
        assert_eq!((&settled["renovationCount"], &settled["isPastDue"]), (&json!(2), &json!(false)));
        assert_eq!(settled["renovationDate"], "2027-01-20");
        assert_eq!(shop.app.audit().await, []);
    }

    async fn a_cycle_in_dollars_opens_at_the_rate_of_that_day_and_is_paid_at_that_of_another(setup: Setup) {
        let shop = Shop::open(setup).await;
        let (key, payer) = (&shop.owner.key, shop.app.nobody());
        record_dollar(&shop.app, "872.3927", "2026-11-19", "2026-11-20").await;
        let product = json!({ "productName": "Gimnasio", "productPrice": 10 });
        let more = json!({ "currency": "USD", "cycles": 1, "uniqueProduct": product });
        let of = shop.subscribe(more).await;
        let link = shop.link(&of, 1).await;
        let known = info(key, &link).await;
        let rate = (&known["rate_exchange"], &known["rate_updated_at"]);
        assert_eq!(rate, (&json!(872.3927), &json!("2026-11-20T12:00:00.000Z")));
        let page = text(&payer.get(&format!("/pay/{link}")).await);
        assert!(page.contains("<p class=\"amount\">Bs. 8.723,93</p>"), "{page}");

        day_comes(&shop.app, "2026-11-21").await;
        record_dollar(&shop.app, "891.25", "2026-11-20", "2026-11-21").await;
        let page = text(&payer.get(&format!("/pay/{link}")).await);
        assert!(page.contains("Ver el monto de ahora"), "{page}");
        assert_eq!(hold(&payer, &link).await.status, 303);
        let page = text(&payer.get(&format!("/pay/{link}")).await);
        assert!(page.contains("Son USD 10,00 a la tasa de 891,25 (BCV, fecha valor 21/11/2026)."), "{page}");
        // Nobody holds the amount of yesterday any more.
        shop.bank.pay("000033300003", 872_393, AT_ONCE);
        assert_eq!(shop.submit(&link, "300003", "872393").await, OUTSIDE);
        assert_eq!(shop.cycles(&of).await, ["1 open 2026-11-20 pending"]);
        shop.app.clock().advance(MOMENT);
        shop.bank.pay("000044400004", 891_250, AT_ONCE);
        assert_eq!(shop.submit(&link, "400004", "891250").await, "Pago confirmado");

        let events = shop.received(1).await;
        check_event(&events[0], &of, &link, "paid");
        let answer = key.get(&format!("/paymentlink/{link}/info")).await.ok();
        let price = json!({
            "amount": 10.0, "currency": "USD", "rate": 891.25, "value_date": "2026-11-21", "source": "BCV",
        });
        for payment in [&events[0]["user_bank_payment"], &answer["data"]["user_bank_payment"]] {
            assert_eq!((&payment["price"], &payment["amount"]), (&price, &json!(8_912.5)));
        }
        let receipt = receipt_of(&events[0]);
        let rate = "Bs. 891,25 por USD (BCV, fecha valor 21/11/2026)";
        shop.check_receipt(&receipt, &["N.º 000001", "Bs. 8.912,50", "USD 10,00", rate]).await;
        shop.check_page(&of, "Está al día", &[("USD 10,00", &receipt)]).await;
        day_comes(&shop.app, "2026-12-20").await;
        shop.check_page(&of, "Terminó", &[(FIRST_PERIOD, &receipt)]).await;
        assert_eq!(details(key, &of.id).await["status"], "completed");
        assert_eq!(shop.app.audit().await, []);
    }
}
