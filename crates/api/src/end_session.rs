//! `DELETE /auth/sessions/{session_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::EndSession;
use domain::refusal::Refusal;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group};
use crate::wire::{MessageAnswer, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<EndSession, _, _>(Method::DELETE, "/auth/sessions/{session_id}", handle)
        .does(
            Group::Sessions,
            "Cierra una de las sesiones que se listan: sus tokens ya no abren nada.",
            "Ends one of the sessions that are listed: its tokens open nothing any more.",
        )
        .takes_nothing()
        .answers::<MessageAnswer>(json!({ "message": "sesión cerrada" }))
}

async fn handle(
    admitted: Admitted<EndSession>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("session"))?;
    app::sessions::end(&state.app, &admitted.0, id).await?;
    said_only(say(admitted.language(), "sesión cerrada", "session ended"))
}
