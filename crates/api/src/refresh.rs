//! `POST /auth/refresh`

use std::convert::Infallible;

use app::Error;
use axum::extract::State;
use axum::response::Response;
use domain::access::RefreshSession;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use serde::Deserialize;
use web::{AppState, Failure, Field, Fields, JsonBody, Uncounted};

use crate::login::signed_in;
use crate::wire::say;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    refresh_token: Field<'a>,
}

pub(crate) async fn handle(
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
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let whole = |text: &str| Ok::<_, Infallible>(SecretText::from(text));
    let token = fields.required_text("refresh_token", wire.refresh_token, whole);
    token.ok_or_else(|| fields.refusal())
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
