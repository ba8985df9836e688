//! `PUT /v1/usersbank/{bank_id}/client`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::http::Response;
use testkit::owner::link_bank;
use testkit::{Owner, Principal, Setup, TestApp, either_engine};

use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::pay::make;
use crate::slow_bank::{SLOW_REFERENCE, let_answer, time_out};

/// Longer than it takes for a movement to be of another instant.
const LATER: Duration = Duration::from_secs(5);

async fn give(owner: &Owner, bank: &str, client: impl Into<Value>) -> Response {
    let body = json!({ "client_owner_id": client.into() });
    owner.put(&format!("/v1/usersbank/{bank}/client"), body).await
}

/// The accounts that a caller lists, each with its client.
async fn accounts(caller: &Principal) -> Vec<(String, Value)> {
    let listed = caller.get("/me/usersbank").await.ok();
    let listed = listed["user_banks"].as_array().unwrap().iter();
    let account =
        |it: &Value| (it["id"].as_str().unwrap().to_owned(), it["client_owner_id"].clone());
    listed.map(account).collect()
}

async fn movements(caller: &Principal, bank: &str) -> usize {
    let listed = caller.get(&format!("/movements/{bank}")).await.ok();
    assert_eq!(listed["total"], listed["movements"].as_array().unwrap().len());
    listed["movements"].as_array().unwrap().len()
}

fn about(reference: &str) -> Value {
    json!({ "bank_reference": reference })
}

either_engine! {
    async fn an_account_goes_to_a_client_and_comes_back(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        assert_eq!(accounts(&owner).await, [(owner.bank.clone(), Value::Null)]);
        key.verify(&owner.bank, about("67890")).await.refused(404, "NOT_FOUND");

        let moved = give(&owner, &owner.bank, client.as_str()).await.ok();
        assert_eq!(moved["user_bank"]["id"], owner.bank.as_str());
        assert_eq!(moved["user_bank"]["client_owner_id"], client.as_str());
        assert_eq!(moved["push"], Value::Null, "its bank sends no notices");
        let theirs = [(owner.bank.clone(), json!(client))];
        assert_eq!(accounts(&owner).await, theirs);
        assert_eq!(accounts(&key).await, theirs);
        let record = owner.get(&format!("/v1/clients/{client}")).await.ok();
        assert_eq!(record["client"]["user_banks"], json!([owner.bank]));
        key.verify(&owner.bank, about("67890")).await.ok();

        assert_eq!(give(&owner, &owner.bank, Value::Null).await.ok()["user_bank"]["client_owner_id"],
            Value::Null);
        assert!(accounts(&key).await.is_empty());
        key.verify(&owner.bank, about("167890")).await.refused(404, "NOT_FOUND");
        owner.key.verify(&owner.bank, about("167890")).await.ok();
        let trail = "select count(*) from audit where action = 'MoveBankAccount'";
        assert_eq!(app.database().number(trail), 2);
    }

    async fn what_a_clients_key_links_is_its_clients_whomever_the_request_names(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let key = owner.client_key(&client).await;
        let body = json!({ "bank_provider": "BANK_TEST", "client_owner_id": other });
        let linked = key.post("/usersbank", body).await.ok();
        assert_eq!(linked["userbank"]["client_owner_id"], client.as_str());
    }

    async fn a_client_sees_nothing_of_before_it_got_the_account(app: TestApp) {
        let owner = app.owner().await;
        let (one, other) = (owner.client(true).await, owner.client(true).await);
        let (of_one, of_other) = (owner.client_key(&one).await, owner.client_key(&other).await);
        owner.key.verify(&owner.bank, about("67890")).await.ok();
        app.clock().advance(LATER);
        give(&owner, &owner.bank, one.as_str()).await.ok();
        assert_eq!(movements(&of_one, &owner.bank).await, 0);
        app.clock().advance(LATER);
        of_one.verify(&owner.bank, about("167890")).await.ok();
        let link = make(&of_one, &owner.bank, json!({})).await;
        of_one.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        assert_eq!(movements(&of_one, &owner.bank).await, 1);

        app.clock().advance(LATER);
        give(&owner, &owner.bank, other.as_str()).await.ok();
        assert_eq!(movements(&of_other, &owner.bank).await, 0);
        assert_eq!(of_other.post("/me/payment-links", json!({})).await.ok()["total"], 0);
        of_other.get(&format!("/paymentlink/{link}/info")).await.refused(404, "NOT_FOUND");
        of_one.get(&format!("/movements/{}", owner.bank)).await.refused(404, "NOT_FOUND");
        app.clock().advance(LATER);
        of_other.verify(&owner.bank, about("267890")).await.ok();
        assert_eq!(movements(&of_other, &owner.bank).await, 1);
        assert_eq!(movements(&owner, &owner.bank).await, 3);
        // What was charged stays with the client that had it then.
        for (client, used) in [(&one, 1), (&other, 1)] {
            assert_eq!(owner.set_quota(client, json!(9)).await.ok()["consumed"], used);
        }
    }

    async fn a_client_gets_no_notice_of_before_and_what_the_bank_showed_is_over(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let client = pushed.owner.client(true).await;
        let key = pushed.owner.client_key(&client).await;
        let notices = async |query: &str| {
            key.get(&format!("/v1/bank-pay-notifications{query}")).await.ok()["total"].clone()
        };
        let former = pushed.secret().to_owned();
        assert_eq!(codigo(&pushed.notify(&former, notice("0105", "1234567")).await), "00");
        pushed.app.clock().advance(LATER);
        let moved = give(&pushed.owner, &pushed.account, client.as_str()).await.ok();
        let of_account = format!("?user_bank_id={}", pushed.account);
        assert_eq!((notices("").await, notices(&of_account).await), (json!(0), json!(0)));

        let late = pushed.notify(&former, notice("0105", "2234567")).await;
        assert_eq!(codigo(&late), "99");
        let secret = moved["push"]["secret"].as_str().unwrap();
        assert_ne!(secret, former);
        assert_eq!(codigo(&pushed.notify(secret, notice("0105", "3234567")).await), "00");
        assert_eq!((notices("").await, notices(&of_account).await), (json!(1), json!(1)));
        // Where it is already nothing changes, the secret included.
        let again = give(&pushed.owner, &pushed.account, client.as_str()).await.ok();
        assert_eq!(again["push"], Value::Null);
        assert_eq!(codigo(&pushed.notify(secret, notice("0105", "4234567")).await), "00");
        assert_eq!(notices("").await, 2);
    }

    async fn an_account_stays_while_its_client_has_something_open_on_it(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        give(&owner, &owner.bank, client.as_str()).await.ok();

        let link = make(&key, &owner.bank, json!({})).await;
        let refused = give(&owner, &owner.bank, Value::Null).await.refused(409, "CONFLICT");
        assert!(refused["message"].as_str().unwrap().contains("enlace de pago"), "{refused}");
        owner.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        give(&owner, &owner.bank, Value::Null).await.ok();
        give(&owner, &owner.bank, client.as_str()).await.ok();

        // Whichever caller asks, the client's quota is charged.
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        give(&owner, &owner.bank, Value::Null).await.refused(409, "CONFLICT");
        assert_eq!(accounts(&key).await.len(), 1);
        let_answer(&app).await;
        give(&owner, &owner.bank, Value::Null).await.ok();
    }

    /// Checks that a reservation settles as it was reserved: the client that got the account meanwhile is not charged.
    async fn what_the_owner_has_open_on_it_goes_on_and_is_the_owners(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        make(&owner.key, &owner.bank, json!({})).await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        give(&owner, &owner.bank, client.as_str()).await.ok();
        let_answer(&app).await;
        assert_eq!(owner.balance().await, 999);
        assert_eq!(owner.set_quota(&client, json!(9)).await.ok()["consumed"], 0);
    }

    async fn a_selection_follows_the_account_and_never_widens(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let second = link_bank(&owner).await;
        give(&owner, &second, client.as_str()).await.ok();
        let limited = owner
            .issue(json!({ "name": "caja", "client_owner_id": client, "user_banks": [second] }))
            .await;
        assert_eq!(accounts(&limited).await.len(), 1);
        give(&owner, &second, Value::Null).await.ok();
        assert!(accounts(&limited).await.is_empty(), "no selection would be all of the client's");
        let record = owner.get(&format!("/api-keys/{}", limited.id)).await.ok();
        assert_eq!(record["api_key"]["user_banks"], json!([second]), "it stays and opens nothing");
        give(&owner, &second, client.as_str()).await.ok();
        assert_eq!(accounts(&limited).await.len(), 1);
    }

    async fn where_an_account_cannot_go_is_reported_and_it_stays(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (client, foreign) = (owner.client(true).await, stranger.client(true).await);
        for client in [foreign.as_str(), "cli_00000000000000000000000000", "nothing", ""] {
            give(&owner, &owner.bank, client).await.refused(404, "NOT_FOUND");
        }
        let trashed = link_bank(&owner).await;
        owner.delete(&format!("/usersbank/{trashed}/to-trash")).await.ok();
        for bank in [trashed.as_str(), stranger.bank.as_str(), "bank_00000000000000000000000000"] {
            give(&owner, bank, client.as_str()).await.refused(404, "NOT_FOUND");
        }
        let path = format!("/v1/usersbank/{}/client", owner.bank);
        for body in [json!({}), json!({ "client_owner_id": 7 }), json!({ "client": null })] {
            let error = owner.put(&path, body).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(error["details"][0]["field"], "client_owner_id");
        }
        assert_eq!(accounts(&owner).await, [(owner.bank.clone(), Value::Null)]);
        // One that is not active may have accounts, which take nothing until it is.
        owner.patch(&format!("/v1/clients/{client}"), json!({ "is_active": false })).await.ok();
        give(&owner, &owner.bank, client.as_str()).await.ok();
        owner.key.verify(&owner.bank, about("67890")).await.refused(403, "CLIENT_IS_NOT_ACTIVE");
    }
}
