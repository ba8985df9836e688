//! Links in other currencies: a rate is held when one is made, and then when a payer asks for it; the payer sees what is owed
//! in bolívares, and pays that while it is owed.

use std::time::Duration;

use domain::ids::{LinkId, OwnerId, RateLockId};
use domain::rates::RateLock;
use domain::time::Timestamp;
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::links::{self, HeldRate, Link};
use store::rate_locks;
use store::tx::Tx;
use testkit::bank::SimulatedBank;
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines};

use super::{THEIRS, follow, info, make, said, send, status, text};
use crate::bdv::{link, start};
use crate::changed::after;
use crate::exchange_rate::record_dollar;

/// Message about a payment that was made while its amount was not owed.
pub(crate) const OUTSIDE: &str = "Su pago no se hizo mientras valía ese monto";

/// A merchant with an account at the simulated bank and a link for ten dollars there, on a day with a rate. It is eight
/// in the morning in Caracas, and the rate is held until nine.
struct Shop {
    bank: SimulatedBank,
    app: TestApp,
    owner: Owner,
    account: String,
    link: String,
}

impl Shop {
    async fn open(setup: Setup) -> Self {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        record_dollar(&app, "872.3927", "2026-11-19", "2026-11-20").await;
        let link = ten_dollars(&owner, &account).await;
        Self { bank, app, owner, account, link }
    }

    fn payer(&self) -> Principal {
        self.app.nobody()
    }

    async fn page(&self) -> String {
        text(&self.payer().get(&format!("/pay/{}", self.link)).await)
    }

    async fn hold(&self) -> Response {
        hold(&self.payer(), &self.link).await
    }

    /// Types that reference as a payer who saw that amount, and returns the page's message.
    async fn submit(&self, reference: &str, seen: &str) -> String {
        let mut fields = vec![("reference", reference), ("seen", seen)];
        fields.extend(THEIRS);
        let path = format!("/pay/{}", self.link);
        let answer = send(&self.payer(), &path, &fields).await;
        said(&text(&follow(&self.payer(), &answer).await))
    }

    fn later(&self, minutes: u64) {
        self.app.clock().advance(Duration::from_secs(60 * minutes));
    }

    fn locks(&self) -> i64 {
        self.app.database().number("select count(*) from rate_locks")
    }

    /// For how many minutes a rate is held that is held for the shortest.
    fn shortest(&self) -> i64 {
        let lasts = "select min(ends_at - locked_at) / 60000000 from rate_locks";
        self.app.database().number(lasts)
    }

    /// Changes the link, and returns it as the call answers it.
    async fn change(&self, body: Value) -> Value {
        let path = format!("/paymentlink/{}/patch", self.link);
        let answer = self.owner.key.request("PATCH", &path).json(&body).send().await;
        answer.ok()["paymentlink"].clone()
    }
}

/// The rate that the link says, and since when it is held.
fn held(link: &Value) -> (Value, Value) {
    (link["rate_exchange"].clone(), link["rate_updated_at"].clone())
}

async fn ten_dollars(owner: &Owner, account: &str) -> String {
    make(&owner.key, account, json!({ "amount": 10, "currency": "USD" })).await
}

/// Presses the button that has a rate held.
pub(crate) async fn hold(payer: &Principal, link: &str) -> Response {
    send(payer, &format!("/pay/{link}/rate"), &[]).await
}

/// The amounts that the form is sent with, in hundredths, and the chosen one first.
fn amounts(page: &str) -> Vec<String> {
    let inputs = page.split("name=\"seen\" value=\"").skip(1);
    let mut amounts: Vec<(bool, String)> = inputs
        .map(|rest| {
            let (value, more) = rest.split_once('"').unwrap();
            (!more.split('>').next().unwrap().contains("checked"), value.to_owned())
        })
        .collect();
    amounts.sort_by_key(|(is_other, _)| *is_other);
    amounts.into_iter().map(|(_, value)| value).collect()
}

both_engines! {
    async fn a_link_in_dollars_says_at_once_how_many_bolivares_it_asks_for(setup: Setup) {
        let shop = Shop::open(setup).await;
        let body = json!({
            "amount": 10, "currency": "USD", "description": "Pedido 8", "user_bank_id": shop.account,
            "rate_expiration_time": 30,
        });
        let once = async |body: &Value| {
            let call = shop.owner.key.request("POST", "/v1/paymentlink");
            call.header("Idempotency-Key", "pedido-8").json(body).send().await
        };
        let made = once(&body).await;
        let link = made.ok()["paymentlink"].clone();
        assert_eq!(held(&link), (json!(872.3927), json!("2026-11-20T12:00:00.000Z")));
        assert_eq!(info(&shop.owner.key, link["id"].as_str().unwrap()).await, link);
        assert_eq!(shop.shortest(), 30);
        // The same request again, and a link in bolívares, hold none.
        assert_eq!((once(&body).await.body, shop.locks()), (made.body, 2));
        let plain = make(&shop.owner.key, &shop.account, json!({})).await;
        let plain = info(&shop.owner.key, &plain).await;
        assert_eq!((held(&plain), shop.locks()), ((json!(1.0), Value::Null), 2));
        assert_eq!(shop.app.audit().await, []);
    }

    async fn a_link_in_dollars_is_paid_at_the_rate_that_is_held_since_it_was_made(setup: Setup) {
        let shop = Shop::open(setup).await;
        let page = shop.page().await;
        for shown in [
            "<p class=\"amount\">Bs. 8.723,93</p>",
            "Son USD 10,00 a la tasa de 872,3927 (BCV, fecha valor 20/11/2026).",
            "Este monto vale hasta el 20/11/2026, 09:00 (hora de Caracas).",
            "data-copy=\"8723,93\"",
        ] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        assert_eq!(amounts(&page), ["872393"]);
        assert!(!page.contains("/rate\""), "there is no button: {page}");
        // To open the page again, or to send what the button would, changes nothing while the rate is held.
        shop.later(30);
        assert_eq!(amounts(&shop.page().await), ["872393"]);
        assert_eq!((shop.hold().await.status, shop.locks()), (303, 1));
        let answer = info(&shop.owner.key, &shop.link).await;
        assert_eq!(held(&answer), (json!(872.3927), json!("2026-11-20T12:00:00.000Z")));

        shop.bank.pay("000079912345", 872_393, Duration::ZERO);
        assert_eq!(shop.submit("912345", "872393").await, "Pago confirmado");
        let answer = info(&shop.owner.key, &shop.link).await;
        assert_eq!((&answer["status"], &answer["rate_exchange"]), (&json!("paid"), &json!(872.3927)));
        assert_eq!((&answer["amount"], &answer["currency"]), (&json!(10.0), &json!("USD")));
        assert!(shop.page().await.contains("Son USD 10,00 a la tasa de 872,3927"));
    }

    async fn a_payment_is_taken_by_the_rate_that_was_held_when_it_was_made(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.bank.pay("000011100001", 872_393, Duration::ZERO);
        shop.later(59);
        assert_eq!(amounts(&shop.page().await), ["872393"]);
        shop.later(31);
        // To open the page, or to show a preview of it, holds nothing.
        let page = shop.page().await;
        assert_eq!((shop.page().await, shop.locks()), (page.clone(), 1));
        assert!(page.contains("El monto en bolívares venció"), "{page}");
        assert!(page.contains("Ver el monto de ahora") && page.contains("/rate\""), "{page}");
        assert!(page.contains("Si ya pagó, confirme su pago") && !page.contains("data-copy"), "{page}");
        assert_eq!(amounts(&page), ["872393"]);

        // The rate of the day is corrected, and the payer asks for the amount of now.
        record_dollar(&shop.app, "880", "2026-11-19", "2026-11-20").await;
        assert_eq!((shop.hold().await.status, shop.locks()), (303, 2));
        let page = shop.page().await;
        assert!(page.contains("<p class=\"amount\">Bs. 8.800,00</p>"), "{page}");
        assert_eq!(amounts(&page), ["880000", "872393"]);
        assert!(page.contains("Cuánto pagó") && page.contains("Bs. 8.723,93 (20/11/2026, 08:00)"));
        // An amount that was never owed is asked about again.
        let path = format!("/pay/{}", shop.link);
        let wrong = send(&shop.payer(), &path, &[("reference", "111000"), ("seen", "872394")]).await;
        assert_eq!((wrong.status, said(&text(&wrong)).as_str()), (409, "El monto cambió"));

        assert_eq!(shop.submit("100001", "872393").await, "Pago confirmado");
        let answer = info(&shop.owner.key, &shop.link).await;
        assert_eq!(answer["rate_exchange"], json!(872.3927), "the rate that it was paid by");

        // The same by the second rate, on another link.
        shop.link = ten_dollars(&shop.owner, &shop.account).await;
        shop.bank.pay("000022200002", 880_000, Duration::ZERO);
        shop.later(1);
        assert_eq!(shop.submit("200002", "880000").await, "Pago confirmado");
        assert_eq!(info(&shop.owner.key, &shop.link).await["rate_exchange"], json!(880.0));
    }

    async fn a_payment_of_another_time_pays_only_by_a_persons_decision(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.bank.pay("000033300003", 872_393, Duration::ZERO);
        shop.later(6);
        // The payer computed the amount by itself, before there was a link.
        shop.link = ten_dollars(&shop.owner, &shop.account).await;
        assert_eq!(shop.submit("300003", "872393").await, OUTSIDE);
        shop.later(70);
        shop.bank.pay("000044400004", 872_393, Duration::ZERO);
        assert_eq!(shop.submit("400004", "872393").await, OUTSIDE);
        shop.later(1);
        // A person who does not know who paid learns nothing.
        let path = format!("/pay/{}", shop.link);
        let fields = [("reference", "400004"), ("seen", "872393"), ("phone", "04149999999")];
        let stranger = send(&shop.payer(), &path, &fields).await;
        assert_eq!(said(&text(&follow(&shop.payer(), &stranger).await)), "Todavía no encontramos su pago");
        shop.owner.sign_in_again().await;
        assert_eq!(status(&shop.owner, &shop.link).await, "pending");
        // The owner is notified of both movements, once each, however often they are asked about.
        let notices = shop.owner.get("/v1/notices").await.ok()["notices"].clone();
        let listed: Vec<_> = notices.as_array().unwrap().iter().collect();
        assert_eq!(listed.len(), 2, "{notices}");
        for notice in listed {
            let about = (&notice["kind"], &notice["payment_link_id"], &notice["times"]);
            assert_eq!(about, (&json!("payment_outside_rate"), &json!(shop.link), &json!(1)));
        }

        let path = format!("/movements/{}", shop.account);
        let movements = shop.owner.get(&path).await.ok()["movements"].clone();
        let late = movements.as_array().unwrap().iter().find(|one| {
            one["reference"].as_str().is_some_and(|reference| reference.ends_with("400004"))
        });
        assert_eq!(notices[0]["subject"], late.unwrap()["id"]);
        let body = json!({ "movement_id": late.unwrap()["id"] });
        let path = format!("/v1/paymentlink/{}/accept", shop.link);
        let paid = shop.owner.post(&path, body).await.ok();
        assert_eq!(paid["paymentlink"]["status"], json!("paid"));
        assert_eq!(paid["paymentlink"]["rate_exchange"], json!(872.3927));
    }

    async fn who_names_the_wrong_amount_or_is_late_has_not_used_the_link_up(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let once = json!({ "max_attempts": 1, "announce_expiry": false });
        shop.owner.put("/v1/payment-link-settings", once).await.ok();
        shop.bank.pay("000077700007", 872_393, Duration::ZERO);
        shop.later(61);
        record_dollar(&shop.app, "880", "2026-11-19", "2026-11-20").await;
        shop.hold().await;
        let page = shop.page().await;
        assert!(amounts(&page).len() == 2 && !page.contains("checked"), "the payer says which: {page}");
        assert_eq!(shop.submit("700007", "880000").await, "El pago llegó con otro monto");
        shop.later(1);
        assert_eq!(shop.submit("700007", "872393").await, "Pago confirmado");

        shop.link = ten_dollars(&shop.owner, &shop.account).await;
        shop.later(70);
        shop.bank.pay("000088800008", 880_000, Duration::ZERO);
        assert_eq!(shop.submit("800008", "880000").await, OUTSIDE);
        assert_eq!(status(&shop.owner.key, &shop.link).await, "pending");
    }

    async fn minutes_between_the_clocks_of_bank_and_service_cost_nobody_a_payment(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.bank.pay("000033300003", 872_393, Duration::ZERO);
        shop.later(4);
        shop.link = ten_dollars(&shop.owner, &shop.account).await;
        assert_eq!(shop.submit("300003", "872393").await, "Pago confirmado");
    }

    async fn another_price_ends_what_is_held_and_begins_anew(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.later(1);
        shop.bank.pay("000055500005", 872_393, Duration::ZERO);
        shop.later(10);
        let first = (json!(872.3927), json!("2026-11-20T12:00:00.000Z"));
        for same in [json!({ "description": "Pedido 8" }), json!({ "amount": 10, "currency": "USD" })] {
            assert_eq!(held(&shop.change(same).await), first, "the price is the same");
        }
        assert_eq!((amounts(&shop.page().await), shop.locks()), (vec!["872393".to_owned()], 1));
        record_dollar(&shop.app, "880", "2026-11-19", "2026-11-20").await;
        let changed = shop.change(json!({ "amount": 20 })).await;
        assert_eq!(held(&changed), (json!(880.0), json!("2026-11-20T12:11:00.000Z")));
        let page = shop.page().await;
        assert!(page.contains("<p class=\"amount\">Bs. 17.600,00</p>"), "{page}");
        assert_eq!(amounts(&page), ["1760000"]);
        // It is held for everybody: the button that another page still has changes nothing.
        assert_eq!((shop.hold().await.status, shop.locks()), (303, 2));
        let over = "select count(*) from rate_locks where ends_at - locked_at = 660000000";
        assert_eq!(shop.app.database().number(over), 1, "the former one has ended");
        let fields = [&[("reference", "500005"), ("seen", "872393")], THEIRS].concat();
        let former = send(&shop.payer(), &format!("/pay/{}", shop.link), &fields).await;
        assert_eq!(said(&text(&former)), "El monto cambió");
        // A payer of the former price has paid it once the link asks for that again, by the rate of then.
        shop.later(10);
        let changed = shop.change(json!({ "amount": 10 })).await;
        assert_eq!(held(&changed), (json!(880.0), json!("2026-11-20T12:21:00.000Z")));
        assert_eq!(amounts(&shop.page().await), ["880000", "872393"]);
        assert_eq!(shop.submit("500005", "872393").await, "Pago confirmado");
        let paid = info(&shop.owner.key, &shop.link).await;
        assert_eq!((&paid["status"], held(&paid)), (&json!("paid"), first));
        assert_eq!(shop.app.audit().await, []);
    }

    async fn another_currency_ends_what_is_held_and_begins_anew_where_a_rate_serves(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.later(1);
        let none = (Value::Null, Value::Null);
        assert_eq!(held(&shop.change(json!({ "currency": "EUR" })).await), none);
        let page = shop.page().await;
        assert_eq!(said(&page), "Este enlace no se puede pagar ahora");
        assert!(page.contains("EUR 10,00") && amounts(&page).is_empty(), "{page}");
        assert_eq!(held(&shop.change(json!({ "currency": "VEF" })).await), (json!(1.0), Value::Null));
        assert_eq!((amounts(&shop.page().await), shop.locks()), (vec!["1000".to_owned()], 1));
        let now = json!("2026-11-20T12:01:00.000Z");
        assert_eq!(held(&shop.change(json!({ "currency": "USD" })).await), (json!(872.3927), now));
        assert_eq!((amounts(&shop.page().await), shop.locks()), (vec!["872393".to_owned()], 2));
    }

    async fn a_link_that_asks_in_another_currency_meanwhile_is_asked_about_again(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        // In bolívares it asks for as much as the other one does in dollars.
        let plain = make(&shop.owner.key, &shop.account, json!({ "amount": 8_723.93 })).await;
        shop.bank.pay("000011200012", 872_393, Duration::ZERO);
        let (id, other, now): (LinkId, LinkId, _) =
            (plain.parse().unwrap(), shop.link.parse().unwrap(), shop.app.now());
        let in_dollars = move |tx: &mut Tx<'_>, owner: OwnerId| {
            let link = links::find(tx, owner, id)?.expect("a link");
            let held = rate_locks::latest(tx, owner, other)?.pop().expect("a lock");
            let lock = RateLock { id: RateLockId::from_bytes([7; 16]), ..held };
            let held_rate = Some(HeldRate::of(&lock));
            links::change(tx, owner, &Link { price: lock.price, held_rate, ..link }, now)?;
            rate_locks::insert(tx, owner, id, &lock)
        };
        let fields = [&[("reference", "200012"), ("seen", "872393")], THEIRS].concat();
        let (payer, path) = (shop.payer(), format!("/pay/{plain}"));
        let sent = send(&payer, &path, &fields);
        let answer = after(&shop.app, shop.owner.id.parse().unwrap(), in_dollars, sent).await;
        assert_eq!((answer.status, said(&text(&answer)).as_str()), (409, "El monto cambió"));
        assert_eq!(status(&shop.owner.key, &plain).await, "pending");
        shop.link = plain;
        assert_eq!(shop.submit("200012", "872393").await, "Pago confirmado");
        let paid = info(&shop.owner.key, &shop.link).await;
        assert_eq!((&paid["currency"], &paid["rate_exchange"]), (&json!("USD"), &json!(872.3927)));
        assert_eq!(shop.app.audit().await, []);
    }

    async fn no_rate_is_held_for_longer_than_its_link_is_good(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let short = json!({ "amount": 10, "currency": "USD", "expiration_time": 40 });
        shop.link = make(&shop.owner.key, &shop.account, short).await;
        assert_eq!(shop.shortest(), 40);
        shop.later(5);
        // The end comes nearer, and goes further off again: what payers are told does not last longer by that.
        shop.change(json!({ "expiration_time": 10 })).await;
        assert_eq!(shop.shortest(), 15);
        let page = shop.page().await;
        assert!(page.contains("Este monto vale hasta el 20/11/2026, 08:15"), "{page}");
        shop.change(json!({ "expiration_time": 1440 })).await;
        assert_eq!((shop.shortest(), shop.locks()), (15, 2));
        shop.later(10);
        assert!(shop.page().await.contains("El monto en bolívares venció"));
        shop.hold().await;
        assert!(shop.page().await.contains("Este monto vale hasta el 20/11/2026, 09:15"));
        assert_eq!(shop.app.audit().await, []);
    }

    async fn where_no_rate_serves_nothing_is_held_and_the_owner_is_notified(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        // An old rate is none, and a link is made all the same.
        record_dollar(&app, "872.3927", "2026-11-11", "2026-11-12").await;
        let id = ten_dollars(&owner, &link(&owner).await).await;
        assert_eq!(held(&info(&owner.key, &id).await), (Value::Null, Value::Null));
        let payer = app.nobody();
        let page = text(&payer.get(&format!("/pay/{id}")).await);
        assert_eq!(said(&page), "Este enlace no se puede pagar ahora");
        assert!(page.contains("Consultar la tasa otra vez") && amounts(&page).is_empty(), "{page}");
        for _ in 0..2 {
            let answer = hold(&payer, &id).await;
            assert_eq!((answer.status, said(&text(&answer)).as_str()), (409, "Todavía no hay una tasa de cambio"));
        }
        let notices = owner.get("/v1/notices").await.ok()["notices"].clone();
        let notice = (&notices[0]["kind"], &notices[0]["times"], &notices[0]["payment_link_id"]);
        assert_eq!(notice, (&json!("rate_missing"), &json!(2), &json!(id)));
        // The link was not ended by that: with a rate it is paid as any other.
        record_dollar(&app, "880", "2026-11-19", "2026-11-20").await;
        assert_eq!(hold(&payer, &id).await.status, 303);
        assert_eq!(app.database().number("select count(*) from rate_locks"), 1);
    }

    async fn an_amount_that_cannot_be_paid_is_distinguished_from_a_missing_rate(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        record_dollar(&app, "0.001", "2026-11-19", "2026-11-20").await;
        let asked = json!({ "amount": 0.01, "currency": "USD" });
        let id = make(&owner.key, &link(&owner).await, asked).await;
        assert_eq!(held(&info(&owner.key, &id).await), (Value::Null, Value::Null));
        let answer = hold(&app.nobody(), &id).await;
        let said = (answer.status, said(&text(&answer)));
        assert_eq!(said, (409, "Este monto no se puede pagar en bolívares".to_owned()));
        let notices = owner.get("/v1/notices").await.ok()["notices"].clone();
        assert_eq!((&notices[0]["kind"], &notices[0]["payment_link_id"]), (&json!("amount_unpayable"), &json!(id)));
        // With another amount it is paid as any other.
        let path = format!("/paymentlink/{id}/patch");
        let changed = owner.key.request("PATCH", &path).json(&json!({ "amount": 100 })).send().await.ok();
        assert_eq!(changed["paymentlink"]["rate_exchange"], json!(0.001));
    }

    async fn of_many_who_press_at_once_one_holds_the_rate_for_all(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.later(61);
        let all = join_all((0..8).map(|_| shop.hold())).await;
        assert!(all.iter().all(|answer| answer.status == 303));
        assert_eq!(shop.locks(), 2);
    }

    async fn a_rate_is_held_past_midnight_and_the_next_one_is_that_of_the_day(setup: Setup) {
        let shop = Shop::open(setup).await;
        let at = |text: &str| Timestamp::parse(text).unwrap();
        shop.app.clock().advance_to(at("2026-11-20T23:30:00-04:00"));
        record_dollar(&shop.app, "890", "2026-11-20", "2026-11-21").await;
        shop.hold().await;
        shop.app.clock().advance_to(at("2026-11-21T00:10:00-04:00"));
        assert_eq!(amounts(&shop.page().await), ["872393"], "it is tomorrow, and what was told holds");
        shop.bank.pay("000066600006", 872_393, Duration::ZERO);
        shop.app.clock().advance_to(at("2026-11-21T00:31:00-04:00"));
        shop.hold().await;
        assert_eq!(amounts(&shop.page().await), ["890000", "872393"]);
        assert_eq!(shop.submit("600006", "872393").await, "Pago confirmado");
    }

    async fn a_link_that_takes_no_payment_holds_no_rate(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.later(61);
        let key = &shop.owner.key;
        for (act, back) in [("stop", Some("resume")), ("cancel", None)] {
            key.post(&format!("/v1/paymentlink/{}/{act}", shop.link), json!({})).await.ok();
            assert_eq!((shop.hold().await.status, shop.locks()), (303, 1), "{act}");
            if let Some(back) = back {
                key.post(&format!("/v1/paymentlink/{}/{back}", shop.link), json!({})).await.ok();
            }
        }
        // One in bolívares needs none, and one that is nobody's has none.
        let plain = make(&shop.owner.key, &shop.account, json!({})).await;
        assert_eq!(hold(&shop.payer(), &plain).await.status, 303);
        assert_eq!(hold(&shop.payer(), "link_00000000000000000000000000").await.status, 404);
        let elsewhere = shop.payer().request("POST", &format!("/pay/{plain}/rate"));
        let elsewhere = elsewhere.header("sec-fetch-site", "cross-site").send().await;
        assert_eq!((elsewhere.status, shop.locks()), (403, 1));
    }
}
