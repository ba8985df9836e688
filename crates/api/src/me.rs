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
use crate::wire::{WirePerson, say};

#[derive(Serialize, JsonSchema)]
struct MeAnswer<'a> {
    message: &'static str,
    user: User<'a>,
    /// Solo de una sesión: una llave no es nadie. / Of a session alone: a key is nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<WirePerson<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<Me, _, _>(Method::GET, "/me", handle)
        .does(Group::Sessions, "Dice a quien llama quién es.", "Tells the caller who it is.")
        .answers::<MeAnswer<'_>>(json!({
            "message": "usuario",
            "user": User::example(),
            "person": WirePerson::example(),
        }))
}

async fn handle(
    State(state): State<AppState>,
    Admitted(act): Admitted<Me>,
) -> Result<Response, Failure> {
    let (user, person) = app::me::show_caller(&state.app, &act).await?;
    let message = say(act.request.language, "usuario", "user");
    let person = person.as_ref().map(WirePerson::of);
    answer::json(&MeAnswer { message, user: User::of(&user), person })
}
