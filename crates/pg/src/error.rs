//! Why the server did not do what it was asked.

use std::io;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Statement and parameters, or statement and schema, do not fit. It was not run.
    #[error("{0}")]
    Mismatch(String),
    /// The server's own error. Its detail and hint are left out: they quote values.
    #[error("{state}: {message}")]
    Server {
        /// The SQLSTATE.
        state: String,
        /// The message.
        message: String,
    },
    /// The server takes no writes, as it says: it follows another one. Nothing was sent to it but this question, which
    /// [`Config::writable`](crate::Config::writable) has asked.
    #[error("the server takes no writes: {0}")]
    ReadOnly(String),
    /// The connection is lost: closed, silent for too long, or sending what makes no sense. What was sent may have
    /// been done.
    #[error(transparent)]
    Lost(#[from] io::Error),
}

/// Why a pipeline stopped. Nothing behind that place was done, except for what nobody knows after
/// [`Error::Lost`].
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Stopped {
    /// The place of the statement that failed. One behind the last: the server was not ready afterwards.
    pub at: usize,
    /// Why.
    #[source]
    pub error: Error,
}

/// A message of the server that the protocol does not allow.
pub(crate) fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// A wait that was too long.
pub(crate) fn timed_out(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}
