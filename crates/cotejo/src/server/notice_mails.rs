//! The loop that writes and sends mail about notices. It runs only where a mail server is set, and beside the loop
//! for the mail that people wait for, which it never holds up.

use std::sync::Arc;

use app::App;
use app::notice_mails::{POLL_INTERVAL, pass};
use tokio_util::sync::CancellationToken;

/// Writes and sends until it is asked to stop; a mail that is on its way is finished.
pub(super) async fn run(app: Arc<App>, stop: CancellationToken) {
    let Some(server) = &app.mail else { return };
    while !stop.is_cancelled() {
        let is_more = pass(&app, server, || stop.is_cancelled()).await.unwrap_or_else(|error| {
            tracing::warn!(?error, "notices that want a mail could not be read");
            false
        });
        if is_more {
            continue;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = app.clock.sleep(POLL_INTERVAL) => {}
        }
    }
}
