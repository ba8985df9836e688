//! A connection: made to the first address that is of use, and given up for good when anything goes wrong with it.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cancel::{CancelKey, cancel};
use crate::config::{Config, Host};
use crate::copy;
use crate::error::{Error, Stopped};
use crate::login::log_in;
use crate::messages::Messages;
use crate::pipeline::{self, Answer, Run, Statement, Wanted};
use crate::resolve::addresses;
use crate::socket::{Encryption, Endpoint, Socket};

/// Fails on a server that only follows another.
const MUST_WRITE: &str = "begin read write; rollback";

/// States by which a server refuses that because it follows another one: what it cannot do as long as it does, and a
/// transaction that may only read.
const ONLY_FOLLOWS: [&str; 2] = ["0A000", "25006"];

/// An open connection, which one thread uses.
pub struct Connection {
    messages: Messages,
    /// Unlike that of any other connection of this process.
    number: u64,
    /// How many statements were given a name.
    names: u64,
    endpoint: Endpoint,
    encryption: Encryption,
    cancel_key: Option<CancelKey>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects and logs in: tries every address of every host, in order, each within its limit, until one is of use.
    ///
    /// # Errors
    /// What went wrong at last, or what a server answered that was reached.
    pub fn open(config: &Config) -> Result<Self, Error> {
        let mut failure = Error::Mismatch("no server is named".to_owned());
        for host in config.hosts() {
            let endpoints = match endpoints(host, config) {
                Ok(endpoints) => endpoints,
                Err(error) => {
                    failure = more_telling(failure, error);
                    continue;
                }
            };
            for endpoint in endpoints {
                match Self::open_at(endpoint, config) {
                    Ok(connection) => return Ok(connection),
                    Err(error) => failure = more_telling(failure, error),
                }
            }
        }
        Err(failure)
    }

    fn open_at(endpoint: Endpoint, config: &Config) -> Result<Self, Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let encryption = config.encryption().clone();
        let socket = Socket::connect(&endpoint, &encryption, config.connect_limit())?;
        let mut messages = Messages::new(socket);
        let cancel_key = log_in(&mut messages, config)?;
        if config.must_write() {
            pipeline::command(&mut messages, MUST_WRITE).map_err(read_only)?;
        }
        messages.socket.has_logged_in(config.silence())?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Self { messages, number, names: 0, endpoint, encryption, cancel_key })
    }

    /// Prepares statements, in one round trip.
    ///
    /// # Errors
    /// The first one that the server refuses, or that has a type which is none of [`Type`](crate::Type).
    pub fn prepare(&mut self, texts: &[&str]) -> Result<Vec<Statement>, Error> {
        let mut wanted = Vec::with_capacity(texts.len());
        for text in texts {
            self.names += 1;
            wanted.push(Wanted { connection: self.number, name: name(text, self.names), text });
        }
        let result = pipeline::prepare(&mut self.messages, &wanted);
        self.cancel_if_given_up();
        result.map_err(|stopped| stopped.error)
    }

    /// Runs statements in order, in one round trip; answers each.
    ///
    /// # Errors
    /// What stopped them, and where. Statements of another connection are not sent.
    pub fn run(&mut self, runs: &[Run<'_>]) -> Result<Vec<Answer>, Stopped> {
        if let Some(at) = runs.iter().position(|run| run.statement.connection != self.number) {
            let error = Error::Mismatch("a statement of another connection".to_owned());
            return Err(Stopped { at, error });
        }
        let result = pipeline::run(&mut self.messages, runs);
        self.cancel_if_given_up();
        result
    }

    /// Runs a text of one or more commands, without parameters and without looking at rows.
    ///
    /// # Errors
    /// What the server refuses.
    pub fn command(&mut self, text: &str) -> Result<(), Error> {
        let result = pipeline::command(&mut self.messages, text);
        self.cancel_if_given_up();
        result
    }

    /// Runs a `copy … to stdout`, and hands over each piece that the server sends; a piece need not end where a row does.
    ///
    /// # Errors
    /// What the server refuses, or `each` failed with. The connection is lost then.
    pub fn copy_out(
        &mut self,
        text: &str,
        each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), Error> {
        let result = copy::copy_out(&mut self.messages, text, each);
        self.cancel_if_given_up();
        result
    }

    /// Runs a `copy … from stdin` with the pieces that `next` puts into an empty buffer, until it answers that there is no
    /// more.
    ///
    /// # Errors
    /// What the server refuses, or `next` failed with; after the latter the connection is lost.
    pub fn copy_in(
        &mut self,
        text: &str,
        next: impl FnMut(&mut Vec<u8>) -> io::Result<bool>,
    ) -> Result<(), Error> {
        let result = copy::copy_in(&mut self.messages, text, next);
        self.cancel_if_given_up();
        result
    }

    /// Says goodbye. The server rolls back what was not committed.
    pub fn close(mut self) {
        self.messages.say_goodbye();
    }

    /// Tells whether the connection was lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.messages.is_lost()
    }

    /// Tells whether the session has come to its end, as far as can be seen without asking.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.messages.is_lost() || self.messages.has_news()
    }

    /// Cancels at the server what nobody waits for any more. Afterwards this connection is never used again, so that
    /// no other statement can be met.
    fn cancel_if_given_up(&mut self) {
        if self.messages.was_given_up()
            && let Some(key) = self.cancel_key.take()
        {
            // A server that cannot be reached cannot be helped.
            drop(cancel(&self.endpoint, &self.encryption, &key));
        }
    }
}

/// Every address of the host.
fn endpoints(host: &Host, config: &Config) -> Result<Vec<Endpoint>, Error> {
    match host {
        Host::Unix(path) => Ok(vec![Endpoint::Unix(path.clone())]),
        Host::Tcp { host, name, port } => {
            let found = addresses(host, *port, config.connect_limit())?;
            let endpoint = |address| Endpoint::Tcp { address, name: name.clone() };
            Ok(found.into_iter().map(endpoint).collect())
        }
    }
}

/// Returns the meaning of an error of [`MUST_WRITE`].
fn read_only(error: Error) -> Error {
    match error {
        Error::Server { state, message } if ONLY_FOLLOWS.contains(&state.as_str()) => {
            Error::ReadOnly(format!("{state}: {message}"))
        }
        error => error,
    }
}

/// Returns the later of two failures to connect, unless only the earlier one is a server's answer.
fn more_telling(earlier: Error, later: Error) -> Error {
    match (&earlier, &later) {
        (Error::Server { .. } | Error::ReadOnly(_), Error::Lost(_)) => earlier,
        _ => later,
    }
}

/// A name for the statement with this number. Where the text is short the name begins with it, so that a
/// person who watches the wire can recognize a commit.
fn name(text: &str, number: u64) -> String {
    const SHORT: usize = 8;
    if text.len() <= SHORT { format!("{text}-{number}") } else { number.to_string() }
}
