//! `POST /v1/movements/{movement_id}/accept`

use app::verification::ReportedTo;
use app::verification::accept_movement::{AcceptRequest, accept_movement};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::AcceptMovement;
use domain::ids::PaymentId;
use domain::refusal::{Code, Refusal};
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody};

use crate::accept_link::other_than;
use crate::operation::{Endpoint, Group, Optional, Request, TextOf, request};
use crate::verify::{PaymentConfirmed, example, render, sent};

request! {
    struct AcceptedMovement {
        /// Que `is_new: true` no lo reciba esta llamada sino la próxima verificación que encuentre el pago. / That
        /// `is_new: true` is not for this call but for the next verification that finds the payment.
        for_caller: Optional<bool>,
        /// El pago ya aceptado que el banco muestra casi igual (`facts.user_bank_payment_id`), para decir que este es
        /// otro. / The accepted payment that the bank shows nearly alike (`facts.user_bank_payment_id`), to say that
        /// this is another one.
        other_payment: Optional<TextOf<PaymentId>>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<AcceptMovement, _, _>(
        Method::POST,
        "/v1/movements/{movement_id}/accept",
        handle,
    )
    .does(
        Group::Payments,
        "Hace un pago de un movimiento que nadie ha usado y que una persona eligió. Se cobra como una verificación, y nada \
         mientras la cuenta se revisa después de restaurar el servicio desde una copia.",
        "Makes a payment of an unclaimed movement that a person has chosen. It is charged as a verification, and not at all \
         while the account is reviewed after the service was restored from a copy.",
    )
    .takes::<AcceptedMovement>(json!({ "for_caller": false }))
    .idempotent()
    .answers::<PaymentConfirmed<'_>>(example())
    .refuses(&[
        Code::PaymentAlreadyExists,
        Code::IsNotPositivePayment,
        Code::InvalidBankProvider,
        Code::PlanIsNotActive,
        Code::NotEnoughCredits,
        Code::ClientMonthlyCreditLimitExceeded,
        Code::ClientIsNotActive,
        Code::UserBankIsDisabled,
    ])
}

async fn handle(
    admitted: Admitted<AcceptMovement>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let AcceptedMovement { for_caller, other_payment } = AcceptedMovement::read(&body)?;
    // An id of another form is an id of nothing.
    let movement = id.parse().map_err(|_| Refusal::NotFound("movement"))?;
    let reported_to = match for_caller {
        Some(true) => ReportedTo::NextCaller,
        Some(false) | None => ReportedTo::Answer,
    };
    let other_than = other_than(other_payment.as_deref())?;
    let request = AcceptRequest { movement, reported_to, other_than };
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    Ok(sent(accept_movement(&state.app, &admitted.0, request, slot, render).await?))
}
