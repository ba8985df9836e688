//! `GET /app/events`: notifies a page that has a script when a payment has arrived.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use app::{Act, App};
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListPayments;
use domain::ids::PaymentId;
use futures_util::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode, Uri};
use web::{AppState, OpenStream, Signed};

use super::route::PageRoute;

const PATH: &str = "/app/events";

/// The parameter that says which payment the page has last.
const BEHIND: &str = "behind";

/// How often is looked whether there is another.
pub const LOOK_EVERY: Duration = Duration::from_millis(1_730);

/// How long one stream lasts; the page asks for another, and is admitted anew. A stop of the service waits for it.
pub const LASTS: Duration = Duration::from_secs(15);

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Beginning of each stream: when it is over, the browser opens the next one after so many milliseconds, however long
/// it would wait by itself.
const BEGIN: &str = "retry: 1000\n\n";

/// Event that tells a page to look again.
const CHANGED: &str = "event: changed\ndata:\n\n";

/// Comment that keeps the connection from looking dead.
const STILL_HERE: &str = ": still here\n\n";

/// A page that listens.
struct Listener {
    app: Arc<App>,
    act: Act<ListPayments>,
    /// Which payments its page shows.
    livemode: Option<bool>,
    behind: Option<PaymentId>,
    /// By how long the clock has run, whatever it is set to.
    ends_at: Duration,
    is_done: bool,
    /// Counted until the stream is over, however it ends.
    _open: OpenStream,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListPayments, _, _>(PATH, listen)]
}

/// Returns the path at which a page learns of payments behind that one.
pub(super) fn path_behind(latest: Option<PaymentId>) -> String {
    latest.map_or_else(|| PATH.to_owned(), |id| format!("{PATH}?{BEHIND}={id}"))
}

async fn listen(signed: Signed<ListPayments>, State(state): State<AppState>, uri: Uri) -> Response {
    let behind = web::query::find(&uri, BEHIND).and_then(|id| id.parse().ok());
    let Some(open) = state.open_stream(signed.act.actor()) else {
        // A browser that gets this asks no more.
        return web::page(StatusCode::NO_CONTENT, String::new());
    };
    let ends_at = state.app.clock.uptime() + LASTS;
    let (app, act, livemode) = (state.app, signed.act, signed.test_mode.livemode());
    let listener = Listener { app, act, livemode, behind, ends_at, is_done: false, _open: open };
    let mut response = web::page(StatusCode::OK, String::new());
    let begin = stream::once(async { Ok(BEGIN) });
    *response.body_mut() = Body::from_stream(begin.chain(stream::unfold(listener, Listener::next)));
    response.headers_mut().insert(CONTENT_TYPE, EVENT_STREAM);
    response
}

impl Listener {
    /// The next word: that there is a payment which the page does not have, or that it still listens for nothing.
    async fn next(mut self) -> Option<(Result<&'static str, Infallible>, Self)> {
        if self.is_done {
            return None;
        }
        self.app.clock.sleep(LOOK_EVERY).await;
        let latest = app::payments::latest(&self.app, &self.act, self.livemode, 1).await;
        // Checked after it: a caller whose access has ended meanwhile is not notified of a change either.
        if matches!(app::access::is_still_admitted(&self.app, &self.act).await, Ok(false)) {
            return None;
        }
        // The page finds out what is wrong by looking.
        let has_changed =
            latest.map_or(true, |seen| seen.first().map(|seen| seen.payment.id) != self.behind);
        self.is_done = has_changed || self.app.clock.uptime() >= self.ends_at;
        Some((Ok(if has_changed { CHANGED } else { STILL_HERE }), self))
    }
}
