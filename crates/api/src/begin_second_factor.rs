//! `POST /auth/totp`

use axum::extract::State;
use axum::response::Response;
use domain::access::BeginSecondFactor;
use domain::refusal::Code;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::{Shown, say};

request! {
    struct Password {
        password: Required<SecretKind>,
    }
}

#[derive(Serialize, JsonSchema)]
struct SecondFactorBegun<'a> {
    message: &'static str,
    /// Para quien lo escribe en un autenticador: base32, se muestra esta única vez. / For whoever types it into an
    /// authenticator: base32, shown this once.
    secret: &'a str,
    /// Lo mismo para una imagen (QR) que lee un autenticador. / The same for a picture (QR) that an authenticator
    /// reads.
    otpauth_url: &'a str,
    /// Hasta cuándo se espera el primer código. / Until when the first code is waited for.
    expires_at: Shown<Timestamp>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<BeginSecondFactor, _, _>(Method::POST, "/auth/totp", handle)
        .does(
            Group::Sessions,
            "Empieza un segundo factor de quien llama: dice el secreto para su aplicación.",
            "Begins a second factor of the caller: tells the secret for its authenticator.",
        )
        .takes::<Password>(json!({ "password": "made-up password" }))
        .answers::<SecondFactorBegun<'_>>(json!({
            "message": "segundo factor por confirmar: envíe el primer código",
            "secret": "MADEUPMADEUPMADEUPMADEUPMADEUPMA",
            "otpauth_url": "otpauth://totp/Cotejo:ana%40tienda.example?secret=MADEUPMADEUPMADEUPMADEUPMADEUPMA\
                            &issuer=Cotejo&algorithm=SHA1&digits=6&period=30",
            "expires_at": "2026-11-20T12:15:00.000Z",
        }))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<BeginSecondFactor>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let Password { password } = Password::read(&body)?;
    state.try_password(admitted.0.actor(), admitted.0.now)?;
    let begun = app::second_factor::begin(&state.app, &admitted.0, &password).await?;
    answer::json(&SecondFactorBegun {
        message: say(
            admitted.language(),
            "segundo factor por confirmar: envíe el primer código",
            "second factor to be confirmed: send the first code",
        ),
        secret: begun.secret.expose(),
        otpauth_url: begun.address.expose(),
        expires_at: Shown(begun.expires_at),
    })
}
