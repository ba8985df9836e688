//! `PUT /v1/clients/{client_id}/credit-limit`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetClientCreditLimit;
use domain::refusal::Refusal;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::wire::{LimitBody, WireCreditLimit, say};

pub(crate) async fn handle(
    admitted: Admitted<SetClientCreditLimit>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("client"))?;
    let limit = LimitBody::parse(&body)?;
    let limit = app::credit_limits::set_for_client(&state.app, &admitted.0, id, limit).await?;
    let message = say(admitted.language(), "cupo del cliente guardado", "client's quota kept");
    answer::json(&WireCreditLimit::of(&limit, message))
}
