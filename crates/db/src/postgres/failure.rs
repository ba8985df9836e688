//! What an error of PostgreSQL means for a caller that may try again, judged by its SQLSTATE alone.

use pg::Error;

use crate::fault::{Fault, FaultKind};

/// Remedy against a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Running the transaction again: another one stood in the way.
    Again,
    /// Running it again on a new connection: this one is gone, or what it has prepared is stale.
    Reconnect,
    /// Nothing: it would fail again.
    Nothing,
}

/// A failure of a transaction that was certainly not applied.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    remedy: Remedy,
    kind: FaultKind,
    what: String,
}

impl Failure {
    /// Returns the failure that `error` means.
    pub(super) fn of(error: &Error) -> Self {
        match error {
            Error::Server { state, message } => {
                let (remedy, kind) = judge(state);
                Self { remedy, kind, what: format!("PostgreSQL {state}: {message}") }
            }
            Error::Lost(error) => Self::lost(format!("PostgreSQL: {error}")),
            Error::Mismatch(what) => Self::broken(format!("PostgreSQL: {what}")),
        }
    }

    /// A failure that would come again.
    pub(super) fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self { remedy: Remedy::Nothing, kind, what: what.into() }
    }

    /// A connection that cannot be used any more, for the reason given.
    pub(super) fn lost(what: impl Into<String>) -> Self {
        Self { remedy: Remedy::Reconnect, kind: FaultKind::Unavailable, what: what.into() }
    }

    /// Code and data disagree.
    pub(super) fn broken(what: impl Into<String>) -> Self {
        Self::new(FaultKind::Broken, what)
    }

    /// A failure of the server at those places.
    pub(super) fn at(mut self, places: &str) -> Self {
        self.what = format!("{} (the server at {places})", self.what);
        self
    }

    pub(super) fn remedy(&self) -> Remedy {
        self.remedy
    }

    pub(super) fn fault(&self) -> Fault {
        Fault::new(self.kind, self.what.clone())
    }
}

/// Tells whether a commit answered with `error` certainly left nothing behind. Anything but the classes that say so may
/// have been sent by a server on its way down after the commit was written.
pub(super) fn is_rolled_back(error: &Error) -> bool {
    let Error::Server { state, .. } = error else {
        return false;
    };
    // Statement completion unknown.
    if state == "40003" {
        return false;
    }
    // Integrity constraint violation, invalid transaction state, transaction rollback.
    ["23", "25", "40"].contains(&class(state)) && judge(state).0 != Remedy::Reconnect
}

fn judge(state: &str) -> (Remedy, FaultKind) {
    match state {
        // Serialization failure, deadlock.
        "40001" | "40P01" => (Remedy::Again, FaultKind::Conflict),
        // The server ends the session: a shutdown, a crash, idle in a transaction, idle.
        "57P01" | "57P02" | "57P03" | "25P03" | "57P05" => {
            (Remedy::Reconnect, FaultKind::Unavailable)
        }
        // A migration elsewhere changed what a prepared statement answers, or a pooler in between
        // knows nothing of it: a new connection prepares afresh.
        "0A000" | "26000" => (Remedy::Reconnect, FaultKind::Broken),
        // Too many connections: one may come free.
        "53300" => (Remedy::Reconnect, FaultKind::Unavailable),
        "53100" => (Remedy::Nothing, FaultKind::Full),
        // A time limit for a lock or a statement, too little memory.
        "55P03" | "57014" | "53200" => (Remedy::Nothing, FaultKind::Unavailable),
        _ => match class(state) {
            "08" => (Remedy::Reconnect, FaultKind::Unavailable),
            "23" => (Remedy::Nothing, FaultKind::Constraint),
            _ => (Remedy::Nothing, FaultKind::Broken),
        },
    }
}

fn class(state: &str) -> &str {
    state.get(..2).unwrap_or_default()
}
