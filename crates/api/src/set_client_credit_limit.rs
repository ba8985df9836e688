//! `PUT /v1/clients/{client_id}/credit-limit`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetClientCreditLimit;
use domain::refusal::Refusal;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request};
use crate::wire::{LimitBody, WireCreditLimit, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<SetClientCreditLimit, _, _>(
        Method::PUT,
        "/v1/clients/{client_id}/credit-limit",
        handle,
    )
    .does(
        Group::Limits,
        "Fija el cupo mensual que comparten las llaves de un cliente.",
        "Sets the monthly quota that the keys of a client share.",
    )
    .takes::<LimitBody>(json!({ "monthly_credit_limit": 500 }))
    .answers::<WireCreditLimit>(WireCreditLimit::example("cupo del cliente guardado"))
}

async fn handle(
    admitted: Admitted<SetClientCreditLimit>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("client"))?;
    let limit = LimitBody::read(&body)?.monthly_credit_limit;
    let limit = app::credit_limits::set_for_client(&state.app, &admitted.0, id, limit).await?;
    let message = say(admitted.language(), "cupo del cliente guardado", "client's quota kept");
    answer::json(&WireCreditLimit::of(&limit, message))
}
