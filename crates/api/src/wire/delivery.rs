//! A delivery of a webhook, in short and with everything that is kept of it.

use std::borrow::Cow;
use std::net::IpAddr;

use app::webhooks::{Attempt, Listed, Next, Record};
use data_encoding::BASE64;
use domain::ids::{EventId, LinkId};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::webhooks::{DeliveryState, EventKind, Phase, Phases, Trouble};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use crate::operation::Shown;

/// The id of a delivery in a path. One of another form is an id of nothing.
pub(crate) fn delivery_id(text: &str) -> Result<EventId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("webhook_delivery"))
}

/// Una entrega como aparece en la lista. / A delivery as it is listed.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "WebhookDelivery")]
pub(crate) struct WireListed<'a> {
    id: Shown<EventId>,
    /// De qué avisa. / What it tells of.
    #[schemars(extend("enum" = EventKind::ALL.map(EventKind::as_str)))]
    event: &'static str,
    /// El enlace de que avisa; `null` si no es de ninguno. / The link that it tells of; `null` if it is about none.
    payment_link_id: Option<Shown<LinkId>>,
    /// Adónde va. / Where it goes.
    url: &'a str,
    /// El servidor y el puerto de esa dirección. / Host and port of that address.
    receiver: &'a str,
    /// `pending`: todavía se intenta; `delivered`: llegó; `exhausted`: no se intenta más. / `pending`: it is still
    /// attempted; `delivered`: it arrived; `exhausted`: it is attempted no more.
    #[schemars(extend("enum" = DeliveryState::ALL.map(DeliveryState::as_str)))]
    state: &'static str,
    /// Si se intenta en este momento. / Whether it is attempted right now.
    under_way: bool,
    /// Cuántas veces se ha intentado. / How often it was attempted.
    attempt_count: u32,
    created_at: Shown<Timestamp>,
    ended_at: Option<Shown<Timestamp>>,
    /// Cuándo se intenta otra vez; `null` donde no se intenta más, o se intenta en este momento. / When it is attempted
    /// again; `null` where it is attempted no more, or right now.
    next_attempt_at: Option<Shown<Timestamp>>,
    trouble: Option<WireTrouble>,
    /// `false` donde trata de un enlace del banco de prueba, que no es dinero. / `false` where it is about a link of the test
    /// bank, which is no money.
    livemode: bool,
}

/// Por qué un intento no llegó a nada: los programas miran el código, las personas el texto. / Why an attempt came to
/// nothing: programs go by the code, people by the text.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "WebhookTrouble")]
pub(crate) struct WireTrouble {
    /// La razón, en una palabra que no cambia. / The reason, by a word that never changes.
    code: &'static str,
    /// La misma para personas, en el idioma de quien llama. / The same for people, in the caller's language.
    text: &'static str,
}

/// Una entrega con todo lo que se guarda de ella. / A delivery with everything that is kept of it.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "WebhookDeliveryWhole")]
pub(crate) struct WireDelivery<'a> {
    #[serde(flatten)]
    listed: WireListed<'a>,
    /// El cuerpo como texto; `null` donde ya se borró o no es texto. / The body as text; `null` where it is deleted by
    /// now or is no text.
    body: Option<&'a str>,
    /// El cuerpo byte por byte, en Base64; `null` donde ya se borró. / The body byte for byte, in Base64; `null` where
    /// it is deleted by now.
    body_base64: Option<String>,
    /// Los últimos cien intentos, en su orden. / The latest hundred attempts, in their order.
    attempts: Vec<WireAttempt<'a>>,
}

#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "WebhookAttempt")]
struct WireAttempt<'a> {
    /// Su número, desde 1. / Its number, from 1 on.
    number: u32,
    began_at: Shown<Timestamp>,
    /// Cuántos milisegundos duró. / How many milliseconds it took.
    duration_ms: f64,
    /// Adónde fue. / Where it went.
    url: &'a str,
    /// La dirección IP que se marcó; `null` donde no se llegó a ninguna. / The IP address that was dialled; `null`
    /// where none was.
    #[schemars(with = "Option<String>")]
    address: Option<IpAddr>,
    /// Si la conexión ya estaba. / Whether the connection was there already.
    is_reused: bool,
    /// Lo que se envió antes del cuerpo, con la firma; `null` donde no se envió nada o ya se borró. / What was sent
    /// before the body, with the signature; `null` where nothing was, or it is deleted by now.
    request: Option<Head<'a>>,
    /// El estado de HTTP que respondió; `null` donde no respondió. / The HTTP status that it answered; `null` where it
    /// did not.
    status: Option<u16>,
    /// Lo que respondió antes del cuerpo; `null` donde no respondió o ya se borró. / What it answered before the body;
    /// `null` where it did not, or it is deleted by now.
    answer: Option<Head<'a>>,
    /// El principio del cuerpo que respondió, como texto; `null` donde no respondió. / The beginning of the body that
    /// it answered, as text; `null` where it did not.
    answer_body: Option<Cow<'a, str>>,
    /// Lo mismo byte por byte, en Base64. / The same byte for byte, in Base64.
    answer_body_base64: Option<String>,
    /// Si el cuerpo pudo seguir: se guarda el primer KiB. / Whether the body may have gone on: the first KiB is kept.
    answer_body_cut: bool,
    phases_ms: WirePhases,
    trouble: Option<WireTrouble>,
}

/// El encabezado de un mensaje. / The head of a message.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "MessageHead")]
struct Head<'a> {
    /// La primera línea. / The first line.
    line: Cow<'a, str>,
    /// Las cabeceras, en su orden. / The headers, in their order.
    headers: Vec<Header<'a>>,
}

#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "MessageHeader")]
struct Header<'a> {
    /// El nombre de la cabecera. / The name of the header.
    name: Cow<'a, str>,
    /// Su valor. / Its value.
    value: Cow<'a, str>,
}

/// How many milliseconds each part took, by its name.
struct WirePhases(Phases);

impl Serialize for WirePhases {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Phase::ALL.len()))?;
        for phase in Phase::ALL {
            let took = self.0.get(phase).map(|took| millis(took.as_micros()));
            map.serialize_entry(phase.as_str(), &took)?;
        }
        map.end()
    }
}

impl JsonSchema for WirePhases {
    fn schema_name() -> Cow<'static, str> {
        "WebhookPhases".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let millis = |phase: Phase| {
            let description = meaning_of(phase);
            json!({ "type": ["number", "null"], "description": description })
        };
        let properties: Map<String, Value> = Phase::ALL
            .map(|phase| (phase.as_str().to_owned(), millis(phase)))
            .into_iter()
            .collect();
        let required = Phase::ALL.map(Phase::as_str);
        schemars::json_schema!({
            "type": "object",
            "description": "Cuántos milisegundos tomó cada parte; `null` donde no se llegó a ella. / How many milliseconds each part took; `null` where it was not reached.",
            "properties": properties,
            "required": required,
        })
    }
}

const fn meaning_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Resolving => "Buscar el nombre. / Looking the name up.",
        Phase::Connecting => "Conectarse. / Making the connection.",
        Phase::Securing => "Acordar el cifrado. / Agreeing on encryption.",
        Phase::Waiting => {
            "Esperar el principio de la respuesta. / Waiting for the beginning of the answer."
        }
        Phase::Reading => "Leer la respuesta. / Reading the answer.",
    }
}

impl<'a> WireListed<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "evt_00000000000000000000000001",
            "event": "payment_link.paid",
            "payment_link_id": "link_00000000000000000000000001",
            "url": "https://tienda.example/webhooks",
            "receiver": "tienda.example",
            "state": "delivered",
            "under_way": false,
            "attempt_count": 1,
            "created_at": "2026-11-20T12:00:00.000Z",
            "ended_at": "2026-11-20T12:00:01.000Z",
            "next_attempt_at": null,
            "trouble": null,
            "livemode": true,
        })
    }

    pub(crate) fn of(listed: &'a Listed, language: Language) -> Self {
        let next = match listed.next {
            Next::At(at) => Some(at),
            Next::Nothing | Next::UnderWay => None,
        };
        Self {
            id: Shown(listed.id),
            event: listed.kind.as_str(),
            payment_link_id: listed.link.map(Shown),
            url: &listed.url,
            receiver: &listed.receiver,
            state: listed.state.as_str(),
            under_way: listed.next == Next::UnderWay,
            attempt_count: listed.attempts,
            created_at: Shown(listed.created_at),
            ended_at: listed.ended_at.map(Shown),
            next_attempt_at: next.map(Shown),
            trouble: listed.trouble.map(|trouble| WireTrouble::of(trouble, language)),
            livemode: listed.livemode,
        }
    }
}

impl WireTrouble {
    pub(crate) fn of(trouble: Trouble, language: Language) -> Self {
        Self { code: trouble.as_str(), text: trouble.text(language) }
    }
}

impl<'a> WireDelivery<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        let mut example = WireListed::example();
        example["body"] = json!("{\"event\":\"payment_link.paid\"}");
        example["body_base64"] = json!("eyJldmVudCI6InBheW1lbnRfbGluay5wYWlkIn0=");
        example["attempts"] = json!([{
            "number": 1,
            "began_at": "2026-11-20T12:00:00.000Z",
            "duration_ms": 81.5,
            "url": "https://tienda.example/webhooks",
            "address": "203.0.113.7",
            "is_reused": false,
            "request": { "line": "POST /webhooks HTTP/1.1", "headers": [] },
            "status": 200,
            "answer": { "line": "HTTP/1.1 200 OK", "headers": [] },
            "answer_body": "",
            "answer_body_base64": "",
            "answer_body_cut": false,
            "phases_ms": phases(),
            "trouble": null,
        }]);
        example
    }

    pub(crate) fn of(record: &'a Record, language: Language) -> Self {
        let body = Some(&record.body).filter(|body| !body.is_empty());
        let attempts = record.attempts.iter();
        Self {
            listed: WireListed::of(&record.listed, language),
            body: body.and_then(|body| std::str::from_utf8(body).ok()),
            body_base64: body.map(|body| BASE64.encode(body)),
            attempts: attempts
                .map(|attempt| WireAttempt::of(attempt, &record.listed.url, language))
                .collect(),
        }
    }
}

fn phases() -> Map<String, Value> {
    Phase::ALL.map(|phase| (phase.as_str().to_owned(), json!(1.5))).into_iter().collect()
}

impl<'a> WireAttempt<'a> {
    fn of(attempt: &'a Attempt, url: &'a str, language: Language) -> Self {
        let answer = attempt.status.map(|_| attempt.answer.as_slice());
        Self {
            number: attempt.number,
            began_at: Shown(attempt.began_at),
            duration_ms: millis(attempt.duration.as_micros()),
            url,
            address: attempt.address,
            is_reused: attempt.is_reused,
            request: attempt.sent.as_ref().and_then(|sent| Head::of(sent.as_bytes())),
            status: attempt.status,
            answer: Head::of(&attempt.answer_head),
            answer_body: answer.map(String::from_utf8_lossy),
            answer_body_base64: answer.map(|answer| BASE64.encode(answer)),
            // What is full may have had more to come.
            answer_body_cut: attempt.answer.len() >= app::webhooks::ANSWER_KEPT_MAX,
            phases_ms: WirePhases(attempt.phases),
            trouble: attempt.trouble.map(|trouble| WireTrouble::of(trouble, language)),
        }
    }
}

impl<'a> Head<'a> {
    /// A head as it was kept: its first line, and a line for each header.
    fn of(kept: &'a [u8]) -> Option<Self> {
        let mut lines = kept.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let line = lines.next().filter(|line| !line.is_empty())?;
        let header = |line: &'a [u8]| {
            // The names that HTTP/2 adds begin with a colon themselves.
            let colon = line.iter().skip(1).position(|byte| *byte == b':').map(|at| at + 1);
            let (name, value) = line.split_at(colon.unwrap_or(line.len()));
            let value = value.strip_prefix(b":").unwrap_or(value).trim_ascii();
            Header { name: String::from_utf8_lossy(name), value: String::from_utf8_lossy(value) }
        };
        let headers = lines.filter(|line| !line.is_empty()).map(header).collect();
        Some(Self { line: String::from_utf8_lossy(line), headers })
    }
}

/// Milliseconds, to the microsecond.
fn millis(micros: u128) -> f64 {
    u32::try_from(micros).map_or(f64::from(u32::MAX), f64::from) / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_a_line_and_its_headers() {
        let kept = b"HTTP/1.1 200 OK\r\nDate: a: b\r\n:authority: c\r\nodd\r\nx:\xff\r\n\r\n";
        let head = Head::of(kept).unwrap();
        let headers: Vec<_> =
            head.headers.iter().map(|one| (one.name.as_ref(), one.value.as_ref())).collect();
        assert_eq!(head.line, "HTTP/1.1 200 OK");
        assert_eq!(
            headers,
            [("Date", "a: b"), (":authority", "c"), ("odd", ""), ("x", "\u{fffd}")]
        );
        assert!(Head::of(b"").is_none());
    }

    #[test]
    fn times_are_exact_to_the_microsecond() {
        assert_eq!((millis(1), millis(1_234_567)), (0.001, 1_234.567));
        assert_eq!(millis(u128::MAX), 4_294_967.295);
    }
}
