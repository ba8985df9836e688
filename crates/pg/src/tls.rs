//! TLS to the server, with the certificates that the machine trusts.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// Why TLS cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The machine trusts nobody, so that no server could be distinguished from an impostor.
    #[error("no trusted certificates found on this machine (SSL_CERT_FILE can name some)")]
    NoRoots,
    /// The library refused its own defaults.
    #[error("TLS cannot be set up")]
    Setup(#[from] rustls::Error),
}

/// The authorities that the machine trusts.
pub(crate) fn machine_roots() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let (added, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 { Err(TlsError::NoRoots) } else { Ok(roots) }
}

/// How to do TLS. The server's certificate is always checked against its host name.
pub(crate) fn config(roots: RootCertStore) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
