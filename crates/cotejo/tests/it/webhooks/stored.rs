//! Where a webhook may not go, said when its address is kept as when it is called: one set of rules, and
//! the same words.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Setup, either_engine};

use super::{log, write};

/// Forms of addresses, and what is said of them.
const REFUSED: &[(&str, &str)] = &[
    (
        "127.0.0.1 localhost [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1]",
        "la dirección lleva a este mismo servidor",
    ),
    (
        "10.0.0.7 192.168.1.1 [::ffff:10.0.0.7] [64:ff9b::a00:7] [64:ff9b:1::808:808] [fd00::1]",
        "la dirección lleva a una red privada",
    ),
    (
        "169.254.169.254 [::ffff:a9fe:a9fe] [64:ff9b::169.254.169.254] [fe80::1]",
        "la dirección lleva a la red local del servidor",
    ),
    ("168.63.129.16 [64:ff9b::a83f:8110]", "la dirección lleva a los datos internos de la nube"),
    (
        "[2002:a00:7::1] [2002:808:808::1] [2002:7f00:1::] [2001:0:ffff::1]",
        "la dirección lleva a un túnel (6to4 o Teredo)",
    ),
    (
        "0.0.0.0 [::] [::7f00:1] 192.0.2.1 [2001:db8::1]",
        "la dirección está reservada y no es de internet",
    ),
    (
        "2130706433 0x7f000001 0177.0.0.1 017700000001 127.1 0x7f.1 127.0.0.01 167772167 012.0.0.07",
        "la dirección no se puede llamar: http o https, y un nombre o una IP en su forma usual",
    ),
];

either_engine! {
    async fn what_is_refused_at_the_call_is_refused_when_it_is_kept(setup: Setup) {
        let app = setup.without_private_webhooks().start().await;
        let owner = app.owner().await;
        let link = |url: &str| {
            json!({
                "amount": 150.75, "description": "Pedido 7", "user_bank_id": owner.bank,
                "webhook_url": url,
            })
        };
        for (forms, words) in REFUSED {
            for form in forms.split(' ') {
                // As many tests are made as may be in a minute, and no more.
                app.clock().advance(Duration::from_secs(6));
                let url = format!("https://{form}/hook");
                for (answer, to) in [
                    (owner.key.post("/v1/paymentlink", link(&url)).await, "a link"),
                    (owner.post("/v1/webhooks/test", json!({ "url": url })).await, "a test"),
                    (owner.put("/v1/webhooks/endpoint", json!({ "url": url })).await, "an endpoint"),
                ] {
                    let body = answer.refused(400, "WEBHOOK_URL_NOT_ALLOWED");
                    let message = body["message"].as_str().unwrap();
                    assert!(message.ends_with(&format!("Motivo: {words}.")), "{form} for {to}: {message}");
                }
                // What was kept by a service that was set to let it pass.
                let written = write(&app, &owner, &url).await;
                written.tried(&app, 1).await;
                let shown = log::show(&owner, written).await;
                assert_eq!(shown["trouble"]["text"], *words, "{form}");
                assert_eq!(shown["attempts"][0]["address"], Value::Null, "{form}");
            }
        }
        let kept = "select count(*) from payment_links";
        assert_eq!(app.database().number(kept), 0);
    }
}
