//! `PUT /v1/usersbank/{bank_id}/client`

use std::convert::Infallible;

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::MoveBankAccount;
use domain::ids::ClientId;
use domain::language::Language;
use domain::refusal::{Problem, Refusal};
use serde::{Deserialize, Serialize};
use web::fields::even_null;
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::{WireBank, WirePush, bank_id, client_id, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(default, borrow, deserialize_with = "even_null")]
    client_owner_id: Field<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    user_bank: WireBank<'a>,
    push: Option<WirePush<'a>>,
}

pub(crate) async fn handle(
    admitted: Admitted<MoveBankAccount>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (act, id, client) = (&admitted.0, bank_id(&id)?, parse(&body)?);
    let moved = app::accounts::move_account(&state.app, act, id, client).await?;
    answer::json(&Answer {
        message: message(admitted.language(), moved.push.is_some()),
        user_bank: WireBank::of(&moved.linked, act.caller()),
        push: moved.push.as_ref().map(WirePush::of),
    })
}

fn message(language: Language, has_new_secret: bool) -> &'static str {
    if has_new_secret {
        say(
            language,
            "cuenta movida: guarde este secreto ahora y déselo al banco; el anterior ya no sirve",
            "account moved: keep this secret now and give it to the bank; the former one is over",
        )
    } else {
        say(language, "cuenta movida", "account moved")
    }
}

/// It must be there, so that a slip in its name takes no account away.
fn parse(body: &JsonBody) -> Result<Option<ClientId>, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    if wire.client_owner_id.is_none() {
        fields.problem::<()>("client_owner_id", Problem::REQUIRED);
    }
    let whole = |text: &str| Ok::<_, Infallible>(text.to_owned());
    let client = fields.change("client_owner_id", wire.client_owner_id, whole).flatten();
    if fields.are_right() { client_id(client) } else { Err(fields.refusal()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Result<Option<ClientId>, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn the_client_is_named_or_null() {
        let client = ClientId::from_bytes([1; 16]);
        let named = format!(r#"{{"client_owner_id": "{client}"}}"#);
        assert_eq!(parsed(&named), Ok(Some(client)));
        assert_eq!(parsed(r#"{"client_owner_id": null}"#), Ok(None));
        let unknown = parsed(r#"{"client_owner_id": "somebody"}"#);
        assert_eq!(unknown, Err(Refusal::NotFound("client")));
        for json in ["{}", r#"{"client_id": null}"#, r#"{"client_owner_id": 7}"#] {
            assert!(matches!(parsed(json), Err(Refusal::Validation(_))), "{json}");
        }
    }
}
