//! One attempt: taken, signed, sent, and kept.

use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use domain::ids::{EventId, NoticeId, OwnerId};
use domain::notices::Notice;
use domain::time::Timestamp;
use domain::webhooks::{Trouble, judge, next_delay, retry_after};
use egress::{DEADLINE, Destination, Exchange};
use store::deliveries::{self, ANSWER_KEPT_MAX, Attempt, Conclusion, Delivery, Event, Next};
use store::due::Lease;
use store::fault::WriteError;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::places::Place;
use crate::repeat::trouble_of_both;
use crate::signing::Signers;
use crate::{Deliveries, LEASE};

/// A delivery that this process has, until its lease is over.
pub(crate) struct Held {
    pub(crate) delivery: Delivery,
    pub(crate) lease: Lease,
    pub(crate) until: Timestamp,
}

/// Why an attempt was not made, or not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("the delivery could not be taken")]
    Taking(#[source] WriteError),
    #[error("the owner's secret is not to be had")]
    Secret(#[source] Box<dyn StdError + Send + Sync>),
    #[error("the lease is nearly over before anything was sent")]
    Late,
    #[error("what came of it could not be kept")]
    Keeping(#[source] WriteError),
    #[error("taken over before it was kept, or kept by a commit whose answer was lost")]
    Lost,
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
        let held = Held { delivery, lease, until };

        let secrets = self.secrets.of(owner).await.map_err(Failed::Secret)?;
        let began_at = self.begin(&held)?;
        let heard = self.send(owner, &held, &Signers::at(began_at, &secrets), began_at).await;
        let conclusion = self.conclude(&held.delivery, heard, began_at, None);
        let signed = &secrets.current;
        let (held, conclusion) =
            self.repeated_if_unbelieved(owner, held, signed, conclusion).await?;

        tell(id, &conclusion);
        let lease = held.lease;
        let kept = move |tx: &mut Tx<'_>| deliveries::record(tx, owner, id, lease, &conclusion);
        let keep = self.store.write_again(&meter, Lane::Completion, owner, kept);
        if !keep.await.map_err(Failed::Keeping)? {
            // By whoever has it now, or by a commit of this one whose answer was lost.
            tracing::warn!(event = %id, "taken over before it was kept, or kept already");
        }
        Ok(())
    }

    /// When an attempt begins, if it would end before the lease does.
    pub(crate) fn begin(&self, held: &Held) -> Result<Timestamp, Failed> {
        let now = (self.outside.now)();
        if now.plus(DEADLINE) < held.until { Ok(now) } else { Err(Failed::Late) }
    }

    /// Sends the event as it was written, signed for this instant.
    pub(crate) async fn send(
        &self,
        owner: OwnerId,
        held: &Held,
        signers: &Signers<'_>,
        now: Timestamp,
    ) -> Exchange {
        let event = &held.delivery.event;
        let parts = Destination::parse(&event.url)
            .and_then(|to| Ok((to, signers.headers(&self.word, event, held.lease, now)?)));
        match parts {
            Ok((to, headers)) => {
                let body = Bytes::from(event.body.clone());
                self.client.post(owner, &to, &headers, body).await
            }
            Err(trouble) => Exchange::none(trouble),
        }
    }

    /// What is kept of an attempt, and what follows it; `first` is what went wrong with the one that
    /// it repeats, if it repeats one.
    pub(crate) fn conclude(
        &self,
        delivery: &Delivery,
        exchange: Exchange,
        began_at: Timestamp,
        first: Option<Trouble>,
    ) -> Conclusion {
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
        let came_to = trouble_of_both(first, trouble);
        let next = match came_to {
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
        let notice = notice(&delivery.event, came_to, step, next, ended_at)
            .map(|notice| (NoticeId::new(&*self.outside.ids, began_at), notice));
        Conclusion { attempt, step, trouble: came_to, next, notice }
    }

    fn chance(&self) -> u16 {
        let mut bytes = [0; 2];
        self.outside.ids.fill(&mut bytes);
        u16::from_le_bytes(bytes)
    }
}

/// What the owner is told of an attempt: that a receiver fails, at the first step of the schedule, and
/// that nothing more is sent.
fn notice(
    event: &Event,
    trouble: Option<Trouble>,
    step: u32,
    next: Next,
    now: Timestamp,
) -> Option<Notice> {
    let trouble = trouble?;
    match next {
        Next::Exhausted => {
            Some(Notice::webhook_exhausted(&event.url, event.id, event.link(), trouble))
        }
        Next::At(_) if step == 1 => Some(Notice::webhook_failing(&event.url, trouble, now)),
        Next::At(_) | Next::Delivered => None,
    }
}

/// The line in the log, which names no address: one may hold a key.
fn tell(event: EventId, conclusion: &Conclusion) {
    let Conclusion { attempt, trouble, next, .. } = conclusion;
    let (number, trouble) = (attempt.number, trouble.map(Trouble::as_str));
    match next {
        Next::Delivered => tracing::debug!(%event, number, "delivered"),
        Next::Exhausted => tracing::warn!(%event, number, trouble, "not delivered, for good"),
        Next::At(at) => {
            let wait: Duration = at.since(attempt.began_at.plus(attempt.duration));
            tracing::info!(%event, number, trouble, seconds = wait.as_secs(), "not delivered yet");
        }
    }
}
