//! Who paid: asked where the bank's movements show it, and what it decides.

use std::time::Duration;

use serde_json::json;
use testkit::bank::{ACCOUNT, KEY};
use testkit::{Setup, either_engine};

use super::{THEIRS, info, make, paid_by, pay, said, send, status, text};
use crate::bdv::{link, start};

/// Past the bank's interval between two looks at a day.
const A_WHILE: Duration = Duration::from_secs(3);

const UNCONFIRMED: &str = "Todavía no encontramos su pago";

either_engine! {
    async fn a_payer_sees_where_to_pay_and_pays_a_link(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        let first = make(&owner.key, &account, json!({})).await;
        let second = make(&owner.key, &account, json!({})).await;
        let payer = app.nobody();
        let page = text(&payer.get(&format!("/pay/{first}")).await);
        for fact in ["Banco de Venezuela", ACCOUNT, "04120000001", "J123456784"] {
            assert!(page.contains(fact), "{fact}: {page}");
        }
        assert!(!page.contains(KEY) && !page.contains("Modo de prueba"));

        assert_eq!(said(&paid_by(&payer, &first, "912345", THEIRS).await), UNCONFIRMED);
        bank.pay("000079912345", 15_075, Duration::ZERO);
        app.clock().advance(A_WHILE);
        assert_eq!(said(&paid_by(&payer, &first, "912345", THEIRS).await), "Pago confirmado");
        let info = info(&owner.key, &first).await;
        assert_eq!((&info["status"], &info["livemode"]), (&json!("paid"), &json!(true)));

        // The same money pays nothing else.
        app.clock().advance(A_WHILE);
        assert_eq!(said(&paid_by(&payer, &second, "79912345", THEIRS).await), UNCONFIRMED);
        assert_eq!(status(&owner.key, &second).await, "pending");
    }

    async fn who_paid_is_asked_and_one_of_phone_and_document_will_do(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = make(&owner.key, &link(&owner).await, json!({})).await;
        let payer = app.nobody();
        let page = text(&payer.get(&format!("/pay/{id}")).await);
        for shown in [
            "<legend>Quién pagó</legend>",
            "name=\"phone\" type=\"tel\" value=\"\" inputmode=\"tel\" autocomplete=\"tel\"",
            "name=\"document\" value=\"\" autocomplete=\"off\"",
        ] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        // Neither by itself is required, so that a browser lets either be empty.
        assert_eq!(page.matches(" required").count(), 1, "{page}");

        let answer = pay(&payer, &id, "912345").await;
        let page = text(&answer);
        assert_eq!(answer.status, 422, "{page}");
        assert!(page.contains("id=\"payer-wrong\">Escriba el teléfono o la cédula"), "{page}");
        assert_eq!(page.matches("payer-wrong\" aria-invalid=\"true\"").count(), 2, "{page}");
        assert!(page.contains("value=\"912345\""), "what was typed is not lost: {page}");
        // All that is wrong is said at once, and what is wrong is said of its own field.
        let page = text(&pay(&payer, &id, "1").await);
        assert!(page.contains("reference-wrong") && page.contains("payer-wrong"), "{page}");
        let fields = [("reference", "912345"), ("document", "X")];
        let page = text(&send(&payer, &format!("/pay/{id}"), &fields).await);
        assert!(page.contains("id=\"document-wrong\"") && !page.contains("payer-wrong"), "{page}");
        assert_eq!(app.database().number("select count(*) from verifications"), 0);

        let english = payer.request("GET", &format!("/pay/{id}")).header("accept-language", "en");
        assert!(text(&english.send().await).contains("<legend>Payer</legend>"));
    }

    async fn a_reference_alone_that_was_guessed_pays_nothing(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = make(&owner.key, &link(&owner).await, json!({})).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        for who in [("phone", "04141111111"), ("document", "V12345678")] {
            let page = paid_by(&app.nobody(), &id, "912345", &[who]).await;
            assert_eq!(said(&page), UNCONFIRMED, "{who:?}");
            assert!(page.contains("Revise también el teléfono"), "{page}");
            app.clock().advance(A_WHILE);
        }
        assert_eq!(status(&owner, &id).await, "pending");
        // The payer has lost nothing by it, and may say more than the bank shows.
        let both = [THEIRS[0], ("document", "V-12.345.678")];
        let page = paid_by(&app.nobody(), &id, "912345", &both).await;
        assert_eq!(said(&page), "Pago confirmado");
    }

    async fn another_amount_is_reported_to_a_person_who_knows_who_paid(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = make(&owner.key, &link(&owner).await, json!({})).await;
        bank.pay("000079912345", 15_000, Duration::ZERO);
        for (who, title) in [
            (("phone", "04141111111"), UNCONFIRMED),
            (("document", "V12345678"), UNCONFIRMED),
            (THEIRS[0], "El pago llegó con otro monto"),
        ] {
            let page = paid_by(&app.nobody(), &id, "912345", &[who]).await;
            assert_eq!(said(&page), title, "{who:?}");
            assert!(!page.contains("150,00"), "never how much: {page}");
            app.clock().advance(A_WHILE);
        }
    }

    async fn an_account_whose_bank_reports_nothing_of_payers_asks_for_nothing(setup: Setup) {
        let app = setup.start().await;
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let page = text(&app.nobody().get(&format!("/pay/{id}")).await);
        assert!(!page.contains("fieldset") && !page.contains("name=\"phone\""), "{page}");
    }
}
