//! The connection that a database thread owns, and everything that it knows about its server.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};

use super::exchange::{self, Answer, Prepared, Stopped, Trouble};
use super::failure::Failure;
use super::frames::Frames;
use super::login::log_in;
use super::settings::{AddressError, Settings, config, places};
use super::socket::{Encryption, Place, Socket};
use super::tls;
use crate::sql::Sql;
use crate::value::Value;

/// How often a thread tries to connect before it fails the work in hand.
const CONNECTS_AT_MOST: u32 = 5;
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Fails on a server that only follows another.
const MUST_WRITE: &str = "begin read write; rollback";

/// Where the server is and how to talk to it; shared by all threads.
pub(super) struct Address {
    config: Config,
    places: Vec<Place>,
    encryption: Encryption,
}

impl Address {
    pub(super) fn of(settings: &Settings) -> Result<Self, AddressError> {
        let config = config(settings)?;
        let encryption = match config.get_ssl_mode() {
            SslMode::Disable => Encryption::Off,
            SslMode::Prefer => Encryption::Preferred(tls::config()?),
            _ => Encryption::Required(tls::config()?),
        };
        Ok(Self { places: places(&config)?, config, encryption })
    }

    /// The same server, for sessions that cannot write outside a transaction either.
    pub(super) fn read_only(&self) -> Self {
        self.with_option("default_transaction_read_only=on")
    }

    /// The same server, for statements that may take as long as they need.
    pub(super) fn without_time_limit(&self) -> Self {
        self.with_option("statement_timeout=0")
    }

    fn with_option(&self, option: &str) -> Self {
        let mut config = self.config.clone();
        let options = config.get_options().unwrap_or_default();
        config.options(format!("{options} -c {option}"));
        Self { config, places: self.places.clone(), encryption: self.encryption.clone() }
    }

    /// Connects to the first server that is of use.
    fn connect(&self) -> Result<Session, Trouble> {
        let mut result = Err(Trouble::Mismatch("no server is named".to_owned()));
        for place in &self.places {
            result = self.connect_to(place);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn connect_to(&self, place: &Place) -> Result<Session, Trouble> {
        let mut frames = Frames::new(Socket::connect(place, &self.encryption)?);
        log_in(&mut frames, &self.config)?;
        frames.socket.let_answers_take_long()?;
        if self.config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite {
            exchange::command(&mut frames, MUST_WRITE)?;
        }
        Ok(Session { frames, prepared: HashMap::new(), names: 0 })
    }
}

/// A thread's place for its connection: made when needed, made anew after it was lost.
pub(super) struct Link {
    address: Arc<Address>,
    session: Option<Session>,
}

impl Link {
    pub(super) fn new(address: Arc<Address>) -> Self {
        Self { address, session: None }
    }

    /// The open connection, or a new one.
    pub(super) fn wire(&mut self) -> Result<Wire<'_>, Failure> {
        let is_open = |session: &Session| !session.frames.is_lost && !session.frames.has_news();
        let session = match self.session.take().filter(is_open) {
            Some(session) => session,
            None => self.connect()?,
        };
        Ok(Wire { session: self.session.insert(session) })
    }

    /// Closes the connection, and with it whatever the server still holds for it.
    pub(super) fn forget(&mut self) {
        if let Some(mut session) = self.session.take() {
            session.frames.say_goodbye();
        }
    }

    fn connect(&self) -> Result<Session, Failure> {
        let mut tries = 1;
        loop {
            match self.address.connect() {
                Ok(session) => return Ok(session),
                Err(trouble) if tries == CONNECTS_AT_MOST => return Err(Failure::of(&trouble)),
                Err(_) => thread::sleep(pause(tries)),
            }
            tries += 1;
        }
    }
}

/// How long to wait after the try with this number: twice as long each time, up to a limit.
pub(super) fn pause(tries: u32) -> Duration {
    SHORTEST_PAUSE.saturating_mul(1 << tries.min(16)).min(LONGEST_PAUSE)
}

struct Session {
    frames: Frames,
    /// By address and length of the statement's text, which is a constant of the program.
    prepared: HashMap<(usize, usize), Prepared>,
    /// How many names were given to prepared statements.
    names: u64,
}

/// An open connection, lent for a transaction.
pub(super) struct Wire<'l> {
    session: &'l mut Session,
}

impl Wire<'_> {
    pub(super) fn is_lost(&self) -> bool {
        self.session.frames.is_lost
    }

    /// Whether the session has come to its end, as far as can be told without asking.
    pub(super) fn has_ended(&self) -> bool {
        self.session.frames.is_lost || self.session.frames.has_news()
    }

    /// Runs the statements in order and waits once for their answers; see [`exchange`]. Those that this
    /// session has not met yet are prepared before.
    pub(super) fn run(
        &mut self,
        statements: &[(&'static Sql, &[Value])],
    ) -> Result<Vec<Answer>, Stopped> {
        let prepared = self.prepare(statements.iter().map(|(sql, _)| *sql));
        prepared.map_err(|trouble| Stopped { at: 0, trouble })?;
        let Session { frames, prepared, .. } = &mut *self.session;
        let mut all = Vec::with_capacity(statements.len());
        for (at, (sql, params)) in statements.iter().enumerate() {
            let Some(prepared) = prepared.get(&key(sql.text())) else {
                let trouble = Trouble::Mismatch("a statement was not prepared".to_owned());
                return Err(Stopped { at, trouble });
            };
            all.push((prepared, *params));
        }
        exchange::run(frames, &all)
    }

    /// Runs a text of one or more commands, without parameters and rows.
    pub(super) fn command(&mut self, text: &str) -> Result<(), Trouble> {
        exchange::command(&mut self.session.frames, text)
    }

    /// Prepares those of the statements that this session has not met yet, all at once.
    pub(super) fn prepare<'q>(
        &mut self,
        statements: impl Iterator<Item = &'q Sql>,
    ) -> Result<(), Trouble> {
        let mut missing: Vec<(String, &'static str)> = Vec::new();
        for sql in statements {
            let text = sql.text();
            let is_known = self.session.prepared.contains_key(&key(text));
            if !is_known && !missing.iter().any(|(_, known)| key(known) == key(text)) {
                self.session.names += 1;
                missing.push((name(text, self.session.names), text));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let answers = exchange::prepare(&mut self.session.frames, &missing);
        let answers = answers.map_err(|stopped| stopped.trouble)?;
        for ((_, text), prepared) in missing.into_iter().zip(answers) {
            self.session.prepared.insert(key(text), prepared);
        }
        Ok(())
    }
}

/// A name for the session's statement with this number. Where it is short it begins with the
/// statement itself, so that whoever watches the wire can tell a commit.
fn name(text: &str, number: u64) -> String {
    const SHORT: usize = 8;
    if text.len() <= SHORT { format!("{text}-{number}") } else { number.to_string() }
}

/// Two statements never share an address and a length unless they are the same text.
fn key(text: &'static str) -> (usize, usize) {
    (text.as_ptr().addr(), text.len())
}
