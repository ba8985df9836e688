//! `POST /v1/paymentlink/{payment_link_id}/accept`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::AcceptLink;
use domain::ids::MovementId;
use domain::refusal::{Code, Refusal};
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Endpoint, Group, Request, Required, TextOf, request};
use crate::wire::{LinkAnswer, link_id, said, say};

request! {
    struct ChosenMovement {
        /// An incoming movement of the link's account that pays nothing yet.
        movement_id: Required<TextOf<MovementId>>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::new::<AcceptLink, _, _>(
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
    .answers::<LinkAnswer<'_>>(LinkAnswer::example("pago aceptado"))
    .refuses(&[
        Code::Conflict,
        Code::PaymentAmountNotValid,
        Code::PaymentAlreadyExists,
        Code::RateNotAvailable,
        Code::InvalidBankProvider,
        Code::IsNotPositivePayment,
        Code::NotEnoughCredits,
        Code::ApiKeyMonthlyCreditLimitExceeded,
        Code::ClientMonthlyCreditLimitExceeded,
        Code::RequestInProgress,
        Code::UserBankIsDisabled,
        Code::PaymentReferenceAmbiguous,
    ])
}

async fn handle(
    admitted: Admitted<AcceptLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (id, movement) = (link_id(&id)?, parse(&body)?);
    let record = app::links::accept(&state.app, &admitted.0, id, movement).await?;
    said(say(admitted.language(), "pago aceptado", "payment accepted"), &record)
}

fn parse(body: &JsonBody) -> Result<MovementId, Refusal> {
    let ChosenMovement { movement_id } = ChosenMovement::read(body)?;
    // An id of another form is an id of nothing.
    movement_id.trim().parse().map_err(|_| Refusal::NotFound("movement"))
}
