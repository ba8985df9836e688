//! The sums above the list of subscriptions.

use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::employee::PASSWORD;
use testkit::{Setup, both_engines, either_engine};

use super::test_mode::switch;
use crate::bdv;
use crate::pay::paid_with;
use crate::subscriptions::{begin, day_comes, id, link_of, make};

const LIST: &str = "/app/subscriptions";

/// The figures of each currency, without their marks.
fn sums(page: &str) -> Vec<Vec<String>> {
    let currencies = page.split("<dl class=\"figures\">").skip(1);
    let figures = currencies.map(|rest| rest.split("</dl>").next().unwrap().split("<dd").skip(1));
    let text = |figure: &str| -> String {
        let (_, inner) = figure.split("</dd>").next().unwrap().split_once('>').unwrap();
        inner.split('<').map(|part| part.rsplit('>').next().unwrap()).collect()
    };
    figures.map(|figures| figures.map(text).collect()).collect()
}

both_engines! {
    async fn each_currency_is_added_up_by_itself(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(sums(&browser.open(LIST).await).is_empty());
        let made = async |more: Value| id(&make(&owner.key, &owner.bank, more).await);
        // Paid, and its next cycle has not opened.
        let paid = made(json!({})).await;
        paid_with(&app.nobody(), &link_of(&owner.key, &paid, 1).await, "167890").await;
        // Nothing is due of it yet.
        made(json!({ "pay_first": false, "currency": "USD" })).await;
        // Not paid in time.
        made(json!({ "pay_first": false, "subscriptionPeriodType": "day", "graceDays": 0, "cycles": 1 })).await;
        // Overdue, and it can still be paid.
        let product = json!({ "productName": "Gimnasio", "productPrice": 20 });
        made(json!({ "pay_first": false, "subscriptionPeriodType": "day", "cycles": 1, "currency": "USD", "uniqueProduct": product })).await;
        // Waits for its first payment, of which one is due this month.
        made(json!({})).await;
        let product = json!({ "productName": "Gimnasio", "productPrice": 999 });
        made(json!({ "startDate": "2026-12-01", "leadDays": 15, "uniqueProduct": product })).await;
        let paused = made(json!({ "subscriptionPeriodType": "day" })).await;
        paid_with(&app.nobody(), &link_of(&owner.key, &paused, 1).await, "267890").await;
        owner.key.post(&format!("/v1/subscriptions/{paused}/pause"), json!({})).await.ok();
        let canceled = made(json!({ "pay_first": false })).await;
        owner.key.post(&format!("/v1/subscriptions/{canceled}/cancelbyowner"), json!({})).await.ok();
        let other = app.owner().await;
        make(&other.key, &other.bank, json!({ "pay_first": false })).await;
        day_comes(&app, "2026-11-21").await;
        day_comes(&app, "2026-11-22").await;

        let page = browser.open(LIST).await;
        assert_eq!(
            sums(&page),
            [
                ["1", "Bs. 150,75 1 suscripción", "Bs. 150,75"],
                ["1", "USD 20,00 1 suscripción", "USD 20,00"],
            ],
            "{page}"
        );
        for part in ["<h2>Bolívares</h2>", "<h2>Dólares (USD)</h2>", "href=\"/app/subscriptions?status=active\"", "Por cobrar este mes"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        // The figures are of all that there is, whatever the list is filtered by.
        assert_eq!(sums(&browser.open(&format!("{LIST}?status=active&search=nada")).await), sums(&page));
        let others = app.browser();
        others.sign_in_as(&other).await;
        let page = others.open(LIST).await;
        assert_eq!(sums(&page), [["1", "Bs. 0,00 0 suscripciones", "Bs. 0,00"]], "{page}");
        assert!(!page.contains("<h2>Bolívares</h2>"), "{page}");
    }

    async fn a_clients_person_is_shown_the_sums_of_its_clients_own(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        make(&key, &bank, json!({})).await;
        // On the account of the client, by the owner; and on the owner's own.
        make(&owner.key, &bank, json!({})).await;
        make(&owner.key, &owner.bank, json!({ "pay_first": false })).await;
        let person = app.browser();
        person.sign_in(&owner.client_employee(&client, 1).await.email, PASSWORD).await;
        assert_eq!(sums(&person.open(LIST).await), [["0", "Bs. 0,00 0 suscripciones", "Bs. 150,75"]]);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert_eq!(sums(&browser.open(LIST).await), [["1", "Bs. 0,00 0 suscripciones", "Bs. 301,50"]]);
    }
}

either_engine! {
    async fn what_is_of_the_test_bank_is_added_up_in_test_mode_alone(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        make(&owner.key, &owner.bank, json!({ "pay_first": false })).await;
        let of_test = [["1", "Bs. 0,00 0 suscripciones", "Bs. 0,00"]];
        // Test money is in no colour of money.
        let page = browser.open(LIST).await;
        assert!(sums(&page) == of_test && page.contains("<dd class=\"warn\">1</dd>"), "{page}");
        let account = bdv::link(&owner).await;
        assert!(sums(&browser.open(LIST).await).is_empty());
        let product = json!({ "productName": "Gimnasio", "productPrice": 20 });
        make(&owner.key, &account, json!({ "uniqueProduct": product })).await;
        let page = browser.open(LIST).await;
        assert_eq!(sums(&page), [["0", "Bs. 0,00 0 suscripciones", "Bs. 20,00"]], "{page}");
        assert!(!page.contains("<dd class=\"warn\">"), "{page}");
        switch(&browser, "test").await;
        assert_eq!(sums(&browser.open(LIST).await), of_test);
    }
}
