//! Whom a connector believes.

use std::net::SocketAddr;

use futures_util::future::join;
use rustls::RootCertStore;
use testkit::certificates::{Shown, serving, trusted};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::connect::{Connector, PAUSE, RETRIES};

/// A server that shows that certificate, for so many connections.
async fn server(shown: Shown, connections: u32) -> (SocketAddr, impl Future<Output = ()>) {
    let acceptor = TlsAcceptor::from(serving(shown, &[]));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serve = async move {
        for _ in 0..connections {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not believe the certificate hangs up.
            if let Ok(mut stream) = acceptor.accept(stream).await {
                drop(stream.shutdown().await);
            }
        }
    };
    (address, serve)
}

/// Connects to a server at that host which shows that, where these roots are trusted.
async fn connect(
    host: &str,
    shown: Shown,
    roots: RootCertStore,
    connections: u32,
) -> Result<(), Error> {
    let (address, serve) = server(shown, connections).await;
    let base = BaseUrl::parse(&format!("https://{host}:{}", address.port())).unwrap();
    let connector = Connector::trusting(|| Ok(roots), &base, time(&[PAUSE])).unwrap();
    let (connected, ()) = join(connector.connect(), serve).await;
    connected.map(drop)
}

#[tokio::test]
async fn a_certificate_that_is_trusted_is_believed() {
    assert_eq!(connect("127.0.0.1", Shown::Good, trusted(), 1).await, Ok(()));
}

/// Nor does the certificate of one host speak for another, or for anybody after its time.
#[tokio::test]
async fn a_certificate_that_is_not_good_is_not_believed() {
    for (host, shown, roots) in [
        ("127.0.0.1", Shown::Good, RootCertStore::empty()),
        ("localhost", Shown::Good, trusted()),
        ("127.0.0.1", Shown::OfAnotherHost, trusted()),
        ("127.0.0.1", Shown::SignedByItself, trusted()),
        ("127.0.0.1", Shown::Expired, trusted()),
    ] {
        let refused = connect(host, shown, roots, 1 + RETRIES).await;
        assert_eq!(refused, Err(Error::Connect(ErrorKind::InvalidData)), "{host} {shown:?}");
    }
}
