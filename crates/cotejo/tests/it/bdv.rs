//! Accounts of Banco de Venezuela, against the bank as it is simulated over real HTTP.

use std::time::Duration;

use domain::ids::OwnerId;
use serde_json::{Value, json};
use store::sql::Sql;
use store::tx::Tx;
use store::{Lane, Meter, verifications};
use testkit::bank::{ACCOUNT, FaultKind, KEY, SimulatedBank};
use testkit::principal::verify_path;
use testkit::{Owner, Principal, Response, Setup, TestApp, either_engine};

const AT_ONCE: Duration = Duration::ZERO;

/// A service whose accounts of the bank are at this one.
pub(crate) async fn start(setup: Setup) -> (SimulatedBank, TestApp) {
    let bank = SimulatedBank::open().await;
    let app = setup.with_bank(&bank).start().await;
    (bank, app)
}

/// Links the merchant's account, and answers its id.
pub(crate) async fn link(caller: &Principal) -> String {
    let answer = caller.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
    answer["userbank"]["id"].as_str().unwrap().to_owned()
}

async fn verify(owner: &Owner, account: &str, body: Value) -> Response {
    owner.key.post(&verify_path(account), body).await
}

static REPORTED: Sql = Sql::new(
    "select id, reported_by from verifications where owner_id = $1 and reported_by is not null",
);

/// Gives back the right to say that a payment is new, as where the answer was lost.
async fn take_reports_back(app: &TestApp, owner: &Owner) {
    let owner: OwnerId = owner.id.parse().unwrap();
    let job = move |tx: &mut Tx<'_>| {
        for row in tx.query(&REPORTED, &[owner.into()])? {
            assert!(verifications::unannounce(tx, owner, row.get("id")?, row.get("reported_by")?)?);
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Completion, owner, job).await.unwrap();
}

either_engine! {
    async fn a_linked_account_shows_its_number_to_the_owner_and_its_end_to_keys(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        let shown = |answer: &Value| {
            let banks = answer["user_banks"].as_array().unwrap();
            banks.iter().find(|bank| bank["id"] == id.as_str()).unwrap().clone()
        };
        let bank = shown(&owner.get("/me/usersbank").await.ok());
        assert_eq!(bank["default_bank_account"]["account_number"], ACCOUNT);
        assert_eq!(bank["bank_accounts"][0]["account_number"], ACCOUNT);
        assert_eq!(bank["user_bank_phone"], json!({ "countryCode": "58", "number": "4120000001" }));
        let bank = shown(&owner.key.get("/me/usersbank").await.ok());
        assert_eq!(bank["default_bank_account"]["account_number"], "****************0001");
        assert!(!bank.to_string().contains(KEY));
    }

    async fn a_real_account_is_linked_once_and_comes_back_from_the_trash_under_its_id(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        let again = owner.post("/usersbank", SimulatedBank::link(KEY)).await;
        again.refused(409, "USER_BANK_ALREADY_EXISTS");
        bank.pay("000079912345", 15_075, AT_ONCE);
        let body = json!({ "bank_reference": "912345", "amount": 150.75 });
        assert_eq!(verify(&owner, &id, body.clone()).await.ok()["data"]["is_new"], true);

        let trash = format!("/usersbank/{id}/to-trash");
        owner.request("DELETE", &trash).send().await.ok();
        owner.request("DELETE", &trash).send().await.ok();
        verify(&owner, &id, body.clone()).await.refused(404, "NOT_FOUND");
        assert_eq!(app.database().number("select count(*) from bank_access"), 0);

        assert_eq!(link(&owner).await, id);
        // What was claimed before stays claimed.
        let repeat = verify(&owner, &id, json!({ "bank_reference": "79912345" })).await.ok();
        assert_eq!(repeat["data"]["is_new"], false);
        assert_eq!(repeat["data"]["credit_cost"], 0);
        // Another owner who has the bank's key links it too: claims are each owner's own.
        let other = app.owner().await;
        link(&other).await;
    }

    async fn after_a_day_an_ending_gets_no_first_report(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        let ask = || verify(&owner, &id, json!({ "bank_reference": "912345", "amount": 150.75 }));
        assert_eq!(ask().await.ok()["data"]["is_new"], true);
        take_reports_back(&app, &owner).await;
        app.clock().advance(Duration::from_hours(23));
        assert_eq!(ask().await.ok()["data"]["is_new"], true);
        take_reports_back(&app, &owner).await;
        app.clock().advance(Duration::from_hours(2));
        assert_eq!(ask().await.ok()["data"]["is_new"], false);
    }

    async fn what_the_bank_does_not_take_is_not_kept(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let wrong = owner.post("/usersbank", SimulatedBank::link("made-up-and-wrong")).await;
        wrong.refused(400, "USER_BANCK_BAD_PASSWORD");
        let mut nothing = SimulatedBank::link(KEY);
        nothing.as_object_mut().unwrap().retain(|name, _| name == "bank_provider");
        owner.post("/usersbank", nothing).await.refused(400, "VALIDATION_ERROR");
        let mut foreign = SimulatedBank::link(KEY);
        foreign["metadata"][0]["key_value"] = json!("01340000890000000001");
        owner.post("/usersbank", foreign).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(app.database().number("select count(*) from bank_access"), 0);

        let id = link(&owner).await;
        let change = format!("/v1/usersbank/{id}/change-secret");
        let secret = |text: &str| json!({ "secret": text });
        owner.put(&change, secret("wrong")).await.refused(400, "USER_BANCK_BAD_PASSWORD");
        bank.fail(Some(FaultKind::Http500));
        owner.put(&change, secret(KEY)).await.refused(503, "BANK_NOT_AVAILABLE");
        bank.fail(None);
        bank.pay("000079912345", 15_075, AT_ONCE);
        let body = json!({ "bank_reference": "79912345", "amount": 150.75 });
        verify(&owner, &id, body.clone()).await.ok();

        bank.set_key("made-up-and-new");
        bank.pay("000079912346", 15_075, AT_ONCE);
        let other = json!({ "bank_reference": "79912346" });
        app.clock().advance(Duration::from_secs(3));
        verify(&owner, &id, other.clone()).await.refused(400, "USER_BANCK_BAD_PASSWORD");
        owner.put(&change, secret("made-up-and-new")).await.ok();
        app.clock().advance(Duration::from_secs(3));
        verify(&owner, &id, other).await.ok();
    }

    async fn a_bank_is_not_asked_about_keys_without_end(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let guess = SimulatedBank::link("made-up-and-wrong");
        for _ in 0..10 {
            let tried = owner.post("/usersbank", guess.clone()).await;
            tried.refused(400, "USER_BANCK_BAD_PASSWORD");
        }
        let tried = owner.post("/usersbank", SimulatedBank::link(KEY)).await;
        tried.refused(429, "REQUEST_LIMIT_REACHED");
        let other = app.owner().await;
        link(&other).await;
        app.clock().advance(Duration::from_secs(6));
        link(&owner).await;
    }

    async fn who_links_an_account_again_has_it_alone(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let id = link(&key).await;
        let trash = format!("/usersbank/{id}/to-trash");
        // Another client does not come by it.
        key.request("DELETE", &trash).send().await.ok();
        let other = owner.client(true).await;
        let stranger = owner.client_key(&other).await;
        let taken = stranger.post("/usersbank", SimulatedBank::link(KEY)).await;
        taken.refused(409, "USER_BANK_ALREADY_EXISTS");
        // The owner does, with a key of its own, which is not for the client to use.
        assert_eq!(link(&owner).await, id);
        let asked = key.post(&verify_path(&id), json!({ "bank_reference": "79912345" })).await;
        asked.refused(404, "NOT_FOUND");
    }

    async fn a_kind_of_payment_that_the_bank_does_not_report_is_refused(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        let body = json!({ "bank_reference": "79912345", "movement_type": "C2P" });
        verify(&owner, &id, body).await.refused(400, "INVALID_MOVEMENT_TYPE");
    }

    async fn a_payment_is_found_by_6_8_or_12_digits_and_is_new_once(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        for (place, digits) in ["912345", "79912345", "000079912345"].into_iter().enumerate() {
            let body = json!({ "bank_reference": digits, "amount": 150.75 });
            let data = verify(&owner, &id, body).await.ok()["data"].clone();
            assert_eq!(data["is_new"], place == 0, "{digits}");
            assert_eq!(data["credit_cost"], i64::from(place == 0), "{digits}");
            assert_eq!(data["user_bank_payment"]["amount"], 150.75);
            app.clock().advance(Duration::from_secs(3));
        }
        // The bank showed it twice, and its commission beside it: one movement is here.
        assert_eq!(app.database().number("select count(*) from movements"), 1);
    }

    async fn another_amount_is_reported_and_what_is_not_there_may_still_appear(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        let other = json!({ "bank_reference": "79912345", "amount": 150.00 });
        let refused = verify(&owner, &id, other).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        assert_eq!(refused["facts"]["bank_amount"], 150.75);

        bank.pay("000088800001", 2_000, Duration::from_secs(30));
        let late = json!({ "bank_reference": "88800001", "amount": 20 });
        app.clock().advance(Duration::from_secs(3));
        verify(&owner, &id, late.clone()).await.refused(404, "PAYMENT_NOT_FOUND");
        app.clock().advance(Duration::from_secs(31));
        assert_eq!(verify(&owner, &id, late).await.ok()["data"]["is_new"], true);
    }

    async fn a_bank_that_fails_is_never_not_found_and_costs_nothing(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        let body = json!({ "bank_reference": "79912345" });
        for kind in [FaultKind::Http500, FaultKind::Html, FaultKind::TruncatedJson, FaultKind::Maintenance] {
            bank.fail(Some(kind));
            verify(&owner, &id, body.clone()).await.refused(503, "BANK_NOT_AVAILABLE");
            // A bank that keeps failing is left alone for a while.
            app.clock().advance(Duration::from_secs(120));
        }
        assert_eq!(app.database().number("select count(*) from credit_movements where amount < 0"), 0);
        bank.fail(None);
        assert_eq!(verify(&owner, &id, body).await.ok()["data"]["is_new"], true);
    }

    async fn the_question_that_changes_the_bank_is_never_asked(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let id = link(&owner).await;
        bank.pay("000079912345", 15_075, AT_ONCE);
        // With every fact that the bank wants for it, whatever comes of the look at the extract.
        let ask = async |reference: &str, amount: f64| {
            let body = json!({
                "bank_reference": reference, "amount": amount, "movement_type": "MOVIL_PAY",
                "fecha_pago": "2026-11-20", "phone_pagador": "04140000002",
                "dni_pagador": "V12345678", "bank_origin": "0134",
            });
            app.clock().advance(Duration::from_secs(3));
            verify(&owner, &id, body).await
        };
        ask("88800001", 20.0).await.refused(404, "PAYMENT_NOT_FOUND");
        ask("79912345", 150.0).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        ask("79912345", 150.75).await.ok();
        bank.fail(Some(FaultKind::Http500));
        ask("88800001", 20.0).await.refused(503, "BANK_NOT_AVAILABLE");
        assert_eq!(bank.calls().into_keys().collect::<Vec<_>>(), ["movimientos"]);
    }

    async fn banks_are_listed_for_anybody(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let platforms = app.nobody().get("/v1/platforms").await.json();
        let bdv = platforms.as_array().unwrap().iter().find(|bank| bank["id"] == "BDV").unwrap();
        assert_eq!((&bdv["bank_code"], &bdv["is_bank"]), (&json!("0102"), &json!(true)));
    }

    async fn metadata_is_kept_sealed_and_shown_to_nobody(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let owner = app.owner().await;
        let mut body = SimulatedBank::link(KEY);
        let entries = body["metadata"].as_array_mut().unwrap();
        entries.push(json!({ "key_name": "Terminal_Id", "key_value": "made-up-terminal" }));
        let linked = owner.post("/usersbank", body.clone()).await.ok();
        assert!(!linked.to_string().contains("made-up-terminal"));
        assert!(!owner.get("/me/usersbank").await.ok().to_string().contains("made-up-terminal"));
        let length = "select cast(length(metadata) as bigint) from bank_access";
        // The text, and what sealing adds: version, key, nonce and tag.
        let both = app.database().number(length);
        assert!(both > 80, "{both}");

        // Linked again, it has what comes with that call.
        let id = linked["userbank"]["id"].as_str().unwrap();
        owner.request("DELETE", &format!("/usersbank/{id}/to-trash")).send().await.ok();
        assert_eq!(app.database().number("select count(*) from bank_access"), 0);
        body["metadata"].as_array_mut().unwrap().pop();
        owner.post("/usersbank", body.clone()).await.ok();
        assert!(app.database().number(length) < both);

        // The sandbox keeps nothing.
        body["bank_provider"] = json!("BANK_TEST");
        owner.post("/usersbank", body).await.ok();
        assert_eq!(app.database().number("select count(*) from bank_access"), 1);
    }
}
