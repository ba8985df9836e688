//! Whoever pays late pays the same cycle, by a new link.

use serde_json::json;
use testkit::{Principal, Setup, TestApp, both_engines, either_engine};

use super::{begin, cycles, day_comes, details, id, link_of, make};
use crate::exchange_rate::record_dollar;
use crate::pay::{follow, info, paid_with, said, send, text};
use crate::payment_links::accept::shown;

/// A subscription whose first cycle was paid and whose second one lapsed; answers the failed link.
async fn lapsed(app: &TestApp, owner: &testkit::Owner) -> (String, String) {
    let of = id(&make(&owner.key, &owner.bank, json!({})).await);
    let first = link_of(&owner.key, &of, 1).await;
    paid_with(&app.nobody(), &first, "167890").await;
    day_comes(app, "2026-12-17").await;
    day_comes(app, "2026-12-24").await;
    assert_eq!(
        cycles(&owner.key, &of).await,
        ["2 lapsed 2026-12-20 failed", "1 paid 2026-11-20 paid"]
    );
    let failed = link_of(&owner.key, &of, 2).await;
    (of, failed)
}

async fn renew(caller: &Principal, of: &str, cycle: u32) -> testkit::Response {
    caller.post(&format!("/v1/subscriptions/{of}/cycles/{cycle}/link"), json!({})).await
}

both_engines! {
    async fn a_payer_gets_another_link_from_the_page_of_the_failed_one(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (of, failed) = lapsed(&app, &owner).await;
        let payer = app.nobody();
        let page = text(&payer.get(&format!("/pay/{failed}")).await);
        assert!(page.contains("Este período todavía se puede pagar"), "{page}");
        let renewal = format!("/pay/{failed}/renew");
        let answer = send(&payer, &renewal, &[]).await;
        let place = answer.header("location").unwrap().to_owned();
        let link = place.strip_prefix("/pay/").unwrap().to_owned();
        assert_ne!(link, failed);
        // Asked for again, the one that can be paid is shown.
        assert_eq!(send(&payer, &renewal, &[]).await.header("location"), Some(place.as_str()));
        assert_eq!(said(&paid_with(&payer, &link, "267890").await), "Pago confirmado");
        assert_eq!(
            cycles(&owner.key, &of).await,
            ["2 paid 2026-12-20 paid", "1 paid 2026-11-20 paid"]
        );
        let paid = details(&owner.key, &of).await;
        assert_eq!((&paid["isPastDue"], &paid["renovationCount"]), (&json!(false), &json!(2)));
        // The failed one stays failed, and offers nothing any more.
        let page = text(&payer.get(&format!("/pay/{failed}")).await);
        assert!(!page.contains("Este período todavía se puede pagar"), "{page}");
        assert_eq!(send(&payer, &renewal, &[]).await.header("location"), Some(format!("/pay/{failed}").as_str()));
        renew(&owner.key, &of, 2).await.refused(409, "RENOVATION_IS_ALREADY_PAID");
    }

    async fn each_link_of_a_cycle_in_dollars_holds_the_rate_of_the_day_on_which_it_is_made(setup: Setup) {
        let app = begin(setup).await;
        let (owner, payer) = (app.owner().await, app.nobody());
        let product = json!({ "productName": "Gimnasio", "productPrice": 10 });
        let more = json!({ "pay_first": false, "currency": "USD", "uniqueProduct": product });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        day_comes(&app, "2026-12-19").await;
        record_dollar(&app, "900", "2026-12-17", "2026-12-18").await;
        day_comes(&app, "2026-12-20").await;
        let failed = link_of(&owner.key, &of, 1).await;
        let page = text(&payer.get(&format!("/pay/{failed}")).await);
        assert!(page.contains("<p class=\"amount\">Bs. 9.000,00</p>"), "{page}");

        day_comes(&app, "2026-12-24").await;
        record_dollar(&app, "910", "2026-12-23", "2026-12-24").await;
        assert_eq!(cycles(&owner.key, &of).await, ["1 lapsed 2026-12-20 failed"]);
        let answer = send(&payer, &format!("/pay/{failed}/renew"), &[]).await;
        let link = answer.header("location").unwrap().strip_prefix("/pay/").unwrap().to_owned();
        for (id, rate, since) in [(&failed, 900.0, "2026-12-20"), (&link, 910.0, "2026-12-24")] {
            let known = info(&owner.key, id).await;
            let held = (&known["rate_exchange"], &known["rate_updated_at"]);
            assert_eq!(held, (&json!(rate), &json!(format!("{since}T12:00:00.000Z"))));
        }
        let asked = renew(&owner.key, &of, 1).await.ok()["paymentlink"].clone();
        assert_eq!((&asked["id"], &asked["rate_exchange"]), (&json!(link), &json!(910.0)));
        let fields = [("reference", "267890"), ("seen", "910000")];
        let answer = send(&payer, &format!("/pay/{link}"), &fields).await;
        assert_eq!(said(&text(&follow(&payer, &answer).await)), "Pago confirmado");
        assert_eq!(cycles(&owner.key, &of).await, ["1 paid 2026-12-20 paid"]);
        assert_eq!(app.database().number("select count(*) from rate_locks"), 2);
        assert_eq!(app.audit().await, []);
    }
}

either_engine! {
    async fn money_for_a_cycle_that_is_paid_is_not_accepted_for_its_former_link(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (of, _) = lapsed(&app, &owner).await;
        let renewed = renew(&owner.key, &of, 2).await.ok()["paymentlink"]["id"].clone();
        let renewed = renewed.as_str().unwrap().to_owned();
        owner.key.post(&format!("/v1/paymentlink/{renewed}/cancel"), json!({})).await.ok();
        let other = renew(&owner.key, &of, 2).await.ok()["paymentlink"]["id"].clone();
        let other = other.as_str().unwrap().to_owned();
        assert_ne!(renewed, other);
        paid_with(&app.nobody(), &other, "267890").await;
        let mut owner = owner;
        owner.sign_in_again().await;
        let body = json!({ "movement_id": "mov_00000000000000000000000001" });
        let answer = owner.post(&format!("/v1/paymentlink/{renewed}/accept"), body).await;
        answer.refused(409, "RENOVATION_IS_ALREADY_PAID");
        assert_eq!(info(&owner.key, &other).await["status"], "paid");
    }

    async fn what_the_owner_ended_no_payer_asks_for_again(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "webhook_url": "http://127.0.0.1:8787/h" })).await);
        let first = link_of(&owner.key, &of, 1).await;
        paid_with(&app.nobody(), &first, "167890").await;
        for day in ["2026-12-20", "2026-12-24"] {
            day_comes(&app, day).await;
            let link = link_of(&owner.key, &of, 2).await;
            if day == "2026-12-20" {
                owner.key.post(&format!("/v1/paymentlink/{link}/reject"), json!({})).await.ok();
            }
            let page = text(&app.nobody().get(&format!("/pay/{link}")).await);
            assert!(!page.contains("Este período todavía se puede pagar"), "{page}");
            let answer = send(&app.nobody(), &format!("/pay/{link}/renew"), &[]).await;
            assert_eq!(answer.header("location"), Some(format!("/pay/{link}").as_str()));
        }
        let locators = "select count(*) from locators where kind = 3";
        assert_eq!(app.database().number(locators), 2);
        renew(&owner.key, &of, 2).await.ok();
        assert_eq!(app.database().number(locators), 3);
    }

    async fn once_a_cycle_is_paid_no_other_link_of_it_can_be_paid(setup: Setup) {
        let app = begin(setup).await;
        let mut owner = app.owner().await;
        let (of, _) = lapsed(&app, &owner).await;
        let renewed = renew(&owner.key, &of, 2).await.ok()["paymentlink"]["id"].clone();
        let renewed = renewed.as_str().unwrap().to_owned();
        // Good for seven days.
        day_comes(&app, "2026-12-31").await;
        assert_eq!(info(&owner.key, &renewed).await["status"], "expired");
        let answer = send(&app.nobody(), &format!("/pay/{renewed}/renew"), &[]).await;
        let other = answer.header("location").unwrap().strip_prefix("/pay/").unwrap().to_owned();
        assert_ne!(renewed, other);
        owner.sign_in_again().await;
        let movement = shown(&app, &owner, "8000123456", 15_075).await;
        let body = json!({ "movement_id": movement });
        owner.post(&format!("/v1/paymentlink/{renewed}/accept"), body).await.ok();
        assert_eq!(info(&owner.key, &renewed).await["status"], "paid");
        assert_eq!(info(&owner.key, &other).await["status"], "canceled");
        assert_eq!(details(&owner.key, &of).await["renovationCount"], 2);
    }

    async fn a_link_that_can_be_paid_is_not_made_twice_and_a_cycle_that_never_was_has_none(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let first = link_of(&owner.key, &of, 1).await;
        assert_eq!(renew(&owner.key, &of, 1).await.ok()["paymentlink"]["id"], json!(first));
        renew(&owner.key, &of, 2).await.refused(404, "NOT_FOUND");
        renew(&owner.key, &of, 0).await.refused(404, "NOT_FOUND");
        // An ordinary link has no period.
        let plain = crate::pay::make(&owner.key, &owner.bank, json!({})).await;
        let answer = send(&app.nobody(), &format!("/pay/{plain}/renew"), &[]).await;
        assert_eq!(answer.header("location"), Some(format!("/pay/{plain}").as_str()));
        assert_eq!(app.database().number("select count(*) from payment_links"), 2);
    }
}
