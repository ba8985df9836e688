//! `PUT /v1/api-keys/{api_key_id}/credit-limit`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetCreditLimit;
use domain::refusal::Refusal;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::wire::{LimitBody, WireCreditLimit, say};

pub(crate) async fn handle(
    admitted: Admitted<SetCreditLimit>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("api_key"))?;
    let limit = LimitBody::parse(&body)?;
    let limit = app::credit_limits::set(&state.app, &admitted.0, id, limit).await?;
    let message = say(admitted.language(), "límite guardado", "limit kept");
    answer::json(&WireCreditLimit::of(&limit, message))
}
