//! `GET` and `PUT /v1/usersbank/{bank_id}/settings`

use app::accounts::{AccountSettings, set_settings, show_settings};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{SetAccountSettings, ShowAccountSettings};
use domain::refusal::{Problem, Refusal};
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::{bank_id, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    same_bank_by_payer: Field<'a>,
}

#[derive(Serialize)]
struct Answer {
    message: &'static str,
    same_bank_by_payer: bool,
}

pub(crate) async fn show(
    admitted: Admitted<ShowAccountSettings>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let settings = show_settings(&state.app, &admitted.0, bank_id(&id)?).await?;
    told(say(admitted.language(), "ajustes de la cuenta", "settings of the account"), settings)
}

pub(crate) async fn set(
    admitted: Admitted<SetAccountSettings>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (id, settings) = (bank_id(&id)?, parse(&body)?);
    let settings = set_settings(&state.app, &admitted.0, id, settings).await?;
    told(say(admitted.language(), "ajustes guardados", "settings kept"), settings)
}

fn told(message: &'static str, settings: AccountSettings) -> Result<Response, Failure> {
    let AccountSettings { same_bank_by_payer } = settings;
    answer::json(&Answer { message, same_bank_by_payer })
}

/// It must be there, so that a slip in its name takes nothing back.
fn parse(body: &JsonBody) -> Result<AccountSettings, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let same_bank_by_payer = fields.boolean("same_bank_by_payer", wire.same_bank_by_payer);
    if wire.same_bank_by_payer.is_none() {
        fields.problem::<()>("same_bank_by_payer", Problem::REQUIRED);
    }
    match same_bank_by_payer {
        Some(same_bank_by_payer) if fields.are_right() => {
            Ok(AccountSettings { same_bank_by_payer })
        }
        _ => Err(fields.refusal()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_said_in_so_many_words() {
        for same_bank_by_payer in [true, false] {
            let body = format!(r#"{{"same_bank_by_payer": {same_bank_by_payer}}}"#);
            let settings = AccountSettings { same_bank_by_payer };
            assert_eq!(parse(&JsonBody::from(body)), Ok(settings));
        }
        for body in ["{}", r#"{"same_bank_by_payer": null}"#, r#"{"same_bank_by_payer": "yes"}"#] {
            assert!(parse(&JsonBody::from(body)).is_err(), "{body}");
        }
    }
}
