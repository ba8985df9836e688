//! `POST /app/accounts/{bank_id}/push`: another secret for the bank's notices, and the page that shows one.

use app::accounts::PushAccess;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RotatePushSecret;
use domain::ids::BankId;
use domain::language::Language;
use http::{StatusCode, Uri};
use web::{AppState, NotTaken, Posted};

use super::{AccountsTexts, bank_id, path_of, show};
use crate::dashboard::earlier::Makes;
use crate::dashboard::form::ticked;
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

/// A change of the secret, whose answer shows it once.
const SECRET: Makes = Makes {
    path: |id| path_of(BankId::from_bytes(id)),
    see: ("Ver la cuenta", "View account"),
    lost: Some((
        "El secreto ya se cambió con este mismo envío, y se mostró esa única vez. Si no llegó a guardarlo, cámbielo otra vez aquí.",
        "The secret was already changed when this form was first sent, and was shown only that once. If you did not save it, change it again here.",
    )),
};

/// The only page that shows the secret of a bank's notices.
#[derive(Template)]
#[template(path = "dashboard/accounts/push.html")]
struct PushPage {
    f: Frame,
    a: &'static AccountsTexts,
    address: String,
    headers: Vec<String>,
    secret: String,
    path: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<RotatePushSecret, _, _>("/app/accounts/{bank_id}/push", rotate)
            .takes(&["push_sure"]),
    ]
}

async fn rotate(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<RotatePushSecret>,
) -> Result<Response, NotTaken> {
    let bank = bank_id(&id)?;
    let slot = form.slot(&signed.act);
    let rotated = match ticked(&form, "push_sure") {
        Ok(()) => app::accounts::rotate_push_secret(&state.app, &signed.act, bank, slot).await,
        Err(refusal) => Err(refusal.into()),
    };
    match rotated {
        Ok(access) => {
            let language = signed.language();
            let title = AccountsTexts::of(language).push_title;
            let f = Frame::of(&state.app, &signed, &uri, title).await?;
            let lines = lines(&access);
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let base_url = &state.app.settings.base_url;
            Ok(section(f, &lines, path_of(bank), (base_url, language)))
        }
        Err(error) => {
            let again = SECRET.again((&state, &signed), &form, error).await?;
            Ok(show::again(&state, &signed, &uri, &id, again).await?)
        }
    }
}

/// Writes what a bank has to know, line by line: path, secret, and each header that it may use.
pub(super) fn lines(access: &PushAccess) -> Vec<String> {
    let headers = access.headers.iter().map(|name| name.to_ascii_uppercase());
    let first = [access.path(), access.secret.expose().to_owned()];
    first.into_iter().chain(headers).collect()
}

/// Shows these lines, once.
pub(super) fn section(
    f: Frame,
    lines: &[&str],
    path: String,
    (base_url, language): (&str, Language),
) -> Response {
    let (at, headers) = lines.split_at(lines.len().min(2));
    let line = |number: usize| at.get(number).copied().unwrap_or_default();
    let page = PushPage {
        f,
        a: AccountsTexts::of(language),
        address: format!("{}{}", base_url.trim_end_matches('/'), line(0)),
        headers: headers.iter().map(|&name| name.to_owned()).collect(),
        secret: line(1).to_owned(),
        path,
    };
    of_template(&page, StatusCode::OK)
}
