//! `POST /hooks/bank/{provider}/{bank_id}`
//!
//! The caller is a bank, which knows its own format alone: status 200 whatever the answer says. Other
//! statuses say that the notice was not taken at all, and should be sent again. The secret is looked at before the
//! body is read.

use app::accounts::{PushOutcome, find_sender, pushing_bank, take_notification};
use axum::extract::{FromRequest, Path, Request, State};
use axum::response::Response;
use domain::access::TakeBankNotice;
use domain::secret::SecretText;
use http::{HeaderMap, Method};
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
    let outcome = match find_sender(app, act, &account, secret).await? {
        Some(sender) => {
            // What is too long, or breaks off, is a body that says nothing.
            let body = AnyBody::from_request(request, &state).await;
            let body = body.ok().map(|body| body.bytes().to_vec());
            take_notification(app, act, (bank, push), sender, body).await?
        }
        None => PushOutcome::Refused,
    };
    if outcome == PushOutcome::Refused {
        state.count_wrong_secret(&admitted.0.request)?;
    }
    Ok(answer::bytes(push.answer(outcome).as_bytes().to_vec()))
}

/// The secret in the only one of these headers that is there, once.
fn shown(headers: &HeaderMap, names: &[&str]) -> Option<SecretText> {
    let mut values = names.iter().flat_map(|name| headers.get_all(*name));
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then(|| SecretText::from(value.trim()))
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
}
