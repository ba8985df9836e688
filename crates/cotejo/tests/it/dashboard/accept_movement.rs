//! Money that nobody has used is accepted by a person, as a payment or for a link.

use std::time::Duration;

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{Browser, Owner, Response, Setup, TestApp, either_engine};

use crate::pay::{make, status};
use crate::payment_links::accept::{OWED, listed, shown};

const MOVEMENTS: &str = "/app/payments/movements";

fn path_of(movement: &str) -> String {
    format!("{MOVEMENTS}/{movement}/accept")
}

/// Ticks the box, and says what it pays.
async fn accept(browser: &Browser, movement: &str, pays: &str) -> Response {
    let fields = [("pays", ""), ("pays", pays), ("accept_sure", ""), ("accept_sure", "yes")];
    browser.send(&path_of(movement), &fields).await
}

#[track_caller]
fn leads_to(answer: &Response) -> String {
    assert_eq!(answer.status, 303, "{answer:?}");
    answer.header("location").unwrap().to_owned()
}

async fn signed_in(app: &TestApp, owner: &Owner) -> Browser {
    let browser = app.browser();
    browser.sign_in_as(owner).await;
    browser
}

either_engine! {
    async fn a_movement_becomes_a_payment_once_however_often_the_form_is_sent(app: TestApp) {
        let owner = app.owner().await;
        let browser = signed_in(&app, &owner).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let path = path_of(&movement);
        for list in [MOVEMENTS, "/app/payments?search=7654321"] {
            assert!(browser.open(list).await.contains(&format!("href=\"{path}\"")), "{list}");
        }
        let page = browser.open(&path).await;
        assert!(page.contains("7654321") && page.contains("150,75"), "{page}");

        // Nothing is done without the tick, nor by a choice that is none.
        let untick = [("pays", "sale"), ("accept_sure", "")];
        let refused = browser.send(&path, &untick).await;
        assert_eq!(refused.status, 400);
        assert!(refused.text().contains("id=\"accept_sure-wrong\""));
        assert_eq!(accept(&browser, &movement, "").await.status, 400);
        assert_eq!(listed(&owner, &movement).await["claimed"], false);

        // Two presses of one button are one.
        let page = browser.open(&path).await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let fields = [("once", once), ("pays", "sale"), ("accept_sure", "yes")];
        let first = leads_to(&browser.send(&path, &fields).await);
        assert_eq!(leads_to(&browser.send(&path, &fields).await), first);
        for said in ["Pago de prueba confirmado", "Ya se le dijo"] {
            assert!(browser.open(&first).await.contains(said), "{said}");
        }
        assert_eq!((listed(&owner, &movement).await["claimed"].clone(), owner.balance().await), (json!(true), 999));
        let body = json!({ "bank_reference": "7654321" });
        let again = owner.key.verify(&owner.bank, body).await.ok();
        assert_eq!(again["data"]["is_new"], false);
        // The lists offer it no more, and its page says what became of it.
        assert!(!browser.open(MOVEMENTS).await.contains(&path));
        let page = browser.open(&path).await;
        assert!(page.contains("Este dinero ya se usó") && page.contains(&first), "{page}");
        assert!(!page.contains("accept_sure"), "{page}");
    }

    /// A page that was loaded before somebody else used the money does not say that it was accepted.
    async fn who_comes_second_reads_that_the_money_is_used(app: TestApp) {
        let owner = app.owner().await;
        let (first, second) = (signed_in(&app, &owner).await, signed_in(&app, &owner).await);
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let path = path_of(&movement);
        first.open(&path).await;
        second.open(&path).await;
        assert_ne!(leads_to(&accept(&first, &movement, "sale").await), path);
        assert_eq!(leads_to(&accept(&second, &movement, "sale").await), path);
        let left = accept(&second, &movement, "caller").await;
        assert_eq!(left.status, 409);
        assert!(left.text().contains("ya es un pago"), "{}", left.text());
        assert_eq!(owner.balance().await, 999);
    }

    async fn what_costs_nothing_leads_to_its_page_as_what_costs_does(setup: Setup) {
        let app = setup.without_charge().start().await;
        let owner = app.owner().await;
        let browser = signed_in(&app, &owner).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        browser.open(&path_of(&movement)).await;
        let page = leads_to(&accept(&browser, &movement, "sale").await);
        assert!(page.starts_with("/app/payments/verifications/"), "{page}");
        assert!(browser.open(&page).await.contains("Pago de prueba confirmado"));
        assert_eq!(owner.balance().await, 1_000);
        // Who comes second reads that it is used, also for nothing.
        assert_eq!(leads_to(&accept(&browser, &movement, "sale").await), path_of(&movement));
    }

    async fn what_is_left_to_the_till_is_new_to_it(app: TestApp) {
        let owner = app.owner().await;
        let browser = signed_in(&app, &owner).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        browser.open(&path_of(&movement)).await;
        let page = leads_to(&accept(&browser, &movement, "caller").await);
        assert!(browser.open(&page).await.contains("lo dejó para su sistema"));
        let body = json!({ "bank_reference": "7654321" });
        for is_new in [true, false] {
            let answer = owner.key.verify(&owner.bank, body.clone()).await.ok();
            assert_eq!(answer["data"]["is_new"], is_new);
        }
        assert!(browser.open(&page).await.contains("Ya se le dijo a quien lo pidió"));
        assert_eq!(owner.balance().await, 999);
    }

    async fn the_links_that_it_may_pay_are_offered_and_no_other(app: TestApp) {
        let mut owner = app.owner().await;
        let bank = owner.bank.clone();
        let canceled = make(&owner.key, &bank, json!({})).await;
        owner.post(&format!("/v1/paymentlink/{canceled}/cancel"), json!({})).await.ok();
        app.clock().advance(Duration::from_secs(24 * 60 * 60 + 60));
        owner.sign_in_again().await;
        let other_account = owner.key.link_bank().await;
        let (fits, expired) = (
            make(&owner.key, &bank, json!({ "name": "Pedido 8" })).await,
            make(&owner.key, &bank, json!({ "expiration_time": 1 })).await,
        );
        let (stopped, rejected, of_other_amount, elsewhere) = (
            make(&owner.key, &bank, json!({})).await,
            make(&owner.key, &bank, json!({})).await,
            make(&owner.key, &bank, json!({ "amount": 150.76 })).await,
            make(&owner.key, &other_account, json!({})).await,
        );
        let dollars = make(&owner.key, &bank, json!({ "currency": "USD" })).await;
        owner.post(&format!("/v1/paymentlink/{stopped}/stop"), json!({})).await.ok();
        owner.post(&format!("/v1/paymentlink/{rejected}/reject"), json!({})).await.ok();
        app.clock().advance(Duration::from_secs(90));
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let browser = signed_in(&app, &owner).await;
        let page = browser.open(&path_of(&movement)).await;
        for link in [&fits, &expired] {
            assert!(page.contains(link), "{page}");
        }
        assert!(page.contains("Pedido 8") && page.contains("Vencido"), "{page}");
        for link in [&canceled, &stopped, &rejected, &of_other_amount, &elsewhere, &dollars] {
            assert!(!page.contains(link.as_str()), "{link}: {page}");
        }

        let paid = leads_to(&accept(&browser, &movement, &fits).await);
        assert_eq!(paid, format!("/app/links/{fits}?saved"));
        assert_eq!(status(&owner, &fits).await, "paid");
        // What is used pays no other, nor is it a payment a second time.
        assert_eq!(accept(&browser, &movement, &expired).await.status, 409);
        assert_eq!(leads_to(&accept(&browser, &movement, "sale").await), path_of(&movement));
        assert_eq!((status(&owner, &expired).await.as_str(), owner.balance().await), ("expired", 999));
    }

    async fn who_may_accept_and_sees_no_links_is_shown_what_became_of_it(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let luis = owner.employee(1, &["payments:write"]).await;
        let browser = app.browser();
        browser.sign_in(&luis.email, PASSWORD).await;
        browser.open(&path_of(&movement)).await;
        let after = leads_to(&accept(&browser, &movement, &link).await);
        assert_eq!((after.clone(), status(&owner, &link).await), (path_of(&movement), "paid".to_owned()));
        assert!(browser.open(&after).await.contains("Este dinero ya se usó"));
    }

    async fn who_only_reads_is_offered_nothing(app: TestApp) {
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let eva = owner.employee(1, &["payments:read"]).await;
        let reader = app.browser();
        reader.sign_in(&eva.email, PASSWORD).await;
        for list in [MOVEMENTS, "/app/payments?search=7654321"] {
            let page = reader.open(list).await;
            assert!(page.contains("7654321") && !page.contains(&path_of(&movement)), "{list}");
        }
        assert_eq!(reader.get(&path_of(&movement)).await.status, 403);
        assert_eq!(accept(&reader, &movement, "sale").await.status, 403);
        assert_eq!(listed(&owner, &movement).await["claimed"], false);
    }
}

either_engine! {
    async fn where_credits_refuse_the_form_is_there_again(app: TestApp) {
        let owner = app.owner_with(0).await;
        let browser = signed_in(&app, &owner).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        browser.open(&path_of(&movement)).await;
        let refused = accept(&browser, &movement, "sale").await;
        assert_eq!(refused.status, 402);
        assert!(refused.text().contains("role=\"alert\"") && refused.text().contains("accept_sure"));
        owner.grant(1).await;
        assert_ne!(leads_to(&accept(&browser, &movement, "sale").await), path_of(&movement));
    }

    async fn test_money_and_money_that_went_out_are_called_so(app: TestApp) {
        let owner = app.owner().await;
        let browser = signed_in(&app, &owner).await;
        let test = shown(&app, &owner, "7654321", OWED).await;
        assert!(browser.open(&path_of(&test)).await.contains("no es dinero"));
        let outgoing = shown(&app, &owner, "7654322", -OWED).await;
        let page = browser.open(&path_of(&outgoing)).await;
        assert!(page.contains("salió de la cuenta") && !page.contains("accept_sure"), "{page}");
        assert!(!browser.open(MOVEMENTS).await.contains(&path_of(&outgoing)));
    }
}
