//! `POST /app/sign-out`

use axum::extract::State;
use axum::response::Response;
use domain::access::Logout;
use web::cookies::{clear_session, clear_site_data};
use web::{AppState, Failure, Posted};

use super::route::PageRoute;
use super::sign_in;
use crate::checkout::see;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<Logout, _, _>("/app/sign-out", sign_out)]
}

async fn sign_out(
    State(state): State<AppState>,
    posted: Posted<Logout>,
) -> Result<Response, Failure> {
    app::sessions::logout(&state.app, &posted.signed.act).await?;
    let mut response = see(sign_in::PATH);
    clear_session(response.headers_mut(), &state.app.settings.base_url);
    clear_site_data(response.headers_mut());
    Ok(response)
}
