//! An account that texts of banks feed, which a phone sends on, over real HTTP.

use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{Owner, Response, Setup, TestApp, both_engines};

const PHONE: &str = "04120000001";
const BDV_APP: &str = "com.bancodevenezuela.bdvdigital";

/// The clock of a test begins on 20 November 2026 at 8:00 in Caracas.
const BDV: &str = "Recibiste un PagomovilBDV por Bs.1.240,50 del 0414-1234567 Ref: 004500012345 en fecha 20-11-26 hora: 07:58.";

struct Texted {
    app: TestApp,
    owner: Owner,
    account: String,
    push: Value,
}

fn asked() -> Value {
    json!({ "bank_provider": "NOTIFICATION_ACCOUNT", "description": "Tienda",
        "user_bank_phone": PHONE, "metadata": [] })
}

impl Texted {
    async fn start(setup: Setup) -> Self {
        let app = setup.start().await;
        let owner = app.owner().await;
        let linked = owner.post("/usersbank", asked()).await.ok();
        let account = linked["userbank"]["id"].as_str().unwrap().to_owned();
        assert_eq!(linked["userbank"]["payment_link"], false);
        let push = linked["push"].clone();
        Self { app, owner, account, push }
    }

    async fn send(&self, secret: &str, body: &Value) -> Response {
        let path = self.push["path"].as_str().unwrap();
        let call = self.app.nobody().request("POST", path).header("x-api-key", secret);
        call.json(body).send().await
    }

    async fn status(&self, from: &str, text: &str) -> String {
        let body = json!({ "from": from, "text": text, "sentStamp": 1_795_175_880_000_i64 });
        let answer = self.send(self.push["secret"].as_str().unwrap(), &body).await;
        assert_eq!(answer.status, 200);
        let answer: Value = serde_json::from_slice(&answer.body).unwrap();
        answer["status"].as_str().unwrap().to_owned()
    }

    async fn verify(&self, body: Value) -> Response {
        self.owner.key.post(&verify_path(&self.account), body).await
    }

    fn count(&self, table: &str) -> i64 {
        self.app.database().number(&format!("select count(*) from {table}"))
    }
}

both_engines! {
    async fn a_text_and_its_app_notice_are_one_payment_which_is_new_once(setup: Setup) {
        let texted = Texted::start(setup).await;
        assert_eq!(texted.status("2661", BDV).await, "taken");
        assert_eq!(texted.status("2661", BDV).await, "again");
        assert_eq!(texted.status(BDV_APP, BDV).await, "again");
        assert_eq!((texted.count("movements"), texted.count("payments")), (1, 0));
        let asked = json!({ "bank_reference": "012345", "amount": 1240.5 });
        let found = texted.verify(asked.clone()).await.ok();
        assert_eq!(found["data"]["is_new"], true);
        assert_eq!(found["data"]["user_bank_payment"]["evidence"], "notice");
        assert_eq!(texted.verify(asked).await.ok()["data"]["is_new"], false);
    }

    async fn nothing_is_confirmed_without_an_amount_and_six_digits(setup: Setup) {
        let texted = Texted::start(setup).await;
        texted.status("2661", BDV).await;
        let refused = texted.verify(json!({ "bank_reference": "00012345" })).await;
        refused.refused(400, "VALIDATION_ERROR");
        let short = json!({ "bank_reference": "12345", "amount": 1240.5, "phone_pagador": "04141234567" });
        texted.verify(short).await.refused(400, "PAYMENT_REFERENCE_TOO_SHORT");
        let other = json!({ "bank_reference": "012345", "amount": 1240.51 });
        texted.verify(other).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        let unknown = json!({ "bank_reference": "912345", "amount": 1240.5 });
        texted.verify(unknown).await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(texted.count("payments"), 0);
    }

    async fn what_is_no_income_or_of_nobody_listed_is_not_kept(setup: Setup) {
        let texted = Texted::start(setup).await;
        for (from, text) in [
            ("+584141234567", BDV),
            ("2661", "BDV: La clave de pago para procesar tu operacion es 12345678"),
            ("2661", "Realizaste un PagomovilBDV por Bs.1.240,50 del 0414-1234567 Ref: 004500012345"),
        ] {
            assert_eq!(texted.status(from, text).await, "ignored", "{text}");
        }
        assert_eq!((texted.count("movements"), texted.count("notices")), (0, 0));
        for amount in ["10,00", "12,00"] {
            let text = format!("Has recibido un pago por Bs. {amount} con la referencia 123456");
            assert_eq!(texted.status("2661", &text).await, "unread");
        }
        assert_eq!((texted.count("movements"), texted.count("notices")), (0, 1));
    }

    async fn two_references_of_one_minute_and_amount_wait_for_a_person(setup: Setup) {
        let texted = Texted::start(setup).await;
        texted.status("2661", BDV).await;
        let named = "Recibiste un PagomovilBDV de PERSONA DE PRUEBA por Bs.1.240,50 bajo el numero de operacion 006200054321";
        assert_eq!(texted.status(BDV_APP, named).await, "taken");
        let asked = json!({ "bank_reference": "012345", "amount": 1240.5 });
        assert_eq!(texted.verify(asked).await.ok()["data"]["is_new"], true);
        let twin = texted.verify(json!({ "bank_reference": "054321", "amount": 1240.5 })).await;
        assert_ne!(twin.status, 200, "{twin:?}");
        assert_eq!(texted.count("payments"), 1);
    }

    async fn a_wrong_or_rotated_secret_is_refused_by_status(setup: Setup) {
        let texted = Texted::start(setup).await;
        let body = json!({ "from": "2661", "text": BDV });
        let wrong = format!("ps_live_{}", "a".repeat(32));
        texted.send(&wrong, &body).await.refused(401, "UNAUTHORIZED");
        let rotate = format!("/v1/usersbank/{}/push-secret/rotate", texted.account);
        let push = texted.owner.post(&rotate, json!({})).await.ok()["push"].clone();
        let former = texted.push["secret"].as_str().unwrap();
        texted.send(former, &body).await.refused(401, "UNAUTHORIZED");
        let taken = texted.send(push["secret"].as_str().unwrap(), &body).await;
        assert_eq!((taken.status, &*taken.body), (200, br#"{"status":"taken"}"#.as_slice()));
    }

    async fn a_phone_is_one_account_and_takes_no_links(setup: Setup) {
        let texted = Texted::start(setup).await;
        texted.owner.post("/usersbank", asked()).await.refused(409, "USER_BANK_ALREADY_EXISTS");
        let without = json!({ "bank_provider": "NOTIFICATION_ACCOUNT" });
        texted.owner.post("/usersbank", without).await.refused(400, "VALIDATION_ERROR");
        let client = texted.owner.client(false).await;
        let key = texted.owner.client_key(&client).await;
        key.post("/usersbank", asked()).await.refused(403, "FORBIDDEN");
        let settings = format!("/v1/usersbank/{}/settings", texted.account);
        let short = json!({ "short_references": true });
        texted.owner.put(&settings, short).await.refused(400, "VALIDATION_ERROR");
    }
}
