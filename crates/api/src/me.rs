//! `GET /me`

use axum::extract::State;
use axum::response::Response;
use domain::access::Me;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::login::User;
use crate::operation::{Endpoint, Group};
use crate::wire::say;

#[derive(Serialize, JsonSchema)]
struct MeAnswer<'a> {
    message: &'static str,
    user: User<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<Me, _, _>(Method::GET, "/me", handle)
        .does(Group::Sessions, "Dice a quien llama quién es.", "Tells the caller who it is.")
        .answers::<MeAnswer<'_>>(json!({ "message": "usuario", "user": User::example() }))
}

async fn handle(
    State(state): State<AppState>,
    Admitted(act): Admitted<Me>,
) -> Result<Response, Failure> {
    let user = app::me::show(&state.app, &act).await?;
    let message = say(act.request.language, "usuario", "user");
    answer::json(&MeAnswer { message, user: User::of(&user) })
}
