//! The HTTP server: connections are accepted up to a limit, served, and closed between two
//! requests when the server stops.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::config::Http;

/// The longest head of a request that is read, in bytes.
const HEAD_LEN_MAX: usize = 32 * 1024;

/// How long is waited after a connection could not be accepted: most likely there are too many
/// open files, and asking again at once would change nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until it is told to stop, and then until the last request is answered.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Http,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(limits.connections_max));
    let connections = GracefulShutdown::new();
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(HEAD_LEN_MAX);
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener, &places) => accepted,
        };
        if let Some((stream, peer, place)) = accepted {
            attend(&server, &connections, router.clone(), stream, peer, place);
        }
    }
    // Nobody new is let in while the others finish.
    drop(listener);
    connections.shutdown().await;
}

/// The next connection, once there is a place for it. Those that wait do so in the kernel.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, place)),
        Err(error) => {
            tracing::warn!(%error, "a connection was not accepted");
            pause().await;
            None
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the kernel's answers do not follow `app::Clock`")]
async fn pause() {
    tokio::time::sleep(PAUSE).await;
}

#[expect(clippy::disallowed_methods, reason = "connections are drained by `GracefulShutdown`")]
fn attend(
    server: &http1::Builder,
    connections: &GracefulShutdown,
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
) {
    // An answer is one write; holding it back for another would only cost time.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection that was gone at once");
        return;
    }
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    });
    let connection = server.serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        let _place = place;
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection broke off");
        }
    });
}
