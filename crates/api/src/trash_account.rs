//! `DELETE /usersbank/{bank_id}/to-trash`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::TrashBankAccount;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{Endpoint, Group};
use crate::wire::{MessageAnswer, bank_id, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<TrashBankAccount, _, _>(
        Method::DELETE,
        "/usersbank/{bank_id}/to-trash",
        handle,
    )
    .does(
        Group::Accounts,
        "Pone una cuenta bancaria en la papelera; sus pagos se conservan.",
        "Puts a bank account into the trash; its payments stay.",
    )
    .answers::<MessageAnswer>(json!({ "message": "cuenta en la papelera; sus pagos se conservan" }))
}

async fn handle(
    admitted: Admitted<TrashBankAccount>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    app::accounts::trash(&state.app, &admitted.0, id).await?;
    let message = say(
        admitted.language(),
        "cuenta en la papelera; sus pagos se conservan",
        "account in the trash; its payments stay",
    );
    said_only(message)
}
