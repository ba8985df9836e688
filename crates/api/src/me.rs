//! `GET /me`

use axum::extract::State;
use axum::response::Response;
use domain::access::Me;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::login::User;
use crate::wire::say;

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    user: User<'a>,
}

pub(crate) async fn handle(
    State(state): State<AppState>,
    Admitted(act): Admitted<Me>,
) -> Result<Response, Failure> {
    let user = app::me::show(&state.app, &act).await?;
    let message = say(act.request.language, "usuario", "user");
    answer::json(&Answer { message, user: User::of(&user) })
}
