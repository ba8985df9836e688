//! `POST /app/me/password`

use axum::extract::State;
use axum::response::Response;
use domain::access::ChangePassword;
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::show;
use crate::checkout::see;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<ChangePassword, _, _>("/app/me/password", change).takes(&[
        "username",
        "current_password",
        "new_password",
    ])]
}

async fn change(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<ChangePassword>,
) -> Result<Response, NotTaken> {
    let act = &signed.act;
    let (current, new) = (form.secret("current_password"), form.secret("new_password"));
    state.try_password_change(act.actor(), act.now)?;
    match app::sessions::change_password(&state.app, act, current, new).await {
        // Its page lists what was issued lately.
        Ok(_) => Ok(see("/app/me?changed")),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::show(&state, &signed, &uri, again).await?)
        }
    }
}
