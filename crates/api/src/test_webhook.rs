//! `POST /v1/webhooks/test`

use app::webhooks::{Kind, Tried};
use axum::extract::State;
use axum::response::Response;
use domain::access::TestWebhook;
use domain::language::Language;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::{ClockCheck, DeliveryState};
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody, answer};

use crate::wire::{Shown, WireDelivery, say};

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

/// The receiver's clock beside ours.
#[derive(Serialize)]
struct WireClock {
    time: Shown<Timestamp>,
    ahead_seconds: i64,
    ok: bool,
    text: String,
}

pub(crate) async fn handle(
    admitted: Admitted<TestWebhook>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (url, kind) = parse(&body)?;
    let (act, language) = (&admitted.0, admitted.language());
    state.try_webhook(act.owner(), act.now)?;
    let tried = app::webhooks::test(&state.app, act, url, kind).await?;
    answer::json(&Answer {
        message: message(&tried, language),
        delivery: WireDelivery::of(&tried.record, language),
        clock: tried.clock.map(|clock| WireClock::of(clock, language)),
    })
}

fn parse(body: &JsonBody) -> Result<(UrlText, Kind), Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let url = fields.required_text("url", wire.url, |text| UrlText::parse(text.trim()));
    let kind = fields.text("event", wire.event, |word| match word.trim() {
        "paid" => Ok(Kind::Paid),
        "failed" => Ok(Kind::Failed),
        _ => Err("must be paid or failed"),
    });
    match url {
        Some(url) if fields.are_right() => Ok((url, kind.unwrap_or(Kind::Paid))),
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

impl WireClock {
    fn of(clock: ClockCheck, language: Language) -> Self {
        let text = match (clock.is_off(), clock.ahead_seconds > 0) {
            (false, _) => say(language, "en hora", "right").to_owned(),
            (true, is_ahead) => {
                let seconds = clock.ahead_seconds.unsigned_abs();
                let (es, en) =
                    if is_ahead { ("adelantado", "ahead") } else { ("atrasado", "behind") };
                match language {
                    Language::Es => format!(
                        "el reloj de su servidor está {seconds} s {es}: a los 300 s rechazaría \
                         todas las firmas por su hora"
                    ),
                    Language::En => format!(
                        "your server's clock is {seconds} s {en}: beyond 300 s it would refuse \
                         every signature for its time"
                    ),
                }
            }
        };
        Self {
            time: Shown(clock.theirs),
            ahead_seconds: clock.ahead_seconds,
            ok: !clock.is_off(),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_enough() {
        let parse = |json: &str| parse(&JsonBody::from(json.to_owned()));
        let (url, kind) = parse(r#"{"url": " https://shop.example/hook "}"#).unwrap();
        assert_eq!((url.as_str(), kind), ("https://shop.example/hook", Kind::Paid));
        let failed = parse(r#"{"url": "https://shop.example/", "event": "failed"}"#).unwrap();
        assert_eq!(failed.1, Kind::Failed);
        for json in ["{}", r#"{"url": "shop"}"#, r#"{"url": "https://a.example", "event": "x"}"#] {
            assert!(matches!(parse(json), Err(Refusal::Validation(_))), "{json}");
        }
    }

    #[test]
    fn a_clock_that_is_off_is_said_to_be() {
        let clock = |ahead_seconds| {
            let theirs = Timestamp::from_micros(0);
            WireClock::of(ClockCheck { theirs, ahead_seconds }, Language::En)
        };
        assert!(clock(120).ok && clock(-120).ok);
        assert!(!clock(-121).ok && clock(-121).text.contains("121 s behind"));
        assert!(clock(400).text.contains("400 s ahead"));
    }
}
