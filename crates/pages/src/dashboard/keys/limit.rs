//! `POST /app/keys/{key_id}/limit`

use app::Error;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::SetCreditLimit;
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::{key_id, path_of, show};
use crate::checkout::see;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, status};
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<SetCreditLimit, _, _>("/app/keys/{key_id}/limit", set)]
}

async fn set(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<SetCreditLimit>,
) -> Result<Response, NotTaken> {
    let key = key_id(&id)?;
    let mut fields = FormFields::of(&form);
    let limit = fields.credits("limit");
    let set = match fields.made(Some(limit)) {
        Ok(limit) => app::credit_limits::set(&state.app, &signed.act, key, limit).await,
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(_) => Ok(see(&format!("{}?saved", path_of(key)))),
        Err(Error::Refused(refusal)) => {
            let again = FormState::refused(&form, &refusal, signed.language());
            Ok(show::again(&state, &signed, &uri, &id, (again, status(&refusal))).await?)
        }
        Err(error) => Err(error.into()),
    }
}
