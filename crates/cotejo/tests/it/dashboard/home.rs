//! The first page, and payments that arrive on it.

use std::time::Duration;

use futures_util::future::join;
use pages::dashboard::events::LOOK_EVERY;
use serde_json::json;
use testkit::bank::{FaultKind, KEY};
use testkit::receiver::Receiver;
use testkit::{Setup, TestApp, either_engine};

use super::access::listened;
use crate::bdv::{link, start};
use crate::pay::{make, pay};
use crate::payment_links::accept::{OWED, shown};
use crate::webhooks::write;

/// The part of the first page that says what needs somebody.
fn needs(page: &str) -> String {
    let (_, needs) = page.split_once("id=\"needs\"").expect(page);
    needs.split("</section>").next().unwrap().to_owned()
}

either_engine! {
    async fn the_first_visit_leads_to_a_test_payment_in_one_press(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app").await;
        assert!(page.contains("Verificar un pago de prueba") && page.contains("1.000"), "{page}");
        let answer = browser.send("/app/first-payment", &[]).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/app?first")));
        let page = browser.open("/app?first").await;
        assert!(page.contains("Listo: el banco de prueba") && page.contains("67890"), "{page}");
        assert!(page.contains("Bs. 100,00") && page.contains("De prueba hoy") && page.contains("999"));
        assert!(!browser.open("/app").await.contains("Verificar un pago de prueba"));
    }

    async fn real_money_is_distinguished_from_the_sandboxs(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "167890", "amount": 7 })).await.ok();
        bank.pay("000079912345", 15_075, Duration::ZERO);
        let body = json!({ "bank_reference": "912345", "amount": 150.75 });
        owner.key.verify(&account, body).await.ok();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app").await;
        let (_, figures) = page.split_once("Cobrado hoy").unwrap();
        let (figures, rest) = figures.split_once("</div>").unwrap();
        assert!(figures.contains("Bs. 150,75"), "{figures}");
        assert!(!page.contains("Bs. 7,00") && !rest.contains(">Prueba<"), "{page}");
        browser.send("/app/test-mode", &[("mode", "test")]).await;
        let page = browser.open("/app").await;
        assert!(page.contains("De prueba hoy") && page.contains("Bs. 7,00"), "{page}");
        assert!(page.contains(">Prueba<") && !page.contains("150,75"), "{page}");
    }

    async fn a_page_that_listens_is_notified_of_a_payment_and_of_nothing_else(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let events = listened(&app, &browser).await;
        assert_eq!(events.header("content-type"), Some("text/event-stream"));
        assert_eq!(events.text(), "retry: 1000\n\n: still here\n\n");
        let pay = async {
            app.clock().is_awaited(app.now().plus(LOOK_EVERY)).await;
            owner.key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
            app.clock().advance(LOOK_EVERY);
        };
        let (events, ()) = join(browser.get("/app/events"), pay).await;
        assert_eq!(events.text(), "retry: 1000\n\nevent: changed\ndata:\n\n");
        // The page that was loaded since has it.
        let page = browser.open("/app").await;
        let (_, rest) = page.split_once("data-live=\"").unwrap();
        let (path, _) = rest.split_once('"').unwrap();
        assert!(path.starts_with("/app/events?behind=pay_"), "{path}");
    }

    async fn a_page_that_listens_is_sent_nothing_once_its_session_has_ended(app: TestApp) {
        let owner = app.owner().await;
        // There is a payment that the pages do not have, and they are not notified of it.
        owner.key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        for (number, end) in
            [(1, json!({ "permissions": ["team:read"] })), (2, json!({ "is_active": false }))]
        {
            let eva = owner.employee(number, &["payments:read"]).await;
            let browser = app.browser();
            browser.sign_in(&eva.email, testkit::employee::PASSWORD).await;
            let ending = async {
                app.clock().is_awaited(app.now().plus(LOOK_EVERY)).await;
                owner.patch(&eva.path(), end).await.ok();
                app.clock().advance(LOOK_EVERY);
            };
            let (events, ()) = join(browser.get("/app/events"), ending).await;
            assert_eq!(events.text(), "retry: 1000\n\n");
        }
    }
}

either_engine! {
    async fn who_sees_no_money_is_shown_none(app: TestApp) {
        let owner = app.owner().await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        let employee = owner.employee(1, &["team:read"]).await;
        let browser = app.browser();
        browser.sign_in(&employee.email, testkit::employee::PASSWORD).await;
        let page = browser.open("/app").await;
        for hidden in ["67890", "Créditos", "Cobrado", "Necesita", "data-live"] {
            assert!(!page.contains(hidden), "{hidden}: {page}");
        }
    }

    async fn a_bank_that_does_not_answer_stands_there_until_it_does(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for _ in 0..2 {
            owner.key.verify(&owner.bank, json!({ "bank_reference": "9910006" })).await.refused(503, "BANK_NOT_AVAILABLE");
            app.clock().advance(Duration::from_secs(60));
        }
        let page = browser.open("/app").await;
        assert!(page.contains("el banco no responde") && page.contains("2 veces"), "{page}");
        assert!(page.contains(&format!("/app/payments/verifications?user_bank_id={}", owner.bank)));
        owner.key.verify(&owner.bank, json!({ "bank_reference": "1123456" })).await.refused(404, "PAYMENT_NOT_FOUND");
        assert!(!browser.open("/app").await.contains("el banco no responde"));
    }

    async fn an_alert_ends_when_other_credentials_were_tried_with_success(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let ask = || owner.key.verify(&account, json!({ "bank_reference": "12345678", "amount": 150.75 }));
        let change = format!("/v1/usersbank/{account}/change-secret");
        bank.fail(Some(FaultKind::Http500));
        app.clock().flow(ask()).await.refused(503, "BANK_NOT_AVAILABLE");
        assert!(browser.open("/app").await.contains("el banco no responde"));
        bank.fail(None);
        app.clock().advance(Duration::from_secs(60));
        owner.put(&change, json!({ "secret": KEY })).await.ok();
        assert!(!browser.open("/app").await.contains("el banco no responde"));

        // The notice of credentials that the bank refuses likewise.
        let refused = async || {
            let listed = owner.get("/v1/notices").await.ok()["notices"].clone();
            let notices = listed.as_array().unwrap().iter();
            let of_kind = notices.filter(|notice| notice["kind"] == "bank_refuses_credentials");
            of_kind.map(|notice| notice["is_open"].as_bool().unwrap()).collect::<Vec<_>>()
        };
        bank.set_key("made-up-and-new");
        app.clock().flow(ask()).await.refused(400, "USER_BANCK_BAD_PASSWORD");
        assert_eq!(refused().await, [true]);
        app.clock().advance(Duration::from_secs(60));
        owner.put(&change, json!({ "secret": "made-up-and-new" })).await.ok();
        assert_eq!(refused().await, [false]);
    }

    async fn what_a_person_accepts_is_no_answer_of_the_bank(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let link = make(&owner, &owner.bank, json!({})).await;
        let (for_link, alone) = (
            shown(&app, &owner, "7654321", OWED).await,
            shown(&app, &owner, "7654322", OWED).await,
        );
        owner.key.verify(&owner.bank, json!({ "bank_reference": "9910006" })).await.refused(503, "BANK_NOT_AVAILABLE");
        app.clock().advance(Duration::from_secs(60));
        owner.post(&format!("/v1/paymentlink/{link}/accept"), json!({ "movement_id": for_link })).await.ok();
        owner.post(&format!("/v1/movements/{alone}/accept"), json!({})).await.ok();
        assert!(browser.open("/app").await.contains("el banco no responde"));
        owner.key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        assert!(!browser.open("/app").await.contains("el banco no responde"));
    }

    async fn what_is_confirmed_without_the_bank_is_no_answer_of_it(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        owner.post(&format!("/v1/movements/{account}/read"), json!({})).await.ok();
        app.settle().await;
        bank.fail(Some(FaultKind::Http500));
        app.clock().advance(Duration::from_secs(120));
        let ask = |reference: &str| {
            owner.key.verify(&account, json!({ "bank_reference": reference, "amount": 150.75 }))
        };
        app.clock().flow(ask("12345678")).await.refused(503, "BANK_NOT_AVAILABLE");
        assert!(browser.open("/app").await.contains("el banco no responde"));
        // No other payment can be meant, so that what is known of it is enough.
        app.clock().advance(Duration::from_secs(3));
        let known = app.clock().flow(ask("79912345")).await.ok();
        assert_eq!(known["data"]["is_new"], true);
        assert!(browser.open("/app").await.contains("el banco no responde"));
        bank.fail(None);
        app.clock().advance(Duration::from_secs(120));
        app.clock().flow(ask("12345678")).await.refused(404, "PAYMENT_NOT_FOUND");
        assert!(!browser.open("/app").await.contains("el banco no responde"));
    }

    async fn a_bank_that_does_not_answer_stands_there_whatever_else_is_asked(app: TestApp) {
        let owner = app.owner().await;
        let busy = owner.key.link_bank().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "9910006" })).await.refused(503, "BANK_NOT_AVAILABLE");
        for number in 100..250 {
            app.clock().advance(Duration::from_secs(1));
            owner.key.verify(&busy, json!({ "bank_reference": format!("{number}123456") })).await.refused(404, "PAYMENT_NOT_FOUND");
        }
        assert!(browser.open("/app").await.contains("el banco no responde"));
        // It is shown for an hour.
        app.clock().advance(Duration::from_secs(60 * 60));
        assert!(!browser.open("/app").await.contains("el banco no responde"));
    }

    async fn a_receiver_that_takes_no_events_stands_there_and_leads_to_them(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let receiver = Receiver::with_status(500);
        write(&app, &owner, &receiver.url()).await.tried(&app, 1).await;
        let needs = needs(&browser.open("/app").await);
        assert!(needs.contains("no recibió un aviso") && needs.contains("href=\"/app/webhooks"), "{needs}");
    }

    async fn a_payer_whose_reference_was_refused_for_want_of_credits_stands_there(app: TestApp) {
        let owner = app.owner_with(0).await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        assert_eq!(pay(&app.nobody(), &link, "4467890").await.status, 503);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let needs = needs(&browser.open("/app").await);
        assert!(needs.contains("Un pagador no pudo confirmar su pago"), "{needs}");
        // It leads to the link, where the reference stands.
        let path = format!("/app/links/{link}");
        assert!(needs.contains(&format!("href=\"{path}\"")), "{needs}");
        assert!(browser.open(&path).await.contains("4467890"));
    }

    async fn what_went_wrong_and_what_is_about_to_end_stands_there(app: TestApp) {
        let owner = app.owner_with(1).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app").await.contains("Todo en orden."));
        owner.key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        let end = app.now().plus(Duration::from_secs(10 * 24 * 60 * 60)).to_string();
        owner.issue(json!({ "name": "feria", "expires_at": end })).await;
        let page = browser.open("/app").await;
        assert!(page.contains("feria vence el") && !page.contains("Todo en orden."), "{page}");
        assert!(page.contains("créditos"), "{page}");
    }
}
