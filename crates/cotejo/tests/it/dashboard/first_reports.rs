//! Money that a person verifies by hand is called new once, by the page of its verification; what that page shows
//! afterwards is true then.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use testkit::bank::SimulatedBank;
use testkit::employee::PASSWORD;
use testkit::{Browser, Owner, Setup, TestApp, both_engines, either_engine};

use crate::bdv::{link, start};
use crate::pay::{THEIRS, make, paid_by};

const VERIFY: &str = "/app/payments/verify";

/// The words that the page says once.
const NEW: &str = "es dinero nuevo";

/// Sends the form about that payment, and answers where it leads.
async fn ask(browser: &Browser, account: &str, once: &str) -> String {
    let fields = [("user_bank_id", account), ("bank_reference", "79912345"), ("once", once)];
    let answer = browser.send(VERIFY, &fields).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert!(!answer.text().contains(NEW));
    let path = answer.header("location").expect("a way on").to_owned();
    assert!(path.starts_with("/app/payments/verifications/"), "{path}");
    path
}

/// An account that has been paid.
struct Shop {
    _bank: SimulatedBank,
    app: TestApp,
    owner: Owner,
    account: String,
}

impl Shop {
    async fn paid(setup: Setup) -> Self {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        Self { _bank: bank, app, owner, account }
    }
}

/// The owner's browser, and the page of the verification that it has asked for.
async fn asked(app: &TestApp, owner: &Owner, account: &str) -> (Browser, String) {
    let browser = app.browser();
    browser.sign_in_as(owner).await;
    let path = ask(&browser, account, "01").await;
    (browser, path)
}

async fn signed_in(app: &TestApp, email: &str, password: &str) -> Browser {
    let browser = app.browser();
    browser.sign_in(email, password).await;
    browser
}

/// Answers whether a page says that the money is new, in the green of that.
fn is_new(page: &str) -> bool {
    let (says, is_green) = (page.contains(NEW), page.contains("class=\"notice good\""));
    assert_eq!(says, is_green, "{page}");
    says
}

either_engine! {
    async fn a_payment_is_new_on_the_first_page_that_is_looked_at_and_on_no_other(setup: Setup) {
        let Shop { _bank, app, owner, account } = Shop::paid(setup).await;
        let (browser, tab) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        tab.sign_in_as(&owner).await;
        let path = ask(&browser, &account, "01").await;
        // The answer was lost, and the form is sent again before anybody has seen the page.
        assert_eq!(ask(&browser, &account, "01").await, path);
        // A browser that loads pages ahead looks at none, and a page that nobody receives reports nothing.
        let ahead = app.nobody().request("GET", &path).header("cookie", &browser.cookies());
        assert!(!ahead.header("sec-purpose", "prefetch").send().await.text().contains(NEW));
        let head = app.nobody().request("HEAD", &path).header("cookie", &browser.cookies());
        assert_eq!(head.send().await.status, 200);
        app.settle().await;
        let page = browser.open(&path).await;
        assert!(is_new(&page) && page.contains("Bs. 150,75"), "{page}");
        app.clock().advance(Duration::from_secs(7 * 60));
        for browser in [&browser, &tab] {
            let page = browser.open(&path).await;
            assert!(!is_new(&page) && page.contains("Ya se le dijo a las 08:0"), "{page}");
            assert!(page.contains("class=\"notice warn\""), "{page}");
        }
        // The form again, by *back* or from a tab that was left open, and a new one that asks the same.
        for once in ["01", "02"] {
            assert_eq!(ask(&browser, &account, once).await, path);
            assert!(!is_new(&browser.open(&path).await), "{once}");
        }
        app.clock().advance(Duration::from_secs(24 * 60 * 60));
        assert!(browser.open(&path).await.contains("Ya se le dijo el 2026-11-20 a las 08:0"));
        let key = owner.key.verify(&account, json!({ "bank_reference": "79912345" })).await.ok();
        assert_eq!(key["data"]["is_new"], false);
        assert_eq!(owner.balance().await, 999);
    }

    async fn what_was_reported_to_a_program_no_page_reports_again(setup: Setup) {
        let Shop { _bank, app, owner, account } = Shop::paid(setup).await;
        let first = owner.key.verify(&account, json!({ "bank_reference": "79912345" })).await.ok();
        assert_eq!(first["data"]["is_new"], true);
        let (browser, path) = asked(&app, &owner, &account).await;
        for _ in 0..2 {
            let page = browser.open(&path).await;
            assert!(!is_new(&page) && page.contains("Ya se le dijo a quien lo pidió, a las 08:00"), "{page}");
        }
    }
}

both_engines! {
    async fn of_pages_that_are_opened_at_once_one_says_that_it_is_new(setup: Setup) {
        let Shop { _bank, app, owner, account } = Shop::paid(setup).await;
        let (browser, path) = asked(&app, &owner, &account).await;
        let pages = join_all((0..8).map(|_| browser.open(&path))).await;
        assert_eq!(pages.iter().filter(|page| is_new(page)).count(), 1);
    }
}

either_engine! {
    async fn it_is_reported_to_none_but_the_person_who_asked(setup: Setup) {
        let Shop { _bank, app, owner, account } = Shop::paid(setup).await;
        let people = [owner.employee(1, &["payments:write"]).await, owner.employee(2, &["payments:write"]).await];
        let till = signed_in(&app, &people[0].email, PASSWORD).await;
        let other = signed_in(&app, &people[1].email, PASSWORD).await;
        let owners = signed_in(&app, &owner.email, &owner.password).await;
        let path = ask(&till, &account, "01").await;
        // Others look at it first, and one of them asks for the same money.
        for browser in [&other, &owners] {
            assert_eq!(ask(browser, &account, "02").await, path);
            let page = browser.open(&path).await;
            assert!(!is_new(&page) && page.contains("todavía no lo ha visto"), "{page}");
        }
        assert!(is_new(&till.open(&path).await));
        assert!(!is_new(&till.open(&path).await));
        assert!(owners.open(&path).await.contains("Ya se le dijo a quien lo pidió, a las 08:00"));
    }

    async fn money_that_paid_a_link_is_new_to_nobody_who_verifies_it_by_hand(setup: Setup) {
        let Shop { _bank, app, owner, account } = Shop::paid(setup).await;
        let paid = make(&owner.key, &account, json!({})).await;
        let said = paid_by(&app.nobody(), &paid, "79912345", THEIRS).await;
        assert!(said.contains("Pago confirmado"), "{said}");
        let (browser, path) = asked(&app, &owner, &account).await;
        for _ in 0..2 {
            let page = browser.open(&path).await;
            assert!(!is_new(&page) && page.contains("Pagó un enlace a las 08:0"), "{page}");
            assert!(page.contains("class=\"notice warn\"") && !page.contains("nadie lo había usado"), "{page}");
        }
    }

    async fn after_a_day_it_is_reported_to_nobody(setup: Setup) {
        let Shop { _bank, app, owner, account } = Shop::paid(setup).await;
        let (browser, path) = asked(&app, &owner, &account).await;
        app.clock().advance(Duration::from_secs(25 * 60 * 60));
        let page = browser.open(&path).await;
        assert!(!is_new(&page) && page.contains("pregunte antes de entregar"), "{page}");
    }

    async fn a_clients_person_learns_that_somebody_else_verified_it(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let account = link(&owner).await;
        let body = json!({ "client_owner_id": client });
        owner.put(&format!("/v1/usersbank/{account}/client"), body).await.ok();
        bank.pay("000079912345", 15_075, Duration::ZERO);
        owner.key.verify(&account, json!({ "bank_reference": "79912345" })).await.ok();
        let person = owner.client_employee(&client, 1).await;
        let browser = signed_in(&app, &person.email, PASSWORD).await;
        let fields = [("user_bank_id", &*account), ("bank_reference", "79912345"), ("once", "01")];
        for _ in 0..2 {
            let answer = browser.send(VERIFY, &fields).await;
            let page = answer.text();
            assert!(answer.status == 200 && !is_new(&page), "{page}");
            assert!(page.contains("ya se había verificado antes") && page.contains("Bs. 150,75"), "{page}");
        }
    }

    async fn test_money_is_called_no_money(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let fields = [("user_bank_id", &*owner.bank), ("bank_reference", "1167890")];
        let answer = browser.send(VERIFY, &fields).await;
        let page = browser.open(answer.header("location").expect("a way on")).await;
        assert!(!is_new(&page) && page.contains("Pago de prueba confirmado: no es dinero"), "{page}");
    }
}
