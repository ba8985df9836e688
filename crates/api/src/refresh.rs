//! `POST /auth/refresh`

use app::Error;
use axum::extract::State;
use axum::response::Response;
use domain::access::RefreshSession;
use domain::refusal::{Code, Refusal};
use domain::secret::SecretText;
use http::Method;
use serde_json::json;
use web::{AppState, Failure, JsonBody, Uncounted};

use crate::login::{SessionOpened, signed_in};
use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::say;

request! {
    struct RefreshToken {
        refresh_token: Required<SecretKind>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RefreshSession, _, _>(Method::POST, "/auth/refresh", handle)
        .does(
            Group::Sessions,
            "Cambia el `refresh_token` de una sesión por el siguiente, y por otro `token`.",
            "Changes a session's refresh token for the next one, and for a session token.",
        )
        .takes::<RefreshToken>(json!({ "refresh_token": "made.up.refresh-token" }))
        .answers::<SessionOpened<'_>>(SessionOpened::example("sesión renovada"))
        .refuses(&[Code::Unauthorized, Code::UserIsNotActive, Code::ClientIsNotActive])
}

async fn handle(
    Uncounted(act): Uncounted<RefreshSession>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let opened = match parse(&body) {
        Ok(token) => app::sessions::refresh(&state.app, &act, &token).await,
        Err(refusal) => Err(refusal.into()),
    };
    if matches!(opened, Err(Error::Refused(_))) {
        state.count_wrong_refresh(&act.request)?;
    }
    signed_in(say(act.request.language, "sesión renovada", "session refreshed"), &opened?)
}

fn parse(body: &JsonBody) -> Result<SecretText, Refusal> {
    RefreshToken::read(body).map(|body| body.refresh_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_needed() {
        let token = parse(&JsonBody::from(r#"{"refresh_token": "a.b.c"}"#)).unwrap();
        assert_eq!(token.expose(), "a.b.c");
        for text in ["", r#"{"refresh_token": null}"#, r#"{"refresh_token": 1}"#] {
            let Err(Refusal::Validation(details)) = parse(&JsonBody::from(text)) else {
                panic!("accepted")
            };
            assert_eq!(details[0].field, "refresh_token");
        }
    }
}
