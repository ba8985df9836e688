//! Whom a connector believes. Certificate and key were made for these tests and protect nothing; the
//! certificate is good until 2124.

use std::net::SocketAddr;

use futures_util::future::join;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{RootCertStore, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::connect::{Connector, PAUSE, RETRIES};

/// For 127.0.0.1, signed by itself.
const CERTIFICATE: &[u8] = include_bytes!("certificate.pem");
const KEY: &[u8] = include_bytes!("key.pem");

fn certificate() -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(CERTIFICATE).unwrap()
}

/// What accepts connections with that certificate, and speaks these protocols.
pub(crate) fn acceptor(spoken: &[&[u8]]) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate()], PrivateKeyDer::from_pem_slice(KEY).unwrap())
        .unwrap();
    config.alpn_protocols = spoken.iter().map(|name| name.to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

/// A server with that certificate, for so many connections.
async fn server(connections: u32) -> (SocketAddr, impl Future<Output = ()>) {
    let acceptor = acceptor(&[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serve = async move {
        for _ in 0..connections {
            let (stream, _) = listener.accept().await.unwrap();
            // Whoever does not believe the certificate hangs up.
            if let Ok(mut stream) = acceptor.accept(stream).await {
                drop(stream.shutdown().await);
            }
        }
    };
    (address, serve)
}

/// Connects to a server at that host, where these roots are trusted.
async fn connect(host: &str, roots: RootCertStore, connections: u32) -> Result<(), Error> {
    let (address, serve) = server(connections).await;
    let base = BaseUrl::parse(&format!("https://{host}:{}", address.port())).unwrap();
    let connector = Connector::trusting(|| Ok(roots), &base, time(&[PAUSE])).unwrap();
    let (connected, ()) = join(connector.connect(), serve).await;
    connected.map(drop)
}

pub(crate) fn trusting_it() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(certificate()).unwrap();
    roots
}

#[tokio::test]
async fn a_certificate_that_is_trusted_is_believed() {
    assert_eq!(connect("127.0.0.1", trusting_it(), 1).await, Ok(()));
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_not_believed() {
    let refused = connect("127.0.0.1", RootCertStore::empty(), 1 + RETRIES).await;
    assert_eq!(refused, Err(Error::Connect(ErrorKind::InvalidData)));
}

/// The certificate of one host does not speak for another.
#[tokio::test]
async fn a_certificate_of_another_host_is_not_believed() {
    let refused = connect("localhost", trusting_it(), 1 + RETRIES).await;
    assert_eq!(refused, Err(Error::Connect(ErrorKind::InvalidData)));
}
