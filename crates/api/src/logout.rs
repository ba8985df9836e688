//! `POST /auth/logout`

use axum::extract::State;
use axum::response::Response;
use domain::access::Logout;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group};
use crate::wire::{MessageAnswer, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<Logout, _, _>(Method::POST, "/auth/logout", handle)
        .does(Group::Sessions, "Cierra la sesión que llama.", "Ends the session that calls.")
        .takes_nothing()
        .answers::<MessageAnswer>(json!({ "message": "sesión cerrada" }))
}

async fn handle(
    admitted: Admitted<Logout>,
    State(state): State<AppState>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    app::sessions::logout(&state.app, &admitted.0).await?;
    said_only(say(admitted.language(), "sesión cerrada", "signed out"))
}
