//! `GET /v1/api-keys/{api_key_id}/credit-limit`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowCreditLimit;
use domain::refusal::Refusal;
use domain::time::CaracasMonth;
use http::{Method, Uri};
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query};
use crate::wire::{WireCreditLimit, key_id, month, month_parameter, say};

/// The month that is wanted; `None` is the current one.
pub(crate) struct OfMonth(pub(crate) Option<CaracasMonth>);

impl Query for OfMonth {
    fn parameters() -> Vec<Parameter> {
        vec![month_parameter()]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        month(uri).map(Self)
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowCreditLimit, _, _>(
        Method::GET,
        "/v1/api-keys/{api_key_id}/credit-limit",
        handle,
    )
    .does(
        Group::Limits,
        "Muestra el límite de una llave y lo usado en un mes.",
        "Shows a key's limit and its use in a month.",
    )
    .query::<OfMonth>()
    .answers::<WireCreditLimit>(WireCreditLimit::example("límite de créditos"))
}

async fn handle(
    admitted: Admitted<ShowCreditLimit>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = key_id(&id)?;
    let OfMonth(month) = OfMonth::read(&uri)?;
    let limit = app::credit_limits::show(&state.app, &admitted.0, id, month).await?;
    let message = say(admitted.language(), "límite de créditos", "credit limit");
    answer::json(&WireCreditLimit::of(&limit, message))
}
