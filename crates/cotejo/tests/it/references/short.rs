//! References of which too few digits were typed.

use serde_json::{Value, json};
use testkit::bank::PAYER;
use testkit::{Response, Setup, either_engine};

use super::{Shop, paid, paid_by};
use crate::pay::{make, pay, status, text};

const TOO_SHORT: &str = "PAYMENT_REFERENCE_TOO_SHORT";

/// Words by which programs take a refusal for a failure, and ask again.
const RETRIED: [&str; 5] = ["banco", "bank", "intente", "servicio", "tiempo"];

/// That more of the reference is wanted, and that it is said in no word by which programs ask again.
fn is_too_short(answer: &Response) {
    let body = answer.refused(400, TOO_SHORT);
    let details = body["details"].as_array().unwrap();
    assert_eq!((details.len(), &details[0]["field"]), (1, &json!("bank_reference")));
    let message = body["message"].as_str().unwrap().to_lowercase();
    assert!(RETRIED.iter().all(|word| !message.contains(word)), "{message}");
    let ways_out = [["seis", "teléfono"], ["six", "phone"]];
    assert!(ways_out.iter().any(|ways| ways.iter().all(|way| message.contains(way))), "{message}");
}

impl Shop {
    async fn choose_short(&self, is_chosen: bool) {
        let path = format!("/v1/usersbank/{}/settings", self.account);
        let kept = self.owner.put(&path, json!({ "short_references": is_chosen })).await.ok();
        assert_eq!(kept["short_references"], is_chosen);
    }

    async fn notices(&self) -> usize {
        let page = self.owner.get("/v1/notices").await.ok();
        let notices = page["notices"].as_array().unwrap().iter();
        notices.filter(|notice| notice["kind"] == "short_references").count()
    }
}

either_engine! {
    async fn fewer_than_four_digits_are_not_looked_at(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000079912345");
        shop.choose_short(true).await;
        let asked = shop.bank.pages_asked();
        for reference in ["345", "5", "000000345", "0000000000005"] {
            is_too_short(&shop.verify(paid_by(reference, PAYER.0)).await);
            for language in ["es", "en"] {
                let call = shop.owner.key.request("POST", &testkit::principal::verify_path(&shop.account));
                let call = call.header("accept-language", language);
                is_too_short(&call.json(&paid_by(reference, PAYER.0)).send().await);
            }
        }
        assert_eq!(shop.bank.pages_asked(), asked);
        assert_eq!(shop.owner.activity_of(&shop.owner.key).await["request_total"], 0);
    }

    async fn four_or_five_need_what_the_bank_confirms_or_the_owner_chose(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000079912345");
        let without: [(&str, Value); 3] = [
            ("no amount and no payer", json!({})),
            ("no payer", json!({ "amount": 150.75 })),
            ("no amount", json!({ "phone_pagador": PAYER.0 })),
        ];
        for (what, more) in &without {
            for (reference, is_there) in
                [("2345", true), ("12345", true), ("000012345", true), ("2346", false), ("92346", false)]
            {
                let mut body = more.clone();
                body["bank_reference"] = json!(reference);
                let answer = shop.verify(body).await;
                match is_there {
                    true => is_too_short(&answer),
                    false => drop(answer.refused(404, "PAYMENT_NOT_FOUND")),
                }
                assert_eq!(shop.owner.balance().await, 1_000, "{what} {reference}");
            }
        }
        // Of another amount or payer there is none.
        let other = json!({ "bank_reference": "2345", "amount": 150.76 });
        shop.verify(other).await.refused(404, "PAYMENT_NOT_FOUND");
        shop.verify(paid_by("2345", "04149999999")).await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(shop.verify(paid_by("2345", PAYER.0)).await.ok()["data"]["is_new"], true);
        assert_eq!(shop.verify(paid("912345")).await.ok()["data"]["is_new"], false);
    }

    async fn an_owner_may_choose_that_four_digits_do_with_the_amount(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000079912345");
        is_too_short(&shop.verify(paid("2345")).await);
        shop.choose_short(true).await;
        let none = json!({ "bank_reference": "2345" });
        is_too_short(&shop.verify(none).await);
        let other = json!({ "bank_reference": "2345", "amount": 150.76 });
        shop.verify(other).await.refused(404, "PAYMENT_NOT_FOUND");
        shop.verify(paid_by("2345", "04149999999")).await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(shop.verify(paid("2345")).await.ok()["data"]["is_new"], true);
        // Another payment that ends so: no guess.
        shop.pay("000088882345");
        shop.verify(paid("2345")).await.ok();
        let other_call = json!({ "bank_reference": "2345", "amount": 150.75, "movement_type": "MOVIL_PAY" });
        shop.verify(other_call).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        shop.choose_short(false).await;
        let anew = json!({ "bank_reference": "82345", "amount": 150.75 });
        is_too_short(&shop.verify(anew).await);
    }

    async fn an_account_that_compares_whole_references_has_no_use_for_it(setup: Setup) {
        let shop = Shop::open(setup).await;
        let path = format!("/v1/usersbank/{}/settings", shop.owner.bank);
        let body = json!({ "short_references": true });
        let refused = shop.owner.put(&path, body).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused["details"][0]["field"], "short_references");
    }

    async fn after_twenty_different_ones_in_an_hour_nothing_more_is_said(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000079912345");
        for number in 0..20 {
            // The same one again is none more.
            for _ in 0..2 {
                let body = json!({ "bank_reference": format!("10{number:02}"), "amount": 150.75 });
                shop.verify(body).await.refused(404, "PAYMENT_NOT_FOUND");
            }
        }
        assert_eq!(shop.notices().await, 0);
        let asked = shop.bank.pages_asked();
        for reference in ["2345", "2346"] {
            is_too_short(&shop.verify(paid(reference)).await);
        }
        assert_eq!(shop.bank.pages_asked(), asked, "nobody is asked");
        assert_eq!(shop.notices().await, 1);
        // Once confirmed it is none of the twenty, and so it is with what has what it needs. Other callers go on, and
        // this one later.
        assert_eq!(shop.verify(paid_by("2345", PAYER.0)).await.ok()["data"]["is_new"], true);
        shop.verify_by(&shop.owner, paid("2346")).await.refused(404, "PAYMENT_NOT_FOUND");
        shop.app.clock().advance(std::time::Duration::from_secs(3_600));
        shop.verify(paid("2346")).await.refused(404, "PAYMENT_NOT_FOUND");
    }

    async fn a_payer_that_is_made_up_is_no_way_around_the_twenty(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000079912345");
        shop.bank.credit("000079956789", 15_075, "ABONO EN CUENTA");
        for number in 0..20 {
            let asked = paid_by(&format!("10{number:02}"), "04149999999");
            shop.verify(asked).await.refused(404, "PAYMENT_NOT_FOUND");
        }
        assert_eq!(shop.notices().await, 0);
        // What is there and what is not are told alike from now on.
        for reference in ["1020", "2345", "6789"] {
            is_too_short(&shop.verify(paid_by(reference, "04149999999")).await);
        }
        is_too_short(&shop.verify(paid("2345")).await);
        assert_eq!(shop.notices().await, 1);
        // Whom the bank confirms has paid, and was none too many: what is confirmed is not counted.
        assert_eq!(shop.verify(paid_by("2345", PAYER.0)).await.ok()["data"]["is_new"], true);
        shop.app.clock().advance(std::time::Duration::from_secs(3_600));
        for number in 0..19 {
            let asked = paid_by(&format!("20{number:02}"), "04149999999");
            shop.verify(asked).await.refused(404, "PAYMENT_NOT_FOUND");
        }
        shop.verify(paid_by("2345", PAYER.0)).await.ok();
        shop.verify(paid_by("2019", "04149999999")).await.refused(404, "PAYMENT_NOT_FOUND");
    }

    async fn a_payer_gets_the_same_answer_to_all_short_ones(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.choose_short(true).await;
        shop.pay("000079912345");
        let link = make(&shop.owner, &shop.account, json!({ "amount": 150.75 })).await;
        let mut pages = Vec::new();
        for reference in ["2345", "12345", "99999", "345", "000000345"] {
            let page = text(&pay(&shop.app.nobody(), &link, reference).await);
            // The page gives back what was typed.
            pages.push(page.replace(reference, ""));
            assert_eq!(status(&shop.owner, &link).await, "pending");
        }
        let said = |page: &String| page.contains("al menos 6 dígitos");
        assert!(pages.iter().all(said), "{}", pages[0]);
    }
}
