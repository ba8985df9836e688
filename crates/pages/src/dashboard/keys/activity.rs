//! `GET /app/keys/{key_id}/activity`: what a key was charged and what it asked, by month.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ShowActivity, ShowKey};
use http::Uri;
use web::{AppState, Failure, Signed};

use super::{key_id, path_of};
use crate::dashboard::activity::{Whose, page, part_of};
use crate::dashboard::route::PageRoute;

texts! {
    KeyActivityTexts {
        other: "Llave revocada", "Revoked key";
    }
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowActivity, _, _>("/app/keys/{key_id}/activity", view)]
}

async fn view(
    signed: Signed<ShowActivity>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (t, id) = (KeyActivityTexts::of(signed.language()), key_id(&id)?);
    let (month, number) = part_of(&uri, signed.act.now);
    let activity =
        app::activity::show(&state.app, &signed.act, id, Some(month), number.page).await?;
    // One that was revoked has no record any more, and what it did is still to be seen.
    let key = app::keys::show(&state.app, &signed.also::<ShowKey>()?, id).await.ok();
    let whose = Whose {
        action: format!("{}/activity", path_of(id)),
        back: key.as_ref().map(|_| path_of(id)),
        since: key.as_ref().map(|record| record.key.created_at),
        name: key.map_or_else(|| format!("{} {id}", t.other), |record| record.key.name),
    };
    page(&state, &signed, &uri, whose, &activity).await
}
