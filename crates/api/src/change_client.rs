//! `PATCH /v1/clients/{client_id}`

use app::clients::{ClientChange, ClientName};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeClient;
use domain::refusal::{Code, Refusal};
use domain::text::EmailAddress;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Endpoint, Group, LooseChange, Optional, Request, beside, request, shown};
use crate::show_client;
use crate::wire::{ClientAnswer, DniChange, client_in_path, said_of_client, say};

request! {
    struct ClientChanges {
        name: Optional<ClientName>,
        /// `null` lo quita. / `null` takes it away.
        email: LooseChange<EmailAddress>,
        /// `null` lo quita. / `null` takes it away.
        document: DniChange,
        /// Sin él terminan las sesiones de su gente y sus llaves no abren nada. Solo el titular lo activa otra vez. / Without
        /// it the sessions of its people are over and its keys open nothing. Only the owner switches it on again.
        is_active: Optional<bool>,
        /// Si sus llaves pueden verificar pagos y crear enlaces. Solo el titular lo habilita. / Whether its keys may verify
        /// payments and make links. Only the owner enables it.
        payments_enabled: Optional<bool>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ChangeClient, _, _>(Method::PATCH, "/v1/clients/{client_id}", handle)
        .does(
            Group::Clients,
            "Cambia un cliente; lo que no se nombra queda.",
            "Changes a client; what is not named stays.",
        )
        .takes::<ClientChanges>(json!({ "name": "Sucursal Centro", "email": null }))
        .set_elsewhere(&[
            ("monthly_credit_limit", &["PUT /v1/clients/{client_id}/credit-limit"]),
            ("user_banks", &["PUT /v1/usersbank/{bank_id}/client"]),
        ])
        .moving(&["usage"])
        .answers::<ClientAnswer<'_>>(ClientAnswer::example("cliente cambiado"))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<ChangeClient>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let show = async {
        let shows = Admitted(admitted.also()?);
        shown(show_client::handle(shows, State(state.clone()), Path(id.clone())), "/client").await
    };
    let body = beside::<ClientChanges>(body, show).await?;
    let (id, change) = (client_in_path(&id)?, parse(&body)?);
    let record = app::clients::change(&state.app, &admitted.0, id, change).await?;
    said_of_client(say(admitted.language(), "cliente cambiado", "client changed"), &record)
}

fn parse(body: &JsonBody) -> Result<ClientChange, Refusal> {
    let ClientChanges { name, email, document, is_active, payments_enabled } =
        ClientChanges::read(body)?;
    Ok(ClientChange { name, email, document, is_active, payments_enabled })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Result<ClientChange, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn what_is_not_named_stays_and_null_takes_away() {
        let nothing = parsed(r#"{"name": null, "is_active": null, "payments_enabled": null}"#);
        let nothing = nothing.unwrap();
        assert!(nothing.name.is_none() && nothing.email.is_none() && nothing.document.is_none());
        assert!(nothing.is_active.is_none() && nothing.payments_enabled.is_none());
        for json in [r#"{"email": null, "document": null}"#, r#"{"email": "", "document": ""}"#] {
            let change = parsed(json).unwrap();
            assert!(change.email == Some(None) && change.document == Some(None), "{json}");
        }
        let change = parsed(
            r#"{"name": "B", "email": "A@b.example", "document": "j-12", "is_active": false,
                "payments_enabled": true}"#,
        );
        let change = change.unwrap();
        assert_eq!(change.email.unwrap().unwrap().as_str(), "a@b.example");
        assert_eq!(change.document.unwrap().unwrap().to_string(), "J12");
        assert_eq!((change.is_active, change.payments_enabled), (Some(false), Some(true)));
    }

    #[test]
    fn every_wrong_field_is_reported() {
        let wrong =
            r#"{"name": "", "email": 7, "document": [], "is_active": "no", "payments_enabled": 0}"#;
        let Err(Refusal::Validation(details)) = parsed(wrong) else { panic!("accepted") };
        assert_eq!(details.len(), 5);
    }
}
