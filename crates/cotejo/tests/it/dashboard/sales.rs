//! The page of sales: what it shows is what the API's statistics say, and each figure leads to its payments.

use std::time::Duration;

use domain::language::Language;
use domain::links::{Currency, Price};
use serde_json::{Value, json};
use testkit::bank::PAYER;
use testkit::employee::PASSWORD;
use testkit::{Browser, Owner, Setup, either_engine};

use crate::bdv;
use crate::exchange_rate::record_dollar;
use crate::pay::{make, send};
use crate::subscriptions::{begin, hour_comes};

const PAGE: &str = "/app/sales";

/// Words for what the list is grouped by, as the address and the API say it.
const RANKED: [&str; 6] = ["bank", "client", "key", "person", "payer_bank", "subscription"];

async fn statistics(owner: &Owner, query: &str) -> Value {
    let answer = owner.key.get(&format!("/v1/statistics?livemode=false&{query}")).await.ok();
    answer["statistics"][0].clone()
}

/// An amount of the API as pages write it.
fn written(amount: &Value) -> String {
    let hundredths = (amount.as_f64().unwrap() * 100.0).round() as i64;
    Price { hundredths, currency: Currency::Vef }.written(Language::Es)
}

/// The cells of a page's tables under that name.
fn cells<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let begins = format!("data-label=\"{name}\">");
    page.split(&begins).skip(1).map(|rest| rest.split('<').next().unwrap()).collect()
}

/// Addresses of payments to which a part of the page leads.
fn ways(part: &str) -> Vec<String> {
    let links = part.split("href=\"/app/payments?").skip(1);
    let query =
        |rest: &str| rest.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    links.map(|rest| format!("/app/payments?{}", query(rest))).collect()
}

fn list(page: &str) -> &str {
    page.split_once("id=\"ranked\"").expect(page).1
}

/// How many payments a list of them shows.
async fn listed(browser: &Browser, path: &str) -> usize {
    cells(&browser.open(path).await, "Verificado").len()
}

fn paying(number: u64, amount: f64) -> Value {
    json!({ "bank_reference": format!("{number}67890"), "amount": amount })
}

/// Payments of made-up amounts, by keys of the owner and of a client, by the owner and by an employee, in some hours of
/// some days.
async fn payments(app: &testkit::TestApp, owner: &Owner) {
    let client = owner.client(true).await;
    let of_client = owner.client_key(&client).await;
    let theirs = of_client.link_bank().await;
    let other = owner.key_with(&["payment_verifications"]).await;
    let employee = owner.employee(1, &["payments:write"]).await;
    owner.verify(&owner.bank, paying(1, 3.25)).await.ok();
    employee.verify(&owner.bank, paying(2, 40.5)).await.ok();
    let (mut number, mut state) = (10, 11_u64);
    for day in 20..26 {
        for hour in [9, 13, 21] {
            hour_comes(app, &format!("2026-11-{day}"), hour).await;
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            number += 1;
            let body = paying(number, (state >> 50) as f64 / 4.0 + 1.0);
            match state >> 62 {
                0 => continue,
                1 => owner.key.verify(&owner.bank, body).await.ok(),
                2 => other.verify(&owner.bank, body).await.ok(),
                _ => of_client.verify(&theirs, body).await.ok(),
            };
        }
    }
    hour_comes(app, "2026-11-26", 12).await;
    owner.key.verify(&theirs, paying(9, 7.75)).await.ok();
}

either_engine! {
    async fn its_list_is_what_the_api_says_however_it_is_grouped_and_leads_to_its_payments(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        payments(&app, &owner).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for by in RANKED {
            let days = "from=2026-11-20&to=2026-11-26";
            let expected = statistics(&owner, &format!("{days}&group_by={by}")).await;
            let page = browser.open(&format!("{PAGE}?{days}&by={by}")).await;
            let groups = expected["groups"].as_array().unwrap();
            let sums: Vec<_> = groups.iter().map(|group| written(&group["sum"])).collect();
            let counts: Vec<_> = groups.iter().map(|group| group["count"].to_string()).collect();
            assert_eq!(cells(list(&page), "Cobrado"), sums, "{by}");
            assert_eq!(cells(list(&page), "Pagos"), counts, "{by}");
            assert!(page.contains(&format!(">{}</a>", written(&expected["sum"]))), "{by}: {page}");
            assert!(page.contains(&format!("<dd>{}</dd>", written(&expected["received"]))), "{by}: {page}");
            let ways = ways(list(&page));
            assert_eq!(ways.len(), groups.len(), "{by}: {page}");
            for (way, group) in ways.iter().zip(groups) {
                assert_eq!(listed(&browser, way).await.to_string(), group["count"].to_string(), "{way}");
            }
        }
    }

    async fn its_bars_are_the_hours_days_and_months_of_the_api(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        payments(&app, &owner).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for (by, days) in [
            ("hour", "from=2026-11-20&to=2026-11-20"),
            ("day", "from=2026-11-20&to=2026-11-26"),
            ("month", "from=2026-10-20&to=2026-11-26"),
        ] {
            let expected = statistics(&owner, &format!("{days}&group_by={by}")).await;
            let page = browser.open(&format!("{PAGE}?{days}&each={by}")).await;
            // An hour or a month without a payment leads nowhere.
            let groups = expected["groups"].as_array().unwrap().iter();
            let groups: Vec<_> = groups.filter(|group| group["count"] != 0).collect();
            assert!(!groups.is_empty(), "{by}: {expected}");
            let table = page.split("<figure class=\"chart").nth(1).expect(&page);
            let ways = ways(table);
            assert_eq!(ways.len(), groups.len(), "{by}: {table}");
            for (way, group) in ways.iter().zip(groups) {
                let cell = format!("</a></th><td class=\"number\">{}</td>", written(&group["sum"]));
                assert!(table.contains(&cell), "{by}, {cell}: {table}");
                assert_eq!(listed(&browser, way).await.to_string(), group["count"].to_string(), "{way}");
            }
        }
        // Each hour of the week leads to its payments, and all of them are somewhere.
        let days = "from=2026-11-20&to=2026-11-26";
        let page = browser.open(&format!("{PAGE}?{days}")).await;
        let week = page.split("<figure class=\"chart week").nth(1).expect(&page);
        let week = week.split("</figure>").next().unwrap();
        let count = statistics(&owner, days).await["count"].as_u64().unwrap() as usize;
        for parameter in ["&weekday=", "&hour_of_day="] {
            let mut found = 0;
            for way in ways(week).iter().filter(|way| way.contains(parameter)) {
                found += listed(&browser, way).await;
            }
            assert_eq!(found, count, "{parameter}: {week}");
        }
    }

    async fn today_is_compared_with_yesterday_up_to_the_same_hour(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        for (day, hour, number, amount) in [(20, 9, 1, 10.0), (20, 20, 2, 100.0), (21, 9, 3, 5.0), (21, 11, 4, 64.0)] {
            hour_comes(&app, &format!("2026-11-{day}"), hour).await;
            owner.key.verify(&owner.bank, paying(number, amount)).await.ok();
        }
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(&format!("{PAGE}?period=today")).await;
        // What came since eleven is of an hour that is not over.
        let (_, compared) = page.split_once("Hasta las 11:00: ").expect(&page);
        let compared = compared.split("</p>").next().unwrap();
        for part in ["Bs. 5,00", "Período anterior hasta entonces", "Bs. 10,00", "−50 %"] {
            assert!(compared.contains(part), "{part}: {compared}");
        }
        assert!(page.contains(">Bs. 69,00</a>"), "{page}");
        // Yesterday is over, and stands beside all of the day before.
        let page = browser.open(&format!("{PAGE}?period=yesterday")).await;
        assert!(page.contains(">Bs. 110,00</a>") && !page.contains("Hasta las"), "{page}");
    }

    async fn who_sees_statistics_alone_sees_no_way_to_payments_and_a_clients_person_its_own(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let theirs = key.link_bank().await;
        key.verify(&theirs, paying(1, 4.0)).await.ok();
        owner.key.verify(&owner.bank, paying(2, 8.0)).await.ok();
        let limited = owner.employee(1, &["statistics:read"]).await;
        let person = owner.client_employee(&client, 2).await;
        let browser = app.browser();
        browser.sign_in(&limited.email, PASSWORD).await;
        let page = browser.open(PAGE).await;
        assert!(page.contains("Bs. 12,00") && ways(&page).is_empty(), "{page}");
        assert!(browser.open("/app").await.contains("href=\"/app/sales\""));
        let browser = app.browser();
        browser.sign_in(&person.email, PASSWORD).await;
        for by in RANKED {
            let page = browser.open(&format!("{PAGE}?by={by}")).await;
            assert_eq!(cells(list(&page), "Cobrado"), ["Bs. 4,00"], "{by}");
            assert!(!page.contains("Bs. 8,00") && !page.contains("Bs. 12,00"), "{by}: {page}");
            for way in ways(&page) {
                assert_eq!(listed(&browser, &way).await, 1, "{way}");
            }
        }
        let without = owner.employee(3, &["payments:write"]).await;
        let browser = app.browser();
        browser.sign_in(&without.email, PASSWORD).await;
        assert_eq!(browser.get(PAGE).await.status, 403);
        assert!(!browser.open("/app").await.contains("href=\"/app/sales\""));
    }

    async fn each_currency_is_by_itself_with_what_the_bank_credited(setup: Setup) {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        record_dollar(&app, "891", "2026-11-19", "2026-11-20").await;
        let more = json!({ "amount": 25, "currency": "USD", "expiration_time": -1 });
        let link = make(&owner.key, &account, more).await;
        bank.pay("000079912345", 2_227_500, Duration::ZERO);
        let fields = [("reference", "79912345"), ("seen", "2227500"), ("phone", PAYER.0)];
        send(&app.nobody(), &format!("/pay/{link}"), &fields).await;
        // The bank is not asked more often than it likes.
        app.clock().advance(Duration::from_secs(3));
        bank.pay("000079955555", 1_000, Duration::ZERO);
        owner.verify(&account, json!({ "bank_reference": "79955555", "amount": 10 })).await.ok();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let dollars = browser.open(&format!("{PAGE}?currency=USD&by=payer_bank")).await;
        assert!(dollars.contains(">USD 25,00</a>") && dollars.contains("<dd>Bs. 22.275,00</dd>"), "{dollars}");
        let bolivares = browser.open(PAGE).await;
        assert!(bolivares.contains(">Bs. 10,00</a>") && bolivares.contains("Dólares (USD): USD\u{a0}25,00"), "{bolivares}");
        for page in [&dollars, &bolivares] {
            for way in ways(page) {
                assert_eq!(listed(&browser, &way).await, 1, "{way}");
            }
        }
        let rows = browser.open(&ways(list(&dollars))[0]).await;
        assert!(rows.contains("Solo: Dólares (USD)"), "{rows}");
    }

    async fn what_has_no_sales_says_what_to_do(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(PAGE).await;
        assert!(page.contains("No hay pagos verificados en estos días.") && page.contains("/app/payments/verify"), "{page}");
        let page = browser.open(&format!("{PAGE}?from=2026-11-20&to=2026-11-01")).await;
        assert!(page.contains("es antes del primer día"), "{page}");
        let page = browser.open(&format!("{PAGE}?from=2025-01-01&to=2026-11-01")).await;
        assert!(page.contains("son más de 400 días"), "{page}");
        let page = browser.open("/app/payments?key=x").await;
        assert!(page.contains("Uno de los filtros no se entiende."), "{page}");
    }
}
