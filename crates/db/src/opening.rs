//! Why a store is not opened, and what it does when it fails.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::fault::Fault;
use crate::migrate::MigrateError;

/// Called with the reason when the process must end, from a database thread: after a commit that
/// failed with an I/O error, or a disk that failed beside one, only a fresh start knows what is on the disk.
#[derive(Clone)]
pub struct OnFatal(Arc<dyn Fn(&str) + Send + Sync>);

impl OnFatal {
    /// Calls `react` with the reason.
    pub fn new(react: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(react))
    }

    pub(crate) fn call(&self, reason: &str) {
        (self.0)(reason);
    }
}

impl fmt::Debug for OnFatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnFatal")
    }
}

/// Why a store was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The database cannot be reached or does not answer as it must.
    #[error("the database cannot be opened")]
    Database(#[from] Fault),
    /// The database cannot be reached, or takes no writes, and may well do so later: it is starting, or another node of
    /// it is about to take its place.
    #[error("the database cannot be reached")]
    Unreachable(#[source] Fault),
    /// The database's address is of no use.
    #[error("the database cannot be opened")]
    Address(#[from] pg::AddressError),
    /// The file is not one of this program.
    #[error(
        "the file is not a database of cotejo: it is left as it is. Move it away, or name another data folder \
         by --data"
    )]
    Foreign,
    /// The schema does not suit this program.
    #[error("the database's schema does not suit this program")]
    Migrate(#[from] MigrateError),
    /// The operating system refused a thread.
    #[error("a database thread cannot be started")]
    Thread(#[from] io::Error),
}
