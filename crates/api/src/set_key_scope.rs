//! `PUT /v1/api-keys/{api_key_id}/scope`

use app::Precondition;
use app::keys::KeyScope;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetKeyScope;
use domain::ids::{BankId, ClientId};
use domain::refusal::{Code, Refusal};
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Endpoint, Group, List, NullOr, Request, TextOf, beside, request, shown};
use crate::show_key;
use crate::wire::{
    KeyAnswer, SELECTION_MAX, WireKey, client_id, key_id, said_of_key, say, selection,
};

request! {
    /// Both must be there, so that a slip in a name widens nothing.
    struct NewScope {
        /// El cliente al que se ata la llave; `null` es ninguno. / The client that the key is bound to; `null` is none.
        client_owner_id: NullOr<TextOf<ClientId>>,
        /// Las cuentas bancarias a las que se limita la llave; `null` o ninguna es todo su ámbito. / The bank accounts
        /// that the key is limited to; `null` or none is all of its scope.
        user_banks: NullOr<List<TextOf<BankId>, SELECTION_MAX>>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<SetKeyScope, _, _>(Method::PUT, "/v1/api-keys/{api_key_id}/scope", handle)
        .does(
            Group::Keys,
            "Cambia el cliente y las cuentas a los que una llave se limita.",
            "Replaces the client and the accounts that a key is bound and limited to.",
        )
        .takes::<NewScope>(
            json!({ "client_owner_id": null, "user_banks": ["bank_00000000000000000000000001"] }),
        )
        .set_elsewhere(&[
            ("permissions", &["PATCH /v1/api-keys/{api_key_id}"]),
            ("monthly_credit_limit", &["PUT /v1/api-keys/{api_key_id}/credit-limit"]),
        ])
        .moving(&["last_used_at", "last_used_from"])
        .answers::<KeyAnswer<'_>>(
            json!({ "message": "alcance guardado", "api_key": WireKey::example() }),
        )
        .refuses(&[Code::AccountNotInClient, Code::DefaultKeyScopeFixed])
}

async fn handle(
    admitted: Admitted<SetKeyScope>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let show = async {
        let shows = Admitted(admitted.also()?);
        shown(show_key::handle(shows, State(state.clone()), Path(id.clone())), "/api_key").await
    };
    let body = beside::<NewScope>(body, show).await?;
    let (id, scope) = (key_id(&id)?, parse(&body)?);
    let record =
        app::keys::set_scope(&state.app, &admitted.0, id, scope, Precondition::none()).await?;
    said_of_key(say(admitted.language(), "alcance guardado", "scope kept"), &record)
}

fn parse(body: &JsonBody) -> Result<KeyScope, Refusal> {
    let NewScope { client_owner_id, user_banks } = NewScope::read(body)?;
    let client = client_id(client_owner_id)?;
    Ok(KeyScope { client, selection: selection(&user_banks.unwrap_or_default())? })
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
    fn what_is_missing_or_wrong_is_reported_at_once() {
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
