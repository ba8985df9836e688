//! `POST /hooks/bank/{provider}/{bank_id}`
//!
//! The caller is a bank, which knows its own format alone; of most the status is 200 whatever the answer says. Other
//! statuses say that the notice was not taken, and should be sent again. The secret is looked at before the
//! body is read.

use app::accounts::{PushAnswer, PushOutcome, find_sender, pushing_bank, take_notification};
use axum::extract::{FromRequest, Path, Request, State};
use axum::response::Response;
use domain::access::TakeBankNotice;
use domain::refusal::{BadCredentials, Code, Refusal};
use domain::secret::SecretText;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Map, Value, json};
use web::{Admitted, AnyBody, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<TakeBankNotice, _, _>(
        Method::POST,
        "/hooks/bank/{provider}/{bank_id}",
        handle,
    )
    .does(
        Group::Accounts,
        "Toma el aviso de un pago, en el formato del banco.",
        "Takes a notice of a payment from a bank, in the bank's own format.",
    )
    .answers::<Map<String, Value>>(json!({ "codigo": "00" }))
    .refuses(&[Code::Unauthorized])
}

async fn handle(
    admitted: Admitted<TakeBankNotice>,
    State(state): State<AppState>,
    Path((provider, account)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Failure> {
    let (app, act) = (&state.app, &admitted.0);
    let (bank, push) = pushing_bank(app, &provider)?;
    let secret = shown(request.headers(), push.secret_headers());
    let mut said = Vec::new();
    let outcome = match find_sender(app, act, &account, secret).await? {
        Some(sender) => {
            // What is too long, or breaks off, is a body that says nothing.
            let body = AnyBody::from_request(request, &state).await;
            let body = body.ok().map(|body| body.bytes().to_vec());
            said = body.clone().unwrap_or_default();
            take_notification(app, act, (bank, push), sender, body).await?
        }
        None => PushOutcome::Refused,
    };
    if outcome == PushOutcome::Refused {
        state.count_wrong_secret(&admitted.0.request)?;
        if push.refuses_by_status() {
            return Err(Refusal::Unauthorized(BadCredentials::Unknown).into());
        }
    }
    let PushAnswer { status, body } = push.answer(outcome, &said);
    let mut response = answer::bytes(body.into_owned());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    Ok(web::finished(response))
}

/// The secret in the only one of these headers that is there, once. A bank that shows it as a bearer says that before it.
fn shown(headers: &HeaderMap, names: &[&str]) -> Option<SecretText> {
    let mut values = names
        .iter()
        .flat_map(|name| headers.get_all(*name).into_iter().map(move |value| (name, value)));
    let (name, value) = values.next()?;
    let value = value.to_str().ok()?.trim();
    let secret = if *name == AUTHORIZATION.as_str() { bearer(value)? } else { value };
    values.next().is_none().then(|| SecretText::from(secret))
}

/// Returns what follows the word `Bearer`, in any case of letters.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_once_in_one_header() {
        let names = ["api-key", "x-api-key"];
        for (lines, secret) in [
            (&[("API-KEY", " made-up ")][..], Some("made-up")),
            (&[("X-API-KEY", "made-up")], Some("made-up")),
            (&[("appKey", "made-up")], None),
            (&[("API-KEY", "made-up"), ("X-API-KEY", "made-up")], None),
            (&[("API-KEY", "made-up"), ("API-KEY", "made-up")], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap());
            }
            let found = shown(&headers, &names);
            assert_eq!(found.as_ref().map(SecretText::expose), secret, "{lines:?}");
        }
    }

    #[test]
    fn a_secret_may_be_shown_as_a_bearer() {
        for (value, secret) in [
            ("Bearer made-up", Some("made-up")),
            (" bearer  made-up ", Some("made-up")),
            ("made-up", None),
            ("Basic made-up", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            let found = shown(&headers, &["authorization"]);
            assert_eq!(found.as_ref().map(SecretText::expose), secret, "{value}");
        }
    }
}
