//! `POST /auth/logout`

use axum::extract::State;
use axum::response::Response;
use domain::access::Logout;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::say;

#[derive(Serialize)]
struct Answer {
    message: &'static str,
}

pub(crate) async fn handle(
    admitted: Admitted<Logout>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    app::sessions::logout(&state.app, &admitted.0).await?;
    answer::json(&Answer { message: say(admitted.language(), "sesión cerrada", "signed out") })
}
