//! `POST /v1/subscriptions/{subscription_id}/payer-page`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::IssuePayerPage;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Optional, Request, Shown, request};
use crate::wire::{say, subscription_id};

request! {
    struct PayerPage {
        /// `true` da otra dirección, y la anterior ya no abre nada. / `true` gives another address, and the former one opens
        /// nothing any more.
        replace: Optional<bool>,
    }
}

#[derive(Serialize, JsonSchema)]
struct PayerPageIssued<'a> {
    message: &'static str,
    /// La dirección, para quien paga: quien la tiene ve la suscripción y puede anularla. / The address, for the payer:
    /// anybody who has it sees the subscription, and can cancel it.
    url: Option<&'a str>,
    /// Hasta cuándo abre la página; un período que se abre o esta llamada lo alargan. / Until when the page is open; a
    /// period that opens and this call make that later.
    expires_at: Shown<Timestamp>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<IssuePayerPage, _, _>(
        Method::POST,
        "/v1/subscriptions/{subscription_id}/payer-page",
        handle,
    )
    .does(
        Group::Subscriptions,
        "Da la dirección de la página en la que su cliente ve la suscripción, paga y anula; vale 30 días desde entonces, o más.",
        "Gives the address of the page on which your customer sees the subscription, pays and cancels; it is good for 30 \
         days from then on, or longer.",
    )
    .takes::<PayerPage>(json!({ "replace": false }))
    .answers::<PayerPageIssued<'_>>(json!({
        "message": "página de quien paga",
        "url": "https://cotejo.example/suscripcion/0000000000000000000000000100000000000000000000000000",
        "expires_at": "2026-12-20T12:00:00.000Z",
    }))
}

async fn handle(
    admitted: Admitted<IssuePayerPage>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let PayerPage { replace } = PayerPage::read(&body)?;
    let (id, is_replaced) = (subscription_id(&id)?, replace == Some(true));
    let act = &admitted.0;
    let record = app::subscriptions::issue_payer_page(&state.app, act, id, is_replaced).await?;
    answer::json(&PayerPageIssued {
        message: say(admitted.language(), "página de quien paga", "the payer's page"),
        url: record.payer_url.as_deref(),
        expires_at: Shown(record.subscription.page_until),
    })
}
