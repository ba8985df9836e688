//! `POST /v1/paymentlink/{payment_link_id}/cancel`, `stop`, `resume` and `reject`

use app::links::{End, StatusDetail, end};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{CancelLink, Guarded, RejectLink, ResumeLink, StopLink};
use domain::refusal::Code;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{EmptyBody, Endpoint, Group, Optional, Request, request};
use crate::wire::{LinkAnswer, link_id, said, say};

request! {
    struct Rejection {
        /// Por qué, para quien mire el enlace. / Why, for whoever looks at the link.
        status_detail: Optional<StatusDetail>,
    }
}

pub(crate) fn cancel_endpoint() -> Endpoint {
    Endpoint::strict::<CancelLink, _, _>(
        Method::POST,
        "/v1/paymentlink/{payment_link_id}/cancel",
        cancel,
    )
    .does(Group::Links, "Anula un enlace de pago.", "Calls a payment link off.")
    .takes_nothing()
    .answers::<LinkAnswer<'_>>(LinkAnswer::example("enlace de pago anulado"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn cancel(
    admitted: Admitted<CancelLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let message = say(admitted.language(), "enlace de pago anulado", "payment link canceled");
    act(admitted, &state, &id, End::Cancel, message).await
}

pub(crate) fn stop_endpoint() -> Endpoint {
    Endpoint::strict::<StopLink, _, _>(Method::POST, "/v1/paymentlink/{payment_link_id}/stop", stop)
        .does(
            Group::Links,
            "Impide que alguien empiece a pagar un enlace.",
            "Lets no payer begin to pay a payment link.",
        )
        .takes_nothing()
        .answers::<LinkAnswer<'_>>(LinkAnswer::example("enlace de pago detenido"))
        .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn stop(
    admitted: Admitted<StopLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let message = say(admitted.language(), "enlace de pago detenido", "payment link stopped");
    act(admitted, &state, &id, End::Stop, message).await
}

pub(crate) fn resume_endpoint() -> Endpoint {
    Endpoint::strict::<ResumeLink, _, _>(
        Method::POST,
        "/v1/paymentlink/{payment_link_id}/resume",
        resume,
    )
    .does(Group::Links, "Deja pagar otra vez un enlace.", "Lets payers pay a payment link again.")
    .takes_nothing()
    .answers::<LinkAnswer<'_>>(LinkAnswer::example("enlace de pago reanudado"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn resume(
    admitted: Admitted<ResumeLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let message = say(admitted.language(), "enlace de pago reanudado", "payment link resumed");
    act(admitted, &state, &id, End::Resume, message).await
}

pub(crate) fn reject_endpoint() -> Endpoint {
    Endpoint::strict::<RejectLink, _, _>(
        Method::POST,
        "/v1/paymentlink/{payment_link_id}/reject",
        reject,
    )
    .does(Group::Links, "Termina un enlace de pago como fallido.", "Ends a payment link as failed.")
    .takes::<Rejection>(json!({ "status_detail": "pago devuelto" }))
    .answers::<LinkAnswer<'_>>(LinkAnswer::example("enlace de pago rechazado"))
    .refuses(&[Code::Conflict, Code::RequestInProgress])
}

/// The one of the four with a body: why.
async fn reject(
    admitted: Admitted<RejectLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let Rejection { status_detail: detail } = Rejection::read(&body)?;
    let message = say(admitted.language(), "enlace de pago rechazado", "payment link rejected");
    act(admitted, &state, &id, End::Reject(detail), message).await
}

async fn act<O: Guarded>(
    admitted: Admitted<O>,
    state: &AppState,
    id: &str,
    what: End,
    message: &'static str,
) -> Result<Response, Failure> {
    let record = end(&state.app, &admitted.0, link_id(id)?, what).await?;
    said(message, &record)
}
