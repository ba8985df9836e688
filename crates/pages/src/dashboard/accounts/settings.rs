//! `POST /app/accounts/{bank_id}/settings`

use app::accounts::{AccountSettingsChange, set_settings};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetAccountSettings;
use domain::profile::HolderName;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::show::ShowTexts;
use super::{bank_id, path_of, show};
use crate::checkout::see;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<SetAccountSettings, _, _>("/app/accounts/{bank_id}/settings", set)
            .labelled(|language| {
                let t = ShowTexts::of(language);
                vec![("holder_name", t.holder)]
            }),
    ]
}

async fn set(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<SetAccountSettings>,
) -> Result<Response, NotTaken> {
    let bank = bank_id(&id)?;
    let set = match read(&form) {
        Ok(change) => set_settings(&state.app, &signed.act, bank, change).await,
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{}?saved", path_of(bank)))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::again(&state, &signed, &uri, &id, again).await?)
        }
    }
}

/// What the form changes: what it does not show stays.
fn read(form: &FormBody) -> Result<AccountSettingsChange, Refusal> {
    let mut fields = FormFields::of(form);
    let holder = fields.optional("holder_name", HolderName::parse);
    let change = AccountSettingsChange {
        // A box that is not ticked is not sent; the blank field before it says that there is one.
        same_bank_by_payer: form
            .has("same_bank_by_payer")
            .then(|| !form.fields("same_bank_by_payer").is_empty()),
        holder: form.has("holder_name").then_some(holder),
    };
    fields.made(Some(change))
}
