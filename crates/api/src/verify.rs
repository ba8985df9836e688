//! `POST /userbankpayment/{bank_id}/betaserio`

mod request;

use app::verification::{Answered, Confirmed, verify};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::Verify;
use domain::language::Language;
use domain::money::Credits;
use domain::refusal::Code;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{WirePayment, bank_id, say};

/// Message of a confirmed payment. Callers match it, so it is the same in every language.
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
            Code::PaymentNeedsReview,
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
            "user_bank_payment": WirePayment::example(),
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

/// El pago, y si ya se conocía. / The payment, and whether it was known already.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConfirmedPayment")]
struct Data<'a> {
    /// Si es la primera vez que se dice de este pago: entregue con `true`, y con nada más. / Whether it is told of this
    /// payment for the first time: deliver on `true`, and on nothing else.
    is_new: bool,
    /// Los créditos que costó; 0 donde `is_new` es `false`. / The credits that it cost; 0 where `is_new` is `false`.
    credit_cost: i64,
    /// El saldo del titular después; no está para quien no puede saberlo. / The owner's balance after it; absent for
    /// whoever may not know that.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_credits_total: Option<i64>,
    #[schemars(extend("enum" = ["reference", "payer"]))]
    matched_by: &'static str,
    /// Si el dinero existe: `false` en una cuenta del banco de prueba. / Whether the money exists: `false` on an account at
    /// the test bank.
    livemode: bool,
    user_bank_payment: WirePayment<'a>,
}

/// Writes a confirmed payment as the body of an answer.
pub(crate) fn render(confirmed: &Confirmed) -> Vec<u8> {
    let whole = &confirmed.whole;
    let answer = PaymentConfirmed {
        message: match whole.livemode {
            true => CONFIRMED,
            false => confirmed_in_test(confirmed.language),
        },
        data: Data {
            is_new: confirmed.is_new,
            credit_cost: confirmed.credit_cost.get(),
            user_credits_total: confirmed.balance.map(Credits::get),
            matched_by: if whole.payment.is_by_payer { "payer" } else { "reference" },
            livemode: whole.livemode,
            user_bank_payment: WirePayment::of(whole),
        },
    };
    // Text and finite numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

#[cfg(test)]
mod tests;
