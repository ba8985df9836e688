//! The simulator as a server: on a listener that is bound already, until it is stopped.

use std::fmt;
use std::future::IntoFuture;
use std::io;
use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::door::{Door, Scissors};
use crate::runtime::{Runtime, Tasks};
use crate::simulator::Simulator;
use crate::{admin, bdv, courier, rates};

/// From where the simulator may be reached. Its operator's routes ask nobody for credentials, and
/// they make it post to addresses that callers name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// From this machine.
    Loopback,
    /// From wherever the address is reached.
    Anywhere,
}

/// An address that others than this machine can reach, where that was not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a loopback address")]
pub struct NotLoopback(pub SocketAddr);

impl Reach {
    /// Checks that the simulator may listen at this address.
    ///
    /// # Errors
    /// [`NotLoopback`] where not.
    pub fn admit(self, address: SocketAddr) -> Result<(), NotLoopback> {
        match self {
            Self::Loopback if !address.ip().is_loopback() => Err(NotLoopback(address)),
            Self::Loopback | Self::Anywhere => Ok(()),
        }
    }
}

/// A simulator that is served. Dropping it stops it without waiting.
pub struct Running {
    simulator: Simulator,
    address: SocketAddr,
    stop: DropGuard,
    ended: Vec<oneshot::Receiver<()>>,
}

impl Running {
    /// The simulator, to be called without HTTP.
    #[must_use]
    pub fn simulator(&self) -> &Simulator {
        &self.simulator
    }

    /// Returns the address that it listens at.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no new caller, hangs up on those that are not answered yet, and returns when all is over.
    pub async fn stop(self) {
        drop(self.stop);
        for ended in self.ended {
            drop(ended.await);
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Running").field(&self.address).finish()
    }
}

/// Serves the simulated banks, their operator's routes among them, at the listener.
///
/// # Errors
/// Where the listener has no address, or one beyond the reach.
pub fn serve(listener: TcpListener, reach: Reach, runtime: Runtime) -> io::Result<Running> {
    let address = listener.local_addr()?;
    reach.admit(address).map_err(|error| io::Error::new(io::ErrorKind::PermissionDenied, error))?;
    let stop = CancellationToken::new();
    let tasks = runtime.tasks.clone();
    let simulator = Simulator::new(runtime, stop.clone());

    let routes = Router::new().merge(bdv::routes::routes()).merge(rates::routes());
    let routes = routes.merge(admin::routes());
    let routes = routes.with_state(simulator.clone());
    let service = routes.into_make_service_with_connect_info::<Scissors>();
    let server = axum::serve(Door::new(listener, stop.clone()), service);
    let server = server.with_graceful_shutdown(stop.clone().cancelled_owned());
    let http = begin(&*tasks, async {
        // It answers an error in no case.
        drop(server.into_future().await);
    });
    let courier = begin(&*tasks, courier::run(simulator.clone()));
    Ok(Running { simulator, address, stop: stop.drop_guard(), ended: vec![http, courier] })
}

/// Starts the work, and answers what signals its end.
fn begin(
    tasks: &dyn Tasks,
    work: impl Future<Output = ()> + Send + 'static,
) -> oneshot::Receiver<()> {
    let (end, ended) = oneshot::channel();
    tasks.spawn(Box::pin(async move {
        work.await;
        // A task that waits learns it from this being gone.
        drop(end);
    }));
    ended
}
