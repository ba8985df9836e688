//! `GET /pay/{payment_link_id}/events`: notifies a page that has a script when it is out of date.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use app::links::checkout::{Checkout, view as look};
use app::verification::link_check::CheckOutcome;
use app::{Act, App};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ViewLink;
use domain::ids::{LinkId, VerificationId};
use domain::time::Timestamp;
use futures_util::stream;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode, Uri};
use web::{Admitted, AppState};

use crate::checkout::check;
use crate::message_page::unknown;
use crate::view::{SLOW, is_checking};

/// How often is looked whether anything has changed.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long one stream lasts; the page asks for another. A stop of the service waits for it.
const LASTS: Duration = Duration::from_secs(15);

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Event that tells a page to look again.
const CHANGED: &str = "event: changed\ndata:\n\n";

/// Comment that keeps the connection from looking dead.
const STILL_HERE: &str = ": still here\n\n";

/// A page that listens.
struct Listener {
    app: Arc<App>,
    act: Act<ViewLink>,
    id: LinkId,
    check: Option<VerificationId>,
    /// When was looked last, at first by the page itself.
    looked_at: Timestamp,
    /// By how long the clock has run, whatever it is set to.
    ends_at: Duration,
    is_done: bool,
}

pub(crate) async fn handle(
    admitted: Admitted<ViewLink>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Response {
    let Ok(id) = id.parse() else { return unknown(admitted.language()) };
    let (act, app, check) = (admitted.0, state.app, check(&uri));
    let (looked_at, ends_at) = (act.now, app.clock.uptime() + LASTS);
    let listener = Listener { app, act, id, check, looked_at, ends_at, is_done: false };
    let events = stream::unfold(listener, Listener::next);
    let mut response = web::page(StatusCode::OK, String::new());
    *response.body_mut() = Body::from_stream(events);
    response.headers_mut().insert(CONTENT_TYPE, EVENT_STREAM);
    response
}

impl Listener {
    /// The next word: after a second nothing much, or that the page should look again.
    async fn next(mut self) -> Option<(Result<&'static str, Infallible>, Self)> {
        if self.is_done {
            return None;
        }
        self.app.clock.sleep(LOOK_EVERY).await;
        self.act.now = self.app.clock.now();
        let is_waiting = match look(&self.app, &self.act, self.id, self.check).await {
            Ok(checkout) => is_waiting(&checkout, self.looked_at),
            // The page finds out what is wrong by looking.
            Err(_) => false,
        };
        self.looked_at = self.act.now;
        self.is_done = !is_waiting || self.app.clock.uptime() >= self.ends_at;
        Some((Ok(if is_waiting { STILL_HERE } else { CHANGED }), self))
    }
}

/// Tells whether the page still shows what was true at `looked_at`: that the bank is being asked, and has not turned
/// slow since.
fn is_waiting(checkout: &Checkout, looked_at: Timestamp) -> bool {
    let has_turned_slow = match checkout.outcome {
        Some(CheckOutcome::Checking { since }) => {
            let slow_at = since.plus(SLOW);
            looked_at < slow_at && slow_at <= checkout.now
        }
        _ => false,
    };
    is_checking(checkout) && !has_turned_slow
}
