//! The operator's routes.

use bank_sim::Clock;
use domain::time::Timestamp;
use serde_json::{Value, json};

use crate::world::{ACCOUNT, KEY, World, account, exchange, payment, request};

#[tokio::test]
async fn accounts_are_shown_without_their_secrets() {
    let world = World::empty().await;
    let mut new = account();
    new["push"] = json!({"url": "http://127.0.0.1:1/hook", "api_key": "secreto"});
    let shown = world.admin("POST", "/admin/accounts", &new).await;
    assert!(!shown.body.contains(KEY) && !shown.body.contains("secreto"), "{}", shown.body);
    assert_eq!(shown.ok()["push"]["url"], "http://127.0.0.1:1/hook");
    let payment = world.pay(json!({})).await;
    let list = world.get("/admin/payments").await;
    assert!(!format!("{payment}{list}").contains("secreto"));
}

#[tokio::test]
async fn an_account_that_is_made_again_keeps_its_payments() {
    let world = World::new().await;
    world.pay(json!({})).await;
    let mut changed = account();
    changed["api_key"] = json!("nueva");
    world.admin("POST", "/admin/accounts", &changed).await.ok();
    let body = crate::world::extract("20/11/2026", "").to_string();
    let path = "/apis/bdv/consulta/movimientos";
    let answer = world.ask(path, Some("nueva"), &body).await.unwrap().ok();
    assert_eq!(answer["data"]["totalOfMovements"], 1);
    assert_eq!(world.ask(path, Some(KEY), &body).await.unwrap().said().0, "1010");
}

#[tokio::test]
async fn what_an_account_may_not_be_is_refused() {
    let world = World::empty().await;
    for (field, value) in [
        ("account", json!("0102")),
        ("api_key", json!("")),
        ("api_key", json!("con espacio")),
        ("api_key", json!("x".repeat(201))),
        ("phone", json!("02120000001")),
        ("rif", json!("X1")),
        ("push", json!({"url": "https://shop.test/hook", "api_key": "x"})),
        ("push", json!({"url": "http://shop.test/a b", "api_key": "x"})),
        ("push", json!({"url": "http://shop.test/"})),
        ("push", json!({"url": "http://shop.test/", "api_key": "x", "header": "Cookie"})),
        ("surplus", json!(1)),
    ] {
        let mut new = account();
        new[field] = value;
        let answer = world.admin("POST", "/admin/accounts", &new).await;
        assert_eq!((answer.status, answer.json()["error"].clone()), (400, json!("INVALID")));
    }
    let mut foreign = account();
    foreign["account"] = json!("01340000890000000001");
    let answer = world.admin("POST", "/admin/accounts", &foreign).await;
    assert_eq!(answer.refused(), (400, "NOT_SIMULATED".to_owned()));
}

#[tokio::test]
async fn there_is_room_for_so_many_accounts() {
    let world = World::empty().await;
    let made = async |number: usize| {
        let mut new = account();
        new["account"] = json!(format!("0102{number:016}"));
        world.admin("POST", "/admin/accounts", &new).await
    };
    for number in 0..bank_sim::books::ACCOUNTS_MAX {
        made(number).await.ok();
    }
    assert_eq!(made(1_000).await.refused(), (409, "TOO_MANY_ACCOUNTS".to_owned()));
    made(0).await.ok();
}

#[tokio::test]
async fn a_payment_is_shown_as_it_was_understood() {
    let world = World::new().await;
    let fields = json!({"amount": 1234.5, "at": "2026-11-20T23:00:00-04:00", "delay_seconds": 60});
    let shown = world.pay(fields).await;
    let expected = json!({
        "id": "1", "account": ACCOUNT, "reference": "79912345", "amount": "1234.50",
        "payer_bank": "0134", "phone": "584140000002", "document": "V12345678",
        "name": "PAGADOR DE PRUEBA", "kind": "pago_movil", "at": "2026-11-21T03:00:00.000Z",
        "posts_at": "2026-11-21T03:01:00.000Z", "is_posted": false, "pushes": [],
    });
    assert_eq!(shown, expected);
    assert_eq!(world.get("/admin/payments/1").await, expected);
}

#[tokio::test]
async fn what_a_payment_may_not_be_is_refused() {
    let world = World::new().await;
    for (field, value) in [
        ("reference", json!("no")),
        ("amount", json!(0)),
        ("amount", json!("-1.00")),
        ("amount", json!(1.234)),
        ("amount", json!("1,50")),
        ("amount", json!(null)),
        ("amount", json!([1])),
        ("payer_bank", json!("01")),
        ("phone", json!("1")),
        ("document", json!("no")),
        ("name", json!("")),
        ("name", json!("x".repeat(61))),
        ("kind", json!("c2p")),
        ("at", json!("2026-11-20T12:00:00")),
        ("delay_seconds", json!(604_801)),
        ("delay_seconds", json!(-1)),
        ("surplus", json!(1)),
    ] {
        let answer = world.admin("POST", "/admin/payments", &payment(json!({field: value}))).await;
        let end = (answer.status, answer.json()["error"].clone());
        assert_eq!(end, (400, json!("INVALID")), "{field}");
    }
    let stray = payment(json!({"account": "01020000890000000009"}));
    let answer = world.admin("POST", "/admin/payments", &stray).await;
    assert_eq!(answer.refused(), (404, "NO_SUCH_ACCOUNT".to_owned()));
}

#[tokio::test]
async fn payments_are_listed_from_the_newest_on() {
    let world = World::new().await;
    for _ in 0..5 {
        world.pay(json!({})).await;
    }
    let ids = async |query: &str| {
        let list = world.get(&format!("/admin/payments{query}")).await;
        let ids = list["payments"].as_array().unwrap().iter().map(|one| one["id"].clone());
        Value::from(ids.collect::<Vec<_>>())
    };
    assert_eq!(ids("").await, json!(["5", "4", "3", "2", "1"]));
    assert_eq!(ids("?limit=2").await, json!(["5", "4"]));
    assert_eq!(ids("?limit=2&before=4").await, json!(["3", "2"]));
    assert_eq!(ids(&format!("?account={ACCOUNT}&limit=1")).await, json!(["5"]));
    assert_eq!(ids("?account=01020000890000000009").await, json!([]));
    for path in ["/admin/payments?limit=x", "/admin/payments?page=2", "/admin/payments?account=1"] {
        let refused = exchange(world.address(), request("GET", path, &[], String::new())).await;
        assert_eq!(refused.unwrap().refused(), (400, "INVALID".to_owned()), "{path}");
    }
    for path in ["/admin/payments/6", "/admin/payments/0", "/admin/payments/x"] {
        let refused = exchange(world.address(), request("GET", path, &[], String::new())).await;
        assert_eq!(refused.unwrap().refused(), (404, "NO_SUCH_PAYMENT".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn a_list_has_five_hundred_payments_at_most() {
    let world = World::new().await;
    for _ in 0..501 {
        world.pay(json!({})).await;
    }
    let length = async |query: &str| {
        let list = world.get(&format!("/admin/payments{query}")).await;
        list["payments"].as_array().unwrap().len()
    };
    assert_eq!((length("").await, length("?limit=501").await), (100, 500));
}

#[tokio::test]
async fn calls_of_the_bank_are_counted_whatever_becomes_of_them() {
    let world = World::new().await;
    assert_eq!(world.get("/admin/calls").await, json!({"calls": {}}));
    world.admin("PUT", "/admin/faults", &json!({"kind": "html", "count": 1})).await.ok();
    for _ in 0..2 {
        world.ask("/getMovement", None, "{").await.unwrap();
    }
    world.extract("20/11/2026", "").await;
    let calls = json!({"calls": {"getMovement": 2, "movimientos": 1}});
    assert_eq!(world.get("/admin/calls").await, calls);
}

#[tokio::test]
async fn the_clock_stands_until_it_is_set() {
    let world = World::new().await;
    let noon = json!({
        "now": "2026-11-20T16:00:00.000Z", "caracas_date": "2026-11-20", "caracas_time": "1200",
        "is_manual": true,
    });
    assert_eq!(world.get("/admin/clock").await, noon);
    let late = json!({"now": "2026-11-21T03:59:59Z"});
    let shown = world.admin("PUT", "/admin/clock", &late).await.ok();
    assert_eq!(
        (&shown["caracas_date"], &shown["caracas_time"]),
        (&json!("2026-11-20"), &json!("2359"))
    );
    assert_eq!(world.clock.now(), Timestamp::parse("2026-11-21T03:59:59Z").unwrap());
    let wrong = world.admin("PUT", "/admin/clock", &json!({"now": "now"})).await;
    assert_eq!((wrong.status, wrong.json()["error"].clone()), (400, json!("INVALID")));
}

#[tokio::test]
async fn bodies_are_json_that_says_so_and_fits() {
    let world = World::new().await;
    for path in ["/admin/payments", "/admin/accounts", "/admin/payments/1/push"] {
        let mut simple = request("POST", path, &[], payment(json!({})).to_string());
        simple.headers_mut().insert("content-type", "text/plain".parse().unwrap());
        let answer = exchange(world.address(), simple).await.unwrap();
        assert_eq!(answer.refused(), (415, "NOT_JSON".to_owned()), "{path}");
    }
    let large = json!({"name": "x".repeat(70_000)});
    let answer = world.admin("POST", "/admin/payments", &payment(large)).await;
    assert_eq!(answer.refused(), (413, "NO_BODY".to_owned()));
}
