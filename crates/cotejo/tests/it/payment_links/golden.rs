//! The answers about links, byte for byte, as clients read them.

use serde_json::{Value, json};
use testkit::{Owner, Response, TestApp, either_engine};

use crate::pay::paid_with;

/// The body with what differs from one run to another replaced by its name.
fn golden(app: &TestApp, owner: &Owner, link: &str, answer: &Response) -> String {
    answer.ok();
    let body = String::from_utf8(answer.body.to_vec()).unwrap();
    let address = format!("http://{}", app.nobody().address());
    [
        (address.as_str(), "<base>"),
        (link, "<link>"),
        (&owner.id, "<owner>"),
        (&owner.bank, "<bank>"),
    ]
    .into_iter()
    .fold(body, |body, (found, name)| body.replace(found, name))
}

async fn create(owner: &Owner, more: Value) -> Response {
    let mut body =
        json!({ "amount": 150.75, "description": "Pedido 7", "user_bank_id": owner.bank });
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    owner.key.post("/v1/paymentlink", body).await
}

fn id(answer: &Response) -> String {
    answer.ok()["paymentlink"]["id"].as_str().unwrap().to_owned()
}

/// A link as it is made with as little as will do.
const LEAST: &str = r#"{"id":"<link>","name":"Pedido 7","amount":150.75,"currency":"VEF","description":"Pedido 7","webhook_url":null,"webhook_method":"POST","status":"pending","url":"<base>/pay/<link>","redirect_url":null,"with_subscription_id":null,"type":"api","payment_link_origin":"api","user_id":"<owner>","user_bank_id":"<bank>","rate_exchange":1.0,"rate_expiration_time":60,"rate_updated_at":null,"expiration_time":1440,"expires_at":"2026-11-21T12:00:00.000Z","metadata":{},"livemode":false,"created_at":"2026-11-20T12:00:00.000Z","updated_at":"2026-11-20T12:00:00.000Z"}"#;

/// The payment of a link, which the test bank made up.
const PAYMENT: &str = r#"{"id":"<payment>","created_at":"2026-11-20T12:00:00.000Z","updated_at":"2026-11-20T12:00:00.000Z","movement_date":"2026-11-20T12:00:00.000Z","bank_reference_id":"167890","user_id":"<owner>","user_bank_id":"<bank>","amount":150.75,"currency":"VEF","status":"paid","credit_cost":1,"movement_type":"GENERIC","confirmed_status":true,"evidence":"bank","matched_by":"reference","source_name":"<link>","details":[],"payment_params":{"amount":150.75,"cedula_pagador":null,"telefono_pagador":"","fecha_pago":"","banco_origen":"","cuenta_pagador":"","invoice_number":"","movement_type":"GENERIC"},"verification_id":"<verification>","payment_link_id":"<link>","client_owner_id":null,"api_key_id":"<key>","livemode":false,"receipt_url":"<receipt>"}"#;

either_engine! {
    async fn a_link_is_answered_so_when_it_is_made_shown_changed_and_listed(app: TestApp) {
        let owner = app.owner().await;
        let made = create(&owner, json!({})).await;
        let link = id(&made);
        let golden = |answer: &Response| golden(&app, &owner, &link, answer);
        assert_eq!(
            golden(&made),
            format!(r#"{{"message":"enlace de pago creado","paymentlink":{LEAST}}}"#),
        );
        let shown = owner.key.get(&format!("/paymentlink/{link}/info")).await;
        assert_eq!(
            golden(&shown),
            format!(
                r#"{{"message":"enlace de pago","data":{{"payment_link":{LEAST},"user_bank_payment":null}}}}"#
            ),
        );
        let listed = owner.key.post("/me/payment-links", json!({ "page": 1, "limit": 10 })).await;
        assert_eq!(
            golden(&listed),
            format!(
                r#"{{"message":"enlaces de pago","payment_links":[{LEAST}],"total":1,"page":1,"limit":10}}"#
            ),
        );
        let path = format!("/paymentlink/{link}/patch");
        let change = json!({ "amount": 20, "currency": "USD", "redirect_url": "https://tienda.example/?a=1" });
        let changed = owner.key.request("PATCH", &path).json(&change).send().await;
        let expected = LEAST
            .replace("150.75", "20.0")
            .replace("VEF", "USD")
            .replace(r#""rate_exchange":1.0"#, r#""rate_exchange":null"#)
            .replace(r#""redirect_url":null"#, r#""redirect_url":"https://tienda.example/?a=1""#);
        assert_eq!(
            golden(&changed),
            format!(r#"{{"message":"enlace de pago cambiado","paymentlink":{expected}}}"#),
        );
    }

    async fn a_link_made_with_everything_is_answered_so(app: TestApp) {
        let owner = app.owner().await;
        let made = create(&owner, json!({
            "amount": 5, "currency": "VES", "is_usd": true, "name": "Caja", "type": "dashboard",
            "webhook_url": "https://tienda.example/aviso", "redirect_url": "https://tienda.example/",
            "expiration_time": -1, "rate_expiration_time": 30, "metadata": { "orden": 7 },
            "notification_by_whastapp": true, "payment_link_origin": "otro",
        }));
        let made = made.await;
        let link = id(&made);
        assert_eq!(
            golden(&app, &owner, &link, &made),
            r#"{"message":"enlace de pago creado","paymentlink":{"id":"<link>","name":"Caja","amount":5.0,"currency":"USD","description":"Pedido 7","webhook_url":"https://tienda.example/aviso","webhook_method":"POST","status":"pending","url":"<base>/pay/<link>","redirect_url":"https://tienda.example/","with_subscription_id":null,"type":"dashboard","payment_link_origin":"dashboard","user_id":"<owner>","user_bank_id":"<bank>","rate_exchange":null,"rate_expiration_time":30,"rate_updated_at":null,"expiration_time":-1,"expires_at":null,"metadata":{"orden":7},"livemode":false,"created_at":"2026-11-20T12:00:00.000Z","updated_at":"2026-11-20T12:00:00.000Z"}}"#,
        );
        let filter = json!({ "type": "dashboard" });
        assert_eq!(owner.key.post("/me/payment-links", filter).await.ok()["total"], 1);
        let filter = json!({ "type": "default" });
        assert_eq!(owner.key.post("/me/payment-links", filter).await.ok()["total"], 0);
    }

    async fn the_end_of_a_link_is_answered_so(app: TestApp) {
        let owner = app.owner().await;
        let link = id(&create(&owner, json!({})).await);
        paid_with(&app.nobody(), &link, "167890").await;
        let shown = owner.key.get(&format!("/paymentlink/{link}/info")).await;
        let paid = LEAST.replace("pending", "paid");
        let payment = &shown.ok()["data"]["user_bank_payment"];
        let text = |field: &str| payment[field].as_str().unwrap().replace(&app.nobody().address().to_string(), "<base>");
        let (id_of_payment, receipt) = (text("id"), text("receipt_url").replace("http://<base>", "<base>"));
        assert_eq!(
            golden(&app, &owner, &link, &shown)
                .replace(&id_of_payment, "<payment>")
                .replace(&text("verification_id"), "<verification>")
                .replace(&owner.key.id, "<key>")
                .replace(&receipt, "<receipt>"),
            format!(
                r#"{{"message":"enlace de pago","data":{{"payment_link":{paid},"user_bank_payment":{PAYMENT}}}}}"#
            ),
        );
        let link = id(&create(&owner, json!({})).await);
        let detail = json!({ "status_detail": "Pedido agotado" });
        let rejected = owner.key.post(&format!("/v1/paymentlink/{link}/reject"), detail).await;
        let failed = LEAST
            .replace(r#""pending""#, r#""failed","status_detail":"Pedido agotado""#);
        assert_eq!(
            golden(&app, &owner, &link, &rejected),
            format!(r#"{{"message":"enlace de pago rechazado","paymentlink":{failed}}}"#),
        );
    }
}
