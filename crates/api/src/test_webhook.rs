//! `POST /v1/webhooks/test`

use app::webhooks::{End, Tried};
use axum::extract::State;
use axum::response::Response;
use domain::access::TestWebhook;
use domain::language::Language;
use domain::refusal::{Problem, Refusal};
use domain::url::UrlText;
use domain::webhooks::DeliveryState;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::{WireClock, WireDelivery, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    url: Field<'a>,
    #[serde(borrow)]
    event: Field<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    message: String,
    delivery: WireDelivery<'a>,
    clock: Option<WireClock>,
}

pub(crate) async fn handle(
    admitted: Admitted<TestWebhook>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (url, end) = parse(&body)?;
    let (act, language) = (&admitted.0, admitted.language());
    let tried = app::webhooks::test(&state.app, act, url, end).await?;
    answer::json(&Answer {
        message: message(&tried, language),
        delivery: WireDelivery::of(&tried.record, language),
        clock: tried.clock.map(|clock| WireClock::of(clock, language)),
    })
}

fn parse(body: &JsonBody) -> Result<(UrlText, End), Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let url = fields.required_text("url", wire.url, |text| UrlText::parse(text.trim()));
    let end = fields.text("event", wire.event, |word| match word.trim() {
        "paid" => Ok(End::Paid),
        "failed" => Ok(End::Failed),
        _ => Err(Problem::one_of(&["paid", "failed"])),
    });
    match url {
        Some(url) if fields.are_right() => Ok((url, end.unwrap_or(End::Paid))),
        _ => Err(fields.refusal()),
    }
}

/// What came of it, in a sentence.
fn message(tried: &Tried, language: Language) -> String {
    let listed = &tried.record.listed;
    let status = tried.record.attempts.last().and_then(|attempt| attempt.status);
    let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
    match (listed.state, listed.trouble) {
        (DeliveryState::Delivered, _) => {
            let said = say(language, "llegó, y su servidor lo aceptó", "your server has taken it");
            format!("{said}{status}")
        }
        (DeliveryState::Pending, _) | (_, None) => {
            let said = say(
                language,
                "todavía en curso: véalo en el registro de entregas por su id",
                "still under way: look for its id in the log of deliveries",
            );
            said.to_owned()
        }
        (_, Some(trouble)) => {
            let said = say(language, "no llegó", "not delivered");
            format!("{said}: {}{status}", trouble.text(language))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_enough() {
        let parse = |json: &str| parse(&JsonBody::from(json.to_owned()));
        let (url, end) = parse(r#"{"url": " https://shop.example/hook "}"#).unwrap();
        assert_eq!((url.as_str(), end), ("https://shop.example/hook", End::Paid));
        let failed = parse(r#"{"url": "https://shop.example/", "event": "failed"}"#).unwrap();
        assert_eq!(failed.1, End::Failed);
        for json in ["{}", r#"{"url": "shop"}"#, r#"{"url": "https://a.example", "event": "x"}"#] {
            assert!(matches!(parse(json), Err(Refusal::Validation(_))), "{json}");
        }
    }
}
