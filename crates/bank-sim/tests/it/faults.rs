//! A bank that fails as it is told to.

use std::io::ErrorKind;
use std::pin::pin;

use futures_util::future::{Either, select};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::{ACCOUNT, Answer, KEY, World, extract, question};

const VALIDATION: &str = "/getMovement";
const EXTRACT: &str = "/apis/bdv/consulta/movimientos";

async fn set(world: &World, fault: Value) -> Value {
    world.admin("PUT", "/admin/faults", &fault).await.ok()
}

async fn validate(world: &World) -> hyper::Result<Answer> {
    world.ask(VALIDATION, Some(KEY), &question(json!({})).to_string()).await
}

/// Asks the bank about the payment a minute later. Its answer tells whether the first question was heard.
async fn later(world: &World) -> String {
    world.advance(60);
    validate(world).await.unwrap().said().1
}

/// A payment, and a fault that strikes the next call.
async fn struck(kind: &str) -> World {
    let world = World::new().await;
    world.pay(json!({})).await;
    set(&world, json!({"kind": kind, "count": 1})).await;
    world
}

/// Goes on until the fault that strikes once has struck.
async fn has_struck(world: &World) {
    while world.get("/admin/faults").await["faults"] != json!([]) {}
}

/// Moves the clock on again and again; it ends only by being dropped.
async fn time_goes_by(world: &World) -> std::convert::Infallible {
    loop {
        world.advance(10);
        world.get("/admin/clock").await;
    }
}

#[tokio::test]
async fn a_server_error_says_500_and_does_nothing() {
    let world = struck("http_500").await;
    let answer = validate(&world).await.unwrap();
    assert_eq!(answer.status, 500);
    assert!(later(&world).await.starts_with("Monto"));
}

#[tokio::test]
async fn a_page_for_people_says_200_and_does_nothing() {
    let world = struck("html").await;
    let answer = validate(&world).await.unwrap();
    assert_eq!((answer.status, answer.kind.as_str()), (200, "text/html;charset=UTF-8"));
    assert!(answer.body.starts_with("<!DOCTYPE html>"));
    assert!(later(&world).await.starts_with("Monto"));
}

#[tokio::test]
async fn maintenance_is_a_1010_in_the_type_of_each_path() {
    let world = World::new().await;
    world.pay(json!({})).await;
    set(&world, json!({"kind": "maintenance"})).await;
    let (code, message) = validate(&world).await.unwrap().said();
    assert_eq!(code, 1010);
    assert!(message.contains("mantenimiento"), "{message}");
    let answer = world.bank(EXTRACT, &extract("20/11/2026", "")).await;
    assert_eq!(answer.said(), (json!("1010"), message));
    assert_eq!(set(&world, json!({"kind": "none"})).await, json!({"faults": []}));
    assert!(later(&world).await.starts_with("Monto"));
}

#[tokio::test]
async fn an_unknown_code_is_in_no_manual_and_nothing_is_done() {
    let world = struck("unknown_code").await;
    let (code, message) = validate(&world).await.unwrap().said();
    assert_eq!((code, message.as_str()), (json!("7777"), "Respuesta 7777"));
    assert!(later(&world).await.starts_with("Monto"));
}

#[tokio::test]
async fn half_an_answer_is_no_json_and_the_bank_has_done_it() {
    let world = struck("truncated_json").await;
    let answer = validate(&world).await.unwrap();
    assert_eq!((answer.status, answer.kind.as_str()), (200, "application/json"));
    assert!(answer.body.starts_with("{\"code\":1000"), "{}", answer.body);
    assert!(serde_json::from_str::<Value>(&answer.body).is_err());
    assert!(later(&world).await.contains("ya fue conciliado"));
}

#[tokio::test]
async fn a_torn_connection_ends_in_a_reset_and_the_bank_has_done_it() {
    let world = struck("reset").await;
    let mut stream = TcpStream::connect(world.address()).await.unwrap();
    let body = question(json!({})).to_string();
    let length = body.len();
    let request = format!(
        "POST {VALIDATION} HTTP/1.1\r\nhost: bank.test\r\nx-api-key: {KEY}\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let error = stream.read_to_end(&mut answer).await.unwrap_err();
    assert_eq!((error.kind(), answer.len()), (ErrorKind::ConnectionReset, 0));
    assert!(later(&world).await.contains("ya fue conciliado"));
}

#[tokio::test]
async fn a_slow_bank_answers_when_its_time_has_come() {
    let world = struck("slow").await;
    let answer = {
        let asked = pin!(validate(&world));
        let Either::Right(((), asked)) = select(asked, pin!(has_struck(&world))).await else {
            panic!("it did not wait");
        };
        match select(asked, pin!(time_goes_by(&world))).await {
            Either::Left((answer, _)) => answer.unwrap(),
            Either::Right((never, _)) => match never {},
        }
    };
    assert_eq!(answer.said().0, 1000);
}

#[tokio::test]
async fn a_bank_that_never_answers_lets_go_in_the_end_and_has_done_it() {
    let world = struck("timeout").await;
    {
        let asked = pin!(validate(&world));
        let Either::Right(((), asked)) = select(asked, pin!(has_struck(&world))).await else {
            panic!("it answered");
        };
        match select(asked, pin!(time_goes_by(&world))).await {
            Either::Left((answer, _)) => assert!(answer.is_err(), "{answer:?}"),
            Either::Right((never, _)) => match never {},
        }
    }
    assert!(later(&world).await.contains("ya fue conciliado"));
}

#[tokio::test]
async fn a_fault_of_one_account_leaves_others_alone_and_counts_down() {
    let world = World::new().await;
    let other = json!({
        "account": "01020000890000000002", "api_key": "otra", "phone": "04120000003", "rif": "J1",
    });
    world.admin("POST", "/admin/accounts", &other).await.ok();
    let fault = json!({"account": ACCOUNT, "kind": "http_500", "count": 2});
    let shown = json!({"account": ACCOUNT, "kind": "http_500", "count": 2, "delay_ms": 0});
    assert_eq!(set(&world, fault).await, json!({"faults": [shown]}));
    let ask = async |key: &str, account: &str| {
        let mut query = extract("20/11/2026", "");
        query["cuenta"] = json!(account);
        world.ask(EXTRACT, Some(key), &query.to_string()).await.unwrap().status
    };
    assert_eq!(ask("otra", "01020000890000000002").await, 200);
    assert_eq!(ask(KEY, ACCOUNT).await, 500);
    // The other path is of the same account.
    assert_eq!(validate(&world).await.unwrap().status, 500);
    assert_eq!(ask(KEY, ACCOUNT).await, 200);
}

#[tokio::test]
async fn what_is_no_fault_is_refused() {
    let world = World::new().await;
    for fault in [
        json!({"kind": "fire"}),
        json!({}),
        json!({"kind": "slow", "delay_ms": 120_001}),
        json!({"kind": "slow", "count": -1}),
        json!({"kind": "slow", "account": "0102"}),
    ] {
        let answer = world.admin("PUT", "/admin/faults", &fault).await;
        assert_eq!((answer.status, answer.json()["error"].clone()), (400, json!("INVALID")));
    }
    let unknown = json!({"kind": "slow", "account": "01020000890000000009"});
    let answer = world.admin("PUT", "/admin/faults", &unknown).await;
    assert_eq!(answer.refused(), (404, "NO_SUCH_ACCOUNT".to_owned()));
}

#[tokio::test]
async fn a_stop_waits_for_nobody_who_says_nothing() {
    let world = World::new().await;
    let _silent = TcpStream::connect(world.address()).await.unwrap();
    let mut halfway = TcpStream::connect(world.address()).await.unwrap();
    halfway.write_all(b"POST /getMovement HTTP/1.1\r\nhost: b").await.unwrap();
    world.get("/admin/clock").await;
    world.running.stop().await;
}

#[tokio::test]
async fn a_stop_lets_go_of_a_caller_that_is_kept_waiting() {
    let world = struck("timeout").await;
    let address = world.address();
    let body = question(json!({})).to_string();
    let request = crate::world::request("POST", VALIDATION, &[("X-API-Key", KEY)], body);
    let asked = pin!(crate::world::exchange(address, request));
    let Either::Right(((), asked)) = select(asked, pin!(has_struck(&world))).await else {
        panic!("it answered");
    };
    let (answer, ()) = futures_util::future::join(asked, world.running.stop()).await;
    assert!(answer.is_err());
    assert!(TcpStream::connect(address).await.is_err());
}
