//! One attempt: signed, sent, and judged.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use domain::ids::{EventId, NoticeId, OwnerId};
use domain::notices::Notice;
use domain::time::Timestamp;
use domain::webhooks::{Signers, Trouble, judge, next_delay, retry_after};
use egress::{DEADLINE, Destination, Exchange};
use store::deliveries::{self, ANSWER_KEPT_MAX, Attempt, Conclusion, Delivery, Event, Next};
use store::due::Lease;
use store::evidence::of_attempt;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::claimed::{Claimed, Failed, Held, Made};
use crate::deliveries::Deliveries;
use crate::limits::RECORD_TIME;
use crate::previous_secret::{Signed, trouble_of_both};
use crate::signing::headers;

impl Deliveries {
    /// Makes the attempt that a delivery was claimed for, and has its result recorded; or gives the
    /// delivery back, where the process is about to stop or too little is left of the lease.
    pub(crate) async fn attempt(&self, claimed: Claimed) {
        let Claimed { owner, held, secrets, client_secrets, mut slot } = claimed;
        let id = held.delivery.event.id;
        let began_at = match self.begin(&held) {
            Ok(began_at) if !self.is_stopping.load(Ordering::Relaxed) => began_at,
            _ => return self.release(owner, id, held.lease).await,
        };
        let signed = Signed {
            owner: &secrets.current,
            client: client_secrets.as_deref().map(|secrets| &secrets.current),
        };
        let signers = Signers::at(began_at, &secrets).beside(signed.client);
        let exchange = self.send(owner, &held, &signers, began_at).await;
        let conclusion = self.conclude(&held.delivery, exchange, began_at, None);
        let made = self.repeated_if_unbelieved(owner, held, signed, conclusion).await;
        let (held, conclusion) = match made {
            Ok(made) => made,
            // It is due again when its lease is over.
            Err(error) => {
                let source = error.source().map(ToString::to_string);
                return tracing::warn!(event = %id, %error, source, "delivery attempt not completed");
            }
        };
        slot.ended(conclusion.attempt.duration);
        log_conclusion(id, &conclusion);
        let Held { lease, until, .. } = held;
        let made = Arc::new(Made { id, lease, until, conclusion, _slot: slot });
        if let Some(duty) = self.to_record.add(owner, [made]) {
            self.record_results(duty).await;
        }
    }

    /// Gives back what nothing was sent of.
    async fn release(&self, owner: OwnerId, id: EventId, lease: Lease) {
        let now = self.shared((self.runtime.now)());
        let release = move |tx: &mut Tx<'_>| deliveries::release(tx, owner, id, lease, now);
        let released = self.store.write(&Meter::default(), Lane::Claiming, owner, release).await;
        if let Err(error) = released {
            tracing::warn!(event = %id, ?error, "a claimed delivery could not be released");
        }
    }

    /// When an attempt begins, if it would end before the lease does.
    pub(crate) fn begin(&self, held: &Held) -> Result<Timestamp, Failed> {
        let now = (self.runtime.now)();
        if now.plus(DEADLINE + RECORD_TIME) < held.until { Ok(now) } else { Err(Failed::Late) }
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
            .and_then(|to| Ok((to, headers(signers, &self.word, event, held.lease, now)?)));
        match parts {
            Ok((to, headers)) => {
                let body = Bytes::from(event.body.clone());
                self.client.post(owner, &to, &headers, body).await
            }
            Err(trouble) => Exchange::none(trouble),
        }
    }

    /// Decides what is kept of an attempt, and what follows it. If the attempt repeats another, `first` is what went
    /// wrong with that one.
    pub(crate) fn conclude(
        &self,
        delivery: &Delivery,
        exchange: Exchange,
        began_at: Timestamp,
        first: Option<Trouble>,
    ) -> Conclusion {
        let ended_at = (self.runtime.now)();
        let Exchange { answer, sent, address, is_reused, phases } = exchange;
        let (answer, trouble) = match answer {
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
            // A person who tries a receiver out looks at once, and tries again.
            Some(_) if !delivery.event.kind.is_sent_again() => Next::Exhausted,
            Some(trouble) => {
                let asked = answer.as_ref().and_then(|answer| answer.retry_after.as_deref());
                let asked = asked.and_then(|text| retry_after(text, ended_at));
                match next_delay(step, trouble, asked, self.chance()) {
                    Some(delay) => Next::At(self.shared(ended_at).plus(delay)),
                    None => Next::Exhausted,
                }
            }
        };
        let status = answer.as_ref().map(|answer| answer.status);
        let (answer_head, answer) =
            answer.map(|answer| (answer.head, answer.body)).unwrap_or_default();
        let attempt = Attempt {
            number,
            began_at,
            duration: ended_at.since(began_at),
            status,
            answer_head,
            answer,
            trouble,
            sent,
            address,
            is_reused,
            phases,
        };
        let notice = notice(&delivery.event, came_to, step, next, ended_at)
            .map(|notice| (NoticeId::new(&*self.runtime.ids, began_at), notice));
        let digests = of_attempt(delivery.chain, &attempt);
        Conclusion { attempt, step, trouble: came_to, next, notice, digests }
    }

    fn chance(&self) -> u16 {
        let mut bytes = [0; 2];
        self.runtime.ids.fill(&mut bytes);
        u16::from_le_bytes(bytes)
    }
}

/// Makes the notice by which the owner learns of an attempt: that a receiver fails, at the first step of the schedule,
/// or that nothing more is sent.
fn notice(
    event: &Event,
    trouble: Option<Trouble>,
    step: u32,
    next: Next,
    now: Timestamp,
) -> Option<Notice> {
    let trouble = trouble.filter(|_| event.kind.is_sent_again())?;
    match next {
        Next::Exhausted => {
            Some(Notice::webhook_exhausted(&event.url, event.id, event.link(), trouble))
        }
        Next::At(_) if step == 1 => Some(Notice::webhook_failing(&event.url, trouble, now)),
        Next::At(_) | Next::Delivered => None,
    }
}

/// The line in the log, which names no address: one may hold a key.
fn log_conclusion(event: EventId, conclusion: &Conclusion) {
    let Conclusion { attempt, trouble, next, .. } = conclusion;
    let (number, trouble) = (attempt.number, trouble.map(Trouble::as_str));
    match next {
        Next::Delivered => tracing::debug!(%event, number, "delivered"),
        Next::Exhausted => tracing::warn!(%event, number, trouble, "delivery exhausted"),
        Next::At(at) => {
            let wait: Duration = at.since(attempt.ended_at());
            tracing::info!(%event, number, trouble, seconds = wait.as_secs(), "delivery attempt failed, retry scheduled");
        }
    }
}
