//! What the operator's machines ask: whether the process lives, whether it should be sent work,
//! and its metrics.

use std::sync::Arc;
use std::time::Duration;

use app::App;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::time::SKEW_MAX;
use metrics_exporter_prometheus::PrometheusHandle;
use store::fault::{Fault, Obstacle};
use store::{Meter, installation};
use tokio_util::sync::CancellationToken;
use web::request_layer::{TurnedAway, answer_without_store};

use super::http::Places;
use super::out_of_credits::OutOfCreditsCount;
use super::scrape;
use crate::data_folder::DataFolder;
use crate::metrics::Requests;
use crate::system::Runtime;

/// The paths of the routes.
pub(super) const PATHS: [&str; 3] = [LIVE, READY, METRICS];

const LIVE: &str = "/health/live";
const READY: &str = "/health/ready";
const METRICS: &str = "/metrics";

/// Why a service is not ready that has not reached its database yet.
const WAITS: &str = "waiting for the database";

/// Parts that the answers are made of.
#[derive(Clone)]
pub(super) struct Operations {
    pub(super) app: Arc<App>,
    pub(super) stop: CancellationToken,
    pub(super) recorder: PrometheusHandle,
    pub(super) places: Arc<Places>,
    pub(super) requests: Arc<Requests>,
    pub(super) out_of_credits: Arc<OutOfCreditsCount>,
    pub(super) data: DataFolder,
}

/// All the routes.
pub(super) fn routes(operations: Operations) -> Router {
    let metrics = Router::new()
        .route(METRICS, get(show_metrics))
        .layer(from_fn(turn_away))
        .with_state(operations.clone());
    health(operations).merge(metrics)
}

/// The routes without that of the metrics.
pub(super) fn health(operations: Operations) -> Router {
    Router::new()
        .route(LIVE, get(async || answer(StatusCode::OK, "alive")))
        .route(READY, get(ready))
        .layer(from_fn(turn_away))
        .with_state(operations)
}

/// Routes of a service whose database has not answered yet: it lives, and is not ready. Everything else is answered as the API
/// does, since a page cannot be made without it either.
pub(super) fn routes_without_database(runtime: &Runtime) -> Router {
    let (clock, ids) = (Arc::clone(&runtime.clock), Arc::clone(&runtime.ids));
    let unavailable = move |request: Request| {
        let answer = answer_without_store(&request, &*ids, clock.now());
        async move { answer }
    };
    Router::new()
        .route(LIVE, get(async || answer(StatusCode::OK, "alive")))
        .route(READY, get(async || answer(StatusCode::SERVICE_UNAVAILABLE, WAITS)))
        .layer(from_fn(turn_away))
        .fallback(unavailable)
}

/// Answers what its connection turns away, as the request layer does for the other routes.
async fn turn_away(request: Request, next: Next) -> Response {
    match request.extensions().get::<TurnedAway>() {
        Some(TurnedAway { status, refusal }) => answer(*status, refusal.code().as_str()),
        None => next.run(request).await,
    }
}

async fn ready(State(operations): State<Operations>) -> Response {
    match why_not(&operations).await {
        None => answer(StatusCode::OK, "ready"),
        Some(reason) => answer(StatusCode::SERVICE_UNAVAILABLE, reason),
    }
}

/// Why no work should be sent here, if none should.
pub(super) async fn why_not(operations: &Operations) -> Option<&'static str> {
    let app = &operations.app;
    if operations.stop.is_cancelled() {
        return Some("stopping");
    }
    match look(app).await {
        Ok(skew) if skew > SKEW_MAX => Some("this clock and the database's are too far apart"),
        Ok(_) => app.store.obstacle().await.map(word),
        Err(error) => {
            let reason = error.obstacle().map_or("the store does not answer", word);
            tracing::warn!(error = format!("{:#}", anyhow::Error::from(error)), "not ready");
            Some(reason)
        }
    }
}

/// Returns the reason that an obstacle to writes is.
fn word(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::NoRoom => "the store has no room: its disk is full",
        Obstacle::ReadOnly => "the database takes no writes: its server follows another one",
        Obstacle::HeldWal => {
            "the store is short of room: another program keeps SQLite's log from being checkpointed"
        }
        Obstacle::LongWal => {
            "the store is short of room: reads without a pause keep SQLite's log from starting over"
        }
    }
}

/// Asks the store, and how far its clock is from this one. No owner's rows are asked for: where some are on a server that is
/// lost, this node serves the others.
async fn look(app: &App) -> Result<Duration, Fault> {
    app.store.look_up(&Meter::default(), installation::look).await?;
    let skew = app.store.clock_skew(app.clock.now()).await?;
    Ok(Duration::from_micros(skew.unsigned_abs()))
}

async fn show_metrics(State(operations): State<Operations>) -> Response {
    let mut text = operations.recorder.render();
    text.push_str(&scrape::read(&operations).await);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

fn answer(status: StatusCode, word: &str) -> Response {
    let body = format!("{{\"status\":\"{word}\"}}");
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}
