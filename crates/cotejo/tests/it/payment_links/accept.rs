//! A person accepts a movement as the payment of a link.

use std::time::Duration;

use domain::bank_text::BankText;
use domain::ids::{BankId, IdSource, MovementId, OwnerId};
use domain::matching::{PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::reference::BankReference;
use domain::time::CaracasDate;
use futures_util::future::{join, join3};
use serde_json::{Value, json};
use store::{Lane, Meter, accounts, movements};
use testkit::receiver::Receiver;
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines, either_engine};

use crate::pay::{AMOUNT, begin_slowly, info, make, pay, status};
use crate::slow_bank::SLOW;

/// The bank has shown that movement of the account, and nobody has claimed it. Answers its id.
pub(crate) async fn shown(app: &TestApp, owner: &Owner, reference: &str, amount: i64) -> String {
    shown_of(app, owner, &owner.bank, reference, amount).await
}

pub(crate) async fn shown_of(
    app: &TestApp,
    owner: &Owner,
    bank: &str,
    reference: &str,
    amount: i64,
) -> String {
    let (use_cases, now) = (app.app(), app.now());
    let (owner, bank): (OwnerId, BankId) = (owner.id.parse().unwrap(), bank.parse().unwrap());
    let meter = Meter::default();
    let ids: &dyn IdSource = use_cases.ids.as_ref();
    let id = MovementId::new(ids, now);
    let seen = Sighting {
        reference: BankReference::parse(reference).unwrap(),
        bank_key: None,
        amount: Bolivars::from_hundredths(amount),
        paid_on: CaracasDate::of(now),
        paid_at: None,
        payer: PayerFacts::default(),
        description: BankText::default(),
    };
    let write = use_cases.store.write(&meter, Lane::Admission, owner, move |tx| {
        let account = accounts::find(tx, owner, bank)?.unwrap();
        movements::insert(tx, owner, account.identity, &seen.clone().into_movement(id), now)
    });
    write.await.unwrap();
    id.to_string()
}

/// Makes that movement pay the link.
pub(crate) async fn accept(caller: &Principal, link: &str, movement: &str) -> Response {
    let body = json!({ "movement_id": movement });
    caller.post(&format!("/v1/paymentlink/{link}/accept"), body).await
}

/// The movement as it is listed.
pub(crate) async fn listed(owner: &Owner, movement: &str) -> Value {
    let page = owner.get(&format!("/movements/{}", owner.bank)).await.ok();
    let mut found = page["movements"].as_array().unwrap().iter();
    found.find(|entry| entry["id"] == movement).unwrap().clone()
}

/// The amount that links ask for, in hundredths.
pub(crate) const OWED: i64 = 15_075;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const SECOND: Duration = Duration::from_secs(1);

either_engine! {
    async fn a_movement_pays_a_link_as_a_check_would(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let receiver = Receiver::with_status(200);
        let link = make(&key, &owner.bank, json!({ "webhook_url": receiver.url() })).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        assert_eq!(listed(&owner, &movement).await["claimed"], false);

        let paid = accept(&owner, &link, &movement).await.ok()["paymentlink"].clone();
        assert_eq!(paid["status"], "paid");
        assert_eq!(paid, info(&owner, &link).await);
        assert_eq!(listed(&owner, &movement).await["claimed"], true);
        let body: Value = serde_json::from_str(&receiver.received(1).await[0].body).unwrap();
        assert_eq!((&body["status"], &body["credit_balance"]), (&json!("paid"), &json!(999)));
        assert_eq!(body["user_bank_payment"]["bank_reference_id"], "7654321");
        assert_eq!(body["user_bank_payment"]["amount"], AMOUNT);
        // The key that made it is charged, and has the line and the entry.
        let activity = owner.activity_of(&key).await;
        assert_eq!((&activity["credit_total"], &activity["request_total"]), (&json!(1), &json!(1)));
        assert_eq!(activity["credits"][0]["origin"], "payment_link");
        assert_eq!(activity["requests"][0]["status"], "confirmed");

        // The same again costs nothing and notifies nobody.
        assert_eq!(accept(&owner, &link, &movement).await.ok()["paymentlink"], paid);
        assert_eq!(owner.balance().await, 999);
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 1);
        let audit = owner.get("/v1/audit?limit=100").await.ok();
        let accepted = |entry: &&Value| entry["action"] == "AcceptLink";
        let accepted: Vec<_> = audit["entries"].as_array().unwrap().iter().filter(accepted).collect();
        assert_eq!(accepted.len(), 1);
        assert_eq!(accepted[0]["before"], json!({ "status": "pending", "movement_id": null }));
        assert_eq!(accepted[0]["after"], json!({ "status": "paid", "movement_id": movement }));
    }

    async fn a_link_takes_no_accepted_money_while_no_money_can_come_to_its_account(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let give = json!({ "client_owner_id": client });
        owner.put(&format!("/v1/usersbank/{}/client", owner.bank), give).await.ok();
        let link = make(&owner.key, &owner.bank, json!({})).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let path = format!("/v1/clients/{client}");
        owner.patch(&path, json!({ "is_active": false })).await.ok();
        accept(&owner, &link, &movement).await.refused(403, "CLIENT_IS_NOT_ACTIVE");
        assert_eq!(status(&owner, &link).await, "pending");
        owner.patch(&path, json!({ "is_active": true })).await.ok();
        accept(&owner, &link, &movement).await.ok();
        assert_eq!(status(&owner, &link).await, "paid");
    }

    async fn the_same_idempotency_key_is_answered_with_what_was_accepted(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        let wrong = shown(&app, &owner, "7654320", OWED + 1).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let accept = async |movement: &str| {
            let path = format!("/v1/paymentlink/{link}/accept");
            let call = owner.request("POST", &path).header("idempotency-key", "caja-7");
            call.json(&json!({ "movement_id": movement })).send().await
        };
        // What was refused is not kept: the call runs again.
        accept(&wrong).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        let (first, second) = join(accept(&movement), accept(&movement)).await;
        first.ok();
        app.clock().advance(Duration::from_secs(60));
        for again in [second, accept(&movement).await] {
            assert_eq!((again.status, &again.body), (200, &first.body));
        }
        accept(&wrong).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(owner.balance().await, 999);
    }

    async fn what_does_not_fit_is_refused_and_changes_nothing(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let other = shown(&app, &owner, "7654322", OWED + 1).await;
        let bank = owner.key.link_bank().await;
        let elsewhere = shown_of(&app, &owner, &bank, "7654323", OWED).await;
        let nothing = "mov_00000000000000000000000000";
        let no_link = "link_00000000000000000000000000";

        accept(&owner, no_link, &movement).await.refused(404, "NOT_FOUND");
        for unknown in [nothing, "x", &elsewhere] {
            accept(&owner, &link, unknown).await.refused(404, "NOT_FOUND");
        }
        let refused = accept(&owner, &link, &other).await;
        refused.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        let empty = owner.post(&format!("/v1/paymentlink/{link}/accept"), json!({})).await;
        empty.refused(400, "VALIDATION_ERROR");
        // A foreign owner knows neither.
        let foreign = app.owner().await;
        accept(&foreign, &link, &movement).await.refused(404, "NOT_FOUND");
        let priced = make(&owner.key, &owner.bank, json!({ "currency": "USD" })).await;
        accept(&owner, &priced, &movement).await.refused(409, "RATE_NOT_AVAILABLE");

        for act in ["stop", "reject"] {
            let id = make(&owner.key, &owner.bank, json!({})).await;
            owner.post(&format!("/v1/paymentlink/{id}/{act}"), json!({})).await.ok();
            accept(&owner, &id, &movement).await.refused(409, "CONFLICT");
        }
        assert_eq!((status(&owner, &link).await.as_str(), owner.balance().await), ("pending", 1_000));
        assert_eq!(app.database().number("select count(*) from verifications"), 0);

        accept(&owner, &link, &movement).await.ok();
        let second = make(&owner.key, &owner.bank, json!({})).await;
        accept(&owner, &second, &movement).await.refused(409, "PAYMENT_ALREADY_EXISTS");
        let more = shown(&app, &owner, "7654324", OWED).await;
        accept(&owner, &link, &more).await.refused(409, "CONFLICT");
        assert_eq!(owner.balance().await, 999);
    }

    async fn late_money_is_accepted_within_a_day_of_the_end(app: TestApp) {
        let mut owner = app.owner().await;
        let expiry = app.now().plus(60 * SECOND);
        let mut links = Vec::new();
        for _ in 0..4 {
            links.push(make(&owner.key, &owner.bank, json!({ "expiration_time": 1 })).await);
        }
        for (link, at, before, is_in_time) in [
            (&links[0], expiry.minus(SECOND), "pending", true),
            (&links[1], expiry.plus(SECOND), "expired", true),
            (&links[2], expiry.plus(DAY - SECOND), "expired", true),
            (&links[3], expiry.plus(DAY + SECOND), "expired", false),
        ] {
            app.clock().advance_to(at);
            owner.sign_in_again().await;
            assert_eq!(status(&owner, link).await, before);
            let movement = shown(&app, &owner, &format!("7654{}", app.now().as_micros()), OWED).await;
            let answer = accept(&owner, link, &movement).await;
            if is_in_time {
                assert_eq!(answer.ok()["paymentlink"]["status"], "paid");
            } else {
                answer.refused(409, "CONFLICT");
            }
        }
        assert_eq!(owner.balance().await, 997);
    }

    async fn a_link_that_was_called_off_is_paid_within_a_day(app: TestApp) {
        let mut owner = app.owner().await;
        let mut links = Vec::new();
        for _ in 0..2 {
            let id = make(&owner.key, &owner.bank, json!({})).await;
            owner.post(&format!("/v1/paymentlink/{id}/cancel"), json!({})).await.ok();
            links.push(id);
        }
        let canceled = app.now();
        for (link, at, end) in [
            (&links[0], canceled.plus(DAY - SECOND), (200, "paid")),
            (&links[1], canceled.plus(DAY + SECOND), (409, "canceled")),
        ] {
            app.clock().advance_to(at);
            owner.sign_in_again().await;
            let movement = shown(&app, &owner, &format!("{}7654", end.0), OWED).await;
            assert_eq!(accept(&owner, link, &movement).await.status, end.0);
            assert_eq!(status(&owner, link).await, end.1);
        }
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_link_that_failed_is_never_paid(app: TestApp) {
        let owner = app.owner().await;
        let once = json!({ "max_attempts": 1, "announce_expiry": false });
        owner.put("/v1/payment-link-settings", once).await.ok();
        let receiver = Receiver::with_status(200);
        let hook = json!({ "webhook_url": receiver.url() });
        let exhausted = make(&owner.key, &owner.bank, hook.clone()).await;
        pay(&app.nobody(), &exhausted, "110001").await;
        let rejected = make(&owner.key, &owner.bank, hook).await;
        owner.post(&format!("/v1/paymentlink/{rejected}/reject"), json!({})).await.ok();
        assert_eq!(receiver.received(2).await.len(), 2);
        let movement = shown(&app, &owner, "7654321", OWED).await;
        for link in [&exhausted, &rejected] {
            let before = info(&owner, link).await;
            assert_eq!(before["status"], "failed");
            let refused = accept(&owner, link, &movement).await.refused(409, "CONFLICT");
            assert!(refused["message"].as_str().unwrap().contains("falló"), "{refused}");
            pay(&app.nobody(), link, "7654321").await;
            assert_eq!(info(&owner, link).await, before);
        }
        assert_eq!(app.database().number("select count(*) from payments"), 0);
        assert_eq!(app.database().number("select count(*) from verifications"), 1);
        assert_eq!(app.database().number("select count(*) from audit where action = 'AcceptLink'"), 0);
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 2);
        // The money is there for another link.
        let other = make(&owner.key, &owner.bank, json!({})).await;
        accept(&owner, &other, &movement).await.ok();
        assert_eq!((status(&owner, &other).await.as_str(), owner.balance().await), ("paid", 999));
    }

    async fn why_a_link_takes_no_payment_is_said(app: TestApp) {
        let mut owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let mut links = Vec::new();
        for act in ["stop", "reject", "cancel"] {
            let link = make(&owner.key, &owner.bank, json!({})).await;
            owner.post(&format!("/v1/paymentlink/{link}/{act}"), json!({})).await.ok();
            links.push(link);
        }
        let expired = make(&owner.key, &owner.bank, json!({ "expiration_time": 1 })).await;
        let (stopped, rejected, canceled) = (&links[0], &links[1], &links[2]);
        for (link, es, en) in [
            (stopped, "Reanúdelo primero", "Resume it first"),
            (rejected, "falló", "failed"),
        ] {
            for (language, said) in [("es", es), ("en", en)] {
                let call = owner.request("POST", &format!("/v1/paymentlink/{link}/accept"));
                let call = call.header("accept-language", language);
                let answer = call.json(&json!({ "movement_id": movement })).send().await;
                let refused = answer.refused(409, "CONFLICT");
                assert!(refused["message"].as_str().unwrap().contains(said), "{refused}");
            }
        }
        app.clock().advance(DAY + Duration::from_secs(61));
        owner.sign_in_again().await;
        for link in [canceled, &expired] {
            let refused = accept(&owner, link, &movement).await.refused(409, "CONFLICT");
            assert!(refused["message"].as_str().unwrap().contains("24 horas"), "{refused}");
        }
        let never = make(&owner.key, &owner.bank, json!({ "expiration_time": -1 })).await;
        owner.post(&format!("/v1/paymentlink/{never}/stop"), json!({})).await.ok();
        owner.post(&format!("/v1/paymentlink/{never}/resume"), json!({})).await.ok();
        accept(&owner, &never, &movement).await.ok();
        let more = shown(&app, &owner, "7654322", OWED).await;
        let refused = accept(&owner, &never, &more).await.refused(409, "CONFLICT");
        assert!(refused["message"].as_str().unwrap().contains("otro movimiento"), "{refused}");
    }

    async fn where_credits_refuse_link_and_movement_stay(app: TestApp) {
        let owner = app.owner_with(0).await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let refused = accept(&owner, &link, &movement).await.refused(402, "NOT_ENOUGH_CREDITS");
        assert_eq!(refused["facts"]["available"], 0);
        // How many credits there are is not shown to who may not know.
        let employee = owner.employee(1, &["payments:write"]).await;
        let refused = accept(&employee, &link, &movement).await.refused(402, "NOT_ENOUGH_CREDITS");
        assert!(refused.get("facts").is_none_or(|facts| facts.get("available").is_none()), "{refused}");
        owner.grant(5).await;
        owner.set_limit(&owner.key, json!(0)).await.ok();
        let refused = accept(&owner, &link, &movement).await;
        refused.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(status(&owner, &link).await, "pending");
        assert_eq!(listed(&owner, &movement).await["claimed"], false);
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
        // No payer tried anything.
        for none in ["refused_attempts", "notices"] {
            assert_eq!(app.database().number(&format!("select count(*) from {none}")), 0, "{none}");
        }
        owner.set_limit(&owner.key, json!(null)).await.ok();
        accept(&owner, &link, &movement).await.ok();
        assert_eq!(owner.balance().await, 4);
    }

    async fn a_payer_who_is_being_checked_finds_the_link_paid(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        begin_slowly(&app, &link, "110004").await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        accept(&owner, &link, &movement).await.ok();
        app.clock().advance(SLOW);
        app.settle().await;
        // The payer's own movement is known by now, unclaimed and uncharged.
        assert_eq!((status(&owner, &link).await.as_str(), owner.balance().await), ("paid", 999));
        assert_eq!(app.database().number("select count(*) from movements"), 2);
        assert_eq!(app.database().number("select count(*) from payments"), 1);
    }
}

both_engines! {
    async fn of_payer_and_person_one_wins(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        for round in 1..=5 {
            let reference = format!("{round}9967890");
            let movement = shown(&app, &owner, &reference, OWED).await;
            let (first, second) = (
                make(&owner.key, &owner.bank, json!({})).await,
                make(&owner.key, &owner.bank, json!({})).await,
            );
            let payer = app.nobody();
            // The payer of the second link types the same payment; both links are accepted by it.
            let (one, two, paid) = join3(
                accept(&owner, &first, &movement),
                accept(&owner, &second, &movement),
                pay(&payer, &second, &reference),
            )
            .await;
            assert!([200, 303].contains(&paid.status), "{paid:?}");
            app.settle().await;
            let ends = [status(&owner, &first).await, status(&owner, &second).await];
            assert_eq!(ends.iter().filter(|end| *end == "paid").count(), 1, "{ends:?}");
            assert!([one.status, two.status].iter().all(|status| [200, 409].contains(status)));
            assert_eq!(owner.balance().await, 1_000 - round);
        }
        assert_eq!(app.database().number("select count(*) from payments"), 5);
    }

    async fn a_link_is_paid_by_one_of_two_movements(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        for round in 1..=5 {
            let movement = shown(&app, &owner, &format!("{round}765"), OWED).await;
            let link = make(&owner.key, &owner.bank, json!({})).await;
            let payer = app.nobody();
            let typed = format!("{round}9967890");
            let (accepted, _) =
                join(accept(&owner, &link, &movement), pay(&payer, &link, &typed)).await;
            app.settle().await;
            assert_eq!(status(&owner, &link).await, "paid");
            assert_eq!(owner.balance().await, 1_000 - round);
            let claimed = listed(&owner, &movement).await["claimed"] == true;
            assert_eq!(claimed, accepted.status == 200);
        }
    }
}
