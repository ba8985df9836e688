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
    /// `running` mientras trabaja, y luego `done`. / `running` as long as it works, then `done`.
    #[schemars(extend("enum" = ["running", "done"]))]
    state: &'static str,
    /// Desde cuándo son los eventos. / Since when the events are.
    since: Shown<Timestamp>,
    /// Hasta cuándo son. / Until when they are.
    until: Shown<Timestamp>,
    /// Solo los de este servidor y puerto; `null` son todos. / Only those of this host and port; `null` are all.
    receiver: Option<&'a str>,
    /// `null` mientras se cuentan. / Null as long as that is counted.
    total: Option<i64>,
    /// Cuántas entregas ha mirado. / How many deliveries it has looked at.
    looked: i64,
    /// Cuántas envía otra vez. / How many it sends again.
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
