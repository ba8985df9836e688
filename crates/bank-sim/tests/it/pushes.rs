//! The push "Notificación de Pago": who is told, what, and when.

use bank_sim::runtime::Posted;
use serde_json::{Value, json};

use crate::world::World;

/// Sets the clock so many seconds on; what is due by then is delivered when this returns.
async fn wait(world: &World, seconds: u64) {
    world.advance(seconds);
    world.running.simulator().deliver_due().await;
}

#[tokio::test]
async fn a_notice_has_the_banks_fields_and_the_secret_in_its_header() {
    let world = World::with_push().await;
    world.pay(json!({"amount": "30.00"})).await;
    wait(&world, 0).await;
    let [notice] = &world.mailbox.taken()[..] else { panic!("one notice") };
    assert_eq!(notice.url, "http://shop.test/hook");
    assert_eq!((notice.header, notice.secret.expose()), ("API-KEY", "secreto"));
    assert!(!format!("{notice:?}").contains("secreto"));
    let body: Value = serde_json::from_str(&notice.body).unwrap();
    assert_eq!(
        body,
        json!({
            "bancoOrdenante": "0134", "referenciaBancoOrdenante": "000079912345",
            "idCliente": "V123456784", "numeroCliente": "04140000002", "idComercio": "J123456784",
            "numeroComercio": "04120000001", "fecha": "20261120", "hora": "1200", "monto": "30.0",
        })
    );
}

#[tokio::test]
async fn the_document_is_shown_of_payers_of_the_bank_itself_alone() {
    let world = World::with_push().await;
    world.pay(json!({"payer_bank": "0102"})).await;
    wait(&world, 0).await;
    let body: Value = serde_json::from_str(&world.mailbox.taken()[0].body).unwrap();
    assert_eq!(body["idCliente"], "V12345678");
}

#[tokio::test]
async fn the_secret_may_be_in_the_other_header_and_the_day_have_hyphens() {
    let world = World::empty().await;
    let mut account = crate::world::account();
    account["push"] =
        json!({"url": "http://shop.test/", "api_key": "secreto", "header": "x-api-key"});
    world.admin("POST", "/admin/accounts", &account).await.ok();
    for _ in 0..7 {
        world.pay(json!({})).await;
    }
    wait(&world, 0).await;
    let notices = world.mailbox.taken();
    assert!(notices.iter().all(|notice| notice.header == "X-API-KEY"));
    let hyphens = notices.iter().filter(|one| one.body.contains("\"fecha\":\"2026-11-20\""));
    let plain = notices.iter().filter(|one| one.body.contains("\"fecha\":\"20261120\""));
    assert_eq!((hyphens.count(), plain.count()), (1, 6));
}

#[tokio::test]
async fn a_notice_goes_out_once_when_its_payment_is_posted() {
    let world = World::with_push().await;
    world.pay(json!({"delay_seconds": 30})).await;
    wait(&world, 29).await;
    assert!(world.mailbox.taken().is_empty());
    let now = json!({"now": "2026-11-20T12:00:30-04:00"});
    world.admin("PUT", "/admin/clock", &now).await.ok();
    assert_eq!(world.mailbox.taken().len(), 1);
    wait(&world, 86_400).await;
    assert!(world.mailbox.taken().is_empty());
}

#[tokio::test]
async fn what_is_posted_at_once_is_notified_without_anybody_asking() {
    let world = World::with_push().await;
    for id in ["1", "2"] {
        world.pay(json!({})).await;
        let path = format!("/admin/payments/{id}");
        while world.get(&path).await["pushes"] == json!([]) {}
    }
    assert_eq!(world.mailbox.taken().len(), 2);
}

#[tokio::test]
async fn what_the_receiver_answered_is_shown() {
    let world = World::with_push().await;
    let answered = |status, body: &str| Ok(Posted { status, body: body.to_owned() });
    world.mailbox.answers(answered(200, r#"{"codigo":"99","mensajeCliente":"Error en API KEY"}"#));
    world.mailbox.answers(answered(502, "<html>"));
    world.mailbox.answers(Err("no connection".to_owned()));
    world.pay(json!({})).await;
    wait(&world, 0).await;
    let at = "2026-11-20T16:00:00.000Z";
    let first = json!({
        "at": at, "status": 200, "codigo": "99",
        "answer": {"codigo": "99", "mensajeCliente": "Error en API KEY"},
    });
    let second = json!({"at": at, "status": 502, "codigo": null, "answer": "<html>"});
    let third = json!({"at": at, "error": "no connection"});
    for expected in [&second, &third] {
        let again = world.admin("POST", "/admin/payments/1/push", &json!({})).await.ok();
        assert_eq!(again, *expected);
    }
    let shown = world.get("/admin/payments").await;
    assert_eq!(shown["payments"][0]["pushes"], json!([first, second, third]));
}

#[tokio::test]
async fn the_latest_ten_are_remembered() {
    let world = World::with_push().await;
    world.pay(json!({})).await;
    wait(&world, 0).await;
    for number in 0..12 {
        world.mailbox.answers(Err(format!("try {number}")));
        world.admin("POST", "/admin/payments/1/push", &json!({})).await.ok();
    }
    let shown = world.get("/admin/payments/1").await;
    let pushes = shown["pushes"].as_array().unwrap();
    assert_eq!((pushes.len(), &pushes[9]["error"]), (10, &json!("try 11")));
}

#[tokio::test]
async fn what_is_not_to_be_pushed_is_not_pushed() {
    let world = World::with_push().await;
    let push = async |id: &str| {
        let path = format!("/admin/payments/{id}/push");
        world.admin("POST", &path, &json!({})).await.refused()
    };
    world.pay(json!({"kind": "transfer"})).await;
    world.pay(json!({"delay_seconds": 1})).await;
    assert_eq!(push("1").await, (409, "NOT_NOTIFIED".to_owned()));
    assert_eq!(push("2").await, (409, "NOT_POSTED".to_owned()));
    assert_eq!(push("3").await, (404, "NO_SUCH_PAYMENT".to_owned()));
    world.admin("POST", "/admin/accounts", &crate::world::account()).await.ok();
    wait(&world, 1).await;
    assert_eq!(push("2").await, (409, "NO_PUSH_TARGET".to_owned()));
    assert!(world.mailbox.taken().is_empty());
}

#[tokio::test]
async fn many_that_are_due_at_once_all_go_out() {
    let world = World::with_push().await;
    for _ in 0..150 {
        world.pay(json!({"delay_seconds": 5})).await;
    }
    wait(&world, 5).await;
    assert_eq!(world.mailbox.taken().len(), 150);
}
