//! `GET` and `PUT /v1/usersbank/{bank_id}/settings`

use app::Precondition;
use app::accounts::{AccountSettings, AccountSettingsChange, set_settings, show_settings};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{SetAccountSettings, ShowAccountSettings};
use domain::profile::HolderName;
use domain::refusal::{Problem, Refusal};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, LooseChange, Optional, Request, beside, request, shown};
use crate::wire::{bank_id, say};

const PATH: &str = "/v1/usersbank/{bank_id}/settings";

request! {
    /// Something must be named, so that a slip in a name is not taken for a change.
    struct AccountChoices {
        /// Si los pagos entre dos clientes de un mismo banco se pueden encontrar por pagador, monto y día. / Whether
        /// payments between two customers of one bank may be found by payer, amount and day.
        same_bank_by_payer: Optional<bool>,
        /// Si cuatro o cinco dígitos de una referencia bastan junto con el monto. / Whether four or five digits of a
        /// reference do together with an amount.
        short_references: Optional<bool>,
        /// El nombre que ven los pagadores; `null` lo quita. / The name that payers see; `null` takes it away.
        holder_name: LooseChange<HolderName>,
    }
}

#[derive(Serialize, JsonSchema)]
struct AccountSettingsAnswer<'a> {
    message: &'static str,
    /// Si los pagos entre dos clientes de un mismo banco se pueden encontrar por pagador, monto y día. / Whether
    /// payments between two customers of one bank may be found by payer, amount and day.
    same_bank_by_payer: bool,
    /// Si cuatro o cinco dígitos de una referencia bastan junto con el monto. / Whether four or five digits of a
    /// reference do together with an amount.
    short_references: bool,
    /// El nombre que ven los pagadores; `null` donde no se dijo ninguno. / The name that payers see; `null` where none
    /// was said.
    holder_name: Option<&'a str>,
}

pub(crate) fn show_endpoint() -> Endpoint {
    Endpoint::strict::<ShowAccountSettings, _, _>(Method::GET, PATH, show)
        .does(
            Group::Accounts,
            "Muestra lo que el titular eligió para una cuenta bancaria.",
            "Shows what the owner has chosen for a bank account.",
        )
        .answers::<AccountSettingsAnswer<'_>>(example("ajustes de la cuenta"))
}

async fn show(
    admitted: Admitted<ShowAccountSettings>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let settings = show_settings(&state.app, &admitted.0, bank_id(&id)?).await?;
    answer_of(
        say(admitted.language(), "ajustes de la cuenta", "settings of the account"),
        &settings,
    )
}

pub(crate) fn set_endpoint() -> Endpoint {
    Endpoint::strict::<SetAccountSettings, _, _>(Method::PUT, PATH, set)
        .does(Group::Accounts, "Elige cómo se pueden confirmar los pagos a una cuenta, y el nombre que ven los pagadores; lo que no se nombra queda.", "Chooses how payments to a bank account may be confirmed, and the name that payers see; what is not named stays.")
        .takes::<AccountChoices>(json!({ "same_bank_by_payer": true, "short_references": false, "holder_name": "Tienda Ejemplo, C.A." }))
        .answers::<AccountSettingsAnswer<'_>>(example("ajustes guardados"))
}

async fn set(
    admitted: Admitted<SetAccountSettings>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let shows = async {
        let shows = Admitted(admitted.also()?);
        shown(show(shows, State(state.clone()), Path(id.clone())), "").await
    };
    let body = beside::<AccountChoices>(body, shows).await?;
    let (id, change) = (bank_id(&id)?, parse(&body)?);
    let settings = set_settings(&state.app, &admitted.0, id, change, Precondition::none()).await?;
    answer_of(say(admitted.language(), "ajustes guardados", "settings kept"), &settings)
}

fn answer_of(message: &'static str, settings: &AccountSettings) -> Result<Response, Failure> {
    let AccountSettings { same_bank_by_payer, short_references, holder } = settings;
    let holder_name = holder.as_ref().map(HolderName::as_str);
    answer::json(&AccountSettingsAnswer {
        message,
        same_bank_by_payer: *same_bank_by_payer,
        short_references: *short_references,
        holder_name,
    })
}

fn parse(body: &JsonBody) -> Result<AccountSettingsChange, Refusal> {
    let AccountChoices { same_bank_by_payer, short_references, holder_name } =
        AccountChoices::read(body)?;
    let change =
        AccountSettingsChange { same_bank_by_payer, short_references, holder: holder_name };
    if change == AccountSettingsChange::default() {
        return Err(Refusal::invalid("body", Problem::nothing_named(AccountChoices::NAMES)));
    }
    Ok(change)
}

fn example(message: &str) -> Value {
    json!({
        "message": message,
        "same_bank_by_payer": true,
        "short_references": false,
        "holder_name": "Tienda Ejemplo, C.A.",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_stays_and_what_is_said_is_said_in_so_many_words() {
        let parsed = |body: &str| parse(&JsonBody::from(body.to_owned()));
        for same_bank_by_payer in [true, false] {
            let change = AccountSettingsChange {
                same_bank_by_payer: Some(same_bank_by_payer),
                ..AccountSettingsChange::default()
            };
            let body = format!(r#"{{"same_bank_by_payer": {same_bank_by_payer}}}"#);
            assert_eq!(parsed(&body), Ok(change));
        }
        let short = AccountSettingsChange {
            short_references: Some(true),
            ..AccountSettingsChange::default()
        };
        assert_eq!(parsed(r#"{"short_references": true}"#), Ok(short));
        let named = |holder| AccountSettingsChange {
            holder: Some(holder),
            ..AccountSettingsChange::default()
        };
        let shop = HolderName::parse("Tienda Ejemplo, C.A.").ok();
        assert_eq!(parsed(r#"{"holder_name": "Tienda Ejemplo, C.A."}"#), Ok(named(shop)));
        for nothing in ["null", r#""""#, r#"" ""#] {
            let body = format!(r#"{{"holder_name": {nothing}}}"#);
            assert_eq!(parsed(&body), Ok(named(None)), "{body}");
        }
        let long = format!(r#"{{"holder_name": "{}"}}"#, "a".repeat(101));
        for body in [
            "{}",
            r#"{"same_bank": true}"#,
            r#"{"same_bank_by_payer": null}"#,
            r#"{"same_bank_by_payer": "yes"}"#,
            r#"{"short_references": null}"#,
            r#"{"short_references": 4}"#,
            r#"{"holder_name": 7}"#,
            r#"{"holder_name": "Tienda\u0007e"}"#,
            &long,
        ] {
            assert!(parsed(body).is_err(), "{body}");
        }
    }
}
