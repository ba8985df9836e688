//! `POST /v1/webhooks/test`

use app::webhooks::{End, Tried};
use axum::extract::State;
use axum::response::Response;
use domain::access::TestWebhook;
use domain::ids::ClientId;
use domain::language::Language;
use domain::refusal::{Code, Problem, Refusal};
use domain::url::UrlText;
use domain::webhooks::DeliveryState;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{
    Endpoint, Group, Optional, Request, Required, TextKind, TextOf, one_of, request,
};
use crate::wire::{WireClock, WireDelivery, client_id, say};

request! {
    struct Trial {
        url: Required<UrlText>,
        /// De qué avisa el webhook; sin él, de un pago. / What the webhook tells of; without it, of a payment.
        event: Optional<EndWord>,
        /// El cliente de quien es el receptor: el aviso es como el de un enlace suyo, y lleva también su firma, si tiene un
        /// secreto. / The client whose receiver it is: the webhook is as of a link of its, and bears its signature too, if it
        /// has a secret.
        client_owner_id: Optional<TextOf<ClientId>>,
    }
}

/// Kind of event that a test webhook tells of.
struct EndWord;

const ENDS: [&str; 2] = ["paid", "failed"];

impl TextKind for EndWord {
    type Value = End;

    fn parse(word: &str) -> Result<End, Problem> {
        match word.trim() {
            "paid" => Ok(End::Paid),
            "failed" => Ok(End::Failed),
            _ => Err(Problem::one_of(&ENDS)),
        }
    }

    fn schema() -> Value {
        one_of(&ENDS)
    }
}

#[derive(Serialize, JsonSchema)]
struct WebhookTested<'a> {
    message: String,
    delivery: WireDelivery<'a>,
    clock: Option<WireClock>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<TestWebhook, _, _>(Method::POST, "/v1/webhooks/test", handle)
        .does(Group::Webhooks, "Prueba un receptor con un aviso.", "Tries a receiver out with a webhook.")
        .takes::<Trial>(json!({ "url": "https://tienda.example/webhooks", "event": "paid" }))
        .answers::<WebhookTested<'_>>(json!({ "message": "llegó, y su servidor lo aceptó (200)", "delivery": WireDelivery::example(), "clock": WireClock::example() }))
        .refuses(&[Code::WebhookUrlNotAllowed, Code::NotFound])
}

async fn handle(
    admitted: Admitted<TestWebhook>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (url, end, client) = parse(&body)?;
    let (act, language) = (&admitted.0, admitted.language());
    let tried = app::webhooks::test(&state.app, act, url, end, client).await?;
    answer::json(&WebhookTested {
        message: message(&tried, language),
        delivery: WireDelivery::of(&tried.record, language),
        clock: tried.clock.map(|clock| WireClock::of(clock, language)),
    })
}

fn parse(body: &JsonBody) -> Result<(UrlText, End, Option<ClientId>), Refusal> {
    let Trial { url, event, client_owner_id } = Trial::read(body)?;
    Ok((url, event.unwrap_or(End::Paid), client_id(client_owner_id)?))
}

/// Its result, in a sentence.
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
        let (url, end, client) = parse(r#"{"url": " https://shop.example/hook "}"#).unwrap();
        assert_eq!((url.as_str(), end, client), ("https://shop.example/hook", End::Paid, None));
        let failed = parse(r#"{"url": "https://shop.example/", "event": "failed"}"#).unwrap();
        assert_eq!(failed.1, End::Failed);
        for json in ["{}", r#"{"url": "shop"}"#, r#"{"url": "https://a.example", "event": "x"}"#] {
            assert!(matches!(parse(json), Err(Refusal::Validation(_))), "{json}");
        }
    }
}
