//! `PUT /v1/api-keys/{api_key_id}/credit-limit`

use app::Precondition;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetCreditLimit;
use domain::refusal::Code;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request};
use crate::wire::{LimitBody, WireCreditLimit, key_id, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<SetCreditLimit, _, _>(
        Method::PUT,
        "/v1/api-keys/{api_key_id}/credit-limit",
        handle,
    )
    .does(
        Group::Limits,
        "Fija el límite mensual de una llave sin cliente.",
        "Sets a standalone key's monthly limit.",
    )
    .takes::<LimitBody>(json!({ "monthly_credit_limit": 500 }))
    .answers::<WireCreditLimit>(WireCreditLimit::example("límite guardado"))
    .refuses(&[Code::CreditLimitInherited])
}

async fn handle(
    admitted: Admitted<SetCreditLimit>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = key_id(&id)?;
    let limit = LimitBody::read(&body)?.monthly_credit_limit;
    let limit =
        app::credit_limits::set(&state.app, &admitted.0, id, limit, Precondition::none()).await?;
    let message = say(admitted.language(), "límite guardado", "limit kept");
    answer::json(&WireCreditLimit::of(&limit, message))
}
