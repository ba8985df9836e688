//! Messages to receivers about payment links, as the document describes them: of the shape that writes the events
//! themselves.

use app::links::{WireLink, WireLinkEvent};
use app::verification::WirePayment;
use domain::webhooks::EventKind;
use serde_json::{Map, Value, json};

use super::shapes::Shapes;

/// The ends of a link, and when each is reported.
const ENDS: [(EventKind, &str, &str); 4] = [
    (EventKind::LinkPaid, "Un enlace se pagó.", "A link was paid."),
    (EventKind::LinkFailed, "Un enlace falló.", "A link failed."),
    (
        EventKind::LinkExpired,
        "Un enlace venció, donde el titular lo pide.",
        "A link's time is over, where the owner asks for it.",
    ),
    (
        EventKind::LinkCanceled,
        "Un enlace se anuló, donde el titular lo pide.",
        "A link was called off, where the owner asks for it.",
    ),
];

/// The `webhooks` of the document, and the shapes that they refer to.
pub(super) fn of_links(shapes: &mut Shapes) -> Value {
    let schema = shapes.event::<WireLinkEvent<'_>>();
    let one = |(kind, es, en): (EventKind, &str, &str)| {
        let name = kind.as_str();
        let content = json!({
            "application/json": { "schema": schema, "example": example(kind) },
        });
        let post = json!({
            "operationId": name.replace('.', "_"),
            "tags": ["webhooks"],
            "summary": es,
            "description": format!("{en}\n\nVa a la `webhook_url` del enlace. / It goes to the link's `webhook_url`."),
            "security": [],
            "parameters": headers_of_links(),
            "requestBody": { "required": true, "content": content },
            "responses": {
                "2XX": { "description": "Recibido: no se envía más. / Received: it is sent no more." },
            },
        });
        (name.to_owned(), json!({ "post": post }))
    };
    Map::from_iter(ENDS.map(one)).into()
}

pub(super) fn reference(shape: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{shape}") })
}

/// The headers by which a receiver knows who sends it.
pub(super) fn headers() -> Vec<Value> {
    let named = [
        (
            "X-Service-Timestamp",
            "La hora del envío, en segundos desde 1970.",
            "When it is sent, in seconds since 1970.",
        ),
        (
            "X-Service-Signature",
            "`sha256=` y 64 dígitos hexadecimales. La palabra `Service` es la de la instalación.",
            "`sha256=` and 64 hexadecimal digits. The word `Service` is the installation's.",
        ),
        (
            "X-Service-Event-Id",
            "El id del evento, el mismo en cada repetición.",
            "The id of the event, the same at every repeat.",
        ),
    ];
    named.map(|named| header(named, true)).into()
}

/// The headers of an event about a link, which a client's callers may have made.
fn headers_of_links() -> Vec<Value> {
    let mut all = headers();
    let of_client = (
        "X-Service-Client-Signature",
        "Como `X-Service-Signature`, con el secreto del cliente cuyos usuarios o llaves crearon el enlace, si tiene uno.",
        "As `X-Service-Signature`, by the secret of the client whose people or keys made the link, if it has one.",
    );
    all.push(header(of_client, false));
    all
}

fn header((name, es, en): (&str, &str, &str), is_required: bool) -> Value {
    json!({
        "in": "header",
        "name": name,
        "required": is_required,
        "description": format!("{es} / {en}"),
        "schema": { "type": "string" },
    })
}

/// An object with these fields, of which those named at the end need not be there.
pub(super) fn object(description: &str, properties: &Value, optional: &[&str]) -> Value {
    let names = properties.as_object().into_iter().flat_map(Map::keys);
    let required: Vec<_> = names.filter(|name| !optional.contains(&name.as_str())).collect();
    let required = json!(required);
    json!({
        "type": "object",
        "description": description,
        "properties": properties,
        "required": required,
    })
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// Text that means this.
pub(super) fn said(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(super) fn instant() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// The body of an event that never was.
fn example(kind: EventKind) -> Value {
    let name = kind.as_str();
    let status = name.rsplit('.').next().unwrap_or_default();
    let mut link = WireLink::example();
    link["status"] = status.into();
    link["amount"] = json!(25.0);
    link["currency"] = "USD".into();
    link["rate_exchange"] = json!(891.0);
    link["rate_updated_at"] = "2026-11-20T11:55:00.000Z".into();
    if kind == EventKind::LinkFailed {
        link["status_detail"] = "Pedido agotado".into();
    }
    let payment = (kind == EventKind::LinkPaid).then(|| payment(&link["id"]));
    json!({
        "id": "evt_00000000000000000000000001",
        "type": name,
        "payment_link_id": link["id"],
        "status": status,
        "credit_balance": 99,
        "livemode": true,
        "created_at": link["created_at"],
        "updated_at": link["updated_at"],
        "metadata": [{ "key": "orden", "value": "7" }],
        "payment_link": link,
        "user_bank_payment": payment,
    })
}

/// A payment that paid that link, in dollars.
fn payment(link: &Value) -> Value {
    let mut payment = WirePayment::example();
    payment["amount"] = json!(22_275.0);
    payment["payment_params"]["amount"] = json!(22_275.0);
    payment["payment_link_id"] = link.clone();
    payment["source_name"] = link.clone();
    payment["price"] = json!({
        "amount": 25.0,
        "currency": "USD",
        "rate": 891.0,
        "value_date": "2026-11-20",
        "source": "BCV",
    });
    payment["receipt_url"] =
        "https://cotejo.example/recibo/0000000000000000000000000100000000000000000000000001".into();
    payment
}
