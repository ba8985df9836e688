//! `POST /auth/login`

use std::convert::Infallible;

use app::Error;
use app::sessions::Opened;
use axum::extract::State;
use axum::response::Response;
use domain::access::Login;
use domain::ids::OwnerId;
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use web::{AppState, Failure, Field, Fields, JsonBody, Uncounted, answer};

use crate::wire::{Shown, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    email: Field<'a>,
    #[serde(borrow)]
    password: Field<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    token: &'a str,
    refresh_token: &'a str,
    expires_at: Shown<Timestamp>,
    user: User<'a>,
}

/// Whom the caller works for, as `GET /me` and this operation show it: the owner, or to a client's callers the client. Plans
/// are not told to these, and neither are credits.
#[derive(Serialize)]
pub(crate) struct User<'a> {
    id: Shown<OwnerId>,
    username: Option<&'a str>,
    email: Option<&'a str>,
    full_name: &'a str,
    company_name: &'a str,
    #[serde(flatten)]
    standing: Option<Standing>,
    is_demo: bool,
    user_type: &'static str,
}

#[derive(Serialize)]
struct Standing {
    credits: i64,
    plan_id: Option<&'static str>,
    plan_is_active: bool,
}

impl<'a> User<'a> {
    pub(crate) fn of(user: &'a app::me::User) -> Self {
        let credits = user.credits.map(Credits::get);
        let standing =
            credits.map(|credits| Standing { credits, plan_id: None, plan_is_active: true });
        Self {
            id: Shown(user.id),
            username: user.email.as_deref(),
            email: user.email.as_deref(),
            full_name: &user.name,
            company_name: &user.name,
            standing,
            is_demo: false,
            user_type: "commerce",
        }
    }
}

pub(crate) async fn handle(
    Uncounted(act): Uncounted<Login>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let parsed = parse(&body);
    let email = parsed.as_ref().ok().map(|(email, _)| email.as_str());
    let sign_in = state.begin_sign_in(&act.request, email)?;
    let (email, password) = parsed?;
    let opened = app::sessions::login(&state.app, &act, &email, password).await;
    if let Some(sign_in) = sign_in {
        let is_wrong = matches!(opened, Err(Error::Refused(Refusal::LoginFailed)));
        state.end_sign_in(sign_in, is_wrong, act.now);
    }
    signed_in(say(act.request.language, "sesión iniciada", "signed in"), &opened?)
}

/// The answer that hands the tokens of a session over.
pub(crate) fn signed_in(message: &'static str, opened: &Opened) -> Result<Response, Failure> {
    answer::json(&Answer {
        message,
        token: opened.token.expose(),
        refresh_token: opened.refresh_token.expose(),
        expires_at: Shown(opened.expires_at),
        user: User::of(&opened.user),
    })
}

fn parse(body: &JsonBody) -> Result<(String, SecretText), Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let whole = |text: &str| Ok::<_, Infallible>(text.to_owned());
    let email = fields.required_text("email", wire.email, whole);
    let password = fields.required_text("password", wire.password, whole).map(SecretText::new);
    match (email, password) {
        (Some(email), Some(password)) => Ok((email, password)),
        _ => Err(fields.refusal()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_fields_are_needed() {
        let body = JsonBody::from(r#"{"email": "a@b.c", "password": "x", "code": null}"#);
        let (email, password) = parse(&body).unwrap();
        assert_eq!((email.as_str(), password.expose()), ("a@b.c", "x"));
        let Err(Refusal::Validation(details)) = parse(&JsonBody::from("")) else {
            panic!("accepted")
        };
        assert_eq!(details.len(), 2);
    }

    #[test]
    fn a_clients_caller_is_told_of_no_credits_and_no_plan() {
        let mut user = app::me::User {
            id: OwnerId::from_bytes([1; 16]),
            email: Some("a@b.c".to_owned()),
            name: "Ana".to_owned(),
            credits: Some(Credits::new(7)),
        };
        let told = serde_json::to_value(User::of(&user)).unwrap();
        assert_eq!(told["credits"], 7);
        assert_eq!(told["plan_id"], serde_json::Value::Null);
        assert_eq!(told["user_type"], "commerce");
        user.credits = None;
        let told = serde_json::to_value(User::of(&user)).unwrap();
        for absent in ["credits", "plan_id", "plan_is_active"] {
            assert!(told.get(absent).is_none(), "{absent}");
        }
    }
}
