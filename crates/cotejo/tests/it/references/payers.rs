//! Who paid, as the texts of the bank's statement say it: a fact of the row that is compared like any other.

use serde_json::{Value, json};
use testkit::{Setup, either_engine};

use super::{A_WHILE, Shop, paid};
use crate::pay::{make, paid_by, status};

const PAYER: &str = "V11222333";
const STRANGER: &str = "V12345678";

fn by_document(reference: &str, document: &str) -> Value {
    json!({ "bank_reference": reference, "amount": 150.75, "dni_pagador": document })
}

/// Every text of the bank's own in which a document stands, with the payer's bank where the text says it; and texts of no
/// known form.
const TEXTS: [(&str, Option<&str>); 7] = [
    ("TRANSF RECIBIDA BDV V011222333 PRUEBA FIC", Some("0102")),
    ("PAGO RECIBIDO BDV V0011222333 PRUEBA", Some("0102")),
    ("PAGO RECIBIDO OTROS BANCOS 0191 V11222333", Some("0191")),
    ("PAGO A PROVEEDORES V011222333 PRUEBA", None),
    ("TRASPASO BDV DE V11222333", Some("0102")),
    ("ABONO V-11.222.333 PRUEBA", None),
    ("TRAV011222333123456789", None),
];

either_engine! {
    async fn a_stranger_and_another_bank_are_refused_whatever_the_text(setup: Setup) {
        let shop = Shop::open(setup).await;
        for (number, (text, bank)) in TEXTS.iter().enumerate() {
            let receipt = format!("3{number}912345");
            shop.bank.credit(&receipt, 15_075, text);
            shop.verify(by_document(&receipt, STRANGER)).await.refused(404, "PAYMENT_NOT_FOUND");
            let mut elsewhere = paid(&receipt);
            elsewhere["bank_origin"] = json!("0134");
            if bank.is_some() {
                shop.verify(elsewhere).await.refused(404, "PAYMENT_NOT_FOUND");
            }
            let answer = shop.verify(by_document(&receipt, PAYER)).await.ok();
            assert_eq!(answer["data"]["is_new"], true, "{text}");
            let page = shop.owner.get(&format!("/movements/{}", shop.account)).await.ok();
            let shown = |row: &&Value| row["reference"].as_str().unwrap().ends_with(&receipt);
            let row = page["movements"].as_array().unwrap().iter().find(shown).unwrap().clone();
            assert_eq!(row["payer_document"], PAYER, "{text}");
            assert_eq!(row["payer_bank"], json!(bank), "{text}");
        }
        // Texts of no known form are counted, so that a new one is noticed.
        let metrics = shop.app.nobody().get("/metrics").await.text();
        let counted = |line: &str| line.strip_prefix("cotejo_bank_rows_of_unknown_form_total ")?.parse().ok();
        let counted: Vec<u64> = metrics.lines().filter_map(counted).collect();
        assert!(counted.len() == 1 && counted[0] >= 3, "{metrics}");
    }

    async fn fewer_digits_are_found_by_the_document_of_a_known_text_alone(setup: Setup) {
        let shop = Shop::open(setup).await;
        for (number, (text, _)) in TEXTS.iter().enumerate() {
            let receipt = format!("3000{number}123");
            shop.bank.credit(&receipt, 15_075, text);
            let asked = by_document(receipt.split_at(3).1, PAYER);
            let answer = shop.verify(asked).await;
            if number < 4 {
                assert_eq!(answer.ok()["data"]["is_new"], true, "{text}");
            } else {
                assert_ne!(answer.status, 200, "{text}");
            }
            let stranger = by_document(receipt.split_at(3).1, STRANGER);
            shop.verify(stranger).await.refused(404, "PAYMENT_NOT_FOUND");
        }
    }

    async fn a_link_is_paid_by_the_document_of_a_known_text_alone(setup: Setup) {
        let shop = Shop::open(setup).await;
        let payer = shop.app.nobody();
        for (number, (text, _)) in TEXTS.iter().enumerate() {
            let reference = format!("{number}91234");
            shop.bank.credit(&format!("44{reference}"), 15_075, text);
            let link = make(&shop.owner, &shop.account, json!({ "amount": 150.75 })).await;
            for wrong in [("document", STRANGER), ("phone", "04140000002")] {
                shop.app.clock().advance(A_WHILE);
                paid_by(&payer, &link, &reference, &[wrong]).await;
                assert_eq!(status(&shop.owner, &link).await, "pending", "{text} {wrong:?}");
            }
            shop.app.clock().advance(A_WHILE);
            paid_by(&payer, &link, &reference, &[("document", PAYER)]).await;
            let expected = if number < 4 { "paid" } else { "pending" };
            assert_eq!(status(&shop.owner, &link).await, expected, "{text}");
        }
    }
}
