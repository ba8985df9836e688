//! What the page says at every moment, in both languages.

use std::time::Duration;

use serde_json::json;
use testkit::{TestApp, both_engines};

use super::{begin_slowly, follow, info, make, paid_with, pay, place, said, status, text};
use crate::slow_bank::SLOW;

both_engines! {
    async fn a_link_is_paid_and_says_so(app: TestApp) {
        let owner = app.owner().await;
        let more = json!({ "redirect_url": "https://shop.example/gracias?orden=7&x=1" });
        let id = make(&owner.key, &owner.bank, more).await;
        let payer = app.nobody();
        let page = text(&payer.get(&format!("/pay/{id}")).await);
        assert_eq!(said(&page), "");
        for shown in ["Pedido 7", "Bs. 150,75", "Banco de prueba", "name=\"reference\""] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        let page = paid_with(&payer, &id, "167890").await;
        assert_eq!(said(&page), "Pago confirmado");
        assert!(!page.contains("<form"), "{page}");
        // The address is kept as it was written, and shows where it leads.
        assert!(page.contains("href=\"https://shop.example/gracias?orden=7&#38;x=1\""), "{page}");
        assert!(page.contains("Continuar en shop.example"), "{page}");
        assert_eq!(status(&owner, &id).await, "paid");
        assert_eq!(owner.balance().await, 999);
        // A person who comes later, or again, sees the same.
        assert_eq!(said(&text(&payer.get(&format!("/pay/{id}")).await)), "Pago confirmado");
        let again = pay(&payer, &id, "267890").await;
        assert_eq!(said(&text(&follow(&payer, &again).await)), "Pago confirmado");
        assert_eq!(owner.balance().await, 999);
    }

    async fn what_the_bank_says_is_shown_as_far_as_it_may_be(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let unconfirmed = "Todavía no encontramos su pago";
        let no_answer = "El banco no responde por ahora";
        for (reference, title) in [
            ("123456", unconfirmed),
            ("110001", unconfirmed),
            ("110002", unconfirmed),
            ("110003", unconfirmed),
            ("110009", unconfirmed),
            ("110006", no_answer),
            ("110008", no_answer),
            ("110010", no_answer),
        ] {
            let page = paid_with(&app.nobody(), &id, reference).await;
            assert_eq!(said(&page), title, "{reference}");
            assert!(page.contains("<form"), "the payer can try again: {reference}");
        }
        assert_eq!(status(&owner, &id).await, "pending");
        assert_eq!(owner.balance().await, 1_000);
        assert_eq!(owner.limit_of(&owner.key).await["quota_used"], 0);
        assert_eq!(owner.activity_of(&owner.key).await["request_total"], 8);
    }

    async fn a_payment_that_appears_later_pays_later(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let page = paid_with(&app.nobody(), &id, "110007").await;
        assert_eq!(said(&page), "Todavía no encontramos su pago");
        app.clock().advance(Duration::from_secs(30));
        assert_eq!(said(&paid_with(&app.nobody(), &id, "110007").await), "Pago confirmado");
    }

    async fn a_slow_bank_is_reported_and_nothing_is_lost_meanwhile(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let start = app.now();
        let place = begin_slowly(&app, &id, "110004").await;
        let payer = app.nobody();
        let page = text(&payer.get(&place).await);
        assert_eq!(said(&page), "Estamos consultando al banco");
        assert!(page.contains("<noscript><meta http-equiv=\"refresh\""), "{page}");
        assert_eq!(status(&owner, &id).await, "pending");
        // A person who opens the link anew sees it too.
        let bare = text(&payer.get(&format!("/pay/{id}")).await);
        assert_eq!(said(&bare), "Estamos consultando al banco");
        app.clock().advance_to(start.plus(Duration::from_secs(13)));
        assert_eq!(said(&text(&payer.get(&place).await)), "El banco tarda en responder");
        app.clock().advance_to(start.plus(SLOW));
        app.settle().await;
        assert_eq!(said(&text(&payer.get(&place).await)), "Pago confirmado");
        assert_eq!(status(&owner, &id).await, "paid");
    }

    async fn a_crash_in_the_middle_of_a_check_loses_nothing(mut app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let place = begin_slowly(&app, &id, "110004").await;
        app.crash();
        crate::takeover::take_over(&mut app).await;
        let page = text(&app.nobody().get(&place).await);
        assert!(page.contains("class=\"notice busy\""), "{page}");
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(said(&text(&app.nobody().get(&place).await)), "Pago confirmado");
        assert_eq!((status(&owner, &id).await.as_str(), owner.balance().await), ("paid", 999));
    }

    async fn expiry_follows_from_the_clock(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({ "expiration_time": 5 })).await;
        let never = make(&owner.key, &owner.bank, json!({ "expiration_time": -1 })).await;
        app.clock().advance(Duration::from_micros(300_000_000 - 1));
        assert_eq!(status(&owner, &id).await, "pending");
        app.clock().advance(Duration::from_micros(1));
        assert_eq!(status(&owner, &id).await, "expired");
        assert_eq!(status(&owner, &never).await, "pending");
        let payer = app.nobody();
        let answer = pay(&payer, &id, "167890").await;
        let page = text(&follow(&payer, &answer).await);
        assert_eq!(said(&page), "Este enlace venció");
        assert!(!page.contains("<form"));
        assert_eq!(owner.balance().await, 1_000);
        let kept = app.database().number("select count(*) from payment_links where state = 0");
        assert_eq!(kept, 2, "nothing sweeps");
    }

    async fn a_check_that_began_in_time_pays_after_the_time(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({ "expiration_time": 1 })).await;
        app.clock().advance(Duration::from_secs(50));
        let start = app.now();
        let place = begin_slowly(&app, &id, "110004").await;
        app.clock().advance_to(start.plus(Duration::from_secs(11)));
        assert_eq!(status(&owner, &id).await, "pending");
        assert_eq!(pay(&app.nobody(), &id, "167890").await.status, 303);
        app.clock().advance_to(start.plus(SLOW));
        app.settle().await;
        assert_eq!(said(&text(&app.nobody().get(&place).await)), "Pago confirmado");
        assert_eq!((status(&owner, &id).await.as_str(), owner.balance().await), ("paid", 999));
    }

    async fn what_the_owner_did_is_shown(app: TestApp) {
        let owner = app.owner().await;
        for (act, title, after) in [
            ("stop", "Este enlace está en pausa", "stopped"),
            ("cancel", "Este enlace fue anulado", "canceled"),
            ("reject", "Este enlace ya no se puede pagar", "failed"),
        ] {
            let id = make(&owner.key, &owner.bank, json!({})).await;
            owner.key.post(&format!("/v1/paymentlink/{id}/{act}"), json!({})).await.ok();
            assert_eq!(status(&owner, &id).await, after);
            let payer = app.nobody();
            let page = text(&payer.get(&format!("/pay/{id}")).await);
            assert_eq!(said(&page), title);
            assert!(!page.contains("<form") && page.contains("comercio"), "{page}");
            let answer = pay(&payer, &id, "167890").await;
            assert_eq!(said(&text(&follow(&payer, &answer).await)), title);
        }
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn a_price_without_a_rate_cannot_be_paid_and_says_so(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({ "currency": "USD" })).await;
        let link = info(&owner, &id).await;
        assert_eq!((&link["currency"], &link["rate_exchange"]), (&json!("USD"), &json!(null)));
        let page = text(&app.nobody().get(&format!("/pay/{id}")).await);
        assert_eq!(said(&page), "Este enlace no se puede pagar ahora");
        assert!(page.contains("USD 150,75") && page.contains("tasa de cambio"), "{page}");
        let answer = pay(&app.nobody(), &id, "167890").await;
        follow(&app.nobody(), &answer).await;
        assert_eq!((status(&owner, &id).await.as_str(), owner.balance().await), ("pending", 1_000));
    }

    async fn every_state_is_shown_in_english_too(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let path = format!("/pay/{id}");
        let english = async |path: &str| {
            let call = app.nobody().request("GET", path).header("accept-language", "en-GB, es;q=0.5");
            text(&call.send().await)
        };
        let page = english(&path).await;
        assert!(page.contains("<html lang=\"en\">") && page.contains("Bs. 150.75"), "{page}");
        let missing = pay(&app.nobody(), &id, "123456").await;
        assert_eq!(said(&english(&place(&missing)).await), "We have not found your payment yet");
        owner.key.post(&format!("/v1/paymentlink/{id}/stop"), json!({})).await.ok();
        assert_eq!(said(&english(&path).await), "This link is paused");
        owner.key.post(&format!("/v1/paymentlink/{id}/resume"), json!({})).await.ok();
        paid_with(&app.nobody(), &id, "167890").await;
        assert_eq!(said(&english(&path).await), "Payment confirmed");
        assert_eq!(said(&english("/pay/link_1").await), "This link does not exist");
    }
}
