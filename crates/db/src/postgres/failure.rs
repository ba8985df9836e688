//! What an error of PostgreSQL means for a caller that may try again, judged by its SQLSTATE alone; but a pooler has one
//! state for whatever it does not like.

use std::io;

use pg::Error;

use crate::fault::{Fault, FaultKind};

/// How often a job is run before its failure is its answer.
const TRIES_AT_MOST: u32 = 5;

/// Remedy against a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Running the transaction again: another one stood in the way.
    Again,
    /// Running it again on a new connection: this one is gone, or what it has prepared is stale.
    Reconnect,
    /// Running it once more at once, on this connection: this server has lost another one behind it, perhaps for long, and
    /// the jobs that wait for this thread are of owners that are elsewhere. Who gives up leaves a new connection to them.
    OnceMore,
    /// Nothing: it would fail again.
    Nothing,
}

/// Advice where a session has statements that it has not prepared, or lacks some that it has.
const SESSIONS: &str = "a pooler seems to stand before the database that gives each transaction another session: have it \
                        give each connection a session of its own (pool_mode = session), or connect past it";

/// Advice where a session may not begin with the settings that it needs.
const OPTIONS: &str =
    "a pooler stands before the database that takes no settings of sessions: connect past it";

/// State of a message that breaks the protocol, and of nearly all that PgBouncer refuses.
const PROTOCOL_VIOLATION: &str = "08P01";

impl Remedy {
    /// How often a job is run that fails like this.
    pub(super) const fn tries_at_most(self) -> u32 {
        match self {
            Self::Again | Self::Reconnect => TRIES_AT_MOST,
            Self::OnceMore => 2,
            Self::Nothing => 1,
        }
    }

    /// Tells whether the connection is of no use any more to whoever comes next, a job having been run so many times.
    pub(super) const fn is_new_connection(self, tries: u32) -> bool {
        match self {
            Self::Reconnect => true,
            Self::OnceMore => tries >= self.tries_at_most(),
            Self::Again | Self::Nothing => false,
        }
    }

    /// Tells whether the next try waits for a moment.
    pub(super) const fn is_patient(self) -> bool {
        matches!(self, Self::Again | Self::Reconnect)
    }
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
            Error::Server { state, message } => Self::of_server(state, message),
            Error::ReadOnly(_) => Self {
                remedy: Remedy::Reconnect,
                kind: FaultKind::ReadOnly,
                what: format!("PostgreSQL: {error}"),
            },
            Error::Lost(error) => Self::lost(format!("PostgreSQL: {error}")),
            Error::Mismatch(what) => Self::broken(format!("PostgreSQL: {what}")),
        }
    }

    fn of_server(state: &str, message: &str) -> Self {
        let (remedy, kind) = judge(state);
        let what = format!("PostgreSQL {state}: {message}");
        match state {
            "42P05" | "26000" => Self { remedy, kind, what: format!("{what}: {SESSIONS}") },
            PROTOCOL_VIOLATION if message.contains("startup parameter") => {
                Self::broken(format!("{what}: {OPTIONS}"))
            }
            _ => Self { remedy, kind, what },
        }
    }

    /// Returns the failure to connect that `error` means. Where the two sides do not agree on how, as on a password or a
    /// certificate, the next try ends as this one did.
    pub(super) fn connecting(error: &Error) -> Self {
        let mut failure = Self::of(error);
        if failure.kind == FaultKind::LostServer {
            // Who lets nobody in says nothing of others.
            failure.kind = FaultKind::Unavailable;
        }
        match error {
            Error::Lost(error) if is_disagreement(error) => {
                Self { remedy: Remedy::Nothing, ..failure }
            }
            _ => failure,
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

    /// Tells whether a failure to connect may pass by itself.
    pub(super) fn may_pass(&self) -> bool {
        let is_elsewhere = matches!(self.kind, FaultKind::Unavailable | FaultKind::ReadOnly);
        is_elsewhere && matches!(self.remedy, Remedy::Reconnect | Remedy::OnceMore)
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

/// Tells whether the two sides could speak to each other and did not agree: on who they are, on encryption, or on the
/// protocol.
fn is_disagreement(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::Other
    )
}

fn judge(state: &str) -> (Remedy, FaultKind) {
    match state {
        // Serialization failure, deadlock.
        "40001" | "40P01" => (Remedy::Again, FaultKind::Conflict),
        // The server ends the session: a shutdown, a crash, idle in a transaction, idle.
        "57P01" | "57P02" | "57P03" | "25P03" | "57P05" => {
            (Remedy::Reconnect, FaultKind::Unavailable)
        }
        // A migration elsewhere changed what a prepared statement answers, a pooler in between knows nothing of it, or the
        // server has begun to follow another one: a new connection prepares afresh, and finds that out.
        "0A000" | "26000" => (Remedy::Reconnect, FaultKind::Broken),
        // A transaction that may only read, though each begins as one that writes: the server follows another one.
        "25006" => (Remedy::Reconnect, FaultKind::ReadOnly),
        // Too many connections: one may come free.
        "53300" => (Remedy::Reconnect, FaultKind::Unavailable),
        "53100" => (Remedy::Nothing, FaultKind::Full),
        // A time limit for a lock or a statement, too little memory.
        "55P03" | "57014" | "53200" => (Remedy::Nothing, FaultKind::Unavailable),
        // A pooler says so of the one server that it stands before.
        PROTOCOL_VIOLATION => (Remedy::OnceMore, FaultKind::Unavailable),
        _ => match class(state) {
            "08" => (Remedy::OnceMore, FaultKind::LostServer),
            "23" => (Remedy::Nothing, FaultKind::Constraint),
            _ => (Remedy::Nothing, FaultKind::Broken),
        },
    }
}

fn class(state: &str) -> &str {
    state.get(..2).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(state: &str, message: &str) -> Error {
        Error::Server { state: state.to_owned(), message: message.to_owned() }
    }

    fn lost(kind: io::ErrorKind) -> Error {
        Error::Lost(kind.into())
    }

    #[test]
    fn a_database_that_is_not_there_yet_may_come() {
        for error in [
            server("57P03", "the database system is starting up"),
            server("57P01", "terminating connection due to administrator command"),
            server("53300", "sorry, too many clients already"),
            server("08P01", "pgbouncer cannot connect to server"),
            Error::ReadOnly("0A000: cannot set transaction read-write mode".to_owned()),
            lost(io::ErrorKind::ConnectionRefused),
            lost(io::ErrorKind::TimedOut),
            lost(io::ErrorKind::UnexpectedEof),
            lost(io::ErrorKind::NotFound),
        ] {
            assert!(Failure::connecting(&error).may_pass(), "{error:?}");
        }
    }

    #[test]
    fn a_server_that_has_lost_another_costs_those_who_wait_as_little_as_can_be() {
        let lost = Failure::of(&server("08006", "could not connect to the other one")).remedy();
        assert_eq!(lost.tries_at_most(), 2);
        assert!(!lost.is_patient());
        assert!(!lost.is_new_connection(1), "the next try uses it");
        assert!(lost.is_new_connection(2));
        assert_eq!(judge("08006").1, FaultKind::LostServer);
        assert_eq!(judge(PROTOCOL_VIOLATION).1, FaultKind::Unavailable, "a pooler's only server");
        let refused = Failure::connecting(&server("08004", "rejected"));
        assert_eq!(refused.fault().kind(), FaultKind::Unavailable, "nobody answers");
        let gone = Failure::lost("gone").remedy();
        assert!(gone.is_new_connection(1) && gone.is_patient());
    }

    #[test]
    fn who_is_not_let_in_is_not_let_in_later_either() {
        for error in [
            server("28P01", "password authentication failed"),
            server("28000", "no entry in pg_hba.conf"),
            server("3D000", "database does not exist"),
            server("08P01", "unsupported startup parameter: options"),
            lost(io::ErrorKind::PermissionDenied),
            lost(io::ErrorKind::InvalidData),
            Error::Lost(io::Error::other("the server does not do TLS, which is asked for")),
        ] {
            assert!(!Failure::connecting(&error).may_pass(), "{error:?}");
        }
    }

    #[test]
    fn a_pooler_that_mixes_sessions_up_is_named_with_what_to_do() {
        for (state, message, advice) in [
            ("42P05", "prepared statement \"1\" already exists", "pool_mode = session"),
            ("26000", "prepared statement \"1\" does not exist", "pool_mode = session"),
            ("08P01", "unsupported startup parameter: options", "connect past it"),
        ] {
            let text = Failure::of(&server(state, message)).fault().to_string();
            assert!(text.contains(message) && text.contains(advice), "{text}");
        }
        let text = Failure::of(&server("08P01", "no such user")).fault().to_string();
        assert!(!text.contains("pooler"), "{text}");
    }

    #[test]
    fn a_server_that_follows_another_takes_no_writes_now() {
        let read_only = Error::ReadOnly("0A000: during recovery".to_owned());
        for error in [server("25006", "cannot execute INSERT"), read_only] {
            let failure = Failure::of(&error);
            assert_eq!(failure.remedy(), Remedy::Reconnect);
            assert_eq!(failure.fault().kind(), FaultKind::ReadOnly);
        }
        // A plan that has changed, or what a distributed server cannot run.
        assert_eq!(Failure::of(&server("0A000", "")).fault().kind(), FaultKind::Broken);
    }
}
