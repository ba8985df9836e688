//! `POST /v1/paymentlink/{payment_link_id}/accept`

use app::links::{Chosen, LinkRecord};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::AcceptLink;
use domain::ids::{MovementId, PaymentId};
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group, Optional, Request, Required, TextOf, request};
use crate::wire::{LinkAnswer, WireLink, link_id, say};

request! {
    struct ChosenMovement {
        /// Un movimiento entrante de la cuenta del enlace que todavía no paga nada. / An incoming movement of the
        /// link's account that pays nothing yet.
        movement_id: Required<TextOf<MovementId>>,
        /// Que paga el enlace aunque la referencia que escribió el pagador sea de otro pago. / That it pays the link
        /// though the reference that the payer typed is of another payment.
        other_receipt: Optional<bool>,
        /// El pago ya aceptado que el banco muestra casi igual (`facts.user_bank_payment_id`), para decir que este es
        /// otro. / The accepted payment that the bank shows nearly alike (`facts.user_bank_payment_id`), to say that
        /// this is another one.
        other_payment: Optional<TextOf<PaymentId>>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<AcceptLink, _, _>(
        Method::POST,
        "/v1/paymentlink/{payment_link_id}/accept",
        handle,
    )
    .does(
        Group::Links,
        "Paga un enlace con un movimiento que una persona eligió.",
        "Pays a payment link with a movement that a person has chosen.",
    )
    .takes::<ChosenMovement>(json!({ "movement_id": "mov_00000000000000000000000001" }))
    .idempotent()
    .answers::<LinkAnswer<'_>>(LinkAnswer::example("pago aceptado"))
    .refuses(&[
        Code::Conflict,
        Code::PaymentAmountNotValid,
        Code::PaymentAlreadyExists,
        Code::RateNotAvailable,
        Code::RenovationIsAlreadyPaid,
        Code::InvalidBankProvider,
        Code::IsNotPositivePayment,
        Code::PlanIsNotActive,
        Code::NotEnoughCredits,
        Code::ApiKeyMonthlyCreditLimitExceeded,
        Code::ClientMonthlyCreditLimitExceeded,
        Code::ClientIsNotActive,
        Code::UserBankIsDisabled,
        Code::PaymentReferenceAmbiguous,
    ])
}

async fn handle(
    admitted: Admitted<AcceptLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (id, chosen) = (link_id(&id)?, parse(&body)?);
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let accepted = app::links::accept(&state.app, &admitted.0, id, chosen, slot, render);
    Ok(answer::bytes(accepted.await?))
}

fn render(record: &LinkRecord, language: Language) -> Vec<u8> {
    let message = say(language, "pago aceptado", "payment accepted");
    let answer = LinkAnswer { message, paymentlink: WireLink::of(record) };
    // Text and finite numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn parse(body: &JsonBody) -> Result<Chosen, Refusal> {
    let ChosenMovement { movement_id, other_receipt, other_payment } = ChosenMovement::read(body)?;
    // An id of another form is an id of nothing.
    let movement = movement_id.trim().parse().map_err(|_| Refusal::NotFound("movement"))?;
    let has_other_receipt = other_receipt.unwrap_or_default();
    Ok(Chosen { movement, has_other_receipt, other_than: other_than(other_payment.as_deref())? })
}

/// The payment that a person says to have looked at.
pub(crate) fn other_than(text: Option<&str>) -> Result<Option<PaymentId>, Refusal> {
    let problem = ("no es el id de un pago", "is no payment's id");
    let parse =
        |text: &str| text.trim().parse().map_err(|_| Refusal::invalid("other_payment", problem));
    text.map(parse).transpose()
}
