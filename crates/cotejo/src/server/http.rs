//! The HTTP server: connections are accepted up to a limit, served, and closed between two
//! requests when the server stops.

mod bodies;
mod browsers;
mod doing;
mod head;
mod places;
mod socket;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use domain::refusal::Refusal;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tower::Service;
use web::request_layer::TurnedAway;

use self::bodies::{Answered, Asked};
pub(super) use self::browsers::Browsers;
use self::places::Place;
pub(super) use self::places::Places;
use self::socket::{Patience, Socket};
use super::operations;
use crate::config::Http;
use crate::system::TrackedTasks;

/// How long a client that asks for health or metrics may take to send the head, where places are short.
const HEAD_TIME_SHORT: Duration = Duration::from_secs(2);

/// How long is waited after a connection could not be accepted: most likely there are too many
/// open files, and asking again at once would change nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a connection that is to end waits for the other side to send or take a byte.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// Parts that every connection is served with.
#[derive(Clone)]
struct Server {
    http: http1::Builder,
    /// For connections that have a place of the reserve.
    short: http1::Builder,
    router: Router,
    browsers: Browsers,
    patience: Patience,
    stop: CancellationToken,
}

/// Serves until it is asked to stop, and then until the last request is answered.
pub(super) async fn serve(
    listener: Arc<TcpListener>,
    router: Router,
    browsers: Browsers,
    limits: Http,
    places: Arc<Places>,
    stop: CancellationToken,
) {
    if let Err(error) = socket::bound(&listener, limits.send_buffer_len) {
        tracing::warn!(%error, "the send buffer of connections could not be limited");
    }
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(head::READ_MAX);
    let mut short = http.clone();
    short.keep_alive(false).header_read_timeout(limits.header_timeout.min(HEAD_TIME_SHORT));
    let patience = Patience { stall: limits.write_timeout, answer: limits.answer_timeout };
    let server = Server { http, short, router, browsers, patience, stop: stop.clone() };
    let connections = TrackedTasks::default();
    loop {
        let accepted = tokio::select! {
            // First of all: what comes from then on is for the next who accepts.
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // A client that gets no place learns so by the end of the connection.
                let Some(place) = places.take(peer.ip()) else { continue };
                let attending = server.clone().attend(stream, peer, place);
                app::Tasks::spawn(&connections, Box::pin(attending));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                pause(PAUSE).await;
            }
        }
    }
    // No new connection is accepted while the others finish.
    drop(listener);
    connections.drain().await;
}

impl Server {
    /// Serves a connection until one of the two sides ends it.
    async fn attend(self, stream: TcpStream, peer: SocketAddr, place: Place) {
        // An answer is one write; holding it back for another would only cost time.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "the client closed the connection");
            return;
        }
        let doing = Arc::clone(&place.doing);
        let http = if place.is_reserved { &self.short } else { &self.http };
        let (router, is_reserved, browsers) = (self.router, place.is_reserved, self.browsers);
        let service = service_fn(move |request| {
            let (mut router, doing) = (router.clone(), Arc::clone(&doing));
            let request = enter(request, peer, is_reserved, &doing);
            let answering = router.call(request);
            async move {
                let mut answer = answering.await?;
                browsers.dress(answer.headers_mut());
                Ok::<_, Infallible>(answer.map(|body| Answered::new(body, doing)))
            }
        });
        let socket = Socket::new(stream, Arc::clone(&place.doing), self.patience);
        let mut connection = pin!(http.serve_connection(TokioIo::new(socket), service));
        let ended = tokio::select! {
            biased;
            ended = connection.as_mut() => Some(ended),
            () = place.leave.cancelled() => None,
        };
        if let Some(ended) = ended {
            return note_end(ended);
        }
        if !self.stop.is_cancelled() && place.doing.owing().is_some() {
            // Another has its place.
            return;
        }
        connection.as_mut().graceful_shutdown();
        let mut moved = place.doing.moved();
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => return note_end(ended),
                () = pause(LAST_PATIENCE) => {}
            }
            if place.doing.is_stuck(&mut moved) {
                tracing::debug!("stuck connection closed at shutdown");
                return;
            }
        }
    }
}

/// Makes of a request what the routes are asked, and notes that the connection has begun it.
fn enter(
    request: hyper::Request<Incoming>,
    peer: SocketAddr,
    is_reserved: bool,
    doing: &Arc<doing::Doing>,
) -> axum::extract::Request {
    doing.begin();
    let mut request = request.map(|body| Body::new(Asked::new(body, Arc::clone(doing))));
    let is_short = is_reserved && !operations::PATHS.contains(&request.uri().path());
    let short = || is_short.then(|| TurnedAway::by(Refusal::ServiceUnavailable));
    let turned_away = head::problem(&request).or_else(short);
    let extensions = request.extensions_mut();
    extensions.insert(ConnectInfo(peer));
    if let Some(turned_away) = turned_away {
        extensions.insert(turned_away);
    }
    request
}

fn note_end(ended: Result<(), hyper::Error>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "connection closed with an error");
    }
}

#[expect(clippy::disallowed_methods, reason = "the kernel's answers do not follow `app::Clock`")]
async fn pause(duration: Duration) {
    tokio::time::sleep(duration).await;
}
