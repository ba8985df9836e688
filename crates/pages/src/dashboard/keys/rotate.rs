//! `POST /app/keys/{key_id}/rotate`

use app::Error;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{RotateKey, ShowKey};
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::{KeysTexts, confirmed, issued, key_id, show};
use crate::dashboard::form::{FormState, status};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<RotateKey, _, _>("/app/keys/{key_id}/rotate", rotate)]
}

async fn rotate(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<RotateKey>,
) -> Result<Response, NotTaken> {
    let language = signed.language();
    let key = key_id(&id)?;
    let record = app::keys::show(&state.app, &signed.also::<ShowKey>()?, key).await?;
    let rotated = match confirmed(&form, "rotate_name", &record.key.name) {
        Ok(()) => app::keys::rotate(&state.app, &signed.act, key, form.slot(&signed.act)).await,
        Err(refusal) => Err(refusal.into()),
    };
    match rotated {
        Ok(made) => {
            let f = Frame::of(&state.app, &signed, &uri, KeysTexts::of(language).issued_title);
            Ok(issued(f.await?, &made, language))
        }
        Err(Error::Refused(refusal)) => {
            let again = FormState::refused(&form, &refusal, language);
            Ok(show::again(&state, &signed, &uri, &id, (again, status(&refusal))).await?)
        }
        Err(error) => Err(error.into()),
    }
}
