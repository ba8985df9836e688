//! `getMovement`: one code for nearly everything, and a yes that changes what it says yes to.

use serde_json::{Value, json};

use crate::world::{World, question};

const PATH: &str = "/getMovement";

async fn said(world: &World, fields: Value) -> (Value, String) {
    world.bank(PATH, &question(fields)).await.said()
}

#[tokio::test]
async fn a_match_has_a_number_for_a_code_and_its_amount_in_the_message() {
    let world = World::new().await;
    world.pay(json!({})).await;
    for path in [PATH, "/getMovement/v2"] {
        let answer = world.bank(path, &question(json!({}))).await;
        assert_eq!(answer.kind, "application/json");
        assert_eq!(
            answer.ok(),
            json!({
                "code": 1000, "message": "Monto: 150.75 - estatus: Transacción realizada", "status": 200,
                "data": {
                    "status": "1000", "amount": "150.75", "reason": "Transacción realizada",
                    "referencia": "000079912345",
                },
            })
        );
    }
}

#[tokio::test]
async fn half_a_minute_after_the_first_yes_it_was_conciliated_before_at_any_amount() {
    let world = World::new().await;
    world.pay(json!({})).await;
    assert_eq!(said(&world, json!({})).await.0, 1000);
    world.advance(29);
    assert_eq!(said(&world, json!({})).await.0, 1000);
    world.advance(1);
    for importe in ["150.75", "123.00"] {
        let answer = world.bank(PATH, &question(json!({"importe": importe}))).await.ok();
        assert_eq!(
            answer,
            json!({
                "code": 1010, "data": null, "status": 200,
                "message": "Pago Móvil procesado exitosamente en el BDV. El movimiento ya fue \
                            conciliado anteriormente.",
            })
        );
    }
}

#[tokio::test]
async fn another_amount_is_reported_under_the_code_of_a_refusal() {
    let world = World::new().await;
    world.pay(json!({})).await;
    let answer = world.bank(PATH, &question(json!({"importe": "150.74"}))).await.ok();
    assert_eq!(
        answer,
        json!({
            "code": 1010, "message": "monto : 150.75 - estatus : Transacción realizada",
            "data": null, "status": 200,
        })
    );
}

#[tokio::test]
async fn every_fourth_payment_comes_with_a_broken_letter() {
    let world = World::new().await;
    for last in 1..=4 {
        world.pay(json!({"reference": format!("7991234{last}")})).await;
    }
    let fields = |last: u8| json!({"referencia": format!("7991234{last}")});
    assert_eq!(said(&world, fields(3)).await.1, "Monto: 150.75 - estatus: Transacción realizada");
    assert_eq!(said(&world, fields(4)).await.1, "Monto: 150.75 - estatus: Transacci¿¿n realizada");
}

#[tokio::test]
async fn what_is_not_posted_does_not_exist() {
    let world = World::new().await;
    world.pay(json!({"delay_seconds": 30})).await;
    let missing = "No se pudo validar el movimiento : Registro solicitado no existe";
    assert_eq!(said(&world, json!({})).await, (json!(1010), missing.to_owned()));
    world.advance(30);
    assert_eq!(said(&world, json!({})).await.0, 1000);
}

#[tokio::test]
async fn a_foreign_key_or_none_is_not_affiliated() {
    let world = World::new().await;
    world.pay(json!({})).await;
    for key in [None, Some(""), Some("otra"), Some("clave-de-prueba-2")] {
        let answer = world.ask(PATH, key, &question(json!({})).to_string()).await.unwrap();
        let expected = (json!(1010), "Cliente no afiliado al producto".to_owned());
        assert_eq!(answer.said(), expected, "{key:?}");
    }
}

#[tokio::test]
async fn the_document_of_another_banks_payer_is_unknown() {
    let world = World::new().await;
    world.pay(json!({})).await;
    assert_eq!(said(&world, json!({"reqCed": true})).await.0, 1010);
    assert_eq!(said(&world, json!({"reqCed": true, "cedulaPagador": "V123456784"})).await.0, 1000);
}

#[tokio::test]
async fn the_document_of_the_banks_own_payer_counts_where_it_is_asked_for() {
    let world = World::new().await;
    world.pay(json!({"payer_bank": "0102"})).await;
    let asked = |document: &str, counts| json!({"bancoOrigen": "0102", "cedulaPagador": document, "reqCed": counts});
    assert_eq!(said(&world, asked("V87654321", true)).await.0, 1010);
    assert_eq!(said(&world, asked("V87654321", false)).await.0, 1000);
    assert_eq!(said(&world, asked("V012345678", true)).await.0, 1000);
}

#[tokio::test]
async fn every_field_is_mandatory_and_null_is_an_answer_of_the_bank() {
    let world = World::new().await;
    for field in question(json!({})).as_object().unwrap().keys() {
        let (code, message) = said(&world, json!({field: null})).await;
        assert_eq!(code, 1010);
        assert!(message.contains("obligatorio") && message.contains(field), "{message}");
    }
}

#[tokio::test]
async fn what_is_too_short_is_said_to_be() {
    let world = World::new().await;
    for (field, value, message) in [
        ("referencia", "123", "La referencia debe tener al menos 4 digitos"),
        ("cedulaPagador", "V1234", "La cedula debe tener al menos 5 digitos"),
        ("telefonoPagador", "041400000", "El numero de telefono debe tener al menos 10 digitos"),
        ("telefonoDestino", "041200000", "El numero de telefono debe tener al menos 10 digitos"),
        ("importe", "150,75", "El formato del campo importe no es válido"),
        ("fechaPago", "20/11/2026", "El formato del campo fechaPago no es válido"),
    ] {
        assert_eq!(said(&world, json!({field: value})).await, (json!(1010), message.to_owned()));
    }
}

#[tokio::test]
async fn malformed_json_is_status_400() {
    let world = World::new().await;
    let typed = question(json!({"importe": 150.75})).to_string();
    let typed_too = question(json!({"reqCed": "false"})).to_string();
    let large = format!("{{\"x\": \"{}\"}}", "x".repeat(70_000));
    for body in ["", "{", "[]", "nada", typed.as_str(), typed_too.as_str(), large.as_str()] {
        let answer = world.ask(PATH, Some("clave-de-prueba"), body).await.unwrap();
        assert_eq!(answer.status, 400, "{answer:?}");
    }
}
