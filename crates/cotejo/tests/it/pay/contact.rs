//! Whom the money goes to, where and how, and how to reach the merchant.

use serde_json::{Value, json};
use testkit::bank::{ACCOUNT, KEY, SimulatedBank};
use testkit::{Owner, Setup, TestApp, either_engine};

use super::{make, said, text};
use crate::bdv::start;

/// The facts that the page shows under a heading, in their order.
fn facts(page: &str, heading: &str) -> Vec<(String, String)> {
    let way = page.split(&format!(">{heading}</")).nth(1).expect(heading);
    let list = way.split("</dl>").next().unwrap();
    let inner = |text: &str, tag: &str| {
        text.split(tag).nth(1).unwrap().split("</").next().unwrap().to_owned()
    };
    list.split("<dt>")
        .skip(1)
        .map(|row| (row.split("</dt>").next().unwrap().to_owned(), inner(row, "<bdi>")))
        .collect()
}

/// Returns the text that the button that copies all puts into the clipboard, under a heading.
fn all(page: &str, heading: &str) -> String {
    let way = page.split(&format!(">{heading}</")).nth(1).expect(heading);
    let button = way.split("class=\"copy all\" data-copy=\"").nth(1).expect("a button");
    button.split('"').next().unwrap().to_owned()
}

async fn page_of(app: &TestApp, id: &str) -> String {
    text(&app.nobody().get(&format!("/pay/{id}")).await)
}

/// Links the simulated bank's account with more than it needs.
async fn link_with(owner: &Owner, more: Value) -> String {
    let mut body = SimulatedBank::link(KEY);
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    owner.post("/usersbank", body).await.ok()["userbank"]["id"].as_str().unwrap().to_owned()
}

either_engine! {
    async fn each_way_to_pay_has_all_that_a_bank_asks_for(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let more = json!({ "holder_name": "Tienda Ejemplo, C.A.", "description": "Cuenta interna 3" });
        let bank = link_with(&owner, more).await;
        let id = make(&owner.key, &bank, json!({ "amount": 1250.75 })).await;
        let page = page_of(&app, &id).await;
        let fact = |name: &str, shown: &str| (name.to_owned(), shown.to_owned());
        let (bank, document) =
            (fact("Banco", "Banco de Venezuela (0102)"), fact("Cédula o RIF", "J-123456784"));
        let (holder, amount) =
            (fact("Titular", "Tienda Ejemplo, C.A."), fact("Monto", "Bs. 1.250,75"));
        let phone = fact("Teléfono", "0412-0000001");
        assert_eq!(
            facts(&page, "Pago móvil"),
            [bank.clone(), phone, document.clone(), holder.clone(), amount.clone()]
        );
        let number = fact("Número de cuenta", "0102 0000 8900 0000 0001");
        assert_eq!(facts(&page, "O pague por transferencia"), [bank, number, document, holder, amount]);
        assert_eq!(all(&page, "Pago móvil"), "0102\n04120000001\nJ123456784\n1250,75");
        let transfer = format!("{ACCOUNT}\nJ123456784\nTienda Ejemplo, C.A.\n1250,75");
        assert_eq!(all(&page, "O pague por transferencia"), transfer);
        // The owner's label of the account is its own affair.
        assert!(!page.contains("Cuenta interna 3"), "{page}");
    }

    async fn without_a_holder_the_merchant_is_named_and_not_as_the_holder(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let bank = link_with(&owner, json!({})).await;
        let id = make(&owner.key, &bank, json!({})).await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda <b>Ejemplo</b>" })).await.ok();
        let page = page_of(&app, &id).await;
        let named = ("Comercio".to_owned(), "Tienda &#60;b&#62;Ejemplo&#60;/b&#62;".to_owned());
        assert!(facts(&page, "Pago móvil").contains(&named), "{page}");
        assert!(!page.contains("<dt>Titular"), "{page}");
        assert!(page.contains("<p class=\"merchant\"><bdi>Tienda &#60;b&#62;"), "{page}");
    }

    async fn a_payer_is_shown_how_to_reach_the_merchant(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        assert!(!page_of(&app, &id).await.contains("Hable con el comercio"));
        let profile = json!({
            "support_phone": "0212-1234567",
            "whatsapp": "0414-1234567",
            "support_email": "ayuda&bcc@tienda.example",
            "support_url": "https://tienda.example/ayuda?a=1&b",
        });
        owner.put("/v1/profile", profile).await.ok();
        let page = page_of(&app, &id).await;
        for link in [
            "<a href=\"https://wa.me/584141234567\" rel=\"noopener noreferrer nofollow\">WhatsApp 0414-1234567</a>",
            "<a href=\"tel:+582121234567\" rel=\"noopener noreferrer nofollow\">Llamar al 0212-1234567</a>",
            "<a href=\"mailto:ayuda%26bcc@tienda.example\" rel=\"noopener noreferrer nofollow\">Escribir a ayuda&#38;bcc@",
            "<a href=\"https://tienda.example/ayuda?a=1&#38;b\" rel=\"noopener noreferrer nofollow\">Ayuda en tienda.example</a>",
        ] {
            assert!(page.contains(link), "{link}: {page}");
        }
        // Where the page says to notify the merchant, the way to do so stands beside it.
        owner.key.post(&format!("/v1/paymentlink/{id}/cancel"), json!({})).await.ok();
        let page = page_of(&app, &id).await;
        assert_eq!(said(&page), "Este enlace fue anulado");
        assert!(page.contains("Llamar al 0212-1234567"), "{page}");
        owner.put("/v1/profile", json!({ "whatsapp": null, "support_email": null })).await.ok();
        let page = page_of(&app, &id).await;
        assert!(page.contains("Llamar al") && !page.contains("wa.me") && !page.contains("mailto"));
        // Nothing of it is said of a link of somebody else, or of none.
        let stranger = app.owner().await;
        let other = make(&stranger.key, &stranger.bank, json!({})).await;
        for path in [other.as_str(), "nothing"] {
            assert!(!page_of(&app, path).await.contains("0212-1234567"), "{path}");
        }
    }
}
