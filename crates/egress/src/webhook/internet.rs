//! What the internet is known by: where names lead, and whose word is taken for who is who.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use rustls::RootCertStore;

/// Look-up of where names lead. It must not block.
pub type Names = Arc<dyn Fn(String) -> FoundNames + Send + Sync>;

/// Future of [`Names`].
pub type FoundNames = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Knowledge of the internet by another way than asking the machine. A server is given nothing of it: its operator says
/// by the machine's own settings where names lead and whom it trusts.
#[derive(Clone, Default)]
pub struct Internet {
    /// Where names lead, if not the system is asked.
    pub names: Option<Names>,
    /// Whose certificates are good, if not those are that the machine trusts.
    pub roots: Option<Arc<RootCertStore>>,
}

impl fmt::Debug for Internet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Internet")
            .field("has_names", &self.names.is_some())
            .field("has_roots", &self.roots.is_some())
            .finish()
    }
}
