//! The loops that attend to the queue of work, one for each kind, so that long work of one holds up no other.

use std::sync::Arc;
use std::time::Duration;

use app::App;
use app::queue::{AnyWork, Progress};
use store::fault::Fault;
use tokio_util::sync::CancellationToken;

/// How often a loop looks for work that lies too far ahead.
const LOOK_AHEAD_INTERVAL: Duration = Duration::from_secs(60);

/// Attends to work of one kind until it is asked to stop. A subject that was begun is finished, unless its kind may be
/// cut short.
pub(super) async fn run(app: Arc<App>, work: AnyWork, stop: CancellationToken) {
    let attending = attend(&app, work, &stop);
    if work.is_cut_short {
        stop.run_until_cancelled(attending).await;
    } else {
        attending.await;
    }
}

async fn attend(app: &Arc<App>, work: AnyWork, stop: &CancellationToken) {
    let token = stop.clone();
    let is_stopping = move || token.is_cancelled();
    let mut looked_ahead_at: Option<Duration> = None;
    while !stop.is_cancelled() {
        let uptime = app.clock.uptime();
        let is_fresh = |at: Duration| uptime.saturating_sub(at) < LOOK_AHEAD_INTERVAL;
        if !looked_ahead_at.is_some_and(is_fresh) {
            looked_ahead_at = Some(uptime);
            if let Err(error) = work.bring_forward(app, &is_stopping).await {
                log_failure(work, &error);
            }
        }
        match work.pass(app, &is_stopping).await {
            Ok(Progress::More) => continue,
            Ok(Progress::Rested) => {}
            Err(error) => log_failure(work, &error),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = app.clock.sleep(work.poll) => {}
        }
    }
}

fn log_failure(work: AnyWork, error: &Fault) {
    tracing::warn!(work = ?work.kind, ?error, "the queue of work could not be read");
}
