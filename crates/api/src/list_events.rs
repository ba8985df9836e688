//! `GET /v1/webhooks/events`

use app::webhooks::{Asked, FeedEvent};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListEvents;
use domain::ids::EventCursor;
use domain::language::Language;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::webhooks::evidence::Digest;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, answer, query};

use crate::operation::{Endpoint, Group, Parameter, Query, WireForm};
use crate::wire::{
    Shown, WireListed, event_kind, event_parameter, invalid, limit, limit_parameter, parameter, say,
};

#[derive(Serialize, JsonSchema)]
struct EventsListed<'a> {
    message: &'static str,
    /// Los eventos, el más viejo primero. / The events, the oldest first.
    events: Vec<WireEvent<'a>>,
    /// Con qué pedir la próxima vez; nada donde nunca ocurrió nada. / What to ask with the next time; nothing where
    /// nothing has ever happened.
    next: Option<Shown<EventCursor>>,
    /// Si hay más que pedir enseguida. / Whether there is more to ask for at once.
    has_more: bool,
}

/// Un evento con lo que dice su webhook, mientras eso se guarde. / An event with what its webhook says, as long as that
/// is kept.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookEvent")]
struct WireEvent<'a> {
    #[serde(flatten)]
    listed: WireListed<'a>,
    /// El cuerpo del webhook, byte por byte; `null` donde ya se borró. / The body of the webhook, byte for byte; `null`
    /// where it is deleted by now.
    body: Option<&'a str>,
    /// El SHA-256 de ese cuerpo, en hexadecimal; queda cuando el cuerpo se borra. / The SHA-256 of that body, in
    /// hexadecimal; it stays when the body is deleted.
    body_sha256: Option<Shown<Digest>>,
    /// Cuándo se borró el cuerpo; `null` mientras está. / When the body was deleted; `null` as long as it is there.
    contents_deleted_at: Option<Shown<Timestamp>>,
}

impl Query for Asked {
    fn parameters() -> Vec<Parameter> {
        let after = parameter(
            "after",
            "El `next` de una respuesta anterior.",
            "The `next` of an earlier answer.",
            EventCursor::schema(),
        )
        .or_empty();
        vec![after, event_parameter(), limit_parameter()]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        asked(uri)
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListEvents, _, _>(Method::GET, "/v1/webhooks/events", handle)
        .does(Group::Webhooks, "Cuenta otra vez lo que pasó, desde cualquier punto, a los sistemas que se lo perdieron.", "Tells an owner's systems again what happened, from any place on, for those that missed it.")
        .query::<Asked>()
        .answers::<EventsListed<'_>>(json!({
            "message": "lo que pasó: pida lo que siga con `after` y este `next`",
            "events": [WireEvent::example()],
            "next": "cur_00000000000000000000000001",
            "has_more": false,
        }))
}

async fn handle(
    admitted: Admitted<ListEvents>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (asked, language) = (Asked::read(&uri)?, admitted.language());
    let page = app::webhooks::events(&state.app, &admitted.0, asked).await?;
    let message = say(
        language,
        "lo que pasó: pida lo que siga con `after` y este `next`",
        "what happened: ask for what follows by `after` and this `next`",
    );
    answer::json(&EventsListed {
        message,
        events: page.events.iter().map(|event| WireEvent::of(event, language)).collect(),
        next: page.next.map(Shown),
        has_more: page.goes_on || page.is_behind,
    })
}

fn asked(uri: &Uri) -> Result<Asked, Refusal> {
    let after = query::find(uri, "after").filter(|word| !word.is_empty()).map(|word| {
        word.parse().map_err(|_| {
            invalid(
                "after",
                (
                    "debe ser el `next` de una respuesta anterior",
                    "must be the `next` of an earlier answer",
                ),
            )
        })
    });
    Ok(Asked { after: after.transpose()?, event: event_kind(uri)?, limit: limit(uri)? })
}

impl<'a> WireEvent<'a> {
    /// One with made-up data.
    fn example() -> Value {
        let mut example = WireListed::example();
        example["body"] = json!("{\"event\":\"payment_link.paid\"}");
        example["body_sha256"] = json!("00".repeat(32));
        example["contents_deleted_at"] = json!(null);
        example
    }

    fn of(event: &'a FeedEvent, language: Language) -> Self {
        Self {
            listed: WireListed::of(&event.listed, language),
            // Bodies are JSON, which is text: its bytes are those that were sent.
            body: event.body.as_deref().and_then(|body| std::str::from_utf8(body).ok()),
            body_sha256: event.digest.map(Shown),
            contents_deleted_at: event.pruned_at.map(Shown),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::webhooks::EventKind;

    use super::*;

    #[test]
    fn what_is_asked_for_is_read_or_refused() {
        let uri = |query: &str| format!("/a?{query}").parse::<Uri>().unwrap();
        let all = asked(&uri("after=&event=")).unwrap();
        assert_eq!(all, Asked { after: None, event: None, limit: 25 });
        let cursor = EventCursor::from_bytes([7; 16]);
        let some = asked(&uri(&format!("after={cursor}&event=test&limit=100"))).unwrap();
        assert_eq!(some, Asked { after: Some(cursor), event: Some(EventKind::Test), limit: 100 });
        let event = cursor.to_string().replace("cur_", "evt_");
        for query in [&*format!("after={event}"), "after=7", "event=paid", "limit=0", "limit=101"] {
            assert!(asked(&uri(query)).is_err(), "{query}");
        }
    }
}
