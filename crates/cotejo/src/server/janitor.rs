//! The loop that looks after what nobody carries any more.

use std::sync::Arc;
use std::time::Duration;

use app::verification::janitor::{Which, pass};
use app::{App, Meter, key_uses, refusals, sign_in_failures, sweep};
use metrics_exporter_prometheus::PrometheusHandle;
use store::one_by_one;
use tokio_util::sync::CancellationToken;

use crate::metrics;

/// How often it looks.
const PASS_INTERVAL: Duration = Duration::from_secs(1);

/// After how many looks the slower work is done.
const SLOW_PASS_PERIOD: u32 = 60;

/// After how many looks it is learnt which owners there are.
const LEARNING_PERIOD: u32 = 600;

/// Looks until it is asked to stop; a look that has begun is finished.
pub(super) async fn run(app: Arc<App>, recorder: PrometheusHandle, stop: CancellationToken) {
    let mut looks = 0;
    loop {
        if log_failure("verifications", pass(&app, Which::Over).await) {
            metrics::note_janitor_pass(app.clock.now());
        }
        if looks % SLOW_PASS_PERIOD == 0 {
            for old in sweep::ALL {
                log_failure(old.what, sweep::sweep(&app, *old).await);
            }
            log_failure("old movements", sweep::sweep_movements(&app).await);
            log_failure("uses of keys", key_uses::write(&app).await);
            log_failure("wrong passwords that count no more", sign_in_failures::sweep(&app).await);
            log_failure("calls that are known again", sweep::sweep_recent_calls(&app).await);
            log_failure("the cost of passwords", app.passwords.read_kept(&app.store).await);
            recorder.run_upkeep();
        }
        if looks % LEARNING_PERIOD == 0 {
            log_failure("owners", one_by_one::learn(&app.store).await);
        }
        looks = (looks + 1) % LEARNING_PERIOD;
        tokio::select! {
            () = stop.cancelled() => break,
            () = app.clock.sleep(PASS_INTERVAL) => {}
        }
    }
    log_failure("uses of keys", key_uses::write(&app).await);
}

/// Writes once a minute what was refused, beside everything else: a flood of refusals keeps nothing else waiting.
pub(super) async fn write_refusals(app: Arc<App>, stop: CancellationToken) {
    loop {
        let is_over = tokio::select! {
            () = stop.cancelled() => true,
            () = app.clock.sleep(PASS_INTERVAL * SLOW_PASS_PERIOD) => false,
        };
        log_failure("refusals", refusals::write(&app).await);
        log_failure("wrong passwords", sign_in_failures::write(&app, &Meter::default()).await);
        if is_over {
            break;
        }
    }
}

/// Logs and counts a failure. Answers whether all went well.
fn log_failure(
    what: &str,
    result: Result<(), impl std::error::Error + Send + Sync + 'static>,
) -> bool {
    if let Err(error) = result {
        metrics::note_janitor_failure();
        tracing::warn!(
            what,
            error = format!("{:#}", anyhow::Error::from(error)),
            "janitor pass failed"
        );
        return false;
    }
    true
}
