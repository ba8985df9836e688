//! `GET /movements/{bank_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ListMovements;
use domain::ids::{MovementId, PaymentId};
use domain::matching::Movement;
use domain::payer::{BankCode, Phone};
use domain::time::{CaracasDate, Timestamp};
use http::Uri;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{Shown, bank_id, paging, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    movements: Vec<WireMovement<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// What the bank has shown. What it does not tell is null.
#[derive(Serialize)]
struct WireMovement<'a> {
    id: Shown<MovementId>,
    date: Shown<CaracasDate>,
    /// Hour and minute in Caracas.
    time: Option<String>,
    amount: f64,
    currency: &'static str,
    reference: &'a str,
    payer_bank: Option<&'a str>,
    payer_phone: Option<&'a str>,
    payer_document: Option<String>,
    /// The bank's own words, empty where it has none.
    description: &'a str,
    claimed: bool,
    user_bank_payment_id: Option<Shown<PaymentId>>,
}

impl<'a> WireMovement<'a> {
    fn of(movement: &'a Movement) -> Self {
        let payer = &movement.payer;
        Self {
            id: Shown(movement.id),
            date: Shown(movement.paid_on),
            time: movement.paid_at.map(time),
            amount: movement.amount.to_number(),
            currency: "VEF",
            reference: movement.reference.shown(),
            payer_bank: payer.bank.as_ref().map(BankCode::as_str),
            payer_phone: payer.phone.as_ref().map(Phone::as_str),
            payer_document: payer.document.as_ref().map(ToString::to_string),
            description: movement.description.as_str(),
            claimed: movement.claimed.is_some(),
            user_bank_payment_id: movement.claimed.map(Shown),
        }
    }
}

/// `HH:mm` in Caracas, whose days all have 24 hours since 2016.
fn time(at: Timestamp) -> String {
    let minutes = at.since(CaracasDate::of(at).start()).as_secs() / 60;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

pub(crate) async fn handle(
    admitted: Admitted<ListMovements>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    let paging = paging(&uri)?;
    let found = app::accounts::list_movements(&state.app, &admitted.0, id, paging).await?;
    answer::json(&Answer {
        message: say(admitted.language(), "movimientos de la cuenta", "movements of the account"),
        movements: found.entries.iter().map(WireMovement::of).collect(),
        total: found.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}
