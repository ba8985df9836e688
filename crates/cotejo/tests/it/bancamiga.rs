//! Accounts of Bancamiga, against the bank as it is simulated over real HTTP.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bancamiga::{ACCOUNT, SimulatedBancamiga, TOKEN};
use testkit::bank::FaultKind;
use testkit::principal::verify_path;
use testkit::{Owner, Response, Setup, TestApp, either_engine};

const AT_ONCE: Duration = Duration::ZERO;

async fn start(setup: Setup) -> (SimulatedBancamiga, TestApp) {
    let bank = SimulatedBancamiga::open().await;
    let app = setup.with_bancamiga(&bank).start().await;
    (bank, app)
}

/// Links the merchant's account, and answers its id and whom the bank is to notify.
async fn link(owner: &Owner) -> (String, Value) {
    let answer = owner.post("/usersbank", SimulatedBancamiga::link(TOKEN)).await.ok();
    (answer["userbank"]["id"].as_str().unwrap().to_owned(), answer["push"].clone())
}

/// A question that names the payer's phone and bank.
fn by_payer(reference: &str, amount: f64) -> Value {
    json!({
        "bank_reference": reference, "amount": amount, "movement_type": "MOVIL_PAY",
        "fecha_pago": "2026-11-20", "phone_pagador": "04140000002", "bank_origin": "0134",
    })
}

async fn verify(owner: &Owner, account: &str, body: Value) -> Response {
    owner.key.post(&verify_path(account), body).await
}

either_engine! {
    async fn an_account_is_linked_with_its_token_and_what_the_bank_does_not_take_is_not_kept(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let wrong = owner.post("/usersbank", SimulatedBancamiga::link("made-up-and-wrong")).await;
        wrong.refused(400, "USER_BANCK_BAD_PASSWORD");
        let mut without = SimulatedBancamiga::link(TOKEN);
        without.as_object_mut().unwrap().remove("user_bank_phone");
        owner.post("/usersbank", without).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(app.database().number("select count(*) from bank_access"), 0);
        let (id, push) = link(&owner).await;
        assert_eq!(push["path"], format!("/hooks/bank/bancamiga/{id}"));
        assert_eq!(push["headers"], json!(["AUTHORIZATION"]));
        let listed = owner.get("/me/usersbank").await.ok().to_string();
        assert!(listed.contains(ACCOUNT) && listed.contains("BANCAMIGA_V1"));
        assert!(!listed.contains(TOKEN));
        // Linking uses up no list of the day.
        assert!(!bank.calls().contains_key("history"));
    }

    async fn a_payment_is_found_by_6_8_or_12_digits_and_is_new_once(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, _) = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        for (place, digits) in ["912345", "79912345", "000079912345"].into_iter().enumerate() {
            let data = verify(&owner, &id, by_payer(digits, 150.75)).await.ok()["data"].clone();
            assert_eq!(data["is_new"], place == 0, "{digits}");
            assert_eq!(data["user_bank_payment"]["amount"], 150.75);
            app.clock().advance(Duration::from_secs(3));
        }
        assert_eq!(app.database().number("select count(*) from movements"), 1);
        assert!(!bank.calls().contains_key("history"));
    }

    async fn another_amount_is_reported_and_what_is_not_there_may_still_appear(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, _) = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        let other = verify(&owner, &id, by_payer("79912345", 150.0)).await;
        let refused = other.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        assert_eq!(refused["facts"]["bank_amount"], 150.75);
        bank.pay("000088800001", 2_000, Duration::from_secs(30));
        let late = by_payer("88800001", 20.0);
        verify(&owner, &id, late.clone()).await.refused(404, "PAYMENT_NOT_FOUND");
        app.clock().advance(Duration::from_secs(31));
        assert_eq!(verify(&owner, &id, late).await.ok()["data"]["is_new"], true);
    }

    async fn a_bank_that_fails_is_never_not_found_and_costs_nothing(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, _) = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        for kind in [
            FaultKind::Http500, FaultKind::Html, FaultKind::TruncatedJson, FaultKind::Maintenance,
            FaultKind::UnknownCode, FaultKind::Reset,
        ] {
            // Such a bank says nothing of another reference, either.
            for reference in ["79912345", "88800001"] {
                bank.fail(Some(kind));
                let answer = verify(&owner, &id, by_payer(reference, 150.75)).await;
                answer.refused(503, "BANK_NOT_AVAILABLE");
            }
            // A bank that keeps failing is left alone for a while.
            app.clock().advance(Duration::from_secs(120));
        }
        assert_eq!(app.database().number("select count(*) from credit_movements where amount < 0"), 0);
        bank.fail(None);
        let found = verify(&owner, &id, by_payer("79912345", 150.75)).await.ok();
        assert_eq!(found["data"]["is_new"], true);
    }

    async fn a_token_that_ends_is_renewed_and_the_next_one_is_used_from_then_on(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, _) = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        bank.pay("000079912346", 15_075, AT_ONCE);
        bank.end_tokens();
        let found = verify(&owner, &id, by_payer("79912345", 150.75)).await.ok();
        assert_eq!(found["data"]["is_new"], true);
        assert_eq!(bank.calls()["refresh"], 1);
        verify(&owner, &id, by_payer("79912346", 150.75)).await.ok();
        assert_eq!(bank.calls()["refresh"], 1);
        // The next one is renewed when it ends, too, by the refresh token that came with it.
        bank.end_tokens();
        bank.pay("000079912347", 15_075, AT_ONCE);
        verify(&owner, &id, by_payer("79912347", 150.75)).await.ok();
        assert_eq!(bank.calls()["refresh"], 2);
    }

    async fn without_the_payer_the_list_of_the_day_confirms_what_is_on_it(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, _) = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        bank.pay("000079912346", 2_000, AT_ONCE);
        let ask = |reference: &str| json!({ "bank_reference": reference, "fecha_pago": "2026-11-20" });
        for reference in ["79912345", "79912346"] {
            let found = verify(&owner, &id, ask(reference)).await.ok();
            assert_eq!(found["data"]["is_new"], true);
        }
        // The bank allows one list in ten minutes, so that nobody knows of any other.
        verify(&owner, &id, ask("88800001")).await.refused(503, "BANK_NOT_AVAILABLE");
        assert_eq!(bank.calls()["history"], 1);
        app.clock().advance(Duration::from_secs(601));
        bank.pay("000088800001", 2_000, AT_ONCE);
        verify(&owner, &id, ask("88800001")).await.ok();
        assert_eq!(bank.calls()["history"], 2);
    }

    async fn a_notice_and_the_list_of_one_payment_are_one_movement_in_either_order(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, push) = link(&owner).await;
        let first = bank.pay("000079912345", 15_075, AT_ONCE);
        verify(&owner, &id, by_payer("79912345", 150.75)).await.ok();
        bank.notify(owner.address(), &push);
        for _ in 0..2 {
            let (status, body) = bank.push(first).await;
            let said: Value = serde_json::from_str(&body).unwrap();
            assert_eq!((status, &said["Code"]), (200, &json!(200)));
            assert_eq!(said["Refpk"], "202611200134584140000002912345");
        }
        bank.pay("000088800001", 2_000, AT_ONCE);
        bank.deliver_due().await;
        assert_eq!(app.database().number("select count(*) from payments"), 1);
        assert_eq!(verify(&owner, &id, by_payer("88800001", 20.0)).await.ok()["data"]["is_new"], true);
        assert_eq!(app.database().number("select count(*) from bank_notifications"), 2);
    }

    async fn a_notice_with_a_wrong_secret_changes_nothing_and_is_no_success_to_the_bank(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (_, push) = link(&owner).await;
        let wrong = json!({ "path": push["path"], "secret": "made-up" });
        bank.notify(owner.address(), &wrong);
        let payment = bank.pay("000079912345", 15_075, AT_ONCE);
        let (status, body) = bank.push(payment).await;
        assert_eq!((status, body.as_str()), (401, r#"{"Code":401}"#));
        assert_eq!(app.database().number("select count(*) from bank_notifications"), 0);
    }

    async fn a_transfer_is_refused_in_clear_words(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let (id, _) = link(&owner).await;
        let body = json!({ "bank_reference": "79912345", "movement_type": "TRANSFER" });
        verify(&owner, &id, body).await.refused(400, "INVALID_MOVEMENT_TYPE");
    }
}
