//! References that plan, limits or balance refused before a bank was asked: who finds them, and what is said of them.

use std::time::Duration;

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{TestApp, either_engine};

use crate::pay::{make, pay};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const LIST: &str = "/app/payments/refused";

/// The path of the first of them that a page leads to.
fn one_of(page: &str) -> String {
    let (_, rest) = page.split_once(&format!("href=\"{LIST}/")).expect(page);
    format!("{LIST}/{}", rest.split('"').next().unwrap())
}

either_engine! {
    async fn what_credits_and_limits_refuse_is_found_by_what_was_typed_and_says_which_rule(app: TestApp) {
        let owner = app.owner_with(1).await;
        let limited = owner.key_limited_to(0).await;
        let body = json!({ "bank_reference": "1167890", "amount": 20.5, "source_name": "Caja 3" });
        limited.verify(&owner.bank, body).await.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        owner.key.verify(&owner.bank, json!({ "bank_reference": "2267890" })).await.ok();
        owner.key.verify(&owner.bank, json!({ "bank_reference": "3367890" })).await.refused(402, "NOT_ENOUGH_CREDITS");
        assert_eq!(app.database().number("select count(*) from verifications"), 1);

        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let list = browser.open(LIST).await;
        for shown in ["1167890", "Límite de la llave", "Bs. 20,50", "Caja 3", "3367890", "Sin créditos"] {
            assert!(list.contains(shown), "{shown}: {list}");
        }
        assert!(!list.contains("2267890"), "{list}");
        for (query, is_there) in [("search=1167890", true), ("search=167890", true), ("search=3367890", false), ("amount=20,50", true), ("amount=21", false), ("from=2026-11-20&to=2026-11-20", true), ("from=2026-11-21", false)] {
            assert_eq!(browser.open(&format!("{LIST}?{query}")).await.contains("<code>1167890"), is_there, "{query}");
        }
        // A search of payments finds it as well, and it says which rule refused, and what to do.
        let found = browser.open("/app/payments?search=1167890").await;
        assert!(found.contains("Rechazadas sin preguntarle al banco"), "{found}");
        let page = browser.open(&one_of(&found)).await;
        for shown in ["La llave llegó a su límite", "Suba o quite el límite", "no dice nada del pago", "2026-11-20 08:00", &*format!("/app/keys/{}", limited.id), "/app/payments/verify?"] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        let found = browser.open("/app/payments?search=3367890").await;
        assert!(browser.open(&one_of(&found)).await.contains("No quedaban créditos"));

        // Asked again and again, it is one row that says how often; on another day it is another.
        for _ in 0..3 {
            limited.verify(&owner.bank, json!({ "bank_reference": "5567890" })).await.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        }
        let rows = |page: &str| page.matches("<code>5567890").count();
        let list = browser.open(LIST).await;
        assert!(rows(&list) == 1 && list.contains("· 3 veces"), "{list}");
        app.clock().advance(DAY);
        limited.verify(&owner.bank, json!({ "bank_reference": "5567890" })).await.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(rows(&browser.open(LIST).await), 2);

        // Nobody else's account has it.
        let (stranger, other) = (app.owner().await, app.browser());
        other.sign_in_as(&stranger).await;
        assert!(!other.open(LIST).await.contains("1167890"));
        assert_eq!(other.get(&one_of(&found)).await.status, 404);
    }

    async fn a_payer_whom_credits_refuse_stands_among_the_tries_of_the_link(app: TestApp) {
        let owner = app.owner_with(0).await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        assert_eq!(pay(&app.nobody(), &link, "4467890").await.status, 503);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let shown = browser.open(&format!("/app/links/{link}")).await;
        assert!(shown.contains("<code>4467890") && shown.contains("Sin créditos"), "{shown}");
        let page = browser.open(&one_of(&shown)).await;
        for shown in ["No quedaban créditos", "escriba otra vez la referencia", &*format!("/app/links/{link}")] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        // What is verified by hand pays no link.
        assert!(!page.contains("/app/payments/verify?"), "{page}");
    }

    async fn a_clients_person_sees_what_its_client_was_refused_and_nothing_else(app: TestApp) {
        let owner = app.owner_with(0).await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let person = owner.client_employee(&client, 1).await;
        key.verify(&bank, json!({ "bank_reference": "1167890" })).await.refused(402, "NOT_ENOUGH_CREDITS");
        owner.key.verify(&bank, json!({ "bank_reference": "2267890" })).await.refused(402, "NOT_ENOUGH_CREDITS");
        let browser = app.browser();
        browser.sign_in(&person.email, PASSWORD).await;
        let list = browser.open(LIST).await;
        assert!(list.contains("1167890") && !list.contains("2267890"), "{list}");
        let owners = app.browser();
        owners.sign_in_as(&owner).await;
        let found = owners.open(&format!("{LIST}?search=2267890")).await;
        assert_eq!(browser.get(&one_of(&found)).await.status, 404);
        // What is between the owner and the operator of the service is the owner's to do.
        let page = browser.open(&one_of(&list)).await;
        assert!(page.contains("Avise al comercio") && !page.contains("Recargue"), "{page}");
        // The same question by client.
        let of_client = owners.open(&format!("{LIST}?client={client}")).await;
        assert!(of_client.contains("1167890"), "{of_client}");
    }
}
