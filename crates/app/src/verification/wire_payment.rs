//! The payment as JSON: one object, in every answer, webhook and event that has one.

use std::fmt;

use domain::ids::{BankId, ClientId, KeyId, LinkId, OwnerId, PaymentId, VerificationId};
use domain::money::Bolivars;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::asked::Asked;
use super::whole::Whole;
use crate::wire::{Shown, WirePrice};

/// Evidence of a payment that the bank has shown, as it has shown every one so far.
const SHOWN_BY_BANK: &str = "bank";

/// Words for what a payment is known by.
const EVIDENCE: [&str; 3] = [SHOWN_BY_BANK, "notice", "imported"];

/// Un pago bancario: un movimiento que se verificó y quedó reclamado. / A bank payment: a movement that was verified
/// and claimed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BankPayment")]
pub struct WirePayment<'a> {
    id: Shown<PaymentId>,
    created_at: Shown<Timestamp>,
    /// Cuándo se verificó, o un milisegundo después del pago anterior. / When it was verified, or a millisecond after the
    /// payment before it.
    updated_at: Shown<Timestamp>,
    movement_date: Shown<Timestamp>,
    bank_reference_id: &'a str,
    user_id: Shown<OwnerId>,
    user_bank_id: Shown<BankId>,
    /// Lo que acreditó el banco, en bolívares. / What the bank credited, in bolívares.
    amount: f64,
    currency: &'static str,
    /// Siempre `paid`. / Always `paid`.
    status: &'static str,
    credit_cost: i64,
    movement_type: &'a str,
    confirmed_status: bool,
    /// Por qué se sabe de él: lo mostró el banco, lo dijo un aviso suyo, o lo trajo una importación. / Why it is known: the
    /// bank has shown it, a notice of the bank has told of it, or an import brought it.
    #[schemars(extend("enum" = EVIDENCE))]
    evidence: &'static str,
    #[schemars(extend("enum" = ["reference", "payer"]))]
    matched_by: &'static str,
    /// De dónde dijo quien preguntó que venía. Se dice al titular y, de las llaves y la gente de sus clientes, a quien lo
    /// dijo. / Where it came from, by whoever asked. Told to the owner and, of the keys and people of its clients, to who
    /// said it.
    source_name: Option<&'a str>,
    #[schemars(with = "Vec<String>")]
    details: [&'static str; 0],
    payment_params: PaymentParams<'a>,
    /// La verificación que lo reclamó. / The verification that claimed it.
    verification_id: Shown<VerificationId>,
    /// El enlace que pagó. / The link that it paid.
    payment_link_id: Option<Shown<LinkId>>,
    /// El cliente al que se le cuenta. / The client that it counts against.
    client_owner_id: Option<Shown<ClientId>>,
    /// La llave que lo verificó, o cuyo enlace pagó; `null` donde fue una sesión. / The key that verified it, or whose
    /// link it paid; null where a session did.
    api_key_id: Option<Shown<KeyId>>,
    /// Si el dinero existe: `false` en una cuenta del banco de prueba. / Whether the money exists: `false` on an account at
    /// the test bank.
    livemode: bool,
    /// Solo donde el precio era en otra moneda. / Only where the price was in another currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<WirePrice<'a>>,
    /// La página del comprobante, para quien pagó, si lo tiene. / The page of the receipt, for the payer, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_url: Option<&'a str>,
}

/// Lo que dijo la primera llamada, o el pagador del enlace; exactamente eso. Lo que no dijo es 0 o vacío. / What the
/// first call said, or the link's payer; exactly these. What it did not say is 0 or empty.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PaymentParams<'a> {
    amount: f64,
    cedula_pagador: Option<&'a str>,
    telefono_pagador: &'a str,
    fecha_pago: &'a str,
    banco_origen: &'a str,
    cuenta_pagador: &'a str,
    invoice_number: &'static str,
    movement_type: &'a str,
}

/// Shows nothing of the payer.
impl fmt::Debug for WirePayment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WirePayment").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<'a> PaymentParams<'a> {
    pub(crate) fn of(asked: &'a Asked) -> Self {
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
    /// The payment, with what its reader may know of it.
    #[must_use]
    pub fn of(whole: &'a Whole) -> Self {
        let Whole { owner, payment, asked, .. } = whole;
        Self {
            id: Shown(payment.id),
            created_at: Shown(payment.created_at),
            updated_at: Shown(payment.updated_at),
            movement_date: Shown(payment.paid_at),
            bank_reference_id: &payment.reference,
            user_id: Shown(*owner),
            user_bank_id: Shown(payment.bank),
            amount: payment.amount.to_number(),
            currency: "VEF",
            status: "paid",
            credit_cost: payment.credit_cost.get(),
            movement_type: &asked.movement_type,
            confirmed_status: true,
            evidence: SHOWN_BY_BANK,
            matched_by: if payment.is_by_payer { "payer" } else { "reference" },
            source_name: asked.source_name.as_deref(),
            details: [],
            payment_params: PaymentParams::of(asked),
            verification_id: Shown(payment.verification),
            payment_link_id: whole.link.map(Shown),
            client_owner_id: whole.client.map(Shown),
            api_key_id: whole.key.map(Shown),
            livemode: whole.livemode,
            price: payment.price.as_ref().map(WirePrice::of),
            receipt_url: whole.receipt_url.as_deref(),
        }
    }

    /// One with made-up data.
    #[must_use]
    pub fn example() -> Value {
        json!({
            "id": "pay_00000000000000000000000001",
            "created_at": "2026-11-20T12:00:01.000Z",
            "updated_at": "2026-11-20T12:00:01.000Z",
            "movement_date": "2026-11-20T11:58:00.000Z",
            "bank_reference_id": "0000067890",
            "user_id": "own_00000000000000000000000001",
            "user_bank_id": "bank_00000000000000000000000001",
            "amount": 150.75,
            "currency": "VEF",
            "status": "paid",
            "credit_cost": 1,
            "movement_type": "GENERIC",
            "confirmed_status": true,
            "evidence": "bank",
            "matched_by": "reference",
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
            "verification_id": "ver_00000000000000000000000001",
            "payment_link_id": null,
            "client_owner_id": null,
            "api_key_id": "key_00000000000000000000000001",
            "livemode": true,
        })
    }
}
