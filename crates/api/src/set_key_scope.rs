//! `PUT /v1/api-keys/{api_key_id}/scope`

use std::convert::Infallible;

use app::keys::KeyScope;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetKeyScope;
use domain::refusal::{Problem, Refusal};
use serde::Deserialize;
use web::fields::even_null;
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody};

use crate::wire::{client_id, key_id, said_of_key, say, selection, selection_texts};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(default, borrow, deserialize_with = "even_null")]
    client_owner_id: Field<'a>,
    #[serde(default, borrow, deserialize_with = "even_null")]
    user_banks: Field<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<SetKeyScope>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (id, scope) = (key_id(&id)?, parse(&body)?);
    let record = app::keys::set_scope(&state.app, &admitted.0, id, scope).await?;
    said_of_key(say(admitted.language(), "alcance guardado", "scope kept"), &record)
}

/// Both must be there, so that a slip in a name widens nothing.
fn parse(body: &JsonBody) -> Result<KeyScope, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    for (name, field) in
        [("client_owner_id", wire.client_owner_id), ("user_banks", wire.user_banks)]
    {
        if field.is_none() {
            fields.problem::<()>(name, Problem::REQUIRED);
        }
    }
    let whole = |text: &str| Ok::<_, Infallible>(text.to_owned());
    let client = fields.change("client_owner_id", wire.client_owner_id, whole).flatten();
    let banks = wire.user_banks.filter(|raw| raw.get() != "null");
    let banks = selection_texts(&mut fields, banks);
    if !fields.are_right() {
        return Err(fields.refusal());
    }
    Ok(KeyScope { client: client_id(client)?, selection: selection(&banks)? })
}

#[cfg(test)]
mod tests {
    use domain::ids::{BankId, ClientId};

    use super::*;

    fn parsed(json: &str) -> Result<KeyScope, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn null_is_no_client_and_all_accounts() {
        for json in [
            r#"{"client_owner_id": null, "user_banks": null}"#,
            r#"{"client_owner_id": null, "user_banks": []}"#,
        ] {
            let scope = parsed(json).unwrap();
            assert!(scope.client.is_none() && scope.selection.is_empty(), "{json}");
        }
        let (client, bank) = (ClientId::from_bytes([1; 16]), BankId::from_bytes([2; 16]));
        let json = format!(r#"{{"client_owner_id": "{client}", "user_banks": ["{bank}"]}}"#);
        let scope = parsed(&json).unwrap();
        assert_eq!((scope.client, scope.selection), (Some(client), vec![bank]));
    }

    #[test]
    fn what_is_missing_or_wrong_is_told_at_once() {
        for (json, count) in [
            ("{}", 2),
            (r#"{"client_owner_id": null}"#, 1),
            (r#"{"client_owner_id": 1, "user_banks": "bank"}"#, 2),
        ] {
            let Err(Refusal::Validation(details)) = parsed(json) else { panic!("{json}") };
            assert_eq!(details.len(), count, "{json}");
        }
        let unknown = r#"{"client_owner_id": "nobody", "user_banks": []}"#;
        assert_eq!(parsed(unknown).unwrap_err(), Refusal::NotFound("client"));
        let unknown = r#"{"client_owner_id": null, "user_banks": ["none"]}"#;
        assert_eq!(parsed(unknown).unwrap_err(), Refusal::AccountNotInClient);
    }
}
