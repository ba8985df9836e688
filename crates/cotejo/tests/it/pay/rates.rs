//! Links in other currencies: a payer has a rate held, sees what is owed in bolívares, and pays that while it is owed.

use std::time::Duration;

use domain::time::Timestamp;
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines};

use super::{THEIRS, follow, info, make, said, send, status, text};
use crate::bdv::{link, start};
use crate::exchange_rate::record_dollar;

/// Message about a payment that was made while its amount was not owed.
pub(crate) const OUTSIDE: &str = "Su pago no se hizo mientras valía ese monto";

/// A merchant with an account at the simulated bank and a link for ten dollars there, on a day with a rate. It is eight
/// in the morning in Caracas.
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
    async fn a_link_in_dollars_is_paid_at_the_rate_that_its_payer_had_held(setup: Setup) {
        let shop = Shop::open(setup).await;
        // To open the page, or to show a preview of it, holds nothing.
        let page = shop.page().await;
        assert!(page.contains("USD 10,00") && page.contains("Ver el monto en bolívares"), "{page}");
        assert!(!page.contains("8.723,93") && amounts(&page).is_empty(), "{page}");
        assert_eq!((shop.page().await, shop.locks()), (page, 0));

        assert_eq!(shop.hold().await.status, 303);
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
        // The button again, or another payer's, changes nothing while the rate is held.
        shop.later(30);
        assert_eq!((shop.hold().await.status, shop.locks()), (303, 1));
        let answer = info(&shop.owner.key, &shop.link).await;
        let rate = (&answer["rate_exchange"], &answer["rate_updated_at"]);
        assert_eq!(rate, (&json!(872.3927), &json!("2026-11-20T12:00:00.000Z")));

        shop.bank.pay("000079912345", 872_393, Duration::ZERO);
        assert_eq!(shop.submit("912345", "872393").await, "Pago confirmado");
        let answer = info(&shop.owner.key, &shop.link).await;
        assert_eq!((&answer["status"], &answer["rate_exchange"]), (&json!("paid"), &json!(872.3927)));
        assert_eq!((&answer["amount"], &answer["currency"]), (&json!(10.0), &json!("USD")));
        assert!(shop.page().await.contains("Son USD 10,00 a la tasa de 872,3927"));
    }

    async fn a_payment_is_taken_by_the_rate_that_was_held_when_it_was_made(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.hold().await;
        shop.bank.pay("000011100001", 872_393, Duration::ZERO);
        shop.later(90);
        let page = shop.page().await;
        assert!(page.contains("El monto en bolívares venció"), "{page}");
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
        shop.hold().await;
        shop.bank.pay("000022200002", 880_000, Duration::ZERO);
        shop.later(1);
        assert_eq!(shop.submit("200002", "880000").await, "Pago confirmado");
        assert_eq!(info(&shop.owner.key, &shop.link).await["rate_exchange"], json!(880.0));
    }

    async fn a_payment_of_another_time_pays_only_by_a_persons_decision(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.bank.pay("000033300003", 872_393, Duration::ZERO);
        shop.later(6);
        // The payer computed the amount by itself, before any rate was held.
        shop.hold().await;
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
        shop.hold().await;
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
        shop.hold().await;
        shop.later(70);
        shop.bank.pay("000088800008", 880_000, Duration::ZERO);
        assert_eq!(shop.submit("800008", "880000").await, OUTSIDE);
        assert_eq!(status(&shop.owner.key, &shop.link).await, "pending");
    }

    async fn minutes_between_the_clocks_of_bank_and_service_cost_nobody_a_payment(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000033300003", 872_393, Duration::ZERO);
        shop.later(4);
        shop.hold().await;
        assert_eq!(shop.submit("300003", "872393").await, "Pago confirmado");
    }

    async fn another_price_ends_what_is_held(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.hold().await;
        shop.later(1);
        shop.bank.pay("000055500005", 872_393, Duration::ZERO);
        let path = format!("/paymentlink/{}/patch", shop.link);
        let change = async |body: Value| shop.owner.key.request("PATCH", &path).json(&body).send().await;
        change(json!({ "description": "Pedido 8" })).await.ok();
        assert_eq!(amounts(&shop.page().await), ["872393"], "another description changes nothing");
        let changed = change(json!({ "amount": 20 })).await.ok();
        assert_eq!(changed["paymentlink"]["rate_exchange"], json!(null));
        let page = shop.page().await;
        assert!(page.contains("Ver el monto en bolívares") && amounts(&page).is_empty(), "{page}");
        let fields = [&[("reference", "500005"), ("seen", "872393")], THEIRS].concat();
        let former = send(&shop.payer(), &format!("/pay/{}", shop.link), &fields).await;
        assert_eq!(said(&text(&former)), "El monto cambió");
        // A payer of the former price has paid it once the link asks for that again.
        change(json!({ "amount": 10 })).await.ok();
        assert_eq!(shop.submit("500005", "872393").await, "Pago confirmado");
        assert_eq!(info(&shop.owner.key, &shop.link).await["status"], "paid");
    }

    async fn of_another_price_another_amount_is_owed(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.hold().await;
        let path = format!("/paymentlink/{}/patch", shop.link);
        shop.owner.key.request("PATCH", &path).json(&json!({ "amount": 20 })).send().await.ok();
        shop.later(1);
        assert_eq!((shop.hold().await.status, shop.locks()), (303, 2));
        assert_eq!(amounts(&shop.page().await), ["1744785"]);
    }

    async fn where_no_rate_serves_nothing_is_held_and_the_owner_is_notified(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = ten_dollars(&owner, &link(&owner).await).await;
        let payer = app.nobody();
        // An old rate is none.
        record_dollar(&app, "872.3927", "2026-11-11", "2026-11-12").await;
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
        let answer = hold(&app.nobody(), &id).await;
        let said = (answer.status, said(&text(&answer)));
        assert_eq!(said, (409, "Este monto no se puede pagar en bolívares".to_owned()));
        let notices = owner.get("/v1/notices").await.ok()["notices"].clone();
        assert_eq!((&notices[0]["kind"], &notices[0]["payment_link_id"]), (&json!("amount_unpayable"), &json!(id)));
        // With another amount it is paid as any other.
        let path = format!("/paymentlink/{id}/patch");
        owner.key.request("PATCH", &path).json(&json!({ "amount": 100 })).send().await.ok();
        assert_eq!(hold(&app.nobody(), &id).await.status, 303);
    }

    async fn of_many_who_press_at_once_one_holds_the_rate_for_all(setup: Setup) {
        let shop = Shop::open(setup).await;
        let all = join_all((0..8).map(|_| shop.hold())).await;
        assert!(all.iter().all(|answer| answer.status == 303));
        assert_eq!(shop.locks(), 1);
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
        for (act, back) in [("stop", Some("resume")), ("cancel", None)] {
            shop.owner.post(&format!("/v1/paymentlink/{}/{act}", shop.link), json!({})).await.ok();
            assert_eq!((shop.hold().await.status, shop.locks()), (303, 0), "{act}");
            if let Some(back) = back {
                shop.owner.post(&format!("/v1/paymentlink/{}/{back}", shop.link), json!({})).await.ok();
            }
        }
        // One in bolívares needs none, and one that is nobody's has none.
        let plain = make(&shop.owner.key, &shop.account, json!({})).await;
        assert_eq!(hold(&shop.payer(), &plain).await.status, 303);
        assert_eq!(hold(&shop.payer(), "link_00000000000000000000000000").await.status, 404);
        let elsewhere = shop.payer().request("POST", &format!("/pay/{plain}/rate"));
        let elsewhere = elsewhere.header("sec-fetch-site", "cross-site").send().await;
        assert_eq!((elsewhere.status, shop.locks()), (403, 0));
    }
}
