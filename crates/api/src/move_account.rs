//! `PUT /v1/usersbank/{bank_id}/client`

use app::Precondition;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::MoveBankAccount;
use domain::ids::ClientId;
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, NullOr, Request, TextOf, beside, record_of, request};
use crate::wire::{WireBank, WirePush, bank_id, client_id, say};

request! {
    /// It must be there, so that a slip in its name takes no account away.
    struct NewClientOfAccount {
        /// `null` es el titular mismo. / `null` is the owner itself.
        client_owner_id: NullOr<TextOf<ClientId>>,
    }
}

#[derive(Serialize, JsonSchema)]
struct AccountMoved<'a> {
    message: &'static str,
    user_bank: WireBank<'a>,
    /// Lo que el banco necesita desde ahora para avisar de los pagos; `null` donde no avisa, o nada cambió. / What the
    /// bank needs from now on to tell of payments; `null` where it does not tell, or nothing changed.
    push: Option<WirePush<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<MoveBankAccount, _, _>(Method::PUT, "/v1/usersbank/{bank_id}/client", handle)
        .does(
            Group::Clients,
            "Mueve una cuenta bancaria a un cliente, o de vuelta al titular.",
            "Moves a bank account to a client, or back to the owner.",
        )
        .takes::<NewClientOfAccount>(json!({ "client_owner_id": "cli_00000000000000000000000001" }))
        .answers::<AccountMoved<'_>>(
            json!({ "message": "cuenta movida", "user_bank": WireBank::example(), "push": null }),
        )
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<MoveBankAccount>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (act, id) = (&admitted.0, bank_id(&id)?);
    let show = async {
        let accounts = app::accounts::list(&state.app, &admitted.also()?).await?;
        let account = accounts.iter().find(|linked| linked.account.id == id);
        record_of(&account.map(|account| WireBank::of(account, act.caller())))
    };
    let client = parse(&beside::<NewClientOfAccount>(body, show).await?)?;
    let moved =
        app::accounts::move_account(&state.app, act, id, client, Precondition::none()).await?;
    answer::json(&AccountMoved {
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

fn parse(body: &JsonBody) -> Result<Option<ClientId>, Refusal> {
    client_id(NewClientOfAccount::read(body)?.client_owner_id)
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
