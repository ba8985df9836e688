//! `GET /paymentlink/{payment_link_id}/info`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowLink;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{WireLink, link_id, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    payment_link: WireLink<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<ShowLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let record = app::links::show(&state.app, &admitted.0, link_id(&id)?).await?;
    let message = say(admitted.language(), "enlace de pago", "payment link");
    answer::json(&Answer { message, data: Data { payment_link: WireLink::of(&record) } })
}
