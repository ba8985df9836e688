//! What a payer may type, how often, and what is said where it does not do.

use std::time::Duration;

use serde_json::json;
use testkit::{Setup, TestApp, both_engines};

use super::{PAGE_WAIT, begin_slowly, make, paid_with, pay, said, send, status, text};
use crate::slow_bank::SLOW;

both_engines! {
    async fn six_digits_are_asked_for_and_what_was_typed_is_not_lost(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        for reference in ["", "67890", "12a456", "000000", "0", &"1".repeat(41), "<b>12345"] {
            let answer = pay(&app.nobody(), &id, reference).await;
            assert_eq!(answer.status, 422, "{reference}");
            let page = text(&answer);
            assert!(page.contains("Escriba al menos 6 dígitos"), "{page}");
            assert!(page.contains("aria-invalid=\"true\""), "{page}");
            assert!(!page.contains("<b>"), "{page}");
        }
        let page = text(&pay(&app.nobody(), &id, "67890").await);
        assert!(page.contains("value=\"67890\""), "{page}");
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
        assert_eq!(said(&paid_with(&app.nobody(), &id, " 00-67.890 ").await), "Pago confirmado");
    }

    async fn the_amount_that_the_payer_saw_is_the_one_that_counts(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let path = format!("/paymentlink/{id}/patch");
        let changed = owner.key.request("PATCH", &path).json(&json!({ "amount": 200 }));
        assert_eq!(changed.send().await.ok()["paymentlink"]["amount"], 200.0);
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!(answer.status, 409);
        let page = text(&answer);
        assert_eq!(said(&page), "El monto cambió");
        assert!(page.contains("Bs. 200,00") && page.contains("value=\"167890\""), "{page}");
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
        let fields = [("reference", "167890"), ("seen", "20000")];
        let answer = send(&app.nobody(), &format!("/pay/{id}"), &fields).await;
        assert_eq!(answer.status, 303);
        assert_eq!(status(&owner, &id).await, "paid");
    }

    async fn a_link_takes_twenty_attempts_an_hour(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let other = make(&owner.key, &owner.bank, json!({})).await;
        for n in 0..20 {
            assert_eq!(pay(&app.nobody(), &id, &format!("{n}123456")).await.status, 200);
        }
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("3600")));
        assert_eq!(said(&text(&answer)), "Demasiados intentos");
        // Another link is not disturbed, and this one takes more an hour later.
        assert_eq!(said(&paid_with(&app.nobody(), &other, "267890").await), "Pago confirmado");
        app.clock().advance(Duration::from_secs(3_600));
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
    }

    async fn a_check_that_credits_refuse_is_an_attempt(mut app: TestApp) {
        let mut owner = app.owner_with(0).await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        for n in 0..20 {
            assert_eq!(pay(&app.nobody(), &id, &format!("{n}123456")).await.status, 503);
            app.clock().advance(Duration::from_secs(60));
        }
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("2400")));
        assert_eq!(said(&text(&answer)), "Demasiados intentos");
        owner.sign_in_again().await;
        assert_eq!(owner.activity_of(&owner.key).await["request_total"], 20);
        // They leave nothing else behind: no verification, and nothing reserved.
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
        assert_eq!(owner.limit_of(&owner.key).await["quota_used"], 0);

        // Checks of both kinds count together, by when they were made.
        owner.grant(1).await;
        app.clock().advance(Duration::from_secs(2_400));
        assert_eq!(pay(&app.nobody(), &id, "123456").await.status, 200);
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("60")));
        app.clock().advance(Duration::from_secs(60));
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");

        // They are forgotten in time.
        app.clock().advance(Duration::from_secs(90 * 24 * 3_600));
        app.restart().await;
        app.clock().is_awaited(app.now().plus(Duration::from_secs(1))).await;
        assert_eq!(app.database().number("select count(*) from refused_attempts"), 0);
    }

    async fn three_are_checked_at_once(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let start = app.now();
        for n in 1..=3 {
            begin_slowly(&app, &id, &format!("{n}10004")).await;
        }
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("10")));
        assert_eq!(owner.limit_of(&owner.key).await["quota_used"], 3);
        app.clock().advance_to(start.plus(SLOW + 2 * PAGE_WAIT));
        app.settle().await;
        // The first to be confirmed has paid; the others claim nothing and cost nothing.
        assert_eq!((status(&owner, &id).await.as_str(), owner.balance().await), ("paid", 999));
        assert_eq!(owner.limit_of(&owner.key).await["quota_used"], 1);
        assert_eq!(app.database().number("select count(*) from movements"), 3);
        assert_eq!(app.database().number("select count(*) from payments"), 1);
    }

    async fn the_same_reference_again_joins_the_check_that_runs(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let start = app.now();
        let place = begin_slowly(&app, &id, "110004").await;
        let again = pay(&app.nobody(), &id, "00-110004").await;
        assert_eq!(again.header("location"), Some(place.as_str()));
        app.clock().advance_to(start.plus(SLOW));
        app.settle().await;
        assert_eq!(app.database().number("select count(*) from verifications"), 1);
    }

    async fn one_address_tries_ten_times_a_minute(setup: Setup) {
        let app = setup.attempts_per_minute(10).start().await;
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        for n in 0..10 {
            assert_eq!(pay(&app.nobody(), &id, &format!("{n}123456")).await.status, 200);
        }
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("6")));
        assert_eq!(said(&text(&answer)), "Demasiados intentos");
        // Payers and merchants share a carrier's address: these tries keep nobody from signing in.
        app.owner().await;
        // Looking is not trying.
        for _ in 0..50 {
            assert_eq!(app.nobody().get(&format!("/pay/{id}")).await.status, 200);
        }
    }
}
