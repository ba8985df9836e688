//! `POST /usersbank` and `GET /me/usersbank`

use std::time::Duration;

use domain::ids::{BankId, IdentityId, OwnerId};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::accounts::{self, ACCOUNTS_MAX, NewAccount};
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::bank::{KEY, SimulatedBank};
use testkit::owner::link_bank;
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines};

async fn listed(caller: &Principal) -> Vec<String> {
    let answer = caller.get("/me/usersbank").await.ok();
    let banks = answer["user_banks"].as_array().unwrap();
    banks.iter().map(|bank| bank["id"].as_str().unwrap().to_owned()).collect()
}

/// Links a test account with an `Idempotency-Key`.
async fn link_with(caller: &Principal, key: &str, description: &str) -> Response {
    let call = caller.request("POST", "/usersbank").header("Idempotency-Key", key);
    call.json(&json!({ "bank_provider": "BANK_TEST", "description": description })).send().await
}

/// Links accounts past the service until the owner has so many.
async fn fill_up_to(app: &TestApp, owner: &Owner, count: i64) {
    let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
    let job = move |tx: &mut Tx<'_>| {
        for number in accounts::count(tx, id)?..count {
            let bytes = i128::from(number).to_be_bytes();
            let account = NewAccount {
                id: BankId::from_bytes(bytes),
                identity: IdentityId::from_bytes(bytes),
                provider: "BANK_TEST".to_owned(),
                account: number.to_string(),
                description: String::new(),
                client: None,
            };
            accounts::insert(tx, id, &account, now)?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

/// Puts what was linked past the service into the trash.
async fn empty(app: &TestApp, owner: &Owner) {
    let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
    let job = move |tx: &mut Tx<'_>| {
        for account in accounts::list(tx, id)?.iter().filter(|one| one.description.is_empty()) {
            accounts::trash(tx, id, account.id, now)?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

both_engines! {
    async fn an_owner_links_so_many_and_all_are_listed(app: TestApp) {
        let owner = app.owner().await;
        fill_up_to(&app, &owner, ACCOUNTS_MAX - 1).await;
        link_with(&owner, "a-1", "Mostrador").await.ok();
        assert_eq!(listed(&owner).await.len(), usize::try_from(ACCOUNTS_MAX).unwrap());
        link_with(&owner, "a-2", "Otro").await.refused(403, "BANK_ACCOUNT_LIMIT_REACHED");
        // What was linked is answered again, and what was refused has not used its key up.
        link_with(&owner, "a-1", "Mostrador").await.ok();
        empty(&app, &owner).await;
        link_with(&owner, "a-2", "Otro").await.ok();
    }

    async fn the_same_call_again_links_nothing_and_is_answered_byte_for_byte(app: TestApp) {
        let mut owner = app.owner().await;
        let first = link_with(&owner, "a-1", "Mostrador").await;
        first.ok();
        app.clock().advance(Duration::from_hours(1));
        owner.sign_in_again().await;
        for key in ["a-1", "\"a-1\""] {
            let again = link_with(&owner, key, "Mostrador").await;
            assert_eq!((again.status, &again.body), (200, &first.body));
        }
        assert_eq!(listed(&owner).await.len(), 2);
        link_with(&owner, "a-1", "Otro").await.refused(422, "IDEMPOTENCY_KEY_REUSED");

        // The owner's sessions are one caller, and each key is another.
        link_with(&owner.key, "a-1", "Mostrador").await.ok();
        assert_eq!(listed(&owner).await.len(), 3);
        let key = owner.key_with(&["bank_accounts_manage"]).await;
        link_with(&key, "a-1", "Mostrador").await.ok();
        assert_eq!(listed(&key).await.len(), 4);
    }

    async fn a_bank_is_not_asked_again_by_the_same_call(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let link = |key: &str, secret: &str| {
            let call = owner.request("POST", "/usersbank").header("Idempotency-Key", key);
            call.json(&SimulatedBank::link(secret)).send()
        };
        let first = link("a-1", KEY).await.ok();
        // A caller that asked the bank now would be answered that the key is wrong.
        bank.set_key("made-up-and-new");
        link("a-2", KEY).await.refused(400, "USER_BANCK_BAD_PASSWORD");
        // The first answer held the secret of the bank's notices, and is not given again.
        let again = link("a-1", KEY).await.refused(409, "CONFLICT");
        assert_eq!(again["facts"]["id"], first["userbank"]["id"]);
        link("a-1", "made-up-and-new").await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(listed(&owner).await.len(), 2);
    }

    async fn real_accounts_are_listed_before_those_of_the_test_bank(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        link_bank(&owner).await;
        let real = crate::bdv::link(&owner).await;
        let listed = listed(&owner).await;
        // It was linked last.
        assert_eq!((listed.len(), &listed[0]), (3, &real));
    }

    async fn after_a_day_the_same_call_links_another(app: TestApp) {
        let owner = app.owner().await;
        let first = link_with(&owner.key, "a-1", "Mostrador").await;
        app.clock().advance(Duration::from_hours(24));
        let second = link_with(&owner.key, "a-1", "Mostrador").await;
        assert_ne!(first.ok()["userbank"]["id"], second.ok()["userbank"]["id"]);
    }

    async fn a_refusal_leaves_the_key_free(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_provider": "BANK_OF_NOWHERE" });
        let call = owner.request("POST", "/usersbank").header("Idempotency-Key", "a-1");
        call.json(&asked).send().await.refused(400, "INVALID_BANK_PROVIDER");
        link_with(&owner, "a-1", "Mostrador").await.ok();
    }

    async fn calls_at_once_with_one_key_link_one_account(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let answers = join_all((0..12).map(|_| link_with(&owner, "a-1", "Mostrador"))).await;
        for answer in &answers {
            assert_eq!((answer.status, &answer.body), (200, &answers[0].body));
        }
        assert_eq!(listed(&owner).await.len(), 2);
    }

    async fn a_linked_account_has_the_agreed_shape_under_both_names(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({
            "user_id": owner.id,
            "bank_provider": "BANK_TEST",
            "description": "Mostrador",
            "user_bank_phone": { "countryCode": "58", "number": "4141234567" },
            "metadata": [{ "key_name": "a", "key_value": "b" }],
        });
        let answer = owner.post("/usersbank", asked).await.ok();
        let types = ["GENERIC", "MOVIL_PAY", "TRANSFER", "C2P"].map(|kind| json!({
            "id": kind,
            "hidden": false,
            "fields_required": [{ "name": "REFERENCE_NUMBER", "type": "STRING" }],
        }));
        let bank = json!({
            "id": answer["userbank"]["id"],
            "description": "Mostrador",
            "provider": "BANK_TEST",
            "platform": "BANK_TEST",
            "currency": "VEF",
            "bank_accounts": [],
            "default_bank_account": null,
            "user_bank_phone": null,
            "client_owner_id": null,
            "payment_link": true,
            "to_trash": false,
            "is_disabled": false,
            "is_block_by_bank": false,
            "verifications_types_available": types,
        });
        assert!(bank["id"].as_str().unwrap().starts_with("bank_"));
        assert_eq!(answer["userbank"], bank);
        assert_eq!(answer["usersbank"], bank);
        let listed = owner.get("/me/usersbank").await.ok();
        assert!(listed["user_banks"].as_array().unwrap().contains(&bank), "{listed}");
        assert!(listed.get("total").is_none(), "it is never paged");
    }

    async fn a_caller_sees_what_it_reaches(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(false).await;
        let of_client = owner.client_key(&client).await;
        app.clock().advance(Duration::from_millis(1));
        let second = link_bank(&owner).await;
        app.clock().advance(Duration::from_millis(1));
        let clients = of_client.link_bank().await;
        let limited = owner.key_for(&[&second]).await;

        let all = [owner.bank.clone(), second.clone(), clients.clone()];
        assert_eq!(listed(&owner).await, all);
        assert_eq!(listed(&owner.key).await, all);
        assert_eq!(listed(&of_client).await, [clients]);
        assert_eq!(listed(&limited).await, [second]);
        let stranger = app.owner().await;
        assert_eq!(listed(&stranger).await, std::slice::from_ref(&stranger.bank));
    }

    async fn a_key_with_a_selection_does_not_widen_it(app: TestApp) {
        let owner = app.owner().await;
        let limited = owner.key_for(&[&owner.bank]).await;
        let answer = limited.post("/usersbank", json!({ "bank_provider": "BANK_TEST" })).await;
        answer.refused(403, "KEY_SCOPE_RESTRICTED");
    }

    async fn it_is_linked_for_the_callers_owner_alone(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let asked = json!({ "bank_provider": "BANK_TEST", "user_id": stranger.id });
        owner.key.post("/usersbank", asked).await.refused(403, "FORBIDDEN");
    }

    async fn a_provider_that_is_not_there_is_refused(app: TestApp) {
        let owner = app.owner().await;
        for provider in ["BANK_OF_NOWHERE", "bank_test", ""] {
            let asked = json!({ "bank_provider": provider });
            owner.post("/usersbank", asked).await.refused(400, "INVALID_BANK_PROVIDER");
        }
        for provider in [Value::Null, json!(1)] {
            let asked = json!({ "bank_provider": provider });
            owner.post("/usersbank", asked).await.refused(400, "VALIDATION_ERROR");
        }
    }

    async fn a_closed_sandbox_is_linked_to_nothing(setup: Setup) {
        let app = setup.without_test_bank().start().await;
        let owner = app.owner().await;
        let answer = owner.post("/usersbank", json!({ "bank_provider": "BANK_TEST" })).await;
        answer.refused(400, "INVALID_BANK_PROVIDER");
        // What was linked before is shown, and shown as out of service.
        let listed = owner.get("/me/usersbank").await.ok();
        assert_eq!(listed["user_banks"][0]["is_disabled"], true);
        assert_eq!(listed["user_banks"][0]["payment_link"], false);
    }
}
