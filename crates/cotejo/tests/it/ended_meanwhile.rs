//! A caller that is admitted and then ended, or loses what its call is about before it writes anything, writes
//! nothing that would outlast it: the change is committed after the call was admitted and before its own write.

use std::time::Duration;

use domain::ids::{BankId, KeyId, OwnerId, SessionId};
use domain::permissions::{Permission, Permissions};
use serde_json::{Value, json};
use store::fault::Fault;
use store::tx::Tx;
use store::{accounts, keys, sessions};
use testkit::bank::KEY;
use testkit::owner::Key;
use testkit::receiver::Receiver;
use testkit::{Owner, Response, Setup, TestApp, both_engines};

use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::changed::after;

/// A client of the owner's that has the account, and its key.
async fn client_with(owner: &Owner, account: &str) -> (String, Key) {
    let client = owner.client(true).await;
    let path = format!("/v1/usersbank/{account}/client");
    owner.put(&path, json!({ "client_owner_id": client })).await.ok();
    let key = owner.client_key(&client).await;
    (client, key)
}

/// Runs the call while that key is revoked, and returns the answer.
async fn revoked_meanwhile(
    app: &TestApp,
    owner: &Owner,
    key: &Key,
    call: impl Future<Output = Response>,
) -> Response {
    let (id, now): (KeyId, _) = (key.id.parse().unwrap(), app.now());
    let revoke = move |tx: &mut Tx<'_>, owner: OwnerId| keys::revoke(tx, owner, id, now);
    after(app, owner.id.parse().unwrap(), revoke, call).await
}

fn taking_back(
    pushed: &PushedAccount,
) -> impl Fn(&mut Tx<'_>, OwnerId) -> Result<(), Fault> + use<> {
    let (bank, now): (BankId, _) = (pushed.account.parse().unwrap(), pushed.app.now());
    move |tx, owner| accounts::move_to(tx, owner, bank, None, now)
}

both_engines! {
    async fn a_client_gets_no_push_secret_of_an_account_that_was_taken_back(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let former = pushed.secret().to_owned();
        let (_, key) = client_with(&pushed.owner, &pushed.account).await;
        let path = format!("/v1/usersbank/{}/push-secret/rotate", pushed.account);
        let owner = pushed.owner.id.parse().unwrap();
        let call = key.post(&path, json!({}));
        let answer = after(&pushed.app, owner, taking_back(&pushed), call).await;
        answer.refused(404, "NOT_FOUND");
        assert_eq!(codigo(&pushed.notify(&former, notice("0105", "678912")).await), "99");
    }

    async fn a_client_changes_no_secret_of_an_account_that_was_taken_back(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let (_, key) = client_with(&pushed.owner, &pushed.account).await;
        let path = format!("/v1/usersbank/{}/change-secret", pushed.account);
        let owner = pushed.owner.id.parse().unwrap();
        let call = key.put(&path, json!({ "secret": KEY }));
        after(&pushed.app, owner, taking_back(&pushed), call).await.refused(404, "NOT_FOUND");
        let trail = "select count(*) from audit where action = 'ChangeBankSecret'";
        assert_eq!(pushed.app.database().number(trail), 0);
    }

    async fn a_key_that_was_revoked_links_makes_and_ends_nothing(app: TestApp) {
        let owner = app.owner().await;
        let of_link = json!({ "amount": 10, "description": "x", "user_bank_id": owner.bank });
        let made = owner.post("/v1/paymentlink", of_link.clone()).await.ok();
        let link = made["paymentlink"]["id"].as_str().unwrap().to_owned();
        let cancel = format!("/v1/paymentlink/{link}/cancel");
        let change = format!("/paymentlink/{link}/patch");
        let trash = format!("/usersbank/{}/to-trash", owner.bank);
        for (method, path, body) in [
            ("POST", "/usersbank", json!({ "bank_provider": "BANK_TEST" })),
            ("POST", "/v1/paymentlink", of_link),
            ("POST", &*cancel, json!({})),
            ("PATCH", &*change, json!({ "amount": 1 })),
            ("DELETE", &*trash, json!({})),
        ] {
            let key = owner.key_with(&["bank_accounts_manage", "payment_links"]).await;
            let call = key.request(method, path).json(&body).send();
            let answer = revoked_meanwhile(&app, &owner, &key, call).await;
            answer.refused(401, "UNAUTHORIZED");
        }
        let listed = owner.get("/me/usersbank").await.ok()["user_banks"].clone();
        assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &json!(owner.bank)));
        assert_eq!(owner.post("/me/payment-links", json!({})).await.ok()["total"], 1);
        let info = owner.get(&format!("/paymentlink/{link}/info")).await.ok();
        assert_eq!(info["data"]["payment_link"]["status"], "pending");
    }

    async fn a_session_that_was_ended_sets_tries_and_accepts_nothing(app: TestApp) {
        let mut owner = app.owner().await;
        let link = crate::pay::make(&owner.key, &owner.bank, json!({})).await;
        let accept = format!("/v1/paymentlink/{link}/accept");
        let settings = format!("/v1/usersbank/{}/settings", owner.bank);
        let secret = format!("/v1/clients/{}/webhook-secret", owner.client(true).await);
        let review = format!("/v1/usersbank/{}/review/close", owner.bank);
        let redeliver = "/v1/webhooks/deliveries/evt_00000000000000000000000000/redeliver";
        let listening = Receiver::with_status(204);
        let receiver = json!({ "url": listening.url() });
        for (method, path, body) in [
            ("PUT", "/v1/profile", json!({ "public_name": "Otra tienda" })),
            (
                "PUT",
                "/v1/payment-link-settings",
                json!({ "max_attempts": 3, "announce_expiry": true }),
            ),
            ("PUT", "/v1/webhooks/endpoint", receiver.clone()),
            ("PUT", "/v1/notices/settings", json!({ "language": "en", "low_balance_below": null })),
            ("POST", "/v1/webhooks/test", receiver.clone()),
            ("POST", "/v1/webhooks/check", receiver),
            ("POST", &*accept, json!({ "movement_id": "mov_00000000000000000000000000" })),
            ("POST", "/v1/movements/mov_00000000000000000000000000/accept", json!({})),
            ("POST", "/me/webhook-secret/rotate", json!({ "overlap_hours": 0 })),
            ("POST", &*secret, json!({ "overlap_hours": 0 })),
            ("POST", &*review, json!({})),
            ("PUT", &*settings, json!({ "same_bank_by_payer": false })),
            ("POST", redeliver, json!({})),
            ("POST", "/v1/webhooks/redeliveries", json!({ "since": "2026-11-19T00:00:00Z" })),
        ] {
            let now = app.now();
            let end = move |tx: &mut Tx<'_>, owner: OwnerId| sessions::end_all(tx, owner, now);
            let call = owner.request(method, path).json(&body).send();
            let answer = after(&app, owner.id.parse().unwrap(), end, call).await;
            answer.refused(401, "UNAUTHORIZED");
            owner.sign_in_again().await;
        }
        let written = "select count(*) from audit where action in ('SetProfile', \
             'SetLinkSettings', 'SetWebhookEndpoint', 'TestWebhook', 'CheckReceiver', 'AcceptLink', 'AcceptMovement', \
             'RotateWebhookSecret', 'IssueClientWebhookSecret', 'SetNoticeSettings', 'SetAccountSettings', 'Redeliver', 'RedeliverFailed')";
        assert_eq!(app.database().number(written), 0);
        for table in ["public_profiles", "payment_link_settings", "webhook_endpoints", "webhook_deliveries"] {
            assert_eq!(app.database().number(&format!("select count(*) from {table}")), 0, "{table}");
        }
    }

    async fn a_session_that_was_ended_ends_no_other(app: TestApp) {
        let owner = app.owner().await;
        let listed = owner.get("/auth/sessions").await.ok();
        let first: SessionId = listed["sessions"][0]["id"].as_str().unwrap().parse().unwrap();
        let person = json!({ "email": owner.email, "password": owner.password });
        let second = owner.post("/auth/login", person).await.ok();
        let second = owner.with_bearer(second["token"].as_str().unwrap());
        let listed = second.get("/auth/sessions").await.ok()["sessions"].clone();
        let ids = listed.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap());
        let other = ids.into_iter().find(|id| **id != *first.to_string()).unwrap();
        let now = app.now();
        let end = move |tx: &mut Tx<'_>, owner: OwnerId| sessions::end(tx, owner, first, now);
        let path = format!("/auth/sessions/{other}");
        let call = owner.delete(&path);
        let answer = after(&app, owner.id.parse().unwrap(), end, call).await;
        answer.refused(401, "UNAUTHORIZED");
        second.get("/me").await.ok();
    }

    async fn what_was_answered_is_not_repeated_to_a_session_that_has_ended(app: TestApp) {
        let mut owner = app.owner().await;
        let link = crate::pay::make(&owner.key, &owner.bank, json!({})).await;
        let accept = format!("/v1/paymentlink/{link}/accept");
        for (path, body) in [
            ("/v1/clients", json!({ "name": "Sucursal" })),
            ("/auth/api-key", json!({ "name": "otra", "permissions": [] })),
            ("/v1/webhooks/redeliveries", json!({ "since": "2026-11-19T00:00:00Z" })),
            (&*accept, json!({ "movement_id": "mov_00000000000000000000000000" })),
        ] {
            let call = || owner.request("POST", path).header("idempotency-key", "one").json(&body).send();
            let first = call().await.status;
            assert!([200, 404].contains(&first), "{path}: {first}");
            let now = app.now();
            let end = move |tx: &mut Tx<'_>, owner: OwnerId| sessions::end_all(tx, owner, now);
            let answer = after(&app, owner.id.parse().unwrap(), end, call()).await;
            answer.refused(401, "UNAUTHORIZED");
            owner.sign_in_again().await;
        }
    }

    async fn a_repeat_is_not_shown_to_a_key_that_ended_or_lost_the_account(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890" });
        owner.key.verify(&owner.bank, asked.clone()).await.ok();
        let key = owner.key_with(&["payment_verifications"]).await;
        let call = key.verify(&owner.bank, asked.clone());
        revoked_meanwhile(&app, &owner, &key, call).await.refused(401, "UNAUTHORIZED");
        // Nor by the `Idempotency-Key` with which it was answered.
        let key = owner.key_with(&["payment_verifications"]).await;
        let path = format!("/userbankpayment/{}/betaserio", owner.bank);
        let again = || key.request("POST", &path).header("idempotency-key", "one").json(&asked).send();
        again().await.ok();
        revoked_meanwhile(&app, &owner, &key, again()).await.refused(401, "UNAUTHORIZED");

        let (_, of_client) = client_with(&owner, &owner.bank).await;
        of_client.verify(&owner.bank, asked.clone()).await.ok();
        let (bank, now): (BankId, _) = (owner.bank.parse().unwrap(), app.now());
        let back = move |tx: &mut Tx<'_>, owner: OwnerId| accounts::move_to(tx, owner, bank, None, now);
        let call = of_client.verify(&owner.bank, asked);
        after(&app, owner.id.parse().unwrap(), back, call).await.refused(404, "NOT_FOUND");
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_key_gives_no_more_than_it_has_when_it_is_written(app: TestApp) {
        let owner = app.owner().await;
        let issuer = owner.key_with(&["api_keys", "payment_links"]).await;
        let (id, now): (KeyId, _) = (issuer.id.parse().unwrap(), app.now());
        let narrow = move |tx: &mut Tx<'_>, owner: OwnerId| {
            let mut key = keys::find(tx, owner, id)?.unwrap();
            key.permissions = [Permission::ApiKeys].into_iter().collect::<Permissions>();
            key.expires_at = Some(now.plus(Duration::from_secs(60)));
            keys::change(tx, owner, &key)
        };
        let body = json!({ "name": "otra", "permissions": ["payment_links"] });
        let call = issuer.post("/auth/api-key", body.clone());
        let answer = after(&app, owner.id.parse().unwrap(), narrow, call).await;
        // Sent again, it is answered what it lacks.
        answer.refused(503, "SERVICE_UNAVAILABLE");
        issuer.post("/auth/api-key", body).await.refused(403, "FORBIDDEN");
        let keys = owner.get("/me/api-keys").await.ok();
        assert_eq!(keys["api_keys"].as_array().unwrap().len(), 2);
    }

    async fn an_account_is_not_taken_from_its_client_by_way_of_the_trash(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let (client, key) = client_with(&pushed.owner, &pushed.account).await;
        let link = crate::pay::make(&key, &pushed.account, json!({})).await;
        pushed.owner.delete(&format!("/usersbank/{}/to-trash", pushed.account)).await.ok();
        let again = || pushed.owner.post("/usersbank", testkit::bank::SimulatedBank::link(KEY));
        again().await.refused(409, "CONFLICT");
        pushed.owner.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        let linked = again().await.ok()["userbank"].clone();
        assert_eq!((&linked["id"], &linked["client_owner_id"]), (&json!(pushed.account), &Value::Null));
        assert!(key.get("/me/usersbank").await.ok()["user_banks"].as_array().unwrap().is_empty());
        assert_eq!(pushed.owner.set_quota(&client, json!(9)).await.ok()["consumed"], 0);
    }

    async fn a_client_is_shown_itself_and_not_its_owner(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "name": "Sucursal Este", "email": "este@tienda.example" });
        let client = owner.post("/v1/clients", body).await.ok()["client"]["id"].clone();
        let key = owner.client_key(client.as_str().unwrap()).await;
        let user = key.get("/me").await.ok()["user"].clone();
        assert_eq!((&user["id"], &user["email"]), (&json!(owner.id), &json!("este@tienda.example")));
        assert_eq!(user["company_name"], "Sucursal Este");
        assert!(!user.to_string().contains(&owner.email), "{user}");
        let path = format!("/v1/clients/{}", client.as_str().unwrap());
        owner.patch(&path, json!({ "email": null })).await.ok();
        let user = key.get("/me").await.ok()["user"].clone();
        assert_eq!((&user["email"], &user["username"]), (&Value::Null, &Value::Null));
        assert_eq!(owner.key.get("/me").await.ok()["user"]["email"], *owner.email);
    }

    async fn what_a_key_was_answered_is_not_repeated_for_another_client(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.key_with(&["payment_verifications", "payment_links"]).await;
        let path = format!("/userbankpayment/{}/betaserio", owner.bank);
        let call = async |path: &str, body: Value| {
            key.request("POST", path).header("idempotency-key", "one").json(&body).send().await
        };
        let of_link = json!({ "amount": 10, "description": "x", "user_bank_id": owner.bank });
        let asked = json!({ "bank_reference": "67890" });
        let answer = call(&path, asked.clone()).await.ok();
        assert_eq!(answer["data"]["user_credits_total"], 999);
        call("/v1/paymentlink", of_link.clone()).await.ok();
        let scope = json!({ "client_owner_id": client, "user_banks": [] });
        owner.put(&format!("/v1/api-keys/{}/scope", key.id), scope).await.ok();
        call("/v1/paymentlink", of_link).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        let path_of_client = format!("/v1/usersbank/{}/client", owner.bank);
        owner.put(&path_of_client, json!({ "client_owner_id": client })).await.ok();
        call(&path, asked).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
    }
}
