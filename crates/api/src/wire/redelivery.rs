//! A job that sends again what has failed.

use app::webhooks::Job;
use domain::ids::RedeliveryId;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::Shown;

/// El trabajo como está. / The job as it stands.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookRedelivery")]
pub(crate) struct WireRedelivery<'a> {
    id: Shown<RedeliveryId>,
    #[schemars(extend("enum" = ["running", "done"]))]
    state: &'static str,
    since: Shown<Timestamp>,
    until: Shown<Timestamp>,
    receiver: Option<&'a str>,
    /// `null` mientras se cuentan. / Null as long as that is counted.
    total: Option<i64>,
    looked: i64,
    redelivered: i64,
    created_at: Shown<Timestamp>,
    ended_at: Option<Shown<Timestamp>>,
}

impl<'a> WireRedelivery<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "redo_00000000000000000000000001",
            "state": "done",
            "since": "2026-11-20T08:00:00.000Z",
            "until": "2026-11-20T12:00:00.000Z",
            "receiver": null,
            "total": 3,
            "looked": 3,
            "redelivered": 3,
            "created_at": "2026-11-20T12:00:00.000Z",
            "ended_at": "2026-11-20T12:00:01.000Z",
        })
    }

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
