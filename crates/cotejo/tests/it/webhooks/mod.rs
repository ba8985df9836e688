//! Webhooks, from the transaction that writes the event to the receiver and back.

mod bulk;
mod check;
mod client_secret;
mod credits;
mod delivered;
pub(crate) mod feed;
mod front_door;
mod guide;
mod hostile;
mod kept_later;
mod links;
mod log;
mod outlived;
mod receivers;
mod redeliver;
mod retried;
mod rotation;
mod side_by_side;
mod stored;
mod test_webhook;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{DeliveryState, EventKind};
use serde_json::json;
use store::deliveries::{self, Attempt, Delivery, Event};
use store::tx::Tx;
use store::{Lane, Meter};
use testkit::{Owner, TestApp};
use tokio::task::yield_now;

/// An event that was written, and whose it is.
#[derive(Clone, Copy)]
pub(crate) struct Written {
    pub(crate) owner: OwnerId,
    pub(crate) id: EventId,
}

/// Writes that a link was paid, in a transaction as the one that pays links.
pub(crate) async fn write(app: &TestApp, owner: &Owner, url: &str) -> Written {
    write_due_at(app, owner, url, app.now()).await
}

/// Writes that a link was paid, to be sent at that instant. Where that is yet to come, the worker that looks for
/// what is due must have [looked](first_look) before.
pub(crate) async fn write_due_at(
    app: &TestApp,
    owner: &Owner,
    url: &str,
    now: Timestamp,
) -> Written {
    let use_cases = app.app();
    let id = EventId::new(&*use_cases.ids, now);
    let written = Written { owner: owner.id.parse().unwrap(), id };
    let body = json!({
        "id": id.to_string(),
        "type": "payment_link.paid",
        "payment_link_id": "link_00000000000000000000000001",
        "status": "paid",
        "credit_balance": 999,
        "livemode": false,
        "created_at": now.to_string(),
        "updated_at": now.to_string(),
        "metadata": [{ "key": "orden", "value": "7" }],
        "payment_link": {
            "id": "link_00000000000000000000000001",
            "name": "Pedido 7",
            "amount": 150.5,
            "currency": "VEF",
            "description": "Café de la peña",
            "webhook_url": url,
            "status": "paid",
            "url": "https://cotejo.example/pay/link_00000000000000000000000001",
        },
        "user_bank_payment": {
            "id": "pay_00000000000000000000000007",
            "bank_reference_id": "0012345678",
            "amount": 150.5,
            "status": "paid",
            "credit_cost": 1,
        },
    });
    let event = Event {
        id,
        kind: EventKind::LinkPaid,
        subject: [1; 16],
        client: None,
        url: url.to_owned(),
        body: body.to_string().into_bytes(),
    };
    let job = move |tx: &mut Tx<'_>| deliveries::enqueue(tx, written.owner, &event, now);
    let meter = Meter::default();
    use_cases.store.write(&meter, Lane::Admission, written.owner, job).await.unwrap();
    written
}

/// Lets time go on until the worker that looks for due work has looked, and rests. The first look of a process takes
/// what is due later than any schedule would have it for the work of a clock that was ahead, and has it sent at once.
pub(crate) async fn first_look(app: &TestApp) {
    app.clock().advance(delivery::POLL_INTERVAL);
    app.clock().is_awaited(app.now().plus(delivery::POLL_INTERVAL)).await;
}

impl Written {
    /// How its delivery stands.
    pub(crate) async fn look(self, app: &TestApp) -> (Delivery, Vec<Attempt>) {
        let Self { owner, id } = self;
        let look = move |tx: &mut Tx<'_>| {
            let delivery = deliveries::find(tx, owner, id)?;
            Ok((delivery.unwrap(), deliveries::attempts(tx, owner, id)?))
        };
        app.app().store.read(&Meter::default(), look).await.unwrap()
    }

    /// Waits until so many attempts are kept.
    pub(crate) async fn tried(self, app: &TestApp, attempts: usize) -> (Delivery, Vec<Attempt>) {
        loop {
            let (delivery, kept) = self.look(app).await;
            if kept.len() >= attempts {
                return (delivery, kept);
            }
            yield_now().await;
        }
    }

    /// Waits until it has ended, however.
    pub(crate) async fn ended(self, app: &TestApp) -> (Delivery, Vec<Attempt>) {
        loop {
            let (delivery, kept) = self.look(app).await;
            if delivery.state != DeliveryState::Pending {
                return (delivery, kept);
            }
            yield_now().await;
        }
    }
}

/// When the one delivery that there is is due.
pub(crate) fn due_at(app: &TestApp) -> i64 {
    app.database().number("select due_at from due where kind = 2")
}

/// The owner's secret, as it asks for it.
pub(crate) async fn secret(owner: &Owner) -> String {
    let answer = owner.get("/me/webhook-secret").await.ok();
    answer["webhook_secret"].as_str().unwrap().to_owned()
}
