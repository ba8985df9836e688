//! `POST /app/language`: the language that pages are in from now on, in this browser.

use axum::extract::State;
use axum::response::Response;
use domain::access::ViewSignIn;
use domain::language::Language;
use domain::refusal::Refusal;
use http::HeaderMap;
use web::cookies::set_language;
use web::origin::is_from_elsewhere;
use web::{Admitted, AppState, Failure, FormBody};

use super::sign_in;
use crate::checkout::see;

/// The form's path.
pub(super) const PATH: &str = "/app/language";

pub(crate) async fn choose(
    admitted: Admitted<ViewSignIn>,
    State(state): State<AppState>,
    headers: HeaderMap,
    form: FormBody,
) -> Result<Response, Failure> {
    let base_url = &state.app.settings.base_url;
    if is_from_elsewhere(&headers, base_url) {
        return Err(Refusal::Forbidden.into());
    }
    let chosen = Language::parse(&form.field("language"));
    let next = form.field("next");
    let next = sign_in::ours(&next);
    let mut response = match next {
        // What stands in the form to sign in with, and a form that waits there, outlive the choice.
        _ if form.has("email") => {
            sign_in::once_more(&form, chosen.unwrap_or_else(|| admitted.language()))
        }
        "" => see(sign_in::PATH),
        next => see(next),
    };
    if let Some(language) = chosen {
        set_language(response.headers_mut(), language, base_url);
    }
    Ok(response)
}
