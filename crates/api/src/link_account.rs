//! `POST /usersbank`

use app::accounts::{Description, LinkRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::LinkBankAccount;
use domain::refusal::Refusal;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::{WireBank, say};

/// What the sandbox does not need, such as credentials, is not looked at.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    user_id: Field<'a>,
    #[serde(borrow)]
    bank_provider: Field<'a>,
    #[serde(borrow)]
    description: Field<'a>,
}

/// The bank under both of its names.
#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    userbank: &'a WireBank<'a>,
    usersbank: &'a WireBank<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<LinkBankAccount>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let request = parse(&body)?;
    let linked = app::accounts::link(&state.app, &admitted.0, request).await?;
    let bank = WireBank::of(&linked);
    let message = say(admitted.language(), "cuenta vinculada", "account linked");
    answer::json(&Answer { message, userbank: &bank, usersbank: &bank })
}

fn parse(body: &JsonBody) -> Result<LinkRequest, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let whole = |text: &str| Ok::<_, &str>(text.to_owned());
    let user_id = fields.text("user_id", wire.user_id, whole);
    let provider = fields.required_text("bank_provider", wire.bank_provider, whole);
    let description = fields.text("description", wire.description, Description::parse);
    match provider {
        Some(provider) if fields.are_right() => Ok(LinkRequest { user_id, provider, description }),
        _ => Err(fields.refusal()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_needs_little() {
        let body = JsonBody::from(r#"{"bank_provider": "BANK_TEST", "user_bank_phone": {}}"#);
        let request = parse(&body).unwrap();
        assert_eq!(request.provider, "BANK_TEST");
        assert_eq!((request.user_id, request.description), (None, None));
    }

    #[test]
    fn problems_are_told_by_field() {
        let body = JsonBody::from(r#"{"user_id": 1, "description": []}"#);
        let Err(Refusal::Validation(details)) = parse(&body) else { panic!("accepted") };
        let fields: Vec<&str> = details.iter().map(|detail| detail.field.as_str()).collect();
        assert_eq!(fields, ["user_id", "bank_provider", "description"]);
    }
}
