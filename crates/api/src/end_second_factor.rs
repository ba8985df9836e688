//! `DELETE /auth/totp`

use axum::extract::State;
use axum::response::Response;
use domain::access::EndSecondFactor;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group};
use crate::wire::{MessageAnswer, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    let message = "segundo factor terminado: sus otras sesiones se cerraron";
    Endpoint::strict::<EndSecondFactor, _, _>(Method::DELETE, "/auth/totp", handle)
        .does(
            Group::Sessions,
            "Termina el segundo factor de quien llama y cierra sus otras sesiones.",
            "Ends the caller's second factor and its other sessions.",
        )
        .takes_nothing()
        .answers::<MessageAnswer>(json!({ "message": message }))
}

async fn handle(
    admitted: Admitted<EndSecondFactor>,
    State(state): State<AppState>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    app::second_factor::end(&state.app, &admitted.0).await?;
    said_only(say(
        admitted.language(),
        "segundo factor terminado: sus otras sesiones se cerraron",
        "second factor ended: your other sessions are over",
    ))
}
