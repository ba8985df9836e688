//! `POST /app/accounts/{bank_id}/trash`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::TrashBankAccount;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::show::ShowTexts;
use super::{PATH, bank_id, show};
use crate::checkout::see;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<TrashBankAccount, _, _>("/app/accounts/{bank_id}/trash", trash)
            .takes(&["trash_name"])
            .labelled(|language| {
                let t = ShowTexts::of(language);
                vec![("trash_name", t.trash_confirm)]
            }),
    ]
}

async fn trash(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<TrashBankAccount>,
) -> Result<Response, NotTaken> {
    let linked = show::find(&state, &signed, &id).await?;
    let trashed = if form.field("trash_name") == linked.account.description {
        app::accounts::trash(&state.app, &signed.act, bank_id(&id)?).await
    } else {
        let problem = ("no es el nombre de la cuenta", "is not the account's name");
        Err(Refusal::invalid("trash_name", problem).into())
    };
    match trashed {
        Ok(()) => Ok(see(PATH)),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::again(&state, &signed, &uri, &id, again).await?)
        }
    }
}
