//! The push "Notificación de Pago": what the bank sends to a merchant about a pago móvil.

use domain::time::CaracasDate;
use serde::Serialize;

use super::CODE;
use super::written::{compact, hour_and_minute, national, with_point};
use crate::payment::{Account, Payment};

/// Number of consecutive payments, one of which has its day with hyphens, as one integrator saw it.
const HYPHENS_EVERY: u64 = 7;

/// How many digits the reference has.
const REFERENCE_DIGITS: usize = 12;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    banco_ordenante: String,
    referencia_banco_ordenante: String,
    id_cliente: String,
    numero_cliente: String,
    id_comercio: String,
    numero_comercio: String,
    fecha: String,
    hora: String,
    monto: String,
}

/// The body of the notice. As in a validation, the payer of another bank has the digits of the
/// merchant's tax number for a document.
pub(crate) fn notice(payment: &Payment, account: &Account) -> serde_json::Result<String> {
    let payer = &payment.payer;
    let id_cliente = match payer.bank.as_str() {
        CODE => payer.document.to_string(),
        _ => format!("V{}", account.rif.number()),
    };
    let digits = payment.reference.digits();
    let digits = digits.split_at(digits.len().saturating_sub(REFERENCE_DIGITS)).1;
    let day = CaracasDate::of(payment.paid_at);
    let has_hyphens = payment.number.is_multiple_of(HYPHENS_EVERY);
    serde_json::to_string(&Body {
        banco_ordenante: payer.bank.to_string(),
        referencia_banco_ordenante: format!("{digits:0>REFERENCE_DIGITS$}"),
        id_cliente,
        numero_cliente: national(&payer.phone),
        id_comercio: account.rif.to_string(),
        numero_comercio: national(&account.phone),
        fecha: if has_hyphens { day.to_string() } else { compact(day) },
        hora: hour_and_minute(payment.paid_at),
        monto: with_point(payment.amount),
    })
}
