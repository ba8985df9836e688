//! `GET /v1/receipts/{receipt_id}` and `POST /v1/receipts/{receipt_id}/void`

use app::receipts::{Receipt, show, void};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ShowReceipt, VoidReceipt};
use domain::ids::ReceiptId;
use domain::receipts::VoidReason;
use domain::refusal::{Code, Refusal};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request, Required, request};
use crate::wire::{WireReceipt, say};

request! {
    struct Voiding {
        /// Por qué se anula: lo lee quien pagó. / Why it is void: the payer reads it.
        reason: Required<VoidReason>,
    }
}

#[derive(Serialize, JsonSchema)]
struct ReceiptAnswer<'a> {
    message: &'static str,
    receipt: WireReceipt<'a>,
}

impl ReceiptAnswer<'_> {
    fn example(message: &str) -> Value {
        json!({ "message": message, "receipt": WireReceipt::example() })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowReceipt, _, _>(Method::GET, "/v1/receipts/{receipt_id}", handle)
        .does(Group::Payments, "Muestra un comprobante de pago.", "Shows the receipt of a payment.")
        .answers::<ReceiptAnswer<'_>>(ReceiptAnswer::example("comprobante"))
}

async fn handle(
    admitted: Admitted<ShowReceipt>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let receipt = show(&state.app, &admitted.0, receipt_id(&id)?).await?;
    said(&state, say(admitted.language(), "comprobante", "receipt"), &receipt)
}

pub(crate) fn void_endpoint() -> Endpoint {
    Endpoint::strict::<VoidReceipt, _, _>(
        Method::POST,
        "/v1/receipts/{receipt_id}/void",
        handle_void,
    )
    .does(
        Group::Payments,
        "Anula un comprobante: queda en la lista y su página lo dice. El pago no cambia.",
        "Voids a receipt: it stays listed, and its page says so. The payment does not change.",
    )
    .takes::<Voiding>(json!({ "reason": "El pedido se emitió dos veces" }))
    .answers::<ReceiptAnswer<'_>>(ReceiptAnswer::example("comprobante anulado"))
    .refuses(&[Code::Conflict])
}

async fn handle_void(
    admitted: Admitted<VoidReceipt>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let Voiding { reason } = Voiding::read(&body)?;
    let receipt = void(&state.app, &admitted.0, receipt_id(&id)?, reason).await?;
    said(&state, say(admitted.language(), "comprobante anulado", "receipt voided"), &receipt)
}

/// The receipt of that text; another one is an id of nothing.
fn receipt_id(text: &str) -> Result<ReceiptId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("receipt"))
}

fn said(state: &AppState, message: &'static str, receipt: &Receipt) -> Result<Response, Failure> {
    answer::json(&ReceiptAnswer { message, receipt: WireReceipt::of(&state.app, receipt) })
}
