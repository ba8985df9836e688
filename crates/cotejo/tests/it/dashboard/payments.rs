//! The pages of payments.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Browser, Owner, Response, Setup, TestApp, both_engines, either_engine};

use crate::bdv::{link, start};
use crate::slow_bank::{ANSWER, RENEWAL, SLOW, SLOW_REFERENCE, finish};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const VERIFY: &str = "/app/payments/verify";

async fn ask(browser: &Browser, owner: &Owner, reference: &str, more: &[(&str, &str)]) -> Response {
    browser.open(VERIFY).await;
    let mut fields = vec![("user_bank_id", &*owner.bank), ("bank_reference", reference)];
    fields.extend(more.iter().copied());
    browser.send(VERIFY, &fields).await
}

/// The address that a form leads to.
fn leads_to(answer: &Response) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location").expect("a way on").to_owned()
}

/// The path of the first verification that a page leads to.
fn verification(page: &str) -> String {
    let path = "/app/payments/verifications/";
    let (_, rest) = page.split_once(&format!("href=\"{path}")).expect("a verification");
    format!("{path}{}", rest.split('"').next().unwrap())
}

both_engines! {
    async fn a_payment_is_verified_by_hand_and_found_again(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app/payments").await.contains("class=\"empty\""));
        let more = [("amount", "1.500,25"), ("source_name", "Caja <2>")];
        let answer = ask(&browser, &owner, "1167890", &more).await;
        let path = leads_to(&answer);
        let page = browser.open(&path).await;
        assert!(page.contains("Pago de prueba confirmado") && page.contains("Bs. 1.500,25"), "{page}");
        assert_eq!(owner.balance().await, 999);

        let shown = browser.open(&path).await;
        assert!(shown.contains("Ya se le dijo a las 08:00") && shown.contains("Caja &#60;2&#62;"), "{shown}");
        let again = ask(&browser, &owner, "1167890", &[("amount", "1.500,25"), ("fecha_pago", "2026-11-20")]).await;
        assert_eq!(leads_to(&again), path);
        assert_eq!(owner.balance().await, 999);

        for query in ["", "?search=1167890", "?amount=1500,25", "?from=2026-11-20&to=2026-11-20"] {
            let list = browser.open(&format!("/app/payments{query}")).await;
            assert!(list.contains("1167890") && list.contains("Bs. 1.500,25"), "{query}: {list}");
        }
        for query in ["?search=2267890", "?amount=1500,26", "?from=2026-11-21", "?to=2026-11-19"] {
            let list = browser.open(&format!("/app/payments{query}")).await;
            assert!(!list.contains("<code>1167890"), "{query}: {list}");
        }
        let movements = browser.open("/app/payments/movements").await;
        assert!(movements.contains("1167890") && movements.contains(">Usado<"), "{movements}");
        assert!(browser.open("/app/payments/notifications").await.contains("class=\"empty\""));
    }

    async fn what_nobody_has_used_is_verified_with_its_own_account_and_amount(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        bank.pay("000079912346", 9_900, Duration::ZERO);
        let other = json!({ "bank_reference": "79912346", "amount": 150.75 });
        owner.key.verify(&account, other).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        // A person who types few digits gets a form that asks about this payment alone.
        let found = browser.open("/app/payments?search=912346").await;
        let (_, shown) = found.split_once("Lo que muestra el banco").expect(&found);
        // The bank has an own form of the reference.
        let (_, rest) = shown.split_once("79912346</code>").expect(shown);
        let (_, rest) = rest.split_once("href=\"").unwrap();
        let path = rest.split('"').next().unwrap().replace("&#38;", "&");
        let form = browser.open(&path).await;
        for filled in ["79912346\"", "value=\"99,00\"", &format!("value=\"{account}\" selected")] {
            assert!(form.contains(filled), "{filled}: {path}: {form}");
        }
    }

    async fn a_form_that_is_sent_twice_is_charged_and_new_once(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(VERIFY).await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let fields = [("user_bank_id", &*owner.bank), ("bank_reference", "1167890"), ("once", once)];
        let path = leads_to(&browser.send(VERIFY, &fields).await);
        assert!(browser.open(&path).await.contains("Pago de prueba confirmado"));
        assert_eq!(leads_to(&browser.send(VERIFY, &fields).await), path);
        assert!(!browser.open(&path).await.contains("Pago de prueba confirmado"));
        // To a caller that asks otherwise it is not new once more.
        let key = owner.key.verify(&owner.bank, json!({ "bank_reference": "1167890" })).await.ok();
        assert_eq!(key["data"]["is_new"], false);
        assert_eq!(owner.balance().await, 999);
    }

    async fn the_latest_payments_come_first_page_by_page(app: TestApp) {
        let owner = app.owner().await;
        for number in 10..40 {
            let body = json!({ "bank_reference": format!("{number}67890"), "amount": number });
            owner.key.verify(&owner.bank, body).await.ok();
        }
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let first = browser.open("/app/payments").await;
        assert!(first.contains("<code>3967890") && first.contains("<code>1567890"));
        assert!(!first.contains("<code>1467890"));
        let (_, rest) = first.split_once("rel=\"next\" href=\"").unwrap();
        let older = rest.split('"').next().unwrap().replace("&#38;", "&");
        let second = browser.open(&older).await;
        assert!(second.contains("<code>1467890") && second.contains("<code>1067890"), "{second}");
        assert!(!second.contains("rel=\"next\""));
        // What is looked for among many is found on one page.
        let found = browser.open("/app/payments?amount=10").await;
        assert!(found.contains("<code>1067890") && !found.contains("<code>1167890"));
    }

    async fn a_search_that_goes_on_is_shown_with_its_page(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(VERIFY).await;
        let fields = [("user_bank_id", &*owner.bank), ("bank_reference", SLOW_REFERENCE)];
        let (asked, start) = (browser.send(VERIFY, &fields), app.now());
        let passing = async {
            for awaited in [SLOW, RENEWAL, ANSWER] {
                app.clock().is_awaited(start.plus(awaited)).await;
            }
            app.clock().advance(ANSWER);
        };
        let (answer, ()) = futures_util::future::join(asked, passing).await;
        let path = leads_to(&answer);
        assert!(browser.open(&path).await.contains("todavía no responde"));
        finish(&app).await;
        assert!(browser.open(&path).await.contains("Pago de prueba confirmado"));
        assert!(browser.open(&path).await.contains("Ya se le dijo"));
    }

    async fn payments_and_verifications_of_others_are_not_there(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (browser, other) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        other.sign_in_as(&stranger).await;
        let path = leads_to(&ask(&browser, &owner, "1167890", &[]).await);
        assert_eq!(other.get(&path).await.status, 404);
        assert!(!other.open("/app/payments").await.contains("1167890"));
        assert!(!other.open("/app/payments?search=1167890").await.contains("<code>1167890"));
        for path in ["/app/payments", "/app/payments/movements", "/app/payments/notifications"] {
            let path = format!("{path}?user_bank_id={}", owner.bank);
            assert_eq!(other.get(&path).await.status, 404, "{path}");
        }
        assert_eq!(other.send(VERIFY, &[("user_bank_id", &owner.bank), ("bank_reference", "1167890")]).await.status, 404);
    }

    async fn a_clients_person_sees_what_its_client_asked_and_nothing_else(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let person = owner.client_employee(&client, 1).await;
        key.verify(&bank, json!({ "bank_reference": "1167890", "source_name": "suya" })).await.ok();
        owner.key.verify(&bank, json!({ "bank_reference": "2267890", "source_name": "del dueño" })).await.ok();
        let browser = app.browser();
        browser.sign_in(&person.email, testkit::employee::PASSWORD).await;
        let list = browser.open("/app/payments").await;
        assert!(list.contains("1167890") && list.contains("suya"), "{list}");
        // By whom it was asked says the page of the question, by name to the owner.
        let (owners, path) = (app.browser(), verification(&browser.open("/app/payments?search=1167890").await));
        owners.sign_in_as(&owner).await;
        let page = owners.open(&path).await;
        let name = owner.get(&format!("/v1/clients/{client}")).await.ok()["client"]["name"].as_str().unwrap().to_owned();
        assert!(page.contains("Quién la pidió") && page.contains(&format!("/app/keys/{}", key.id)), "{page}");
        assert!(page.contains("Cuenta para el cliente") && page.contains(&name), "{page}");
        assert!(!browser.open(&path).await.contains("Cuenta para el cliente"));
        assert!(!list.contains("2267890") && !list.contains("del dueño"));
        // The bank's movements are its own, whoever claimed them; what was said about them is not shown.
        let found = browser.open("/app/payments?search=2267890").await;
        assert!(found.contains("<code>2267890") && !found.contains("/app/payments/verifications/"), "{found}");
    }
}

either_engine! {
    async fn what_was_refused_is_found_by_what_was_typed_and_says_why(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let list = "/app/payments/verifications";
        assert!(browser.open(list).await.contains("Todavía no se ha verificado nada."));
        let of = |reference: &str, amount: f64| json!({ "bank_reference": reference, "amount": amount, "source_name": "Caja 3" });
        owner.key.verify(&owner.bank, of("1110001", 20.0)).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        app.clock().advance(DAY);
        owner.key.verify(&owner.bank, of("1123456", 30.0)).await.refused(404, "PAYMENT_NOT_FOUND");
        owner.key.verify(&owner.bank, of("1167890", 40.0)).await.ok();

        let all = browser.open(list).await;
        for shown in ["Otro monto", "No aparece", "Confirmado", "Bs. 20,00", "Caja 3"] {
            assert!(all.contains(shown), "{shown}: {all}");
        }
        // More digits than were typed, separators and zeros do not matter.
        for search in ["1110001", "10001", "00001110001", "001-1100.01"] {
            let found = browser.open(&format!("/app/payments?search={search}")).await;
            assert!(found.contains("Verificaciones de esa referencia") && found.contains("Otro monto"), "{search}: {found}");
        }
        let found = browser.open("/app/payments?search=1110001").await;
        assert!(browser.open(&verification(&found)).await.contains("el banco muestra"));
        for (query, reference) in [
            ("search=1110001", "1110001"),
            ("status=not_found", "1123456"),
            ("amount=40", "1167890"),
            ("to=2026-11-20", "1110001"),
            ("from=2026-11-21&amount=30,00", "1123456"),
        ] {
            let found = browser.open(&format!("{list}?{query}")).await;
            let shown: Vec<_> = ["1110001", "1123456", "1167890"].into_iter().filter(|one| found.contains(&format!("<code>{one}"))).collect();
            assert_eq!(shown, [reference], "{query}");
        }
        for query in ["search=abc", "amount=x", "from=ayer", "from=2026-11-21&to=2026-11-20"] {
            assert!(browser.open(&format!("{list}?{query}")).await.contains("role=\"alert\""), "{query}");
        }
        assert_eq!(browser.get(&format!("{list}?user_bank_id=bank_1")).await.status, 404);
    }

    async fn a_search_by_reference_is_narrowed_by_all_that_is_said(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        owner.client(true).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "1167890", "amount": 20 })).await.ok();
        for (query, is_there) in [
            ("", true),
            ("&amount=20,00", true),
            ("&amount=21", false),
            ("&from=2026-11-20&to=2026-11-20", true),
            ("&from=2026-11-21", false),
            (&*format!("&user_bank_id={}", owner.bank), true),
            (&*format!("&client={client}"), false),
        ] {
            let found = browser.open(&format!("/app/payments?search=1167890{query}")).await;
            assert_eq!(found.matches("<code>1167890").count(), if is_there { 2 } else { 0 }, "{query}: {found}");
        }
    }

    /// Checks that the days of a search by reference are those when something was verified, asked or came, not paid.
    async fn the_days_of_a_search_mean_the_same_of_all_that_is_found(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        bank.pay("000079912346", 9_900, Duration::ZERO);
        app.clock().advance(DAY);
        owner.key.verify(&account, json!({ "bank_reference": "79912346", "amount": 99, "fecha_pago": "2026-11-20" })).await.ok();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for (query, is_there) in [
            ("from=2026-11-21&to=2026-11-21", true),
            ("from=2026-11-20&to=2026-11-20", false),
            ("from=2026-11-22", false),
        ] {
            let found = browser.open(&format!("/app/payments?search=79912346&{query}")).await;
            assert_eq!(found.matches("79912346</code>").count(), if is_there { 2 } else { 0 }, "{query}: {found}");
            let listed = browser.open(&format!("/app/payments?{query}")).await;
            assert_eq!(listed.contains("79912346</code>"), is_there, "{query}: {listed}");
        }
    }

    async fn verifications_are_walked_page_by_page_with_their_filters(app: TestApp) {
        let owner = app.owner().await;
        for number in 10..40 {
            app.clock().advance(Duration::from_secs(1));
            owner.key.verify(&owner.bank, json!({ "bank_reference": format!("{number}12345") })).await.refused(404, "PAYMENT_NOT_FOUND");
        }
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let first = browser.open("/app/payments/verifications?status=not_found&search=12345").await;
        assert!(first.contains("<code>3912345") && first.contains("<code>1512345") && !first.contains("<code>1412345"));
        let (_, rest) = first.split_once("rel=\"next\" href=\"").unwrap();
        let older = rest.split('"').next().unwrap().replace("&#38;", "&");
        let second = browser.open(&older).await;
        assert!(second.contains("<code>1412345") && second.contains("<code>1012345") && !second.contains("rel=\"next\""));
        // What the search of payments shows of a reference leads to the rest.
        let found = browser.open("/app/payments?search=12345").await;
        assert!(found.contains("/app/payments/verifications?search=12345"), "{found}");
    }

    async fn every_refusal_says_why_and_what_to_do(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let wrong = ask(&browser, &owner, "12ab", &[("amount", "1.2.3"), ("phone_pagador", "1")]).await;
        assert_eq!(wrong.status, 400);
        let page = wrong.text();
        for name in ["bank_reference", "amount", "phone_pagador"] {
            assert!(page.contains(&format!("id=\"{name}-wrong\"")), "{name}");
        }
        assert!(page.contains("<details class=\"field\" open>"));
        let missing = ask(&browser, &owner, "1111111", &[]).await;
        assert_eq!(missing.status, 404);
        assert!(missing.text().contains("aún puede aparecer"));
        for query in ["?search=abc", "?amount=x"] {
            assert!(browser.open(&format!("/app/payments{query}")).await.contains("role=\"alert\""));
        }
    }

    async fn a_links_code_leads_to_its_page(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "amount": 5, "description": "x", "user_bank_id": owner.bank });
        let made: Value = owner.key.post("/v1/paymentlink", body).await.ok();
        let id = made["paymentlink"]["id"].as_str().unwrap();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let answer = browser.get(&format!("/app/payments?search={id}")).await;
        assert_eq!(answer.header("location"), Some(&*format!("/app/links/{id}")));
    }
}
