//! `GET /v1/clients/{client_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowClient;
use http::Method;
use web::{Admitted, AppState, Failure};

use crate::operation::{Endpoint, Group};
use crate::wire::{ClientAnswer, client_in_path, said_of_client, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowClient, _, _>(Method::GET, "/v1/clients/{client_id}", handle)
        .does(Group::Clients, "Muestra un cliente.", "Shows a client.")
        .answers::<ClientAnswer<'_>>(ClientAnswer::example("cliente"))
}

pub(crate) async fn handle(
    admitted: Admitted<ShowClient>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let record = app::clients::show(&state.app, &admitted.0, client_in_path(&id)?).await?;
    said_of_client(say(admitted.language(), "cliente", "client"), &record)
}
