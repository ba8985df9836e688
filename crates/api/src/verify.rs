//! `POST /userbankpayment/{bank_id}/betaserio`

mod request;

use app::verification::{Answered, Asked, Confirmed, verify};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::Verify;
use domain::ids::{BankId, OwnerId, PaymentId};
use domain::language::Language;
use domain::money::{Bolivars, Credits};
use domain::refusal::Code;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{Shown, WirePrice, bank_id, say};

/// What callers match, in every language.
const CONFIRMED: &str = "payment confirmed";

/// The same of a payment whose money does not exist: who reads it must not hand anything out for it.
fn confirmed_in_test(language: Language) -> &'static str {
    say(
        language,
        "payment confirmed: prueba, no es dinero",
        "payment confirmed: test, not real money",
    )
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<Verify, _, _>(Method::POST, "/userbankpayment/{bank_id}/betaserio", handle)
        .does(
            Group::Payments,
            "Verifica un pago contra el banco. Se cobra cuando el pago aparece por primera vez.",
            "Verifies a payment against the bank. It is charged when the payment is first found.",
        )
        .takes::<request::PaymentAsked>(json!({
            "bank_reference": "0000067890",
            "amount": 150.75,
            "fecha_pago": "2026-11-20",
            "phone_pagador": "04141234567",
        }))
        .idempotent()
        .answers::<PaymentConfirmed<'_>>(example())
        .refuses(&[
            Code::PaymentAmountNotValid,
            Code::PaymentReferenceTooShort,
            Code::MovementTypeRequired,
            Code::InvalidMovementType,
            Code::IsNotPositivePayment,
            Code::PlanIsNotActive,
            Code::ApiKeyMonthlyCreditLimitExceeded,
            Code::ClientMonthlyCreditLimitExceeded,
            Code::NotEnoughCredits,
            Code::UserBanckBadPassword,
            Code::UserBankIsDisabled,
            Code::InvalidBankProvider,
            Code::PaymentNotFound,
            Code::PaymentReferenceAmbiguous,
            Code::PaymentAlreadyExists,
            Code::BankNotAvailable,
        ])
}

/// A payment that was just confirmed.
pub(crate) fn example() -> Value {
    json!({
        "message": CONFIRMED,
        "data": {
            "is_new": true,
            "credit_cost": 1,
            "user_credits_total": 99,
            "matched_by": "reference",
            "livemode": true,
            "user_bank_payment": {
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
                    "banco_origen": null,
                    "cuenta_pagador": null,
                    "invoice_number": null,
                    "movement_type": "GENERIC",
                },
            },
        },
    })
}

async fn handle(
    admitted: Admitted<Verify>,
    State(state): State<AppState>,
    Path(bank): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let act = admitted.0;
    let bank = bank_id(&bank)?;
    let request = match request::parse(&body, bank) {
        Ok(request) => request,
        // The account comes before the reference: a caller who does not reach it learns nothing else.
        Err(refusal) => {
            app::accounts::check_reach(&state.app, &act, bank).await?;
            return Err(refusal.into());
        }
    };
    let slot = idempotency_key.slot(&act, body.bytes());
    Ok(sent(verify(&state.app, &act, request, slot, render).await?))
}

/// The response that carries the answer about a payment, with its first report.
pub(crate) fn sent(answered: Answered) -> Response {
    match answered.first_report {
        None => answer::bytes(answered.body),
        // Dropped before the connection takes the answer, the first report goes to the next call.
        Some(first_report) => answer::delivered(answered.body, move || first_report.delivered()),
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PaymentConfirmed<'a> {
    message: &'static str,
    data: Data<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConfirmedPayment")]
struct Data<'a> {
    is_new: bool,
    credit_cost: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_credits_total: Option<i64>,
    #[schemars(extend("enum" = ["reference", "payer"]))]
    matched_by: &'static str,
    /// Si el dinero existe: `false` en una cuenta del banco de prueba. / Whether the money exists: `false` on an account at
    /// the test bank.
    livemode: bool,
    user_bank_payment: Payment<'a>,
}

/// Un pago bancario: un movimiento que se verificó y quedó reclamado. / A bank payment: a movement that was verified
/// and claimed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BankPayment")]
struct Payment<'a> {
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
}

/// Lo que dijo la primera llamada; exactamente eso. / What the first call said; exactly these.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentParams")]
struct Params<'a> {
    amount: Option<f64>,
    cedula_pagador: Option<&'a str>,
    telefono_pagador: Option<&'a str>,
    fecha_pago: Option<&'a str>,
    banco_origen: Option<&'a str>,
    cuenta_pagador: Option<&'a str>,
    invoice_number: Option<&'static str>,
    movement_type: &'a str,
}

impl<'a> Params<'a> {
    fn of(asked: &'a Asked) -> Self {
        Self {
            amount: asked.amount.map(|amount| Bolivars::from_hundredths(amount).to_number()),
            cedula_pagador: asked.document.as_deref(),
            telefono_pagador: asked.phone.as_deref(),
            fecha_pago: asked.paid_on.as_deref(),
            banco_origen: asked.bank_origin.as_deref(),
            cuenta_pagador: asked.account.as_deref(),
            invoice_number: None,
            movement_type: &asked.movement_type,
        }
    }
}

/// Writes a confirmed payment as the body of an answer.
pub(crate) fn render(confirmed: &Confirmed) -> Vec<u8> {
    let Confirmed { payment, asked, .. } = confirmed;
    let answer = PaymentConfirmed {
        message: match confirmed.livemode {
            true => CONFIRMED,
            false => confirmed_in_test(confirmed.language),
        },
        data: Data {
            is_new: confirmed.is_new,
            credit_cost: confirmed.credit_cost.get(),
            user_credits_total: confirmed.balance.map(Credits::get),
            matched_by: if payment.is_by_payer { "payer" } else { "reference" },
            livemode: confirmed.livemode,
            user_bank_payment: Payment {
                id: Shown(payment.id),
                created_at: Shown(payment.created_at),
                updated_at: Shown(payment.updated_at),
                movement_date: Shown(payment.paid_at),
                bank_reference_id: &payment.reference,
                user_id: Shown(confirmed.owner),
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
            },
        },
    };
    // Text and finite numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

#[cfg(test)]
mod tests;
