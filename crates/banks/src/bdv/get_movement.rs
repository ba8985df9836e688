//! `getMovement`: the bank's question about one mobile payment, which is not asked.
//!
//! It is not read-only. A success marks the payment as conciliated, and every later call gets the answer that
//! it *was already conciliated*, whatever amount it names. So the answer cannot be had again once it was
//! lost, and the one that can be had proves nothing. No movement is ever made from it.

use domain::matching::Query;
use domain::money::Bolivars;
use domain::payer::Phone;
use domain::time::CaracasDate;
use domain::verification::Failure;
use serde::{Deserialize, Serialize};

use super::BANK_CODE;
use super::amount::amount;
use super::message::{failure, is_conciliated, is_no_such_payment, plain, stated_amount};
use super::wire::{DONE, Envelope, Loose, NOT_DONE, failure_of_page};

/// The question (`POST /getMovement`). Every field is text but the last, and none may be missing.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetMovement {
    cedula_pagador: String,
    telefono_pagador: String,
    telefono_destino: String,
    referencia: String,
    fecha_pago: String,
    importe: String,
    banco_origen: String,
    req_ced: bool,
}

/// Shows nothing of the payer.
impl std::fmt::Debug for GetMovement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GetMovement").finish_non_exhaustive()
    }
}

impl GetMovement {
    /// The question whether what `query` asks for was paid to `receiver` on that day; none where a
    /// fact is missing that the bank insists on.
    #[must_use]
    pub fn of(query: &Query, receiver: &Phone, day: CaracasDate) -> Option<Self> {
        let bank = query.bank_origin.as_ref()?;
        Some(Self {
            cedula_pagador: query.document.as_ref()?.to_string(),
            telefono_pagador: national(query.phone.as_ref()?),
            telefono_destino: national(receiver),
            referencia: query.reference.digits().to_owned(),
            fecha_pago: day.to_string(),
            importe: query.amount?.to_string(),
            banco_origen: bank.as_str().to_owned(),
            // Of another bank's customers the bank is sent no document: it puts the receiver's own
            // there, and a comparison would always fail.
            req_ced: bank.as_str() == BANK_CODE,
        })
    }
}

/// Eleven digits, `04…`.
fn national(phone: &Phone) -> String {
    format!("0{}", phone.as_str().trim_start_matches("58"))
}

/// Result of a lookup, as the bank's answer states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupOutcome {
    /// The payment is there, with the amount that was asked for, and is conciliated from now on.
    Matched,
    /// The payment is there with another amount.
    OtherAmount(Bolivars),
    /// It was conciliated before. That says nothing about its amount: the manual's own example
    /// names another one than was paid.
    AlreadyConciliated,
    /// It is not there yet.
    NotFound,
    /// The question was not answered.
    Failed(Failure),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    amount: Loose,
}

/// Reads the answer to a question for `asked`, the body first. An answer that is not understood is a
/// bad one and never *not found*.
#[must_use]
pub fn read(status: u16, body: &[u8], asked: Bolivars) -> LookupOutcome {
    let Some(envelope) = Envelope::read(body) else {
        return LookupOutcome::Failed(failure_of_page(status, body));
    };
    let message = envelope.message.as_str();
    match envelope.code.as_str() {
        DONE => {
            let data: Data = serde_json::from_value(envelope.data).unwrap_or_default();
            match amount(data.amount.as_str()).or_else(|| stated_amount(message)) {
                Some(paid) if paid != asked => LookupOutcome::OtherAmount(paid),
                _ => LookupOutcome::Matched,
            }
        }
        NOT_DONE => not_done(message, asked),
        _ => LookupOutcome::Failed(envelope.failure(status)),
    }
}

/// Tells which case the bank's code 1010 stands for. The order counts: one message can hold more than one of these.
fn not_done(message: &str, asked: Bolivars) -> LookupOutcome {
    let plain = plain(message);
    let reason = failure(&plain);
    if reason == Some(Failure::RejectedCredentials) {
        return LookupOutcome::Failed(Failure::RejectedCredentials);
    }
    if is_conciliated(&plain) {
        return LookupOutcome::AlreadyConciliated;
    }
    if is_no_such_payment(&plain) {
        return LookupOutcome::NotFound;
    }
    match stated_amount(message) {
        Some(paid) if paid != asked => LookupOutcome::OtherAmount(paid),
        _ => LookupOutcome::Failed(reason.unwrap_or(Failure::BadResponse)),
    }
}

#[cfg(test)]
mod tests {
    use domain::payer::{BankCode, Document};
    use domain::reference::TypedReference;
    use serde_json::json;

    use super::*;

    const ASKED: Bolivars = Bolivars::from_hundredths(12_000);

    fn answer(code: &serde_json::Value, message: &str) -> LookupOutcome {
        let body = json!({ "code": code, "message": message, "data": null, "status": 200 });
        read(200, body.to_string().as_bytes(), ASKED)
    }

    fn failed(failure: Failure) -> LookupOutcome {
        LookupOutcome::Failed(failure)
    }

    /// The wordings of the manual's versions and those that others have met.
    #[test]
    fn the_message_says_which_1010_it_is() {
        let other = |hundredths| LookupOutcome::OtherAmount(Bolivars::from_hundredths(hundredths));
        for (message, outcome) in [
            (
                "No se pudo validar el movimiento : Registro solicitado no existe",
                LookupOutcome::NotFound,
            ),
            ("monto : 119.99 - estatus : Transacción realizada", other(11_999)),
            ("monto : 123.00 - estatus : Transacci¿¿n realizada", other(12_300)),
            ("Monto: 1.234,56 - estatus: Transaccin realizada", other(123_456)),
            (
                "Pago Móvil procesado exitosamente en el BDV. El movimiento ya fue conciliado \
                 anteriormente.",
                LookupOutcome::AlreadyConciliated,
            ),
            (
                "La consulta realizada es exitosa. El movimiento ya fue conciliado anteriormente.",
                LookupOutcome::AlreadyConciliated,
            ),
            ("El pago ya fue conciliado previamente", LookupOutcome::AlreadyConciliated),
            ("PAGO M¿VIL. EL MOVIMIENTO YA FUE  CONCILIADO", LookupOutcome::AlreadyConciliated),
            ("Cliente no afiliado al producto", failed(Failure::RejectedCredentials)),
            ("La referencia debe tener al menos 4 digitos", failed(Failure::InvalidInput)),
            ("La cedula debe tener al menos 5 dígitos", failed(Failure::InvalidInput)),
            ("El numero de telefono debe tener al menos 10 digitos", failed(Failure::InvalidInput)),
            ("El campo importe es obligatorio", failed(Failure::InvalidInput)),
            ("importe: null", failed(Failure::InvalidInput)),
            ("Servicio en mantenimiento", failed(Failure::Maintenance)),
            ("", failed(Failure::BadResponse)),
            ("Intente de nuevo", failed(Failure::BadResponse)),
            // The amount that was asked for is no other amount, so that this contradicts itself.
            ("monto : 120.00 - estatus : Transacción realizada", failed(Failure::BadResponse)),
            ("monto : - estatus : Transacción realizada", failed(Failure::BadResponse)),
        ] {
            for code in [json!(1010), json!("1010")] {
                assert_eq!(answer(&code, message), outcome, "{message}");
            }
        }
    }

    #[test]
    fn what_is_said_first_counts() {
        let not_affiliated = "Cliente no afiliado. El movimiento ya fue conciliado";
        let refused = failed(Failure::RejectedCredentials);
        assert_eq!(answer(&json!(1010), not_affiliated), refused);
        let conciliated = "monto : 5.00. El movimiento ya fue conciliado; no existe otro";
        assert_eq!(answer(&json!(1010), conciliated), LookupOutcome::AlreadyConciliated);
        let nothing = "Registro con monto : 5.00 no existe";
        assert_eq!(answer(&json!(1010), nothing), LookupOutcome::NotFound);
    }

    #[test]
    fn a_success_is_believed_with_the_amount_that_it_shows() {
        let body = |amount: serde_json::Value| {
            json!({
                "code": 1000,
                "message": "Monto: 120.00 - estatus: Transacción realizada",
                "data": { "status": "1000", "amount": amount, "reason": "-", "referencia": "1" },
                "status": 200,
            })
            .to_string()
        };
        for (amount, outcome) in [
            (json!("120.00"), LookupOutcome::Matched),
            (json!(120), LookupOutcome::Matched),
            (json!("120,00"), LookupOutcome::Matched),
            (json!(null), LookupOutcome::Matched),
            (json!("120.01"), LookupOutcome::OtherAmount(Bolivars::from_hundredths(12_001))),
        ] {
            assert_eq!(read(200, body(amount.clone()).as_bytes(), ASKED), outcome, "{amount}");
        }
    }

    #[test]
    fn what_is_not_the_banks_answer_is_a_failure() {
        for (status, body, failure) in [
            (400, &b"{\"timestamp\":1}"[..], Failure::InvalidInput),
            (200, b"<html>Error</html>", Failure::BadResponse),
            (503, b"<html>Service Unavailable</html>", Failure::Unavailable),
            (200, b"<html>Estamos en MANTENIMIENTO</html>", Failure::Maintenance),
            (401, b"", Failure::RejectedCredentials),
            (403, b"<html>Request rejected</html>", Failure::Unavailable),
            (429, b"", Failure::RateLimited),
            (200, b"{\"code\":1000,\"mess", Failure::BadResponse),
            (200, b"{\"code\":1001,\"message\":\"-\"}", Failure::RejectedCredentials),
            (200, b"{\"code\":7,\"message\":\"-\"}", Failure::BadResponse),
            (302, b"", Failure::BadResponse),
        ] {
            assert_eq!(read(status, body, ASKED), failed(failure), "{status}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_spoil_their_letters_alone() {
        let body =
            b"{\"code\":1010,\"message\":\"Pago M\xf3vil. El movimiento ya fue conciliado\"}";
        assert_eq!(read(200, body, ASKED), LookupOutcome::AlreadyConciliated);
    }

    #[test]
    fn the_question_has_every_field_in_the_banks_form() {
        let query = Query {
            amount: Some(ASKED),
            phone: Phone::parse("0414-1234567").ok(),
            document: Document::parse("V-12.345.678").ok(),
            bank_origin: BankCode::parse("0134").ok(),
            ..Query::new(TypedReference::parse("000012345678").unwrap())
        };
        let receiver = Phone::parse("04125858585").unwrap();
        let day = CaracasDate::parse("2026-11-20").unwrap();
        let question = |query: &Query| serde_json::to_value(GetMovement::of(query, &receiver, day));
        let mut fields = json!({
            "cedulaPagador": "V12345678",
            "telefonoPagador": "04141234567",
            "telefonoDestino": "04125858585",
            "referencia": "12345678",
            "fechaPago": "2026-11-20",
            "importe": "120.00",
            "bancoOrigen": "0134",
            "reqCed": false,
        });
        assert_eq!(question(&query).unwrap(), fields);
        let own = Query { bank_origin: BankCode::parse("0102").ok(), ..query.clone() };
        fields["bancoOrigen"] = json!("0102");
        fields["reqCed"] = json!(true);
        assert_eq!(question(&own).unwrap(), fields);
        let missing = Query { document: None, ..query };
        assert_eq!(GetMovement::of(&missing, &receiver, day), None);
    }
}
