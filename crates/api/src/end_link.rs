//! `POST /v1/paymentlink/{payment_link_id}/cancel`, `stop`, `resume` and `reject`

use app::links::{End, StatusDetail, end};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{CancelLink, Guarded, RejectLink, ResumeLink, StopLink};
use serde::Deserialize;
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody};

use crate::wire::{link_id, said, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    status_detail: Field<'a>,
}

pub(crate) async fn cancel(
    admitted: Admitted<CancelLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let message = say(admitted.language(), "enlace de pago anulado", "payment link canceled");
    act(admitted, &state, &id, End::Cancel, message).await
}

pub(crate) async fn stop(
    admitted: Admitted<StopLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let message = say(admitted.language(), "enlace de pago detenido", "payment link stopped");
    act(admitted, &state, &id, End::Stop, message).await
}

pub(crate) async fn resume(
    admitted: Admitted<ResumeLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let message = say(admitted.language(), "enlace de pago reanudado", "payment link resumed");
    act(admitted, &state, &id, End::Resume, message).await
}

/// The one of the four with a body: why.
pub(crate) async fn reject(
    admitted: Admitted<RejectLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let detail = fields.text("status_detail", wire.status_detail, StatusDetail::parse);
    if !fields.are_right() {
        return Err(fields.refusal().into());
    }
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
