//! The bank's bodies: names, types and texts as on the wire. Codes are numbers in one interface and
//! text in the other.

use serde::{Deserialize, Serialize};

use super::extract::{Page, Shown};
use super::validation::{Found, Validation};

/// How often the bank's own text comes with a broken letter: in one of so many.
const BROKEN_TEXT_EVERY: u64 = 4;

/// How many digits a receipt's reference is filled up to.
const REFERENCE_DIGITS: usize = 12;

/// A question of `getMovement`. Null is not the same as malformed, so everything may be absent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireQuestion {
    pub(super) cedula_pagador: Option<String>,
    pub(super) telefono_pagador: Option<String>,
    pub(super) telefono_destino: Option<String>,
    pub(super) referencia: Option<String>,
    pub(super) fecha_pago: Option<String>,
    pub(super) importe: Option<String>,
    pub(super) banco_origen: Option<String>,
    pub(super) req_ced: Option<bool>,
}

/// An answer of `getMovement`.
#[derive(Debug, Serialize)]
pub(super) struct WireValidation {
    code: u16,
    message: String,
    data: Option<WireFound>,
    status: u16,
}

#[derive(Debug, Serialize)]
struct WireFound {
    status: &'static str,
    amount: String,
    reason: String,
    referencia: String,
}

impl WireValidation {
    /// Writes the bank's answer to a validation.
    pub(super) fn of(validation: Validation) -> Self {
        match validation {
            Validation::Matched(found) => Self::matched(&found),
            Validation::Conciliated => Self::refusal(
                "Pago Móvil procesado exitosamente en el BDV. El movimiento ya fue conciliado \
                 anteriormente.",
            ),
            Validation::OtherAmount(Found { amount, number, .. }) => {
                Self::refusal(&format!("monto : {amount} - estatus : {}", done(number)))
            }
            Validation::Unknown => {
                Self::refusal("No se pudo validar el movimiento : Registro solicitado no existe")
            }
            Validation::NotAffiliated => Self::refusal(NOT_AFFILIATED),
        }
    }

    /// A refusal, whose code is always the same.
    pub(super) fn refusal(message: &str) -> Self {
        Self { code: 1010, message: message.to_owned(), data: None, status: 200 }
    }

    fn matched(found: &Found) -> Self {
        let Found { number, amount, reference } = found;
        let reason = done(*number);
        let data = WireFound {
            status: "1000",
            amount: amount.to_string(),
            reason: reason.clone(),
            referencia: format!("{:0>REFERENCE_DIGITS$}", reference.digits()),
        };
        let message = format!("Monto: {amount} - estatus: {reason}");
        Self { code: 1000, message, data: Some(data), status: 200 }
    }
}

/// The bank's word for done. It has come out of the wrong encoding more than once.
fn done(number: u64) -> String {
    let letter = if number.is_multiple_of(BROKEN_TEXT_EVERY) { "¿¿" } else { "ó" };
    format!("Transacci{letter}n realizada")
}

/// The answer to the holder of no key, or of another product's.
pub(super) const NOT_AFFILIATED: &str = "Cliente no afiliado al producto";

/// The answer to everybody while the bank is maintained. The words are ours.
pub(super) const CLOSED: &str = "Servicio no disponible por mantenimiento. Intente más tarde";

/// A question of `movimientos`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireQuery {
    pub(super) cuenta: Option<String>,
    pub(super) fecha_ini: Option<String>,
    pub(super) fecha_fin: Option<String>,
    pub(super) tipo_moneda: Option<String>,
    pub(super) nro_movimiento: Option<String>,
}

/// An answer of `movimientos`.
#[derive(Debug, Serialize)]
pub(super) struct WireExtract {
    code: &'static str,
    message: String,
    data: Option<WirePage>,
    status: u16,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WirePage {
    total_of_movements: usize,
    movs: Vec<WireRow>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WireRow {
    referencia: String,
    descripcion: &'static str,
    fecha: String,
    hora: String,
    mov: &'static str,
    saldo: String,
    importe: String,
    nro_mov: String,
    observacion: String,
}

impl WireExtract {
    pub(super) fn of(page: Page) -> Self {
        let movs = page.rows.into_iter().map(WireRow::of).collect();
        let data = WirePage { total_of_movements: page.total, movs };
        let message = "Consulta realizada con éxito".to_owned();
        Self { code: "1000", message, data: Some(data), status: 200 }
    }

    /// A refusal, whose code is always the same.
    pub(super) fn refusal(message: &str) -> Self {
        Self { code: "1010", message: message.to_owned(), data: None, status: 200 }
    }
}

impl WireRow {
    fn of(shown: Shown) -> Self {
        Self {
            referencia: shown.reference,
            descripcion: shown.description,
            fecha: shown.date,
            hora: shown.hour,
            mov: if shown.is_credit { "CREDITO" } else { "DEBITO" },
            saldo: shown.balance,
            importe: shown.amount,
            nro_mov: shown.number,
            observacion: shown.remark,
        }
    }
}
