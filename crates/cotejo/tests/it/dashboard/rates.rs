//! Rates on the dashboard: which serves, what the owner says, and where one is missing or old.

use std::time::Duration;

use serde_json::json;
use testkit::{Owner, TestApp, either_engine};

use crate::exchange_rate::record_dollar;
use crate::pay::make;
use crate::pay::rates::hold;

const PATH: &str = "/app/rates";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn in_dollars(owner: &Owner) -> String {
    make(&owner.key, &owner.bank, json!({ "amount": 10, "currency": "USD" })).await
}

fn said<'a>(rate: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let fields = [
        ("currency", "USD"),
        ("whose", "mine"),
        ("rate", rate),
        ("value_date", "2026-11-20"),
        ("until", ""),
        ("source", "Tienda Ejemplo"),
    ];
    let is_other = |name: &str| more.iter().all(|(other, _)| *other != name);
    fields.into_iter().filter(|(name, _)| is_other(name)).chain(more.iter().copied()).collect()
}

either_engine! {
    async fn an_owner_chooses_by_which_rule_rates_serve(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(PATH).await;
        assert!(page.contains("Rige la tasa de la última fecha valor."), "{page}");
        let answer = browser.send("/app/rates/rule", &[("rate_rule", "by_publication")]).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/app/rates?saved")));
        let page = browser.open(PATH).await;
        assert!(page.contains("fecha valor publicada") && page.contains("value=\"by_publication\" selected"), "{page}");
        assert_eq!(owner.get("/v1/exchange-rates").await.ok()["rate_rule"], "by_publication");
        for wrong in ["", "by_chance"] {
            assert_eq!(browser.send("/app/rates/rule", &[("rate_rule", wrong)]).await.status, 400);
        }
        let employee = owner.employee(1, &["payment_links:write"]).await;
        let other = app.browser();
        other.sign_in(&employee.email, testkit::employee::PASSWORD).await;
        assert_eq!(other.send("/app/rates/rule", &[("rate_rule", "by_value_date")]).await.status, 403);
    }

    async fn an_owner_sees_the_rate_that_serves_and_says_its_own(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app/links").await.contains(PATH));
        assert_eq!(browser.open(PATH).await.matches(">Sin tasa<").count(), 3);
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-20").await;
        let page = browser.open(PATH).await;
        assert!(page.contains("870,10") && page.contains("Fecha valor 2026-11-20") && page.contains("BCV"), "{page}");

        // What may be a slip is asked once more, with what was typed.
        let jump = browser.send(PATH, &said("8.805,00", &[])).await;
        assert_eq!(jump.status, 400);
        let page = jump.text();
        assert!(page.contains("accept_jump") && page.contains("value=\"8.805,00\"") && page.contains("rate-wrong"), "{page}");
        for (rate, more, wrong) in [
            ("1.872", &[][..], "rate-wrong"),
            ("", &[], "rate-wrong"),
            ("880,5", &[("whose", "all")], "rate-wrong"),
            ("880,5", &[("source", "")], "source-wrong"),
            ("880,5", &[("currency", "VEF")], "currency-wrong"),
            ("880,5", &[("value_date", "ayer")], "value_date-wrong"),
            ("880,5", &[("until", "2026-11-19")], "until-wrong"),
        ] {
            let refused = browser.send(PATH, &said(rate, more)).await;
            assert!(refused.status == 400 && refused.text().contains(wrong), "{rate} {more:?}: {}", refused.text());
        }
        assert_eq!(app.database().number("select count(*) from owner_rates"), 0);

        assert_eq!(browser.send(PATH, &said("880,5", &[])).await.header("location"), Some("/app/rates?saved"));
        let page = browser.open(PATH).await;
        assert!(page.contains("<strong>880,50</strong>") && page.contains("La dijo usted"), "{page}");
        assert_eq!(owner.key.get("/exchange/rate").await.ok()["price"], 880.5);
        let everybodys = said("", &[("whose", "all")]);
        assert_eq!(browser.send(PATH, &everybodys).await.status, 303);
        assert!(browser.open(PATH).await.contains("<strong>870,10</strong>"));
        assert_eq!(browser.send(PATH, &said("9.000", &[("rate", "9000"), ("accept_jump", "yes")])).await.status, 303);
        assert_eq!(owner.key.get("/exchange/rate").await.ok()["price"], 9000.0);
    }
}

either_engine! {
    async fn a_link_in_dollars_says_by_which_rate_of_which_day_and_whose(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let id = in_dollars(&owner).await;
        let path = format!("/app/links/{id}");
        assert!(browser.open(&path).await.contains("No hay tasa que rija"));
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-20").await;
        let page = browser.open(&path).await;
        assert!(page.contains("870,10") && page.contains("Fecha valor 2026-11-20") && page.contains("BCV") && page.contains("Es la que rige ahora"), "{page}");
        assert_eq!(hold(&app.nobody(), &id).await.status, 303);
        let page = browser.open(&path).await;
        let held = "Fijada para su cliente 2026-11-20 08:00, hasta 2026-11-20 09:00";
        assert!(page.contains(held) && page.contains("Bs. 8.701,00"), "{page}");
        // One that is made by the form now has it at once.
        let fields = [
            ("amount", "20,00"),
            ("currency", "USD"),
            ("description", "Pedido 8"),
            ("user_bank_id", owner.bank.as_str()),
            ("expiration_time", "1440"),
        ];
        browser.open("/app/links/new").await;
        let made = browser.send("/app/links/new", &fields).await;
        assert_eq!(made.status, 303, "{}", made.text());
        let page = browser.open(made.header("location").unwrap()).await;
        assert!(page.contains(held) && page.contains("Bs. 17.402,00"), "{page}");
    }

    async fn a_rate_that_somebody_said_meanwhile_is_not_replaced_by_a_form_that_was_wrong_at_first(app: TestApp) {
        let owner = app.owner().await;
        let (first, second) = (app.browser(), app.browser());
        first.sign_in_as(&owner).await;
        second.sign_in_as(&owner).await;
        first.open(PATH).await;
        second.open(PATH).await;
        assert_eq!(second.send(PATH, &said("881,5", &[])).await.status, 303);
        // A page that only points to a wrong field has not shown the other's rate.
        assert_eq!(first.send(PATH, &said("880,5", &[("source", "")])).await.status, 400);
        let answer = first.send(PATH, &said("880,5", &[])).await;
        assert_eq!(answer.status, 409, "{}", answer.text());
        assert_eq!(owner.key.get("/exchange/rate").await.ok()["price"], 881.5);
        // That page has.
        assert_eq!(first.send(PATH, &said("880,5", &[])).await.status, 303);
        assert_eq!(owner.key.get("/exchange/rate").await.ok()["price"], 880.5);
    }

    async fn a_rate_that_is_missing_or_old_needs_attention_where_links_wait_for_it(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let (browser, others) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        others.sign_in_as(&other).await;
        assert!(browser.open("/app").await.contains("Todo en orden."));
        make(&owner.key, &owner.bank, json!({ "amount": 10, "currency": "USD", "expiration_time": -1 })).await;
        let page = browser.open("/app").await;
        assert!(page.contains("USD: no hay tasa") && page.contains("href=\"/app/rates\""), "{page}");
        // A client's person is not shown what links of others wait for.
        let person = owner.client_employee(&owner.client(true).await, 1).await;
        let beside = app.browser();
        beside.sign_in(&person.email, testkit::employee::PASSWORD).await;
        assert!(!beside.open("/app").await.contains("USD"));
        assert!(others.open("/app").await.contains("Todo en orden."));
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-20").await;
        assert!(browser.open("/app").await.contains("Todo en orden."));
        app.clock().advance(4 * DAY);
        assert!(browser.open("/app").await.contains("Todo en orden."));
        app.clock().advance(DAY);
        let page = browser.open("/app").await;
        assert!(page.contains("USD: la tasa es vieja, del 2026-11-20"), "{page}");
        assert!(browser.open(PATH).await.contains("Es vieja"));
    }

    async fn a_rate_of_a_day_to_come_is_not_old(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        owner.put("/v1/exchange-rates/rule", json!({ "rate_rule": "by_publication" })).await.ok();
        record_dollar(&app, "870.10", "2026-11-19", "2026-11-26").await;
        let page = browser.open(PATH).await;
        assert!(page.contains("2026-11-26") && !page.contains("Es vieja"), "{page}");
    }

    async fn a_link_in_dollars_that_ended_without_a_rate_says_what_can_still_be_done(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let id = in_dollars(&owner).await;
        let accept = format!("/app/links/{id}/accept");
        let page = browser.open(&accept).await;
        assert!(page.contains("Cambie el monto a bolívares") && page.contains(&format!("/app/links/{id}/change")), "{page}");
        app.clock().advance(DAY + Duration::from_secs(60));
        let page = browser.open(&accept).await;
        assert!(page.contains("Haga otro enlace") && !page.contains("Cambie el monto"), "{page}");
    }
}
