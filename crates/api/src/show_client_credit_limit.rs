//! `GET /v1/clients/{client_id}/credit-limit`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowClientCreditLimit;
use http::{Method, Uri};
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::show_credit_limit::OfMonth;
use crate::wire::{WireCreditLimit, client_in_path, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowClientCreditLimit, _, _>(
        Method::GET,
        "/v1/clients/{client_id}/credit-limit",
        handle,
    )
    .does(
        Group::Limits,
        "Muestra el cupo de un cliente y lo usado en un mes.",
        "Shows a client's quota and its use in a month.",
    )
    .query::<OfMonth>()
    .answers::<WireCreditLimit>(WireCreditLimit::example("cupo del cliente"))
}

async fn handle(
    admitted: Admitted<ShowClientCreditLimit>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = client_in_path(&id)?;
    let OfMonth(month) = OfMonth::read(&uri)?;
    let limit = app::credit_limits::show_for_client(&state.app, &admitted.0, id, month).await?;
    let message = say(admitted.language(), "cupo del cliente", "client's quota");
    answer::json(&WireCreditLimit::of(&limit, message))
}
