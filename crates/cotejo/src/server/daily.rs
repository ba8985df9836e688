//! The loop that does the daily work on owners' deliveries. It has a loop of its own, since a day of
//! an owner with many deliveries takes longer than what the janitor looks after can wait.

use std::sync::Arc;
use std::time::Duration;

use app::App;
use app::delivery_days::pass;
use tokio_util::sync::CancellationToken;

/// How often it looks: a little more than a minute, so that it is not at one with others who look at
/// whole minutes.
const DAY_CHECK_INTERVAL: Duration = Duration::from_millis(61_700);

/// Looks until it is asked to stop. What it is at then is left: all of it may be begun anew.
pub(super) async fn run(app: Arc<App>, stop: CancellationToken) {
    let work = async {
        loop {
            if let Err(error) = pass(&app).await {
                tracing::warn!(?error, "daily work on deliveries failed");
            }
            app.clock.sleep(DAY_CHECK_INTERVAL).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = work => {}
    }
}
