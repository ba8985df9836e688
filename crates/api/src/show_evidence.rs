//! `GET /v1/webhooks/deliveries/{delivery_id}/evidence`

use app::evidence::{Document, show};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowEvidence;
use domain::refusal::Refusal;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::say;

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    proof: Document<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<ShowEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("webhook_delivery"))?;
    let evidence = show(&state.app, &admitted.0, id).await?;
    let message = say(admitted.language(), "prueba de entrega", "proof of delivery");
    answer::json(&Answer { message, proof: evidence.document() })
}
