//! `POST /app/keys/{key_id}/active`

use app::Precondition;
use app::keys::KeyChange;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeKey;
use web::{AppState, NotTaken, Posted};

use super::{key_id, path_of};
use crate::checkout::see;
use crate::dashboard::fields::FormFields;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<ChangeKey, _, _>("/app/keys/{key_id}/active", switch).takes(&["active"])]
}

async fn switch(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Posted { signed, form }: Posted<ChangeKey>,
) -> Result<Response, NotTaken> {
    let id = key_id(&id)?;
    let mut fields = FormFields::of(&form);
    let is_active = Some(fields.yes_or_no("active"));
    let is_active = fields.made(is_active)?;
    let change = KeyChange { is_active, ..KeyChange::default() };
    app::keys::change(&state.app, &signed.act, id, change, Precondition::none()).await?;
    Ok(see(&format!("{}?saved", path_of(id))))
}
