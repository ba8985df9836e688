//! `POST /app/accounts/{bank_id}/secret`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeBankSecret;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::typed::seen;
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::{bank_id, path_of, show};
use crate::checkout::see;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<ChangeBankSecret, _, _>("/app/accounts/{bank_id}/secret", change)
            .takes(&["secret"]),
    ]
}

async fn change(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<ChangeBankSecret>,
) -> Result<Response, NotTaken> {
    let (bank, act) = (bank_id(&id)?, &signed.act);
    let secret = form.secret("secret");
    let secret = SecretText::from(&*seen(secret.expose()));
    let changed = if secret.expose().is_empty() {
        Err(Refusal::invalid("secret", ("falta", "is missing")).into())
    } else {
        state.try_bank(act.owner(), act.now)?;
        app::accounts::change_secret(&state.app, act, bank, secret).await
    };
    match changed {
        Ok(()) => Ok(see(&format!("{}?saved", path_of(bank)))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::again(&state, &signed, &uri, &id, again).await?)
        }
    }
}
