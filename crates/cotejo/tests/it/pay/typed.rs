//! What was typed stays with the person who typed it, and with nobody else.

use std::time::Duration;

use serde_json::json;
use testkit::{Setup, either_engine};

use super::{THEIRS, begin_slowly, follow, make, pay_by, place, said, text};
use crate::bdv::{link, start};
use crate::slow_bank::outwait;

/// All that the form asks for, as somebody typed it.
const TYPED: [(&str, &str); 2] = [("phone", "0414-0000002"), ("document", "V-12.345.678")];

/// Returns the values in the page's fields.
#[track_caller]
fn fields(page: &str) -> [&str; 3] {
    ["reference", "phone", "document"].map(|name| {
        let field = page.split(&format!("id=\"{name}\"")).nth(1).expect(name);
        field.split("value=\"").nth(1).and_then(|rest| rest.split('"').next()).expect(name)
    })
}

either_engine! {
    async fn what_finds_no_payment_is_not_typed_again(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = make(&owner.key, &link(&owner).await, json!({})).await;
        let payer = app.nobody();
        let [phone, document] = TYPED.map(|(_, typed)| typed);

        let answer = pay_by(&payer, &id, "00 912-345", &TYPED).await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-store")));
        let page = text(&answer);
        assert_eq!(said(&page), "Todavía no encontramos su pago");
        assert_eq!(fields(&page), ["00 912-345", phone, document]);

        // Nothing of it is in the address by which the page is shown again, nor there.
        let again = place(&answer);
        let id_of_check = again.split("?v=ver_").nth(1).expect("the check's id alone");
        assert!(id_of_check.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{again}");
        let others = text(&follow(&app.nobody(), &answer).await);
        assert_eq!(said(&others), "Todavía no encontramos su pago");
        assert_eq!(fields(&others), ["", "", ""]);
        let others = text(&app.nobody().get(&format!("/pay/{id}")).await);
        assert_eq!(fields(&others), ["", "", ""]);

        // The same with another amount, and where the bank does not answer.
        bank.pay("000079912345", 15_000, Duration::ZERO);
        app.clock().advance(Duration::from_secs(3));
        let page = text(&pay_by(&payer, &id, "912345", &TYPED).await);
        assert_eq!(said(&page), "El pago llegó con otro monto");
        assert_eq!(fields(&page), ["912345", phone, document]);
        app.clock().advance(Duration::from_secs(3));
        let theirs = text(&pay_by(&payer, &id, "912346", THEIRS).await);
        assert_eq!(fields(&theirs), ["912346", THEIRS[0].1, ""]);
    }

    async fn zeros_that_fill_a_long_reference_are_not_counted_and_those_of_its_last_six_digits_are(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = make(&owner.key, &link(&owner).await, json!({})).await;
        bank.pay("000000001234", 15_075, Duration::ZERO);
        let page = text(&pay_by(&app.nobody(), &id, "000000001234", THEIRS).await);
        assert!(page.contains("Escriba al menos 6 dígitos"), "{page}");
        let answer = pay_by(&app.nobody(), &id, "001234", THEIRS).await;
        assert_eq!(said(&text(&follow(&app.nobody(), &answer).await)), "Pago confirmado");
    }

    async fn a_payer_who_waits_for_the_bank_is_at_an_address_that_reveals_nothing(setup: Setup) {
        let app = setup.start().await;
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let start = app.now();
        let place = begin_slowly(&app, &id, "110005").await;
        let page = text(&app.nobody().get(&place).await);
        assert!(!page.contains("110005"), "{page}");
        outwait(&app, start, start).await;
        app.settle().await;
        assert!(!text(&app.nobody().get(&place).await).contains("110005"));
    }
}
