//! What one profile came to.

use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::receiver::Received;
use super::shop::Sent;
use super::site::Spent;
use crate::statistics::percentile;

/// Result of a profile. Latencies are from the instant before a request was sent to the arrival of its event, and from
/// the event's own instant.
#[derive(Clone, Copy, Default)]
pub(super) struct Outcome {
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
    pub(super) event_p50_ms: f64,
    pub(super) event_p99_ms: f64,
    /// Processor time for each event, in milliseconds.
    pub(super) service_ms: f64,
    pub(super) postgres_ms: f64,
    /// The most memory of the service so far.
    pub(super) memory_mb: f64,
    /// How often an event arrived that had arrived before.
    pub(super) repeats: usize,
    /// The size of an event.
    pub(super) bytes: f64,
    pub(super) connections: usize,
}

impl Outcome {
    /// Computes the outcome of events that were sent and received. One that was sent and not received is an error.
    pub(super) fn of(sent: &[Sent], received: &Received) -> Result<Self> {
        let mut millis = Vec::with_capacity(sent.len());
        let mut after_event = Vec::with_capacity(sent.len());
        for Sent { link, at } in sent {
            let Some(arrival) = received.first.get(link) else {
                bail!("the event of {link} was never heard");
            };
            millis.push(arrival.at.saturating_duration_since(*at).as_secs_f64() * 1e3);
            after_event.push(arrival.after_event_ms);
        }
        let first = sent.iter().map(|sent| sent.at).min().context("nothing was sent")?;
        let mut outcome = Self::received_since(first, received)?;
        outcome.max_ms = millis.iter().copied().fold(0.0, f64::max);
        (outcome.p50_ms, outcome.p99_ms) =
            (percentile(millis.clone(), 0.5), percentile(millis, 0.99));
        (outcome.event_p50_ms, outcome.event_p99_ms) =
            (percentile(after_event.clone(), 0.5), percentile(after_event, 0.99));
        Ok(outcome)
    }

    /// Computes the outcome of events that were all received since `begun`.
    pub(super) fn received_since(begun: Instant, received: &Received) -> Result<Self> {
        let count = received.first.len();
        let last =
            received.first.values().map(|arrival| arrival.at).max().context("nothing was heard")?;
        Ok(Self {
            per_second: count as f64 / last.saturating_duration_since(begun).as_secs_f64(),
            repeats: received.repeats,
            bytes: received.bytes as f64 / (count + received.repeats) as f64,
            connections: received.connections,
            ..Self::default()
        })
    }

    /// With what `count` events have cost.
    pub(super) fn costing(self, before: Spent, after: Spent, count: usize) -> Self {
        let each = |before: f64, after: f64| (after - before) * 1e3 / count.max(1) as f64;
        Self {
            service_ms: each(before.service, after.service),
            postgres_ms: each(before.postgres, after.postgres),
            ..self
        }
    }
}
