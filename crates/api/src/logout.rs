//! `POST /auth/logout`

use axum::extract::State;
use axum::response::Response;
use domain::access::Logout;
use web::{Admitted, AppState, Failure};

use crate::wire::{said_only, say};

pub(crate) async fn handle(
    admitted: Admitted<Logout>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    app::sessions::logout(&state.app, &admitted.0).await?;
    said_only(say(admitted.language(), "sesión cerrada", "signed out"))
}
