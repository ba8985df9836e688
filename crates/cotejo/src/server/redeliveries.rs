//! The loop that sends again what has failed, for owners who have asked for it.

use std::sync::Arc;

use app::App;
use app::webhooks::{JOB_POLL_INTERVAL, attend};
use tokio_util::sync::CancellationToken;

/// Attends to jobs until it is asked to stop; a slice that has begun is finished, and the rest is left
/// to the next look.
pub(super) async fn run(app: Arc<App>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let is_more = attend(&app).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "redelivery jobs could not be read or continued");
            false
        });
        if is_more {
            continue;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = app.clock.sleep(JOB_POLL_INTERVAL) => {}
        }
    }
}
