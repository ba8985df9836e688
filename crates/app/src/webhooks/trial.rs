//! The operation: `POST /v1/webhooks/test`.

use std::time::Duration;

use domain::access::TestWebhook;
use domain::ids::{ClientId, EventId, LinkId};
use domain::refusal::Refusal;
use domain::url::UrlText;
use domain::webhooks::{ClockCheck, EventKind};
use store::deliveries::{self, Event};
use store::delivery_pages::Next;
use store::{audit, credits, webhook_trials};

use super::for_client::{check_known, check_permitted};
use super::show::{Record, look};
use super::synthetic_event::{AMOUNT, End, SyntheticEvent};
use crate::audit_entry::audited;
use crate::{Act, App, Error};

/// How long the first attempt is waited for: what an attempt may take, and a little more.
const WAIT: Duration = Duration::from_secs(11);

/// How often is looked whether it is over.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Result of a test delivery.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The delivery, with its attempt unless that is still under way.
    pub record: Record,
    /// The receiver's clock, where its answer has shown it.
    pub clock: Option<ClockCheck>,
}

/// Sends a receiver something made up, once, in the form and with the signature of what happens; and
/// waits for what comes of it. Where a client is named, that is as of a link of its callers, and signed for its receivers
/// too where it has a secret.
///
/// # Errors
/// A client that the caller may not see, or that is none; an address that may not be called, too many of them in this
/// minute, or a failure of the store.
pub async fn test(
    app: &App,
    act: &Act<TestWebhook>,
    url: UrlText,
    end: End,
    client: Option<ClientId>,
) -> Result<Tried, Error> {
    check_permitted(act.caller(), client)?;
    app.webhooks.check_url(url.as_str()).await?;
    let (owner, now) = (act.owner(), act.now);
    let id = EventId::new(&*app.ids, now);
    let link = LinkId::new(&*app.ids);
    let entry = audited(app, act, id.to_string());
    let base_url = app.settings.base_url.clone();
    let written = act.write(app, move |tx| {
        check_known(tx, owner, client)?;
        if let Err(retry_after) = webhook_trials::take(tx, owner, now)? {
            return Err(Refusal::TooManyRequests { retry_after }.into());
        }
        let balance = credits::balance(tx, owner)?;
        let synthetic_event = SyntheticEvent {
            id,
            owner,
            client,
            link,
            url: &url,
            base_url: &base_url,
            balance,
            now,
        };
        let body = synthetic_event.body(end, AMOUNT);
        let (url, subject) = (url.as_str().to_owned(), link.to_bytes());
        let event = Event { id, kind: EventKind::Test, subject, client, url, body };
        deliveries::enqueue(tx, owner, &event, now)?;
        audit::insert(tx, owner, &entry, now)?;
        Ok(())
    });
    written.await?;

    let end = app.clock.uptime() + WAIT;
    loop {
        let record = look(app, act.meter(), owner, id, app.clock.now()).await?;
        if record.listed.next == Next::Nothing || app.clock.uptime() >= end {
            let clock = record.attempts.last().and_then(|attempt| {
                let answered_at = attempt.began_at.plus(attempt.phases.before_reading());
                ClockCheck::of(&attempt.answer_head, answered_at)
            });
            return Ok(Tried { record, clock });
        }
        app.clock.sleep(LOOK_EVERY).await;
    }
}
