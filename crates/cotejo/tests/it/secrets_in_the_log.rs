//! What must never be in a log is in none, though every line is kept, of whatever level and library.

use serde_json::{Value, json};
use testkit::bank::KEY;
use testkit::principal::verify_path;
use testkit::receiver::Receiver;
use testkit::{Authenticator, Setup, either_engine, log};

use crate::bdv_push::PushedAccount;
use crate::webhooks::{secret, write};

/// A part of a receiver's address by which it knows us, as many have one.
const TOKEN: &str = "made-up-token-of-an-address";

/// Secrets that somebody types by mistake or chooses.
const WRONG_PASSWORD: &str = "made-up-password-that-is-wrong";
const NEW_PASSWORD: &str = "made-up-password-of-somebody-new";
const WRONG_KEY: &str = "ck_live_made_up_and_of_nobody";

/// Document and phone of the payer, which are nobody's business but the merchant's.
const DOCUMENT: &str = "V27182818";
const PHONE: &str = "04143141592";

fn text(answer: &Value, field: &str) -> String {
    answer[field].as_str().unwrap().to_owned()
}

either_engine! {
    async fn no_secret_is_in_any_line_of_the_log(setup: Setup) {
        log::keep_all();
        let pushed = PushedAccount::start(setup).await;
        let (app, owner) = (&pushed.app, &pushed.owner);

        // A person who signs in, rightly and wrongly, and signs on.
        let sign_in = |password: &str| {
            let body = json!({ "email": owner.email, "password": password });
            let nobody = app.nobody();
            async move { nobody.post("/auth/login", body).await }
        };
        assert_ne!(sign_in(WRONG_PASSWORD).await.status, 200);
        let session = sign_in(&owner.password).await.ok();
        let refreshed = json!({ "refresh_token": session["refresh_token"] });
        let renewed = app.nobody().post("/auth/refresh", refreshed).await.ok();

        // Keys: one that is issued, the same in the other header, one that is nobody's, and one that stands in a path.
        let key = owner.key_with(&["payment_verifications", "integrations"]).await;
        assert_eq!(key.by_app_key().get("/me/usersbank").await.status, 200);
        app.nobody().with_bearer(WRONG_KEY).get("/me/usersbank").await;
        key.get(&format!("/nothing/{}?appKey={}", key.text, key.text)).await;
        let rotated = owner.post("/v1/api-keys/default/rotate", json!({})).await.ok();

        // An invitation, which is looked at, answered wrongly and accepted.
        let person = json!({ "email": "luis@tienda.example", "name": "Luis" });
        let invited = owner.post("/v1/employees", person).await.ok();
        let invitation = testkit::employee::token_of(&invited);
        let page = format!("/invitation/{invitation}");
        assert_eq!(app.nobody().get(&page).await.status, 200);
        let wrong = [("name", "Luis"), ("password", NEW_PASSWORD), ("again", WRONG_PASSWORD)];
        assert_eq!(crate::pay::send(&app.nobody(), &page, &wrong).await.status, 422);
        let answer = json!({ "token": invitation, "password": NEW_PASSWORD });
        app.nobody().post("/auth/invitations/accept", answer.clone()).await.ok();
        assert_eq!(app.nobody().post("/auth/invitations/accept", answer).await.status, 404);

        // A second factor, whose codes are shown rightly and wrongly.
        let begun = owner.post("/auth/totp", json!({ "password": owner.password })).await.ok();
        let mut authenticator = Authenticator::set_up(&begun);
        let code = json!({ "code": authenticator.code(app.now()) });
        authenticator.keep(&owner.post("/auth/totp/confirm", code).await.ok());
        let recovery = authenticator.recovery_codes[0].clone();
        for status in [200, 400] {
            let answer = owner.post("/auth/step-up", json!({ "code": recovery })).await;
            assert_eq!(answer.status, status);
        }

        // The bank's key, with a payment that is verified and one that is not, and an invalid notice of the bank.
        pushed.bank.pay("000079912345", 15_075, std::time::Duration::ZERO);
        for reference in ["912345", "555555"] {
            let body = json!({
                "bank_reference": reference, "amount": 150.75,
                "dni_pagador": DOCUMENT, "phone_pagador": PHONE,
            });
            // The second waits for another look at the bank.
            app.clock().flow(key.post(&verify_path(&pushed.account), body)).await;
        }
        pushed.notify(pushed.secret(), "no JSON").await;

        // Webhooks to an address that has a secret, accepted and refused, and signed by one that is rotated.
        let signed_by = secret(owner).await;
        for status in [204, 410] {
            let receiver = Receiver::with_status(status);
            let url = format!("{}/{TOKEN}?token={TOKEN}", receiver.url());
            write(app, owner, &url).await.ended(app).await;
        }
        owner.post("/me/webhook-secret/rotate", json!({ "overlap_hours": 24 })).await.ok();
        let signs = secret(owner).await;

        // A client's, by which its link's webhooks are signed, too.
        let client = owner.client(true).await;
        let of_client = owner.post(&format!("/v1/clients/{client}/webhook-secret"), json!({})).await.ok();
        let of_client = text(&of_client, "webhook_secret");

        let mut secrets = vec![
            owner.password.clone(), owner.key.text.clone(), key.text.clone(), signed_by, signs,
            text(&session, "token"), text(&session, "refresh_token"), text(&renewed, "token"),
            text(&renewed, "refresh_token"), pushed.secret().to_owned(),
            owner.issued(&rotated["api_key"]).text, invitation, text(&begun, "secret"), recovery, of_client,
        ];
        secrets.extend([KEY, TOKEN, WRONG_PASSWORD, NEW_PASSWORD, WRONG_KEY, DOCUMENT, PHONE].map(str::to_owned));
        let lines = log::all();
        assert!(lines.iter().any(|line| line.starts_with("access ")), "lines are kept");
        for secret in secrets {
            assert!(secret.len() > 6);
            let found: Vec<_> = lines.iter().filter(|line| line.contains(&secret)).collect();
            assert!(found.is_empty(), "{secret}: {found:?}");
        }
    }
}
