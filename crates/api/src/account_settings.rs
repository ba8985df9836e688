//! `GET` and `PUT /v1/usersbank/{bank_id}/settings`

use app::accounts::{AccountSettings, AccountSettingsChange, set_settings, show_settings};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{SetAccountSettings, ShowAccountSettings};
use domain::profile::HolderName;
use domain::refusal::{Problem, Refusal};
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::link_account::holder_name;
use crate::wire::{bank_id, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    same_bank_by_payer: Field<'a>,
    #[serde(default, borrow, deserialize_with = "web::fields::even_null")]
    holder_name: Field<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    same_bank_by_payer: bool,
    holder_name: Option<&'a str>,
}

pub(crate) async fn show(
    admitted: Admitted<ShowAccountSettings>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let settings = show_settings(&state.app, &admitted.0, bank_id(&id)?).await?;
    told(say(admitted.language(), "ajustes de la cuenta", "settings of the account"), &settings)
}

pub(crate) async fn set(
    admitted: Admitted<SetAccountSettings>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (id, change) = (bank_id(&id)?, parse(&body)?);
    let settings = set_settings(&state.app, &admitted.0, id, change).await?;
    told(say(admitted.language(), "ajustes guardados", "settings kept"), &settings)
}

fn told(message: &'static str, settings: &AccountSettings) -> Result<Response, Failure> {
    let AccountSettings { same_bank_by_payer, holder } = settings;
    let holder_name = holder.as_ref().map(HolderName::as_str);
    answer::json(&Answer { message, same_bank_by_payer: *same_bank_by_payer, holder_name })
}

/// Something must be named, so that a slip in a name is not taken for a change.
fn parse(body: &JsonBody) -> Result<AccountSettingsChange, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let holder = fields.change("holder_name", wire.holder_name, holder_name);
    let change = AccountSettingsChange {
        same_bank_by_payer: fields.boolean("same_bank_by_payer", wire.same_bank_by_payer),
        holder: holder.map(Option::flatten),
    };
    if change == AccountSettingsChange::default() && fields.are_right() {
        let problem = Problem::made(
            "nombre alguno de: same_bank_by_payer, holder_name".to_owned(),
            "must name one of: same_bank_by_payer, holder_name".to_owned(),
        );
        fields.problem::<()>("body", problem);
    }
    if fields.are_right() { Ok(change) } else { Err(fields.refusal()) }
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
            r#"{"holder_name": 7}"#,
            r#"{"holder_name": "Tienda\u202e"}"#,
            &long,
        ] {
            assert!(parsed(body).is_err(), "{body}");
        }
    }
}
