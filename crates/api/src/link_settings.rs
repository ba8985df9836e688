//! `GET` and `PUT /v1/payment-link-settings`

use app::links::{set_settings, show_settings};
use axum::extract::State;
use axum::response::Response;
use domain::access::{SetLinkSettings, ShowLinkSettings};
use domain::links::{ATTEMPTS_ALLOWED_MAX, LinkSettings};
use domain::refusal::{Problem, Refusal};
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::say;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(default, borrow, deserialize_with = "web::fields::even_null")]
    max_attempts: Field<'a>,
    #[serde(borrow)]
    announce_expiry: Field<'a>,
}

#[derive(Serialize)]
struct Answer {
    message: &'static str,
    max_attempts: Option<u32>,
    announce_expiry: bool,
}

pub(crate) async fn show(
    admitted: Admitted<ShowLinkSettings>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let settings = show_settings(&state.app, &admitted.0).await?;
    told(say(admitted.language(), "ajustes de los enlaces", "settings of links"), settings)
}

pub(crate) async fn set(
    admitted: Admitted<SetLinkSettings>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let settings = set_settings(&state.app, &admitted.0, parse(&body)?).await?;
    told(say(admitted.language(), "ajustes guardados", "settings kept"), settings)
}

fn told(message: &'static str, settings: LinkSettings) -> Result<Response, Failure> {
    let LinkSettings { max_attempts, announce_expiry } = settings;
    answer::json(&Answer { message, max_attempts, announce_expiry })
}

/// Both must be there, so that a slip in a name takes nothing back.
fn parse(body: &JsonBody) -> Result<LinkSettings, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let max_attempts = match wire.max_attempts {
        None => fields.problem(
            "max_attempts",
            (
                "es obligatorio: un número, o null para ningún límite",
                "is required: a number, or null for no limit",
            ),
        ),
        Some(raw) if raw.get() == "null" => None,
        given => fields.integer("max_attempts", given, (1, i64::from(ATTEMPTS_ALLOWED_MAX))),
    };
    let announce_expiry = fields.boolean("announce_expiry", wire.announce_expiry);
    if wire.announce_expiry.is_none() {
        fields.problem::<()>("announce_expiry", Problem::REQUIRED);
    }
    match announce_expiry {
        Some(announce_expiry) if fields.are_right() => {
            let max_attempts = max_attempts.and_then(|attempts| u32::try_from(attempts).ok());
            Ok(LinkSettings { max_attempts, announce_expiry })
        }
        _ => Err(fields.refusal()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_needed_and_bounded() {
        let settings = |max_attempts| LinkSettings { max_attempts, announce_expiry: true };
        let parsed = |json: &'static str| parse(&JsonBody::from(json));
        let twenty = parsed(r#"{"max_attempts": 20, "announce_expiry": true}"#);
        assert_eq!(twenty.unwrap(), settings(Some(20)));
        let endless = parsed(r#"{"max_attempts": null, "announce_expiry": true}"#);
        assert_eq!(endless.unwrap(), settings(None));
        for (json, count) in [
            ("{}", 2),
            (r#"{"announce_expiry": true}"#, 1),
            (r#"{"max_attempts": 3}"#, 1),
            (r#"{"max_attempts": 0, "announce_expiry": false}"#, 1),
            (r#"{"max_attempts": 21, "announce_expiry": "no"}"#, 2),
            (r#"{"max_attempts": 1.5, "announce_expiry": false}"#, 1),
        ] {
            let Err(Refusal::Validation(details)) = parsed(json) else { panic!("{json}") };
            assert_eq!(details.len(), count, "{json}");
        }
    }
}
