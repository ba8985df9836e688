//! The message that a payer of a subscription is to be reminded, as the document describes it. Its example is written by
//! what writes the event itself.

use domain::ids::{EventId, LinkId, SubscriptionId};
use domain::links::{Currency, Price};
use domain::subscriptions::{PaymentReminder, Period};
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::{AccountMessage, EventKind, Fact, ReminderDue};
use serde_json::{Value, json};

use super::events::{headers, instant, object, reference, said, text};

/// 28 November 2026 at nine in the morning in Caracas.
const AT: Timestamp = Timestamp::from_micros(1_795_870_800_000_000);

/// The name of the webhook in the document, and the webhook.
pub(super) fn webhook() -> (&'static str, Value) {
    let name = EventKind::SubscriptionReminder.as_str();
    let content = json!({
        "application/json": { "schema": reference("SubscriptionReminder"), "example": example() },
    });
    let post = json!({
        "operationId": name.replace('.', "_"),
        "tags": ["webhooks"],
        "summary": "Toca recordar un pago a quien paga una suscripción.",
        "description":
            "It is time to remind who pays a subscription.\n\nVa al destino de `PUT /v1/webhooks/endpoint`. / It goes to \
             the endpoint of `PUT /v1/webhooks/endpoint`.",
        "security": [],
        "parameters": headers(),
        "requestBody": { "required": true, "content": content },
        "responses": {
            "2XX": { "description": "Recibido: no se envía más. / Received: it is sent no more." },
        },
    });
    (name, json!({ "post": post }))
}

/// The shape that it refers to.
pub(super) fn schema() -> (&'static str, Value) {
    let properties = json!({
        "id": text(),
        "type": {
            "type": "string",
            "enum": [EventKind::SubscriptionReminder.as_str()],
            "description": "De qué avisa. / What it tells of.",
        },
        "created_at": instant(),
        "livemode": { "type": "boolean" },
        "data": data(),
    });
    let description = "Lo que recibe el destino del titular cuando toca recordar un pago. / What the owner's endpoint \
                       receives when it is time to remind of a payment.";
    ("SubscriptionReminder", object(description, &properties, &[]))
}

fn data() -> Value {
    let day = |description: &str| json!({ "type": "string", "format": "date", "description": description });
    let nullable =
        |description: &str| json!({ "type": ["string", "null"], "description": description });
    let properties = json!({
        "subscription_id": said("La suscripción. / The subscription."),
        "name": text(),
        "customer_name": said("El nombre de quien paga. / The payer's name."),
        "customer_phone": said(
            "El teléfono de quien paga, como se escribió. / The payer's phone, as it was written.",
        ),
        "cycle": { "type": "integer", "description": "El período, desde 1. / The period, from 1 on." },
        "first_day": day("El primer día del período, en Caracas. / The first day of the period, in Caracas."),
        "last_day": day("Su último día. / Its last day."),
        "due_date": day("El día de pago. / The day on which it is to be paid."),
        "payable_until": day("El último día en que se puede pagar. / The last day on which it can be paid."),
        "day": {
            "type": "integer",
            "description":
                "El día del recordatorio, contado desde el día de pago. / The day of the reminder, counted from the due day.",
        },
        "amount": { "type": "number", "format": "double" },
        "currency": { "type": "string", "enum": Currency::ALL.map(Currency::as_str) },
        "payment_link_id": text(),
        "payment_link_url": said("Su página, para quien paga. / Its page, for the payer."),
        "text": { "type": "string", "description": "Listo para enviar. / Ready to be sent." },
        "whatsapp_url": nullable(
            "Abre WhatsApp con ese texto para ese teléfono, donde es un móvil. / Opens WhatsApp with that text for that \
             phone, where it is a mobile one.",
        ),
    });
    object("El recordatorio. / The reminder.", &properties, &[])
}

/// The body of an event that never was.
fn example() -> Value {
    // The days of the calendar are all there.
    let day = |days: i32| CaracasDate::of(AT).plus_days(days);
    let reminder = PaymentReminder {
        merchant: "Tienda Ejemplo".to_owned(),
        what: "Mensualidad del gimnasio, diciembre de 2026".to_owned(),
        price: Price { hundredths: 2_000, currency: Currency::Usd },
        due: day(3),
        until: day(6),
        today: day(0),
        url: "https://pagos.tienda.example/pay/link_00000000000000000000000001".to_owned(),
        payer_url: "https://pagos.tienda.example/suscripcion/0000000000000000000000000100000000000000000000000000"
            .to_owned(),
        livemode: true,
    };
    let due = ReminderDue {
        subscription: SubscriptionId::from_bytes([0; 16]),
        name: "Mensualidad del gimnasio",
        customer: "Cliente de ejemplo",
        phone: "0412-0000000",
        cycle: 2,
        period: Period { begins: day(3), ends: day(34) },
        day: -3,
        link: LinkId::from_bytes([0; 16]),
        reminder: &reminder,
    };
    let fact = Fact::ReminderDue(due);
    let message = AccountMessage { event: EventId::from_bytes([0; 16]), created_at: AT, fact };
    // What writes it writes JSON.
    serde_json::from_slice(&message.to_body()).unwrap_or_default()
}
