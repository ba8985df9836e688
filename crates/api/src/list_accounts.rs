//! `GET /me/usersbank`

use axum::extract::State;
use axum::response::Response;
use domain::access::ListBankAccounts;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{WireBank, say};

/// Never paged: callers take a missing account for a deleted one.
#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    user_banks: Vec<WireBank<'a>>,
}

pub(crate) async fn handle(
    admitted: Admitted<ListBankAccounts>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let linked = app::accounts::list(&state.app, &admitted.0).await?;
    let caller = admitted.0.caller();
    let user_banks = linked.iter().map(|linked| WireBank::of(linked, caller)).collect();
    let message = say(admitted.language(), "cuentas bancarias", "bank accounts");
    answer::json(&Answer { message, user_banks })
}
