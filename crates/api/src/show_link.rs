//! `GET /paymentlink/{payment_link_id}/info`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowLink;
use domain::receipts::ReceiptAddress;
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

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PaymentLinkData")]
struct Data<'a> {
    payment_link: WireLink<'a>,
    /// El pago con que se pagó; `null` mientras no se pague. / The payment that paid it; `null` as long as none has.
    user_bank_payment: Option<WirePayment<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowLink, _, _>(Method::GET, "/paymentlink/{payment_link_id}/info", handle)
        .does(Group::Links, "Muestra un enlace de pago.", "Shows a payment link.")
        .answers::<PaymentLinkShown<'_>>(json!({
            "message": "enlace de pago",
            "data": { "payment_link": WireLink::example(), "user_bank_payment": null },
        }))
}

pub(crate) async fn handle(
    admitted: Admitted<ShowLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let (record, paid) = app::links::show_paid(&state.app, &admitted.0, link_id(&id)?).await?;
    let message = say(admitted.language(), "enlace de pago", "payment link");
    let payment = paid.as_ref().map(|paid| {
        let address = |id| ReceiptAddress { owner: paid.owner, id };
        let receipt = paid.payment.receipt.map(|id| state.app.receipt_url(address(id)));
        WirePayment::of(paid.owner, &paid.payment, &paid.asked).with_receipt(receipt)
    });
    let data = Data { payment_link: WireLink::of(&record), user_bank_payment: payment };
    answer::json(&PaymentLinkShown { message, data })
}
