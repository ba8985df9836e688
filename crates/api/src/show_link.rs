//! `GET /paymentlink/{payment_link_id}/info` and `GET /paymentlink/{payment_link_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{Guarded, ShowLink, ShowLinkByShortPath};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{WireLink, WirePayment, link_id, say};

#[derive(Serialize, JsonSchema)]
struct PaymentLinkShown<'a> {
    message: &'static str,
    data: Data<'a>,
}

/// El enlace y su pago. / The link and its payment.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentLinkData")]
struct Data<'a> {
    payment_link: WireLink<'a>,
    /// El pago con que se pagó; `null` mientras no se pague. / The payment that paid it; `null` as long as none has.
    user_bank_payment: Option<WirePayment<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    let (path, handle) = ("/paymentlink/{payment_link_id}/info", handle::<ShowLink>);
    showing(Endpoint::tolerant::<ShowLink, _, _>(Method::GET, path, handle))
}

/// The same by its other path.
pub(crate) fn endpoint_by_short_path() -> Endpoint {
    let (path, handle) = ("/paymentlink/{payment_link_id}", handle::<ShowLinkByShortPath>);
    showing(Endpoint::tolerant::<ShowLinkByShortPath, _, _>(Method::GET, path, handle))
}

fn showing(endpoint: Endpoint) -> Endpoint {
    endpoint
        .does(
            Group::Links,
            "Muestra un enlace de pago, con su pago si se pagó.",
            "Shows a payment link, with its payment where it is paid.",
        )
        .answers::<PaymentLinkShown<'_>>(json!({
            "message": "enlace de pago",
            "data": { "payment_link": WireLink::example(), "user_bank_payment": null },
        }))
}

pub(crate) async fn handle<O: Guarded>(
    admitted: Admitted<O>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let (record, paid) = app::links::show_paid(&state.app, &admitted.0, link_id(&id)?).await?;
    let message = say(admitted.language(), "enlace de pago", "payment link");
    let user_bank_payment = paid.as_ref().map(WirePayment::of);
    let data = Data { payment_link: WireLink::of(&record), user_bank_payment };
    answer::json(&PaymentLinkShown { message, data })
}
