//! `DELETE /usersbank/{bank_id}/to-trash`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::TrashBankAccount;
use web::{Admitted, AppState, Failure};

use crate::wire::{bank_id, said_only, say};

pub(crate) async fn handle(
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
