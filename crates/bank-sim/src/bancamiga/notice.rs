//! The push: what the bank sends to a merchant about a pago móvil.

use serde::Serialize;

use super::wire::{day_and_time, phone, refpk, short};
use crate::payment::{Account, Payment};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Body<'a> {
    banco_orig: String,
    fecha_movimiento: String,
    hora_movimiento: String,
    nro_referencia: String,
    phone_orig: &'a str,
    phone_dest: &'a str,
    status: &'static str,
    descripcion: &'static str,
    amount: String,
    refpk: String,
}

/// The body of the notice. Its reference is the short one, and its amount is text.
pub(crate) fn notice(payment: &Payment, account: &Account) -> serde_json::Result<String> {
    let (day, time) = day_and_time(payment.paid_at);
    serde_json::to_string(&Body {
        banco_orig: payment.payer.bank.to_string(),
        fecha_movimiento: day.to_string(),
        hora_movimiento: time,
        nro_referencia: short(payment),
        phone_orig: phone(&payment.payer.phone),
        phone_dest: phone(&account.phone),
        status: "000",
        descripcion: "PAGO MOVIL",
        amount: payment.amount.to_string(),
        refpk: refpk(payment),
    })
}
