//! `movimientos`: the extract, with everything that gets into a reader's way.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::world::{ACCOUNT, World, extract};

const PATH: &str = "/apis/bdv/consulta/movimientos";
const TODAY: &str = "20/11/2026";

fn rows(data: &Value) -> Vec<Value> {
    data["movs"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_code_is_text_and_every_field_of_a_row_is_too() {
    let world = World::new().await;
    world.pay(json!({"amount": "36960.41"})).await;
    for path in [PATH, "/apis/bdv/consulta/movimientos/v2"] {
        let answer = world.bank(path, &extract(TODAY, "")).await.ok();
        assert_eq!(answer["code"], "1000");
        let row = &answer["data"]["movs"][0];
        assert_eq!(
            *row,
            json!({
                "referencia": "0050979912345", "descripcion": "PAGO MOVIL RECIBIDO",
                "fecha": "2026-11-20", "hora": "1200", "mov": "CREDITO", "saldo": "1.036.960,41",
                "importe": "36.960,41", "nroMov": "70000001",
                "observacion": "PAGOMOVIL OTROS BANCOS 0134 04140000002",
            })
        );
        assert_eq!(answer["data"]["totalOfMovements"], 1);
    }
}

#[tokio::test]
async fn a_small_amount_comes_now_with_a_comma_and_now_with_a_point() {
    let world = World::new().await;
    for _ in 0..2 {
        world.pay(json!({"amount": "1.00"})).await;
    }
    let data = world.extract(TODAY, "").await;
    let amounts: Vec<_> = rows(&data).iter().map(|row| row["importe"].clone()).collect();
    assert_eq!(amounts, ["1,00", "1.0"]);
}

#[tokio::test]
async fn a_commission_ends_like_its_payment_and_a_repeated_row_has_another_number() {
    let world = World::new().await;
    world.pay(json!({"commission": true, "repeated": true})).await;
    let rows = rows(&world.extract(TODAY, "").await);
    let column = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("mov"), ["CREDITO", "DEBITO", "CREDITO"]);
    assert_eq!(column("referencia"), ["0050979912345", "0073179912345", "0050979912345"]);
    assert_eq!(column("nroMov"), ["70000001", "70000002", "70000003"]);
    assert!(rows[1]["importe"].as_str().unwrap().starts_with("-2"), "{}", rows[1]);
}

#[tokio::test]
async fn remarks_have_the_banks_shapes() {
    let world = World::new().await;
    let named = json!({"payer_bank": "0102", "name": "Ana Prueba", "document": "V9876543"});
    world.pay(named).await;
    world.pay(json!({"kind": "transfer", "payer_bank": "0191", "document": "J123456789"})).await;
    let rows = rows(&world.extract(TODAY, "").await);
    assert_eq!(rows[0]["observacion"], "PAGOMOVIL BDV V009876543 ANA        PRUEBA");
    assert!(rows[0]["referencia"].as_str().unwrap().starts_with("06772"), "{}", rows[0]);
    assert_eq!(rows[1]["observacion"], "PAGO RECIBIDO OTROS BANCOS 0191 J123456789");
}

#[tokio::test]
async fn pages_have_a_hundred_rows_and_go_on_after_the_last() {
    let world = World::new().await;
    for number in 1..=205 {
        world.pay(json!({"reference": (80_000_000 + number).to_string()})).await;
    }
    let mut numbers = BTreeSet::new();
    let mut lengths = Vec::new();
    let mut last = String::new();
    loop {
        let data = world.extract(TODAY, &last).await;
        assert_eq!(data["totalOfMovements"], 205);
        let page = rows(&data);
        lengths.push(page.len());
        numbers.extend(page.iter().map(|row| row["nroMov"].as_str().unwrap().to_owned()));
        if page.len() < 100 {
            break;
        }
        last = page[99]["nroMov"].as_str().unwrap().to_owned();
    }
    assert_eq!((lengths, numbers.len()), (vec![100, 100, 5], 205));
}

#[tokio::test]
async fn a_payment_appears_when_it_is_posted_on_the_day_of_the_payment() {
    let world = World::new().await;
    world.pay(json!({"at": "2026-11-20T23:59:50-04:00", "delay_seconds": 30})).await;
    let set = json!({"now": "2026-11-21T00:00:19-04:00"});
    world.admin("PUT", "/admin/clock", &set).await.ok();
    assert_eq!(world.extract(TODAY, "").await["totalOfMovements"], 0);
    world.advance(1);
    let rows = rows(&world.extract(TODAY, "").await);
    assert_eq!((&rows[0]["fecha"], &rows[0]["hora"]), (&json!("2026-11-20"), &json!("2359")));
    assert_eq!(world.extract("21/11/2026", "").await["totalOfMovements"], 0);
}

#[tokio::test]
async fn today_does_not_mix_with_days_that_are_over() {
    let world = World::new().await;
    world.pay(json!({"at": "2026-11-18T12:00:00-04:00"})).await;
    let between = async |from: &str, to: &str| {
        let mut query = extract(from, "");
        query["fechaFin"] = json!(to);
        world.bank(PATH, &query).await.ok()
    };
    let mixed = between("19/11/2026", TODAY).await;
    assert_eq!((&mixed["code"], &mixed["data"]), (&json!("1010"), &json!(null)));
    assert!(mixed["message"].as_str().unwrap().contains("día en curso"), "{mixed}");
    assert_eq!(between("01/11/2026", "19/11/2026").await["data"]["totalOfMovements"], 1);
    assert_eq!(between(TODAY, TODAY).await["code"], "1000");
    assert_eq!(between("19/11/2026", "18/11/2026").await["code"], "1010");
}

#[tokio::test]
async fn reading_changes_nothing() {
    let world = World::new().await;
    world.pay(json!({"commission": null, "repeated": null})).await;
    let first = world.extract(TODAY, "").await;
    assert_eq!(world.extract(TODAY, "").await, first);
}

#[tokio::test]
async fn only_the_holders_key_opens_an_account() {
    let world = World::new().await;
    let other = "01020000890000000002";
    let account = json!({"account": other, "api_key": "otra", "phone": "04120000003", "rif": "J1"});
    world.admin("POST", "/admin/accounts", &account).await.ok();
    let ask = async |key: Option<&str>, account: &str| {
        let mut query = extract(TODAY, "");
        query["cuenta"] = json!(account);
        world.ask(PATH, key, &query.to_string()).await.unwrap().said()
    };
    assert_eq!(ask(Some("otra"), other).await.0, "1000");
    let refusal = (json!("1010"), "Cliente no afiliado al producto".to_owned());
    for (key, account) in [(None, other), (Some("otra"), ACCOUNT), (Some("nadie"), other)] {
        assert_eq!(ask(key, account).await, refusal, "{key:?} {account}");
    }
}

#[tokio::test]
async fn a_foreign_key_learns_nothing_of_what_is_wrong_with_its_question() {
    let world = World::new().await;
    let answer = world.ask(PATH, Some("otra"), "{}").await.unwrap();
    assert_eq!(answer.said(), (json!("1010"), "Cliente no afiliado al producto".to_owned()));
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_in_the_banks_words() {
    let world = World::new().await;
    for (field, value) in [
        ("cuenta", json!(null)),
        ("cuenta", json!("0102")),
        ("fechaIni", json!("2026-11-20")),
        ("fechaFin", json!("31/02/2026")),
        ("tipoMoneda", json!("USD")),
        ("nroMovimiento", json!("1")),
    ] {
        let mut query = extract(TODAY, "");
        query[field] = value;
        let (code, message) = world.bank(PATH, &query).await.said();
        assert_eq!(code, "1010", "{field}: {message}");
    }
    let answer = world.ask(PATH, Some("clave-de-prueba"), "{").await.unwrap();
    assert_eq!(answer.status, 400);
}
