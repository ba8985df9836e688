//! What a page advises is what its reader may do; for the rest it says whom to ask.

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{Browser, TestApp, either_engine};

use crate::pay::{make, pay};

async fn signed_in(app: &TestApp, email: &str) -> Browser {
    let browser = app.browser();
    browser.sign_in(email, PASSWORD).await;
    browser
}

/// The path of the page of the link's only check.
fn check_of(page: &str) -> String {
    let path = "/app/payments/verifications/";
    let (_, rest) = page.split_once(&format!("href=\"{path}")).expect(page);
    format!("{path}{}", rest.split('"').next().unwrap())
}

either_engine! {
    async fn money_for_a_link_that_has_ended_is_accepted_by_who_may_or_asked_for(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let link = make(&key, &key.link_bank().await, json!({})).await;
        owner.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        let path = format!("/app/links/{link}");
        let owners = app.browser();
        owners.sign_in_as(&owner).await;
        assert!(owners.open(&path).await.contains("puede aceptarlo hasta un día después"));
        let reader = signed_in(&app, &owner.employee(1, &["payment_links:read"]).await.email).await;
        let person = signed_in(&app, &owner.client_employee(&client, 2).await.email).await;
        for (browser, whom) in [(&reader, "pida al titular"), (&person, "pida al comercio que le da acceso")] {
            let page = browser.open(&path).await;
            assert!(page.contains(whom) && !page.contains("puede aceptarlo"), "{whom}: {page}");
        }
        reader.send("/app/language", &[("language", "en"), ("next", &path)]).await;
        assert!(reader.open(&path).await.contains("ask the owner or someone with permission to accept it"));
    }

    async fn who_accepts_payments_and_sees_no_links_is_led_there_from_the_check(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        pay(&app.nobody(), &link, "1123456").await;
        let owners = app.browser();
        owners.sign_in_as(&owner).await;
        let check = check_of(&owners.open(&format!("/app/links/{link}")).await);
        let accept = format!("href=\"/app/links/{link}/accept\"");
        // A person who sees the link uses its page: nothing waits to be accepted.
        let page = owners.open(&check).await;
        assert!(page.contains("acéptelo en la página del enlace") && !page.contains(&accept), "{page}");
        let writer = signed_in(&app, &owner.employee(1, &["payments:write"]).await.email).await;
        let page = writer.open(&check).await;
        assert!(page.contains(&accept) && !page.contains(&format!("href=\"/app/links/{link}\"")), "{page}");
        let reader = signed_in(&app, &owner.employee(2, &["payments:read", "payment_links:read"]).await.email).await;
        let page = reader.open(&check).await;
        assert!(page.contains("pida al titular o a quien tenga el permiso que lo acepte") && !page.contains(&accept), "{page}");
    }

    async fn who_only_reads_is_not_asked_to_verify_or_to_buy(app: TestApp) {
        let owner = app.owner_with(0).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "1167890" })).await.refused(402, "NOT_ENOUGH_CREDITS");
        let reader = signed_in(&app, &owner.employee(1, &["payments:read"]).await.email).await;
        let page = reader.open("/app/payments?search=1167890").await;
        assert!(page.contains("Pida al titular o a quien tenga el permiso que la verifique"), "{page}");
        let (_, rest) = page.split_once("href=\"/app/payments/refused/").expect(&page);
        let page = reader.open(&format!("/app/payments/refused/{}", rest.split('"').next().unwrap())).await;
        for said in ["Avise al titular: es quien recarga", "pida al titular o a quien tenga el permiso que verifique"] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert!(!page.contains("Recargue créditos") && !page.contains("Después, verifique"), "{page}");
        assert!(!reader.open("/app/payments").await.contains("Verifique el primero"));
    }
}
