//! `POST /v1/paymentlink/{payment_link_id}/accept`

use std::convert::Infallible;

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::AcceptLink;
use domain::ids::MovementId;
use domain::refusal::Refusal;
use serde::Deserialize;
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody};

use crate::wire::{link_id, said, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    movement_id: Field<'a>,
}

pub(crate) async fn handle(
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
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let movement = fields.required_text("movement_id", wire.movement_id, |text| {
        Ok::<_, Infallible>(text.trim().parse::<MovementId>())
    });
    match movement {
        Some(Ok(movement)) => Ok(movement),
        // An id of another form is an id of nothing.
        Some(Err(_)) => Err(Refusal::NotFound("movement")),
        None => Err(fields.refusal()),
    }
}
