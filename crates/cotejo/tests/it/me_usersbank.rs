//! `POST /usersbank` and `GET /me/usersbank`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::owner::link_bank;
use testkit::{Principal, Setup, TestApp, both_engines};

async fn listed(caller: &Principal) -> Vec<String> {
    let answer = caller.get("/me/usersbank").await.ok();
    let banks = answer["user_banks"].as_array().unwrap();
    banks.iter().map(|bank| bank["id"].as_str().unwrap().to_owned()).collect()
}

both_engines! {
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
        let bank = json!({
            "id": answer["userbank"]["id"],
            "description": "Mostrador",
            "provider": "BANK_TEST",
            "platform": "Banco de prueba",
            "currency": "VEF",
            "bank_accounts": [],
            "default_bank_account": null,
            "user_bank_phone": null,
            "payment_link": false,
            "to_trash": false,
            "is_disabled": false,
            "is_block_by_bank": false,
            "verifications_types_available": [{
                "id": "1",
                "hidden": false,
                "fields_required": [{ "name": "REFERENCE_NUMBER", "type": "text" }],
            }],
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
    }
}
