//! `DELETE /usersbank/{bank_id}/to-trash`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::TrashBankAccount;
use domain::refusal::Refusal;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::say;

#[derive(Serialize)]
struct Answer {
    message: &'static str,
}

pub(crate) async fn handle(
    admitted: Admitted<TrashBankAccount>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::UserBankNotFound)?;
    app::accounts::trash(&state.app, &admitted.0, id).await?;
    let message = say(
        admitted.language(),
        "cuenta en la papelera; sus pagos se conservan",
        "account in the trash; its payments stay",
    );
    answer::json(&Answer { message })
}
