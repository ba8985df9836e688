//! `POST /v1/webhooks/deliveries/{delivery_id}/redeliver`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::Redeliver;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::wire::{WireDelivery, delivery_id, say};

/// An empty object.
#[derive(Deserialize)]
struct Body {}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    delivery: WireDelivery<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<Redeliver>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = delivery_id(&id)?;
    let Body {} = body.object()?;
    let record = app::webhooks::redeliver(&state.app, &admitted.0, id).await?;
    let language = admitted.language();
    let message = say(language, "se envía otra vez, ya", "it is sent again, now");
    answer::json(&Answer { message, delivery: WireDelivery::of(&record, language) })
}
