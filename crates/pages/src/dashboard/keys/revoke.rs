//! `POST /app/keys/{key_id}/revoke`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{RevokeKey, ShowKey};
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::show::ShowTexts;
use super::{PATH, confirmed, key_id, show};
use crate::checkout::see;
use crate::dashboard::form::FormState;
use crate::dashboard::lineage::chosen;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<RevokeKey, _, _>("/app/keys/{key_id}/revoke", revoke)
            .takes(&["revoke_name", "with_issued"])
            .labelled(|language| {
                let t = ShowTexts::of(language);
                vec![("revoke_name", t.type_name)]
            }),
    ]
}

async fn revoke(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<RevokeKey>,
) -> Result<Response, NotTaken> {
    let key = key_id(&id)?;
    let record = app::keys::show(&state.app, &signed.also::<ShowKey>()?, key).await?;
    let revoked = match confirmed(&form, "revoke_name", &record.key.name) {
        Ok(()) => app::keys::revoke(&state.app, &signed.act, key, chosen(&form)).await,
        Err(refusal) => Err(refusal.into()),
    };
    match revoked {
        Ok(_) => Ok(see(&format!("{PATH}?revoked={key}"))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::again(&state, &signed, &uri, &id, again).await?)
        }
    }
}
