//! The operation: `POST /v1/webhooks/test`.

use std::time::Duration;

use domain::access::TestWebhook;
use domain::ids::{EventId, LinkId};
use domain::money::{Bolivars, Credits};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::{self, ClockCheck, EventKind, Message, Outcome, Payment};
use store::deliveries::{self, Event};
use store::delivery_pages::Next;
use store::{Lane, audit, credits, webhook_trials};

use super::show::{Record, look};
use crate::keys::audited;
use crate::{Act, App, Error};

/// How long the first attempt is waited for: what an attempt may take, and a little more.
const WAIT: Duration = Duration::from_secs(11);

/// How often is looked whether it is over.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What a made up link asks for, in hundredths.
const AMOUNT: i64 = 15_050;

/// What is made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// That a link was paid.
    Paid,
    /// That a link failed.
    Failed,
}

/// What a test came to.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The delivery, with its attempt unless that is still under way.
    pub record: Record,
    /// The receiver's clock, where its answer has told it.
    pub clock: Option<ClockCheck>,
}

/// Tells a receiver of something made up, once, in the form and with the signature of what happens; and
/// waits for what comes of it.
///
/// # Errors
/// An address that may not be called, too many of them in this minute, or a failure of the store.
pub async fn test(
    app: &App,
    act: &Act<TestWebhook>,
    url: UrlText,
    kind: Kind,
) -> Result<Tried, Error> {
    app.webhooks.check_url(url.as_str()).await?;
    let (owner, now) = (act.owner(), act.now);
    let id = EventId::new(&*app.ids, now);
    let link = LinkId::new(&*app.ids);
    let entry = audited(app, act, id.to_string());
    let base_url = app.settings.base_url.clone();
    let written = app.store.write(act.meter(), Lane::Admission, owner, move |tx| {
        if let Err(retry_after) = webhook_trials::take(tx, owner, now)? {
            return Ok(Err(Refusal::TooManyRequests { retry_after }));
        }
        let balance = credits::balance(tx, owner)?;
        let (url, body) = (url.as_str(), body((id, link), kind, &url, &base_url, balance, now));
        let (url, subject) = (url.to_owned(), link.to_bytes());
        let event = Event { id, kind: EventKind::Test, subject, url, body };
        deliveries::enqueue(tx, owner, &event, now)?;
        audit::insert(tx, owner, &entry, now)?;
        Ok(Ok(()))
    });
    written.await??;

    let end = app.clock.now().plus(WAIT);
    loop {
        let record = look(app, act.meter(), owner, id, app.clock.now()).await?;
        if record.listed.next == Next::Nothing || app.clock.now() >= end {
            let clock = record.attempts.last().and_then(|attempt| {
                let heard_at = attempt.began_at.plus(attempt.phases.before_reading());
                ClockCheck::of(&attempt.heard, heard_at)
            });
            return Ok(Tried { record, clock });
        }
        app.clock.sleep(LOOK_EVERY).await;
    }
}

/// A body as of a link of the sandbox, with ids that are of nothing.
fn body(
    (event, link): (EventId, LinkId),
    kind: Kind,
    url: &UrlText,
    base_url: &str,
    balance: Credits,
    now: Timestamp,
) -> Vec<u8> {
    let id = link.to_string().replacen(LinkId::PREFIX, "test", 1);
    let outcome = match kind {
        Kind::Paid => Outcome::Paid(Payment {
            id: &id,
            bank_reference_id: "000000000000",
            amount: Bolivars::from_hundredths(AMOUNT),
            credit_cost: Credits::ZERO,
            created_at: now,
        }),
        Kind::Failed => Outcome::Failed { detail: "prueba: no es un enlace de verdad" },
    };
    let link = webhooks::Link {
        id: &id,
        name: Some("Prueba"),
        amount_hundredths: AMOUNT,
        currency: "VEF",
        description: "Aviso de prueba: no es un pago",
        webhook_url: url.as_str(),
        url: &format!("{base_url}/pay/{id}"),
        redirect_url: None,
        with_subscription_id: None,
        kind: "api",
        created_at: now,
        updated_at: now,
        metadata: &[],
    };
    let credit_balance = Some(balance);
    Message { event, link, outcome, credit_balance, livemode: false }.to_body()
}
