//! Messages to receivers about payment links, as the document describes them. The examples are written by what writes
//! the events themselves.

use domain::ids::EventId;
use domain::links::{Currency, Price};
use domain::money::{Bolivars, Credits};
use domain::rates::{PaidPrice, Rate, RateSource};
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::{EventKind, Link, LinkOutcome, Message, Payment};
use serde_json::{Map, Value, json};

const AMOUNT_HUNDREDTHS: i64 = 2_500;

/// 20 November 2026 at eight in the morning in Caracas.
const AT: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);

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

/// The `webhooks` of the document.
pub(super) fn of_links() -> Value {
    let one = |(kind, es, en): (EventKind, &str, &str)| {
        let name = kind.as_str();
        let content = json!({
            "application/json": { "schema": reference("PaymentLinkEvent"), "example": example(kind) },
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

/// The shapes that they refer to.
pub(super) fn schemas() -> [(&'static str, Value); 3] {
    [("PaymentLinkEvent", event()), ("PaymentLinkReported", link()), ("PaymentReported", payment())]
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

fn event() -> Value {
    let pair = object("Una pareja. / A pair.", &json!({ "key": text(), "value": text() }), &[]);
    let status = json!({ "type": "string", "enum": ["paid", "failed", "expired", "canceled"] });
    let properties = json!({
        "id": text(),
        "payment_link_id": text(),
        "status": status,
        "credit_balance": {
            "type": "integer",
            "format": "int64",
            "description":
                "Los créditos del titular; no está en los de un cliente. / The owner's credits; not in those of a client.",
        },
        "livemode": { "type": "boolean" },
        "created_at": instant(),
        "updated_at": instant(),
        "metadata": { "type": "array", "items": pair },
        "payment_link": reference("PaymentLinkReported"),
        "user_bank_payment": { "anyOf": [reference("PaymentReported"), { "type": "null" }] },
    });
    object(
        "Lo que recibe la `webhook_url` de un enlace. / What the `webhook_url` of a link receives.",
        &properties,
        &["credit_balance"],
    )
}

fn link() -> Value {
    let nullable = || json!({ "type": ["string", "null"] });
    let properties = json!({
        "id": text(),
        "name": nullable(),
        "amount": { "type": "number", "format": "double" },
        "currency": { "type": "string", "enum": Currency::ALL.map(Currency::as_str) },
        "description": text(),
        "webhook_url": text(),
        "status": text(),
        "status_detail": text(),
        "url": text(),
        "redirect_url": nullable(),
        "with_subscription_id": nullable(),
        "type": text(),
    });
    let description = "El enlace, en un evento. / The link, in an event.";
    object(description, &properties, &["status_detail"])
}

fn payment() -> Value {
    let mut price = reference("PaymentPrice");
    price["description"] =
        "Solo donde el precio era en otra moneda. / Only where the price was in another currency."
            .into();
    let properties = json!({
        "id": text(),
        "bank_reference_id": text(),
        "amount": {
            "type": "number",
            "format": "double",
            "description": "Lo que acreditó el banco, en bolívares. / What the bank credited, in bolívares.",
        },
        "status": text(),
        "credit_cost": { "type": "integer", "format": "int64" },
        "created_at": instant(),
        "price": price,
        "receipt_url": {
            "type": "string",
            "format": "uri",
            "description": "La página del comprobante, para quien pagó. / The page of the receipt, for the payer.",
        },
    });
    object("El pago, en un evento. / The payment, in an event.", &properties, &["price"])
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

pub(super) fn instant() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// The body of an event that never was.
fn example(kind: EventKind) -> Value {
    let paid = price();
    let outcome = match kind {
        EventKind::LinkFailed => LinkOutcome::Failed { detail: "Pedido agotado" },
        EventKind::LinkExpired => LinkOutcome::Expired,
        EventKind::LinkCanceled => LinkOutcome::Canceled,
        _ => LinkOutcome::Paid(Payment {
            id: "pay_00000000000000000000000001",
            bank_reference_id: "0000067890",
            amount: Bolivars::from_hundredths(2_227_500),
            credit_cost: Credits::new(1),
            created_at: AT,
            price: paid.as_ref(),
            receipt_url: "https://cotejo.example/recibo/0000000000000000000000000100000000000000000000000001",
        }),
    };
    let message = Message {
        event: EventId::from_bytes([0; 16]),
        link: Link {
            id: "link_00000000000000000000000001",
            name: Some("Pedido 7"),
            amount_hundredths: AMOUNT_HUNDREDTHS,
            currency: Currency::Usd.as_str(),
            description: "Pedido 7",
            webhook_url: "https://tienda.example/webhooks",
            url: "https://pagos.tienda.example/pay/link_00000000000000000000000001",
            redirect_url: None,
            with_subscription_id: None,
            kind: "api",
            created_at: AT,
            updated_at: AT,
            metadata: &[("orden".to_owned(), "7".to_owned())],
        },
        outcome,
        credit_balance: Some(Credits::new(99)),
        livemode: true,
    };
    // What writes it writes JSON.
    serde_json::from_slice(&message.to_body()).unwrap_or_default()
}

fn price() -> Option<PaidPrice> {
    Some(PaidPrice {
        price: Price { hundredths: AMOUNT_HUNDREDTHS, currency: Currency::Usd },
        rate: Rate::parse("891").ok()?,
        value_date: CaracasDate::of(AT),
        source: RateSource::parse("BCV").ok()?,
    })
}
