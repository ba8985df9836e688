//! What asks for a code that was shown lately.

use std::time::Duration;

use domain::ids::OwnerId;
use serde_json::{Value, json};
use store::fault::Fault;
use store::second_factors;
use store::sql::Sql;
use store::tx::{Expect, Tx};
use testkit::{TestApp, both_engines};

use super::{Person, refusals};
use crate::changed::after;

const SECOND: Duration = Duration::from_secs(1);

static FORGET_PROOFS: Sql =
    Sql::new("update sessions set proved_at = null where owner_id = $1").writes_auth();

both_engines! {
    async fn a_code_opens_it_for_ten_minutes(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        let rotate = || ana.session.post("/v1/api-keys/default/rotate", json!({}));
        // The code that confirmed the second factor, and one at a sign-in, are a proof, too.
        rotate().await.ok();
        let session = ana.another_session(&app).await;
        session.post("/v1/api-keys/default/rotate", json!({})).await.ok();
        app.clock().advance(570 * SECOND);
        let refused = rotate().await.refused(403, "STEP_UP_REQUIRED");
        assert!(refused["message"].as_str().unwrap().contains("POST /auth/step-up"), "{refused}");
        // What asks for none goes on.
        ana.session.get("/v1/audit").await.ok();
        let answer = ana.step_up(&ana.authenticator.next_code(&app)).await.ok();
        assert_eq!(answer["expires_at"], app.now().plus(600 * SECOND).to_string());
        // It is the proof of that session alone.
        rotate().await.ok();
        app.clock().advance(200 * SECOND);
        ana.session.get("/me").await.ok();
        rotate().await.ok();
    }

    async fn who_has_no_second_factor_is_asked_for_nothing(app: TestApp) {
        let owner = app.owner().await;
        owner.post("/auth/step-up", json!({ "code": "123456" })).await.refused(409, "CONFLICT");
        // Over the API, however long ago it signed in: these calls are served to an owner's session as they were described.
        app.clock().advance(11 * 60 * SECOND);
        owner.post("/v1/api-keys/default/rotate", json!({})).await.ok();
        owner.post("/auth/api-key", json!({ "name": "caja" })).await.ok();
        owner.post("/auth/step-up", json!({})).await.refused(400, "VALIDATION_ERROR");
    }

    async fn a_session_of_a_password_alone_is_asked_once_there_is_a_second_factor(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        // As of another node, where it was opened while the second factor was confirmed.
        app.tamper("update sessions set proved_at = null").await;
        ana.session.post("/v1/employees", json!({})).await.refused(403, "STEP_UP_REQUIRED");
        ana.session.delete("/auth/totp").await.refused(403, "STEP_UP_REQUIRED");
        ana.step_up(&ana.authenticator.next_code(&app)).await.ok();
        ana.session.delete("/auth/totp").await.ok();
    }

    async fn what_gives_more_asks_for_a_code_and_what_takes_away_does_not(app: TestApp) {
        let owner = app.owner().await;
        let (client, key) = (owner.client(false).await, owner.key_with(&["payment_links"]).await);
        let ends = app.now().plus(3_600 * SECOND);
        let ana = Person::owner(&app, &owner).await;
        let other = ana.another_session(&app).await;
        let (one, limit) = (format!("/v1/api-keys/{}", key.id), format!("/v1/api-keys/{}/credit-limit", key.id));
        let (of_client, quota) = (format!("/v1/clients/{client}"), format!("/v1/clients/{client}/credit-limit"));
        app.tamper("update sessions set proved_at = 1").await;
        let call = async |method: &str, path: &str, body: &Value| ana.session.request(method, path).json(body).send().await;
        for (method, path, less, more) in [
            ("PUT", &*limit, json!({ "monthly_credit_limit": 5 }), json!({ "monthly_credit_limit": 6 })),
            ("PUT", &*limit, json!({ "monthly_credit_limit": 4 }), json!({ "monthly_credit_limit": null })),
            ("PUT", &*quota, json!({ "monthly_credit_limit": 5 }), json!({ "monthly_credit_limit": null })),
            ("PATCH", &*one, json!({ "permissions": [] }), json!({ "permissions": ["payment_verifications"] })),
            ("PATCH", &*one, json!({ "is_active": false, "name": "caja 7" }), json!({ "is_active": true })),
            ("PATCH", &*one, json!({ "expires_at": ends.to_string() }), json!({ "expires_at": null })),
            ("PATCH", &*of_client, json!({ "name": "Norte" }), json!({ "payments_enabled": true })),
        ] {
            call(method, path, &less).await.ok();
            call(method, path, &more).await.refused(403, "STEP_UP_REQUIRED");
        }
        for mut body in [json!({ "payments_enabled": true }), json!({ "user_banks": [owner.bank] })] {
            body["name"] = "Sur".into();
            call("POST", "/v1/clients", &body).await.refused(403, "STEP_UP_REQUIRED");
        }
        call("POST", "/v1/clients", &json!({ "name": "Sur" })).await.ok();
        // Another session is ended by a code, the own one without.
        let listed = other.get("/auth/sessions").await.ok();
        let id = |is_current: bool| {
            let sessions = listed["sessions"].as_array().unwrap().iter();
            let mut found = sessions.filter(|session| session["is_current"] == is_current);
            format!("/auth/sessions/{}", found.next().unwrap()["id"].as_str().unwrap())
        };
        other.delete(&id(false)).await.refused(403, "STEP_UP_REQUIRED");
        other.delete(&id(true)).await.ok();
        ana.step_up(&ana.authenticator.next_code(&app)).await.ok();
        call("PUT", &limit, &json!({ "monthly_credit_limit": null })).await.ok();
        call("PATCH", &one, &json!({ "permissions": ["payment_verifications"], "is_active": true, "expires_at": null })).await.ok();
        call("PATCH", &of_client, &json!({ "payments_enabled": true })).await.ok();
    }

    async fn a_key_proves_nothing_and_is_asked_for_nothing(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        app.tamper("update sessions set proved_at = 1").await;
        ana.session.post("/auth/api-key", json!({ "name": "caja" })).await.refused(403, "STEP_UP_REQUIRED");
        ana.session.get("/me/webhook-secret").await.refused(403, "STEP_UP_REQUIRED");
        owner.key.post("/auth/api-key", json!({ "name": "caja" })).await.ok();
        owner.key.get("/me/webhook-secret").await.ok();
    }

    async fn a_client_is_switched_off_after_a_code_and_its_name_is_changed_without(app: TestApp) {
        let owner = app.owner().await;
        let path = format!("/v1/clients/{}", owner.client(true).await);
        let luis = owner.employee(1, &["clients:write"]).await;
        let luis = Person::employee(&app, &luis).await;
        app.clock().advance(601 * SECOND);
        let change = async |body: Value| luis.session.patch(&path, body).await;
        change(json!({ "name": "Norte", "is_active": true })).await.ok();
        change(json!({ "is_active": false })).await.refused(403, "STEP_UP_REQUIRED");
        luis.step_up(&luis.authenticator.next_code(&app)).await.ok();
        change(json!({ "is_active": false })).await.ok();
        // So does a person who may switch it on again, which a code does not make an employee.
        change(json!({ "is_active": true })).await.refused(403, "OWNER_SESSION_REQUIRED");
        let ana = Person::owner(&app, &owner).await;
        app.tamper("update sessions set proved_at = null").await;
        let on = json!({ "is_active": true });
        ana.session.patch(&path, on.clone()).await.refused(403, "STEP_UP_REQUIRED");
        ana.step_up(&ana.authenticator.next_code(&app)).await.ok();
        ana.session.patch(&path, on).await.ok();
        // The owner is notified of what was refused.
        app::refusals::write(app.app()).await.unwrap();
        assert_eq!(refusals(&app, "NoCode"), ["ChangeClient 1", "ChangeClient 1"]);
    }

    async fn a_proof_that_is_gone_when_it_is_written_opens_nothing(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["team:write"]).await;
        let ana = Person::owner(&app, &owner).await;
        let id: OwnerId = owner.id.parse().unwrap();
        let forget = |tx: &mut Tx<'_>, owner: OwnerId| tx.defer(&FORGET_PROOFS, [owner.into()], Expect::Any);
        let key = format!("/v1/api-keys/{}", owner.key_with(&[]).await.id);
        let secret = format!("/v1/clients/{}/webhook-secret", owner.client(true).await);
        let scope = format!("{key}/scope");
        let rotate = format!("{key}/rotate");
        let review = format!("/v1/usersbank/{}/review/close", owner.bank);
        for (method, path, body) in [
            ("POST", "/v1/api-keys/default/rotate", json!({})),
            ("POST", "/auth/api-key", json!({ "name": "caja" })),
            ("POST", "/usersbank", json!({ "bank_provider": "BANK_TEST" })),
            ("PUT", "/v1/webhooks/endpoint", json!({ "url": null })),
            ("PUT", "/v1/profile", json!({ "public_name": "Otra tienda" })),
            ("PUT", "/v1/exchange-rates/rule", json!({ "rate_rule": "by_publication" })),
            ("POST", &*rotate, json!({})),
            ("PUT", &*scope, json!({ "client_owner_id": null, "user_banks": [] })),
            ("POST", "/me/webhook-secret/rotate", json!({ "overlap_hours": 0 })),
            ("POST", &*secret, json!({ "overlap_hours": 0 })),
            ("DELETE", &*secret, json!({})),
            ("POST", &*review, json!({})),
            ("POST", "/v1/employees", json!({ "email": "eva@tienda.example", "name": "Eva" })),
            ("PATCH", &*luis.path(), json!({ "name": "Luisa" })),
            ("DELETE", &*luis.path(), json!({})),
            ("POST", "/auth/totp/recovery-codes", json!({})),
            ("DELETE", "/auth/totp", json!({})),
        ] {
            let call = ana.session.request(method, path).json(&body).send();
            let answer = after(&app, id, forget, call).await;
            assert_eq!(answer.end(), (403, "STEP_UP_REQUIRED".to_owned()), "{method} {path}");
            ana.step_up(&ana.authenticator.next_code(&app)).await.ok();
        }
        assert_eq!(app.database().number("select count(*) from second_factors"), 1);
    }

    async fn a_code_of_a_second_factor_that_is_over_is_no_proof(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        let (id, code) = (owner.id.parse().unwrap(), ana.authenticator.next_code(&app));
        let end = |tx: &mut Tx<'_>, owner: OwnerId| -> Result<(), Fault> {
            second_factors::delete(tx, (owner, owner.into()))
        };
        after(&app, id, end, ana.step_up(&code)).await.refused(503, "SERVICE_UNAVAILABLE");
    }
}
