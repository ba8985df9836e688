//! `GET /v1/clients`

use axum::extract::State;
use axum::response::Response;
use domain::access::ListClients;
use http::Uri;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{WireClient, paging, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    clients: Vec<WireClient<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

pub(crate) async fn handle(
    admitted: Admitted<ListClients>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let number = paging(&uri)?.number;
    let found = app::clients::list(&state.app, &admitted.0, number).await?;
    answer::json(&Answer {
        message: say(admitted.language(), "clientes del titular", "the owner's clients"),
        clients: found.entries.iter().map(WireClient::of).collect(),
        total: found.total,
        page: number.page,
        limit: number.limit,
    })
}
