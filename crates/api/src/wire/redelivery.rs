//! A job that sends again what has failed.

use app::webhooks::Job;
use domain::ids::RedeliveryId;
use domain::time::Timestamp;
use serde::Serialize;

use super::Shown;

/// The job as it stands.
#[derive(Serialize)]
pub(crate) struct WireRedelivery<'a> {
    id: Shown<RedeliveryId>,
    state: &'static str,
    since: Shown<Timestamp>,
    until: Shown<Timestamp>,
    receiver: Option<&'a str>,
    /// Null as long as that is counted.
    total: Option<i64>,
    looked: i64,
    redelivered: i64,
    created_at: Shown<Timestamp>,
    ended_at: Option<Shown<Timestamp>>,
}

impl<'a> WireRedelivery<'a> {
    pub(crate) fn of(job: &'a Job) -> Self {
        Self {
            id: Shown(job.id),
            state: if job.ended_at.is_some() { "done" } else { "running" },
            since: Shown(job.wanted.since),
            until: Shown(job.wanted.until),
            receiver: job.wanted.receiver.as_deref(),
            total: job.total,
            looked: job.looked,
            redelivered: job.redelivered,
            created_at: Shown(job.created_at),
            ended_at: job.ended_at.map(Shown),
        }
    }
}
