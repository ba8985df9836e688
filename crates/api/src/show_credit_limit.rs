//! `GET /v1/api-keys/{api_key_id}/credit-limit`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowCreditLimit;
use domain::refusal::Refusal;
use http::Uri;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{WireCreditLimit, month, say};

pub(crate) async fn handle(
    admitted: Admitted<ShowCreditLimit>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("api_key"))?;
    let month = month(&uri)?;
    let limit = app::credit_limits::show(&state.app, &admitted.0, id, month).await?;
    let message = say(admitted.language(), "límite de créditos", "credit limit");
    answer::json(&WireCreditLimit::of(&limit, message))
}
