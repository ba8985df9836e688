//! The pages of receipts.

use std::time::Duration;

use serde_json::json;
use testkit::bank::SimulatedBank;
use testkit::employee::PASSWORD;
use testkit::{Browser, Owner, Setup, TestApp, both_engines, either_engine};

use super::test_mode::switch;
use crate::bdv;
use crate::pay::{make, paid_with};

/// The list.
const LIST: &str = "/app/receipts";

/// Finds the receipt with the highest number that a person's list shows. Answers its id.
pub(super) async fn newest(browser: &Browser) -> String {
    let list = browser.open(LIST).await;
    let (_, rest) = list.split_once(&format!("href=\"{LIST}/")).expect(&list);
    rest.split('"').next().unwrap().to_owned()
}

async fn newest_path(browser: &Browser) -> String {
    format!("{LIST}/{}", newest(browser).await)
}

/// A link of the owner that was paid. Answers its id.
async fn paid_link(app: &TestApp, owner: &Owner) -> String {
    let link = make(&owner.key, &owner.bank, json!({})).await;
    paid_with(&app.nobody(), &link, "167890").await;
    link
}

async fn signed_in(app: &TestApp, email: &str) -> Browser {
    let browser = app.browser();
    browser.sign_in(email, PASSWORD).await;
    browser
}

/// The form by which a receipt is made void, filled in.
fn reasoned(reason: &str) -> [(&str, &str); 3] {
    [("void_reason", reason), ("void_sure", ""), ("void_sure", "yes")]
}

either_engine! {
    async fn a_payment_of_a_link_has_a_receipt_that_is_found_and_sent(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open(LIST).await.contains("class=\"empty\""));
        let link = paid_link(&app, &owner).await;
        let path = newest_path(&browser).await;
        let list = browser.open(LIST).await;
        for part in [">P-000001<", ">20/11/2026<", "Pedido 7", "Bs. 150,75", ">Vigente<", ">Prueba<"] {
            assert!(list.contains(part), "{part}: {list}");
        }
        // It stands among the payments, whose pages lead there.
        assert!(list.contains(&format!("href=\"{LIST}\" aria-current=\"page\"")), "{list}");
        assert!(browser.open("/app/payments").await.contains(&format!("href=\"{path}\"")));
        let of_link = browser.open(&format!("/app/links/{link}")).await;
        assert!(of_link.contains(&format!("href=\"{path}\"")), "{of_link}");

        let page = browser.open(&path).await;
        for part in ["Comprobante P-000001", "Bs. 150,75", "Pedido 7", "167890", "No es una factura fiscal"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        // What is sent leads to the public page, and says that it is no money.
        for part in ["/recibo/", "/pdf\"", "href=\"https://wa.me/", "[MODO DE PRUEBA] Comprobante de pago N.º P-000001", "<svg"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(page.contains(&format!("href=\"/app/links/{link}\"")), "{page}");
        let (_, verification) = page.split_once("href=\"/app/payments/verifications/").expect(&page);
        let verification = verification.split('"').next().unwrap();
        let shown = browser.open(&format!("/app/payments/verifications/{verification}")).await;
        assert!(shown.contains(&format!("href=\"{path}\"")), "{shown}");
        for none in ["rcp_00000000000000000000000000", "nothing"] {
            assert_eq!(browser.get(&format!("{LIST}/{none}")).await.status, 404, "{none}");
        }
    }

    async fn what_a_program_verified_has_no_receipt(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "1167890", "amount": 20 })).await.ok();
        assert!(browser.open(LIST).await.contains("class=\"empty\""));
        let payments = browser.open("/app/payments").await;
        assert!(payments.contains("1167890") && !payments.contains("/app/receipts/"), "{payments}");
    }

    async fn what_a_person_verifies_after_a_program_has_one_from_then_on(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "1167890", "amount": 20 })).await.ok();
        let fields = [("user_bank_id", &*owner.bank), ("bank_reference", "1167890"), ("amount", "20")];
        for _ in 0..2 {
            browser.open("/app/payments/verify").await;
            let verified = browser.send("/app/payments/verify", &fields).await;
            assert_eq!(verified.status, 303, "{}", verified.text());
            let path = newest_path(&browser).await;
            let shown = browser.open(verified.header("location").unwrap()).await;
            assert!(shown.contains(&format!("href=\"{path}\"")), "{shown}");
            let list = browser.open(LIST).await;
            assert_eq!(list.matches(">P-00000").count(), 1, "{list}");
        }
    }

    async fn a_receipt_is_made_void_with_a_reason_and_stays_listed(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        paid_link(&app, &owner).await;
        let path = newest_path(&browser).await;
        let void = format!("{path}/void");
        let page = browser.open(&path).await;
        assert!(page.contains(&format!("action=\"{void}\"")) && page.contains("El pago no se deshace"), "{page}");
        let unsure = browser.send(&void, &[("void_reason", "Se cobró dos veces"), ("void_sure", "")]).await;
        assert_eq!(unsure.status, 400);
        let unsure = unsure.text();
        assert!(unsure.contains("id=\"void_sure-wrong\"") && unsure.contains("value=\"Se cobró dos veces\""), "{unsure}");
        let long = "x".repeat(201);
        for wrong in ["", " ", &*long] {
            let refused = browser.send(&void, &reasoned(wrong)).await;
            assert!(refused.status == 400 && refused.text().contains("id=\"void_reason-wrong\""), "{refused:?}");
        }
        assert!(browser.open(&path).await.contains(">Vigente<"));

        let done = browser.send(&void, &reasoned("Se cobró <dos> veces")).await;
        assert_eq!((done.status, done.header("location")), (303, Some(&*format!("{path}?done"))));
        let page = browser.open(&format!("{path}?done")).await;
        for part in [">Anulado<", "Comprobante anulado.", "Motivo: <bdi>Se cobró &#60;dos&#62; veces</bdi>", "/recibo/", "/pdf\""] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("wa.me") && !page.contains(&void), "{page}");
        let list = browser.open(LIST).await;
        assert!(list.contains(&path) && list.contains(">P-000001<") && list.contains(">Anulado<"), "{list}");
        // The payment is one as before.
        assert_eq!(owner.get("/v1/payments").await.ok()["payments"].as_array().unwrap().len(), 1);
        assert_eq!(owner.balance().await, 999);
        let entries = owner.get("/v1/audit?limit=100").await.ok()["entries"].to_string();
        assert_eq!(entries.matches("\"VoidReceipt\"").count(), 1, "{entries}");
    }

    async fn what_is_void_is_not_made_void_for_another_reason(app: TestApp) {
        let owner = app.owner().await;
        let (browser, other) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        other.sign_in_as(&owner).await;
        paid_link(&app, &owner).await;
        let path = newest_path(&browser).await;
        let void = format!("{path}/void");
        other.open(&path).await;
        browser.open(&path).await;
        assert_eq!(browser.send(&void, &reasoned("Se devolvió")).await.status, 303);
        // From a page that was opened before. People read nothing of calls.
        let late = other.send(&void, &reasoned("Por error")).await;
        assert_eq!(late.status, 409, "{late:?}");
        let page = late.text();
        assert!(page.contains("ya estaba anulado") && page.contains("<bdi>Se devolvió</bdi>"), "{page}");
        assert!(!page.contains("GET /") && !page.contains("Por error"), "{page}");
        // The same again is no other wish.
        assert_eq!(other.send(&void, &reasoned("Se devolvió")).await.status, 303);
        let entries = owner.get("/v1/audit?limit=100").await.ok()["entries"].to_string();
        assert_eq!(entries.matches("\"VoidReceipt\"").count(), 1, "{entries}");
    }

    async fn receipts_are_walked_from_the_last_one_on(app: TestApp) {
        let owner = app.owner().await;
        for number in 10..37 {
            let asked = json!({ "bank_reference": format!("{number}67890"), "amount": 20 });
            owner.verify(&owner.bank, asked).await.ok();
        }
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let first = browser.open(LIST).await;
        assert!(first.contains(">P-000027<") && first.contains(">P-000003<") && !first.contains(">P-000002<"), "{first}");
        let (_, rest) = first.split_once("rel=\"next\" href=\"").expect(&first);
        let older = rest.split('"').next().unwrap().replace("&#38;", "&");
        let second = browser.open(&older).await;
        assert!(second.contains(">P-000002<") && second.contains(">P-000001<") && !second.contains(">P-000003<"), "{second}");
        assert!(second.contains("Los últimos") && !second.contains("rel=\"next\""), "{second}");
        let end = browser.open(&format!("{LIST}?before=1")).await;
        assert!(end.contains("class=\"empty\"") && end.contains("Los últimos"), "{end}");
        // A number that is none asks for the last ones.
        assert!(browser.open(&format!("{LIST}?before=x")).await.contains(">P-000027<"));
    }
}

either_engine! {
    async fn an_employee_sees_and_voids_what_its_rights_let_it(app: TestApp) {
        let owner = app.owner().await;
        let link = paid_link(&app, &owner).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = newest_path(&browser).await;
        let (void, tab) = (format!("{path}/void"), format!("href=\"{LIST}\""));

        let without = signed_in(&app, &owner.employee(1, &["payment_links:read"]).await.email).await;
        let page = without.open(&format!("/app/links/{link}")).await;
        assert!(!page.contains(LIST), "{page}");
        for hidden in [LIST, &*path] {
            assert_eq!(without.get(hidden).await.status, 403, "{hidden}");
        }
        let cashier = signed_in(&app, &owner.employee(2, &["payments:read"]).await.email).await;
        assert!(cashier.open("/app/payments").await.contains(&tab));
        assert!(cashier.open(LIST).await.contains(&path));
        let page = cashier.open(&path).await;
        assert!(page.contains("href=\"https://wa.me/") && !page.contains(&void), "{page}");
        // It sees no links.
        assert!(!page.contains("href=\"/app/links"), "{page}");
        assert_eq!(cashier.send(&void, &reasoned("Por error")).await.status, 403);
        assert!(cashier.open(&path).await.contains(">Vigente<"));
        let manager = signed_in(&app, &owner.employee(3, &["payments:write"]).await.email).await;
        assert!(manager.open(&path).await.contains(&void));
        assert_eq!(manager.send(&void, &reasoned("Por error")).await.status, 303);
        assert!(cashier.open(&path).await.contains(">Anulado<"));
    }

    async fn test_mode_alone_shows_receipts_of_the_test_bank(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        paid_link(&app, &owner).await;
        // While there is nothing else it is shown, marked.
        let test = newest_path(&browser).await;
        let page = browser.open(&test).await;
        assert!(page.contains("Comprobante P-000001") && !page.contains("notice good"), "{page}");
        assert!(!page.contains("badge good"), "{page}");
        let account = bdv::link(&owner).await;
        assert!(browser.open(LIST).await.contains("class=\"empty\""));
        assert!(browser.open(&test).await.contains("Pasar al modo de prueba"));

        // What a person verifies has a receipt, too. Money is numbered by itself.
        bank.pay("000079912345", 15_075, Duration::ZERO);
        browser.open("/app/payments/verify").await;
        let fields = [("user_bank_id", &*account), ("bank_reference", "79912345")];
        let verified = browser.send("/app/payments/verify", &fields).await;
        assert_eq!(verified.status, 303, "{}", verified.text());
        let real = newest_path(&browser).await;
        let shown = browser.open(verified.header("location").unwrap()).await;
        assert!(shown.contains(&format!("href=\"{real}\"")), "{shown}");
        let list = browser.open(LIST).await;
        assert!(list.contains(&format!("href=\"{real}\">000001</a>")) && !list.contains(&test), "{list}");
        let page = browser.open(&real).await;
        assert!(page.contains("Comprobante 000001") && page.contains("badge good"), "{page}");
        assert!(!page.contains("[MODO DE PRUEBA]") && !page.contains("Comprobante P-"), "{page}");
        switch(&browser, "test").await;
        let list = browser.open(LIST).await;
        assert!(list.contains(&test) && !list.contains(&real), "{list}");
        assert!(browser.open(&real).await.contains("Esto no es de prueba"));
    }
}

both_engines! {
    async fn a_clients_person_sees_the_receipts_of_its_client_alone(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let link = make(&key, &bank, json!({})).await;
        paid_with(&app.nobody(), &link, "167890").await;
        let own = newest_path(&browser).await;
        // On the account of the client, by the owner.
        let link = make(&owner.key, &bank, json!({})).await;
        paid_with(&app.nobody(), &link, "267890").await;
        let of_owner = newest_path(&browser).await;
        let list = browser.open(LIST).await;
        assert!(own != of_owner && list.contains(&own) && list.contains(&of_owner), "{list}");

        let person = signed_in(&app, &owner.client_employee(&client, 1).await.email).await;
        let list = person.open(LIST).await;
        assert!(list.contains(&own) && !list.contains(&of_owner), "{list}");
        let page = person.open(&own).await;
        assert!(page.contains("Comprobante P-000001") && !page.contains(&format!("{own}/void")), "{page}");
        assert_eq!(person.get(&of_owner).await.status, 404);
        // Receipts are the owner's word.
        for path in [&own, &of_owner] {
            assert_eq!(person.send(&format!("{path}/void"), &reasoned("Por error")).await.status, 403, "{path}");
        }
        let stranger = app.owner().await;
        let other = app.browser();
        other.sign_in_as(&stranger).await;
        assert!(!other.open(LIST).await.contains("/app/receipts/rcp_"));
        assert_eq!(other.get(&own).await.status, 404);
        assert_eq!(other.send(&format!("{own}/void"), &reasoned("Por error")).await.status, 404);
        // Who may take no payments has no receipts.
        let closed = owner.client(false).await;
        let closed = signed_in(&app, &owner.client_employee(&closed, 2).await.email).await;
        assert_eq!(closed.get(LIST).await.status, 403);
        assert!(browser.open(&own).await.contains(">Vigente<"));
    }
}
