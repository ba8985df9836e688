//! The loop that looks after what nobody carries any more.

use std::sync::Arc;
use std::time::Duration;

use app::App;
use app::verification::janitor::{forget_answers, pass};
use domain::verification::LEASE;
use metrics_exporter_prometheus::PrometheusHandle;
use store::fault::WriteError;
use tokio_util::sync::CancellationToken;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(1);

/// After how many looks the slower work is done.
const SLOW_EVERY: u32 = 60;

/// Looks until it is told to stop; a look that has begun is finished. A node that has the data to
/// itself begins with what its predecessor left behind, however long its leases still run.
pub(super) async fn run(
    app: Arc<App>,
    is_alone: bool,
    recorder: PrometheusHandle,
    stop: CancellationToken,
) {
    let mut ahead = if is_alone { LEASE } else { Duration::ZERO };
    let mut looks = 0;
    loop {
        if told("verifications", pass(&app, ahead).await) {
            ahead = Duration::ZERO;
        }
        if looks % SLOW_EVERY == 0 {
            told("kept answers", forget_answers(&app).await);
            recorder.run_upkeep();
        }
        looks = (looks + 1) % SLOW_EVERY;
        let next = app.clock.now().plus(EVERY);
        tokio::select! {
            () = stop.cancelled() => return,
            () = app.clock.sleep_until(next) => {}
        }
    }
}

/// Whether it went well; where not, the log says why.
fn told(what: &str, result: Result<(), WriteError>) -> bool {
    let Err(error) = result else { return true };
    tracing::warn!(what, error = format!("{:#}", anyhow::Error::from(error)), "the janitor");
    false
}
