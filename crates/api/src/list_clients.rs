//! `GET /v1/clients`

use app::paging::PageNumber;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListClients;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::wire::{WireClient, say};

#[derive(Serialize, JsonSchema)]
struct ClientsListed<'a> {
    message: &'static str,
    /// Los clientes de esta página. / The clients of this page.
    clients: Vec<WireClient<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListClients, _, _>(Method::GET, "/v1/clients", handle)
        .does(Group::Clients, "Lista los clientes del titular.", "Lists the owner's clients.")
        .query::<PageNumber>()
        .answers::<ClientsListed<'_>>(json!({
            "message": "clientes del titular",
            "clients": [WireClient::example()],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListClients>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let number = PageNumber::read(&uri)?;
    let found = app::clients::list(&state.app, &admitted.0, number).await?;
    answer::json(&ClientsListed {
        message: say(admitted.language(), "clientes del titular", "the owner's clients"),
        clients: found.entries.iter().map(WireClient::of).collect(),
        total: found.total,
        page: number.page,
        limit: number.limit,
    })
}
