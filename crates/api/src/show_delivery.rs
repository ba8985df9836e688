//! `GET /v1/webhooks/deliveries/{delivery_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowDelivery;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{WireDelivery, delivery_id, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    delivery: WireDelivery<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<ShowDelivery>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let record = app::webhooks::show(&state.app, &admitted.0, delivery_id(&id)?).await?;
    let language = admitted.language();
    let message = say(language, "aviso y sus intentos", "what was told, and its attempts");
    answer::json(&Answer { message, delivery: WireDelivery::of(&record, language) })
}
