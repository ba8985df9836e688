//! `POST /v1/webhooks/redeliveries`

use app::webhooks::{Job, Wanted};
use axum::extract::State;
use axum::response::Response;
use domain::access::RedeliverFailed;
use domain::language::Language;
use domain::refusal::{Code, Refusal};
use domain::text::Text;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group, Optional, Request, Required, request};
use crate::wire::{WireRedelivery, say};

request! {
    struct FailedSince {
        /// En el pasado. / In the past.
        since: Required<Timestamp>,
        /// Sin él, hasta ahora. / Without it, until now.
        until: Optional<Timestamp>,
        /// Solo los que van a ese host y puerto. / Only those to this host and port.
        receiver: Optional<Text<0, 300>>,
    }
}

#[derive(Serialize, JsonSchema)]
struct RedeliveryBegun<'a> {
    message: &'static str,
    redelivery: WireRedelivery<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RedeliverFailed, _, _>(Method::POST, "/v1/webhooks/redeliveries", handle)
        .does(Group::Webhooks, "Envía otra vez todo aviso que falló desde un instante.", "Sends every webhook again that has failed since an instant.")
        .takes::<FailedSince>(json!({ "since": "2026-11-20T08:00:00Z" }))
        .idempotent()
        .answers::<RedeliveryBegun<'_>>(json!({ "message": "se envía otra vez lo que no se entregó", "redelivery": WireRedelivery::example() }))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<RedeliverFailed>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let wanted = parse(&body, admitted.0.now)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let begun = app::webhooks::redeliver_failed(&state.app, &admitted.0, wanted, slot, render);
    Ok(answer::bytes(begun.await?))
}

fn render(job: &Job, language: Language) -> Vec<u8> {
    let message = say(
        language,
        "se envía otra vez lo que no se entregó",
        "what was not delivered is sent again",
    );
    let answer = RedeliveryBegun { message, redelivery: WireRedelivery::of(job) };
    // Text and whole numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// Parses the range and receiver wanted. Without `until` it ends at `now`: later events have not failed yet.
fn parse(body: &JsonBody, now: Timestamp) -> Result<Wanted, Refusal> {
    let (mut fields, each) = FailedSince::each(body)?;
    let (since, until, _) = &each;
    if since.is_some_and(|since| since >= until.flatten().unwrap_or(now)) {
        fields.problem::<()>(
            "since",
            (
                "debe ser antes de `until`, y en el pasado",
                "must be before `until`, and in the past",
            ),
        );
    }
    let FailedSince { since, until, receiver } = FailedSince::whole(fields, each)?;
    let receiver = receiver.map(|text| text.into_string().to_ascii_lowercase());
    let receiver = receiver.filter(|receiver| !receiver.is_empty());
    Ok(Wanted { since, until: until.unwrap_or(now), receiver })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_enough_and_the_rest_is_checked() {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        let parse = |json: &str| parse(&JsonBody::from(json.to_owned()), now);
        let wanted = parse(r#"{"since": "2026-11-19T08:00:00-04:00"}"#).unwrap();
        assert_eq!(wanted.since, Timestamp::parse("2026-11-19T12:00:00Z").unwrap());
        assert_eq!((wanted.until, wanted.receiver), (now, None));
        let wanted =
            parse(r#"{"since": "2026-11-19T12:00:00Z", "receiver": "Shop.example"}"#).unwrap();
        assert_eq!(wanted.receiver.as_deref(), Some("shop.example"));
        for json in [
            "{}",
            r#"{"since": "2026-11-19"}"#,
            r#"{"since": "2026-11-20T12:00:00Z"}"#,
            r#"{"since": "2026-11-19T12:00:00Z", "until": "2026-11-18T12:00:00Z"}"#,
            r#"{"since": "2026-11-19T12:00:00Z", "receiver": 7}"#,
        ] {
            assert!(matches!(parse(json), Err(Refusal::Validation(_))), "{json}");
        }
    }
}
