//! `POST /app/keys/{key_id}/rotate` and `POST /app/keys/default/rotate`

use app::Error;
use app::keys::{Issued, KeyRecord};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{Guarded, ListMyKeys, RotateDefaultKey, RotateKey, ShowKey};
use domain::ids::KeyId;
use domain::language::Language;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted, Signed};

use super::show::ShowTexts;
use super::{KeysTexts, confirmed, issued, key_id, show};
use crate::dashboard::earlier::Makes;
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;

/// Path at which the default key is rotated.
const PATH_DEFAULT: &str = "/app/keys/default/rotate";

/// Returns the path at which that key is rotated.
pub(super) fn path_of(KeyRecord { key, .. }: &KeyRecord) -> String {
    match key.is_default {
        true => PATH_DEFAULT.to_owned(),
        false => format!("{}/rotate", super::path_of(key.id)),
    }
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<RotateDefaultKey, _, _>(PATH_DEFAULT, rotate_default)
            .takes(&["rotate_name"])
            .labelled(labels),
        PageRoute::form::<RotateKey, _, _>("/app/keys/{key_id}/rotate", rotate)
            .takes(&["rotate_name"])
            .labelled(labels),
    ]
}

fn labels(language: Language) -> Vec<(&'static str, &'static str)> {
    vec![("rotate_name", ShowTexts::of(language).type_name)]
}

async fn rotate(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<RotateKey>,
) -> Result<Response, NotTaken> {
    let key = key_id(&id)?;
    let record = app::keys::show(&state.app, &signed.also::<ShowKey>()?, key).await?;
    let rotated = match confirmed(&form, "rotate_name", &record.key.name) {
        Ok(()) => app::keys::rotate(&state.app, &signed.act, key, form.slot(&signed.act)).await,
        Err(refusal) => Err(refusal.into()),
    };
    answer(&state, &signed, &uri, (&id, &form), rotated).await
}

async fn rotate_default(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<RotateDefaultKey>,
) -> Result<Response, NotTaken> {
    let keys = app::keys::list(&state.app, &signed.also::<ListMyKeys>()?).await?;
    let key = keys.into_iter().map(|record| record.key).find(|key| key.is_default);
    let key = key.ok_or(Refusal::NotFound("api_key"))?;
    let rotated = match confirmed(&form, "rotate_name", &key.name) {
        Ok(()) => app::keys::rotate_default(&state.app, &signed.act, form.slot(&signed.act)).await,
        Err(refusal) => Err(refusal.into()),
    };
    answer(&state, &signed, &uri, (&key.id.to_string(), &form), rotated).await
}

/// A rotation, whose answer shows the key once.
const ROTATION: Makes = Makes {
    path: |id| super::path_of(KeyId::from_bytes(id)),
    see: ("Ver la llave", "View API key"),
    lost: Some((
        "La llave ya se rotó con este mismo envío, y su texto nuevo se mostró esa única vez. Si no llegó a guardarlo, rótela otra vez aquí: el texto de antes ya no sirve.",
        "The API key was already rotated when this form was first sent, and its new value was shown only that once. If you did not save it, rotate the key again here: the earlier value no longer works.",
    )),
};

async fn answer<O: Guarded>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (id, form): (&str, &FormBody),
    rotated: Result<Issued, Error>,
) -> Result<Response, NotTaken> {
    let language = signed.language();
    match rotated {
        Ok(made) => {
            let f = Frame::of(&state.app, signed, uri, KeysTexts::of(language).issued_title);
            Ok(issued(state, signed, f.await?, &made).await?)
        }
        Err(error) => {
            let again = ROTATION.again((state, signed), form, error).await?;
            Ok(show::again(state, signed, uri, id, again).await?)
        }
    }
}
