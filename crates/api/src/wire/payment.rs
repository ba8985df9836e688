//! The payment, whole.

use app::payments::Payment;
use app::verification::Asked;
use domain::ids::{BankId, OwnerId, PaymentId};
use domain::money::Bolivars;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Shown, WirePrice};

/// Un pago bancario: un movimiento que se verificó y quedó reclamado. / A bank payment: a movement that was verified
/// and claimed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BankPayment")]
pub(crate) struct WirePayment<'a> {
    id: Shown<PaymentId>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
    movement_date: Shown<Timestamp>,
    bank_reference_id: &'a str,
    user_id: Shown<OwnerId>,
    user_bank_id: Shown<BankId>,
    amount: f64,
    status: &'static str,
    credit_cost: i64,
    movement_type: &'a str,
    confirmed_status: bool,
    source_name: Option<&'a str>,
    #[schemars(with = "Vec<String>")]
    details: [&'static str; 0],
    payment_params: Params<'a>,
    /// Solo donde el precio era en otra moneda. / Only where the price was in another currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<WirePrice<'a>>,
    /// La página del comprobante: en `GET /paymentlink/{payment_link_id}/info`, y para una persona que verifica o acepta
    /// con su sesión. / The page of the receipt: in `GET /paymentlink/{payment_link_id}/info`, and for a person who
    /// verifies or accepts by a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_url: Option<String>,
}

/// Lo que dijo la primera llamada; exactamente eso. Lo que no dijo es 0 o vacío. / What the first call said; exactly
/// these. What it did not say is 0 or empty.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentParams")]
struct Params<'a> {
    amount: f64,
    cedula_pagador: Option<&'a str>,
    telefono_pagador: &'a str,
    fecha_pago: &'a str,
    banco_origen: &'a str,
    cuenta_pagador: &'a str,
    invoice_number: &'static str,
    movement_type: &'a str,
}

impl<'a> Params<'a> {
    fn of(asked: &'a Asked) -> Self {
        Self {
            amount: Bolivars::from_hundredths(asked.amount.unwrap_or_default()).to_number(),
            cedula_pagador: asked.document.as_deref(),
            telefono_pagador: asked.phone.as_deref().unwrap_or_default(),
            fecha_pago: asked.paid_on.as_deref().unwrap_or_default(),
            banco_origen: asked.bank_origin.as_deref().unwrap_or_default(),
            cuenta_pagador: asked.account.as_deref().unwrap_or_default(),
            invoice_number: "",
            movement_type: &asked.movement_type,
        }
    }
}

impl<'a> WirePayment<'a> {
    pub(crate) fn of(owner: OwnerId, payment: &'a Payment, asked: &'a Asked) -> Self {
        Self {
            id: Shown(payment.id),
            created_at: Shown(payment.created_at),
            updated_at: Shown(payment.updated_at),
            movement_date: Shown(payment.paid_at),
            bank_reference_id: &payment.reference,
            user_id: Shown(owner),
            user_bank_id: Shown(payment.bank),
            amount: payment.amount.to_number(),
            status: "paid",
            credit_cost: payment.credit_cost.get(),
            movement_type: &asked.movement_type,
            confirmed_status: true,
            source_name: asked.source_name.as_deref(),
            details: [],
            payment_params: Params::of(asked),
            price: payment.price.as_ref().map(WirePrice::of),
            receipt_url: None,
        }
    }

    /// The same with the address of its receipt's page.
    pub(crate) fn with_receipt(self, receipt_url: Option<String>) -> Self {
        Self { receipt_url, ..self }
    }

    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "pay_00000000000000000000000001",
            "created_at": "2026-11-20T12:00:01.000Z",
            "updated_at": "2026-11-20T12:00:01.000Z",
            "movement_date": "2026-11-20T11:58:00.000Z",
            "bank_reference_id": "0000067890",
            "user_id": "own_00000000000000000000000001",
            "user_bank_id": "bank_00000000000000000000000001",
            "amount": 150.75,
            "status": "paid",
            "credit_cost": 1,
            "movement_type": "GENERIC",
            "confirmed_status": true,
            "source_name": null,
            "details": [],
            "payment_params": {
                "amount": 150.75,
                "cedula_pagador": null,
                "telefono_pagador": "584141234567",
                "fecha_pago": "2026-11-20",
                "banco_origen": "",
                "cuenta_pagador": "",
                "invoice_number": "",
                "movement_type": "GENERIC",
            },
        })
    }
}
