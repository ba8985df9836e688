//! `POST /app/accounts/{bank_id}/settings`

use app::accounts::{AccountSettings, AccountSettingsChange, set_settings};
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
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<SetAccountSettings, _, _>("/app/accounts/{bank_id}/settings", set)
            .takes(&["holder_name", "same_bank_by_payer", "short_references"])
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
        Ok(change) => {
            let precondition = unless_overtaken(&form, kept);
            set_settings(&state.app, &signed.act, bank, change, precondition).await
        }
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

/// The form with what is kept.
pub(super) fn kept(settings: &AccountSettings) -> FormState {
    FormState::changing(&[
        ("holder_name", settings.holder.as_ref().map_or("", |name| name.as_str())),
        ("same_bank_by_payer", if settings.same_bank_by_payer { "yes" } else { "" }),
        ("short_references", if settings.short_references { "yes" } else { "" }),
    ])
}

/// Reads what the form changes: what it does not show stays.
fn read(form: &FormBody) -> Result<AccountSettingsChange, Refusal> {
    let mut fields = FormFields::of(form);
    let holder =
        fields.edited("holder_name", |fields, name| fields.optional(name, HolderName::parse));
    let same_bank_by_payer =
        fields.edited("same_bank_by_payer", |_, name| !form.fields(name).is_empty());
    let short_references =
        fields.edited("short_references", |_, name| !form.fields(name).is_empty());
    fields.made(Some(AccountSettingsChange { same_bank_by_payer, short_references, holder }))
}
