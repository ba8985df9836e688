//! One attempt: taken, signed, sent, and kept.

use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use domain::ids::{EventId, NoticeId, OwnerId};
use domain::notices::Notice;
use domain::time::Timestamp;
use domain::webhooks::{Trouble, WebhookSecret, judge, next_delay, retry_after, sign, standard};
use egress::{DEADLINE, Destination, Exchange};
use http::{HeaderName, HeaderValue};
use store::deliveries::{self, ANSWER_KEPT_MAX, Attempt, Conclusion, Delivery, Event, Next};
use store::due::Lease;
use store::evidence::of_attempt;
use store::fault::WriteError;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::places::Place;
use crate::{Deliveries, LEASE};

/// Why an attempt was not made, or not kept.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("the delivery could not be taken")]
    Taking(#[source] WriteError),
    #[error("the owner's secret is not to be had")]
    Secret(#[source] Box<dyn StdError + Send + Sync>),
    #[error("the lease is nearly over before anything was sent")]
    Late,
    #[error("what came of it could not be kept")]
    Keeping(#[source] WriteError),
}

impl Deliveries {
    /// Makes an attempt, if it is still due. Whatever fails here but the attempt itself is logged,
    /// and leaves the delivery to whoever finds it when the lease is over.
    pub(crate) async fn attempt(&self, owner: OwnerId, id: EventId, place: Place) {
        if let Err(error) = self.try_attempt(owner, id).await {
            let source = error.source().map(ToString::to_string);
            tracing::warn!(event = %id, %error, source, "an attempt to deliver");
        }
        // Only now may another to this receiver begin.
        drop(place);
    }

    async fn try_attempt(&self, owner: OwnerId, id: EventId) -> Result<(), Failed> {
        let now = (self.outside.now)();
        let until = now.plus(LEASE);
        let take = move |tx: &mut Tx<'_>| deliveries::take(tx, owner, id, now, until);
        let meter = Meter::default();
        let taken = self.store.write(&meter, Lane::Completion, owner, take).await;
        let Some((delivery, lease)) = taken.map_err(Failed::Taking)? else { return Ok(()) };

        let secret = self.secrets.of(owner).await.map_err(Failed::Secret)?;
        let began_at = (self.outside.now)();
        if began_at.plus(DEADLINE) >= until {
            return Err(Failed::Late);
        }
        let heard = self.send(owner, &delivery, lease, &secret, began_at).await;
        let conclusion = self.conclude(&delivery, heard, began_at);
        let kept = move |tx: &mut Tx<'_>| deliveries::record(tx, owner, id, lease, &conclusion);
        let keep = self.store.write_again(&meter, Lane::Completion, owner, kept);
        if !keep.await.map_err(Failed::Keeping)? {
            // By whoever has it now, or by a commit of this one whose answer was lost.
            tracing::warn!(event = %id, "taken over before it was kept, or kept already");
        }
        Ok(())
    }

    /// Sends the event as it was written, signed for this instant.
    async fn send(
        &self,
        owner: OwnerId,
        delivery: &Delivery,
        lease: Lease,
        secret: &WebhookSecret,
        now: Timestamp,
    ) -> Exchange {
        let event = &delivery.event;
        let parts = Destination::parse(&event.url)
            .and_then(|to| Ok((to, self.headers(event, lease, secret, now)?)));
        match parts {
            Ok((to, headers)) => {
                let body = Bytes::from(event.body.clone());
                self.client.post(owner, &to, &headers, body).await
            }
            Err(trouble) => Exchange::none(trouble),
        }
    }

    /// What says whose it is, which it is and when it was sent.
    fn headers(
        &self,
        event: &Event,
        lease: Lease,
        secret: &WebhookSecret,
        now: Timestamp,
    ) -> Result<[(HeaderName, HeaderValue); 8], Trouble> {
        let (word, seconds, id) = (&self.word, now.as_seconds(), event.id.to_string());
        let time = seconds.to_string();
        // Every lease but the writer's own is taken for an attempt, and one that was cut short may
        // have arrived as well as one that was kept.
        let try_number = lease.tries - Lease::FIRST.tries;
        let may_repeat = if try_number > 1 { "true" } else { "false" };
        Ok([
            header(&word.timestamp(), &time)?,
            header(&word.signature(), &sign(secret, seconds, &event.body))?,
            header(&word.event_id(), &id)?,
            header(&word.attempt(), &try_number.to_string())?,
            header(&word.may_repeat(), may_repeat)?,
            header(standard::ID, &id)?,
            header(standard::TIMESTAMP, &time)?,
            header(standard::SIGNATURE, &standard::sign(secret, event.id, seconds, &event.body))?,
        ])
    }

    /// What is kept of an attempt, and what follows it.
    fn conclude(&self, delivery: &Delivery, exchange: Exchange, began_at: Timestamp) -> Conclusion {
        let ended_at = (self.outside.now)();
        let Exchange { heard, sent, address, is_reused, phases } = exchange;
        let (answer, trouble) = match heard {
            Ok(mut answer) => {
                // Here already: many are kept at once, and more than once where a commit is lost.
                answer.body.truncate(ANSWER_KEPT_MAX);
                let verdict = judge(answer.status).err();
                (Some(answer), verdict)
            }
            Err(trouble) => (None, Some(trouble)),
        };
        let (number, step) = (delivery.attempts.saturating_add(1), delivery.step.saturating_add(1));
        let next = match trouble {
            None => Next::Delivered,
            Some(trouble) => {
                let asked = answer.as_ref().and_then(|answer| answer.retry_after.as_deref());
                let asked = asked.and_then(|text| retry_after(text, ended_at));
                match next_delay(step, trouble, asked, self.chance()) {
                    Some(delay) => Next::At(ended_at.plus(delay)),
                    None => Next::Exhausted,
                }
            }
        };
        tell(delivery.event.id, number, trouble, next, ended_at);
        let status = answer.as_ref().map(|answer| answer.status);
        let (heard, answer) = answer.map(|answer| (answer.head, answer.body)).unwrap_or_default();
        let attempt = Attempt {
            number,
            began_at,
            duration: ended_at.since(began_at),
            status,
            heard,
            answer,
            trouble,
            sent,
            address,
            is_reused,
            phases,
        };
        let notice = notice(&delivery.event, &attempt, next)
            .map(|notice| (NoticeId::new(&*self.outside.ids, began_at), notice));
        let digests = of_attempt(delivery.chain, &attempt);
        Conclusion { attempt, step, next, notice, digests }
    }

    fn chance(&self) -> u16 {
        let mut bytes = [0; 2];
        self.outside.ids.fill(&mut bytes);
        u16::from_le_bytes(bytes)
    }
}

/// What the owner is told of an attempt: that a receiver fails, at the first one, and that nothing
/// more is sent.
fn notice(event: &Event, attempt: &Attempt, next: Next) -> Option<Notice> {
    let trouble = attempt.trouble?;
    let now = attempt.began_at.plus(attempt.duration);
    match next {
        Next::Exhausted => {
            Some(Notice::webhook_exhausted(&event.url, event.id, event.link(), trouble))
        }
        Next::At(_) if attempt.number == 1 => {
            Some(Notice::webhook_failing(&event.url, trouble, now))
        }
        Next::At(_) | Next::Delivered => None,
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Trouble> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Trouble::InvalidUrl)?;
    let value = HeaderValue::from_str(value).map_err(|_| Trouble::InvalidUrl)?;
    Ok((name, value))
}

/// The line in the log, which names no address: one may hold a key.
fn tell(event: EventId, number: u32, trouble: Option<Trouble>, next: Next, now: Timestamp) {
    let trouble = trouble.map(Trouble::as_str);
    match next {
        Next::Delivered => tracing::debug!(%event, number, "delivered"),
        Next::Exhausted => tracing::warn!(%event, number, trouble, "not delivered, for good"),
        Next::At(at) => {
            let wait: Duration = at.since(now);
            tracing::info!(%event, number, trouble, seconds = wait.as_secs(), "not delivered yet");
        }
    }
}
