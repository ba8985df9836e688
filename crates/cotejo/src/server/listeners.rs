//! The addresses that a service listens at: the one for everybody, and where the operator wants that another one for health and
//! metrics, which the outside does not reach.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::http::{self, Browsers, Places};
use super::operations::{self, Operations};
use super::start_loop;
use crate::config::{Config, Http};
use crate::system::TrackedTasks;

/// How many connections the operator's machines have at once at an address of their own.
const OPERATIONS_MAX: usize = 64;

/// Listeners that are bound.
#[derive(Clone, Debug)]
pub(super) struct Listeners {
    public: Arc<TcpListener>,
    operations: Option<Arc<TcpListener>>,
}

impl Listeners {
    /// Takes the addresses of the configuration.
    ///
    /// # Errors
    /// Where one cannot be listened at.
    pub(super) async fn bind(config: &Config) -> anyhow::Result<Self> {
        let public = bind(config.listen).await?;
        let operations = match config.operations {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        Ok(Self { public, operations })
    }

    /// The address for everybody.
    ///
    /// # Errors
    /// Where the system does not say.
    pub(super) fn addr(&self) -> std::io::Result<SocketAddr> {
        self.public.local_addr()
    }

    /// The address for the operator's machines alone.
    ///
    /// # Errors
    /// Where the system does not say.
    pub(super) fn operations_addr(&self) -> std::io::Result<Option<SocketAddr>> {
        self.operations.as_ref().map(|listener| listener.local_addr()).transpose()
    }

    /// Every listener.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<TcpListener>> {
        std::iter::once(&self.public).chain(&self.operations)
    }

    /// Serves at every address: pages and API, which come behind the operator's routes, at the one for everybody alone.
    pub(super) fn serve(
        self,
        loops: &TrackedTasks,
        operations: Operations,
        others: Router,
        limits: &Http,
    ) {
        let stop = operations.stop.clone();
        let browsers = Browsers::of(&operations.app.settings.base_url);
        let places = Arc::clone(&operations.places);
        let own = match self.operations {
            None => operations::routes(operations),
            Some(listener) => {
                let routes = operations::routes(operations.clone());
                start_loop(loops, serve_apart(listener, routes, browsers, limits, stop.clone()));
                operations::health(operations)
            }
        };
        let router = own.merge(others);
        let serving = http::serve(self.public, router, browsers, limits.clone(), places, stop);
        start_loop(loops, serving);
    }
}

async fn bind(address: SocketAddr) -> anyhow::Result<Arc<TcpListener>> {
    let bound = TcpListener::bind(address).await;
    bound.map(Arc::new).with_context(|| format!("the address {address} cannot be listened at"))
}

/// Serves the operator's machines at an address of their own, which a crowd at the other one does not fill.
fn serve_apart(
    listener: Arc<TcpListener>,
    routes: Router,
    browsers: Browsers,
    limits: &Http,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + use<> {
    let limits = Http {
        connections_max: OPERATIONS_MAX,
        connections_per_address: Some(OPERATIONS_MAX),
        connections_reserved: 1,
        ..limits.clone()
    };
    let places = Arc::new(Places::new(&limits, stop.clone()));
    http::serve(listener, routes, browsers, limits, places, stop)
}
