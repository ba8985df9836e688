//! Certificates of receivers on this machine, and who vouches for them. They were made for tests and
//! protect nothing; those that are good are so until 2124.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{RootCertStore, ServerConfig};

/// Certificate of the authority that vouches for the others.
const AUTHORITY: &[u8] = include_bytes!("certificates/ca.pem");

/// The key of every receiver.
const KEY: &[u8] = include_bytes!("certificates/key.pem");

/// Certificate that a receiver shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What is good for `127.0.0.1` and `shop.example`.
    Good,
    /// The same, until 2021.
    Expired,
    /// What is good for `other.example` alone.
    OfAnotherHost,
    /// What nobody vouches for but itself.
    SignedByItself,
}

impl Shown {
    /// The file that has it, for a program.
    #[must_use]
    pub fn file(self) -> String {
        let name = match self {
            Self::Good => "receiver",
            Self::Expired => "expired",
            Self::OfAnotherHost => "other_host",
            Self::SignedByItself => "self_signed",
        };
        format!("{}/src/certificates/{name}.pem", env!("CARGO_MANIFEST_DIR"))
    }

    const fn pem(self) -> &'static [u8] {
        match self {
            Self::Good => include_bytes!("certificates/receiver.pem"),
            Self::Expired => include_bytes!("certificates/expired.pem"),
            Self::OfAnotherHost => include_bytes!("certificates/other_host.pem"),
            Self::SignedByItself => include_bytes!("certificates/self_signed.pem"),
        }
    }
}

/// A client that trusts these trusts the authority of the tests, and nobody else.
///
/// # Panics
/// Never, unless the certificates of the tests are broken.
#[must_use]
pub fn trusted() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(certificate(AUTHORITY)).expect("an authority");
    roots
}

/// The file that is named to a program which is to trust the same (`SSL_CERT_FILE`).
pub const AUTHORITY_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/certificates/ca.pem");

/// The file of the key of every receiver.
pub const KEY_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/certificates/key.pem");

/// Builds the TLS configuration of a receiver that shows that certificate and speaks these protocols.
///
/// # Panics
/// Never, unless the certificates of the tests are broken.
#[must_use]
pub fn serving(shown: Shown, spoken: &[&[u8]]) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let key = PrivateKeyDer::from_pem_slice(KEY).expect("a key");
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the versions of TLS that are safe")
        .with_no_client_auth()
        .with_single_cert(vec![certificate(shown.pem())], key)
        .expect("a key that is the certificate's");
    config.alpn_protocols = spoken.iter().map(|name| name.to_vec()).collect();
    Arc::new(config)
}

fn certificate(pem: &[u8]) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem).expect("a certificate")
}
