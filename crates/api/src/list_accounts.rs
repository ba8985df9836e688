//! `GET /me/usersbank`

use axum::extract::State;
use axum::response::Response;
use domain::access::ListBankAccounts;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{WireBank, say};

/// Nunca se pagina: quien llama da por borrada una cuenta que falta. / Never paged: callers take a missing account for
/// a deleted one.
#[derive(Serialize, JsonSchema)]
struct AccountsListed<'a> {
    message: &'static str,
    /// Las cuentas que ve quien llama. / The accounts that the caller sees.
    user_banks: Vec<WireBank<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ListBankAccounts, _, _>(Method::GET, "/me/usersbank", handle)
        .does(
            Group::Accounts,
            "Lista las cuentas bancarias que alcanza quien llama.",
            "Lists the bank accounts that the caller reaches.",
        )
        .answers::<AccountsListed<'_>>(
            json!({ "message": "cuentas bancarias", "user_banks": [WireBank::example()] }),
        )
}

async fn handle(
    admitted: Admitted<ListBankAccounts>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let linked = app::accounts::list(&state.app, &admitted.0).await?;
    let caller = admitted.0.caller();
    let user_banks = linked.iter().map(|linked| WireBank::of(linked, caller)).collect();
    let message = say(admitted.language(), "cuentas bancarias", "bank accounts");
    answer::json(&AccountsListed { message, user_banks })
}
