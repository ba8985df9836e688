//! `POST /app/accounts/{bank_id}/client`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::MoveBankAccount;
use domain::ids::ClientId;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::{AccountsTexts, bank_id, path_of, push, show};
use crate::checkout::see;
use crate::dashboard::edits::unless_any_overtaken;
use crate::dashboard::form::{FormState, ticked};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<MoveBankAccount, _, _>("/app/accounts/{bank_id}/client", move_it)
            .takes(&["client", "client_sure"]),
    ]
}

/// The form with whose the account is.
pub(super) fn kept(client: Option<ClientId>) -> FormState {
    FormState::changing(&[("client", &client.map(|id| id.to_string()).unwrap_or_default())])
}

async fn move_it(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<MoveBankAccount>,
) -> Result<Response, NotTaken> {
    let bank = bank_id(&id)?;
    if !form.has("client") {
        // Nobody means the owner by leaving it out.
        return Err(Refusal::invalid("client", ("falta", "is missing")).into());
    }
    let client = match &*form.field("client") {
        "" => None,
        id => Some(id.parse::<ClientId>().map_err(|_| Refusal::NotFound("client"))?),
    };
    let language = signed.language();
    let moved = match ticked(&form, "client_sure") {
        Ok(()) => {
            // The account's client goes with the form, be it edited or not.
            let precondition =
                unless_any_overtaken(&form, |client: &Option<ClientId>| kept(*client));
            app::accounts::move_account(&state.app, &signed.act, bank, client, precondition).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match moved {
        Ok(moved) => {
            let Some(access) = moved.push else {
                return Ok(see(&format!("{}?saved", path_of(bank))));
            };
            // The former holder of the account knows the secret of before.
            let lines = push::lines(&access);
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let title = AccountsTexts::of(language).push_title;
            let f = Frame::of(&state.app, &signed, &uri, title).await?;
            let base_url = &state.app.settings.base_url;
            Ok(push::section(f, &lines, path_of(bank), (base_url, language)))
        }
        Err(error) => {
            let again = FormState::again(&form, error, language)?;
            Ok(show::again(&state, &signed, &uri, &id, again).await?)
        }
    }
}
