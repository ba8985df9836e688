//! The connection that a database thread owns, and everything that it knows about its server.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};

use super::exchange::{self, Answer, Prepared, Run, Stopped, Trouble, Wanted};
use super::failure::Failure;
use super::frames::Frames;
use super::login::log_in;
use super::multi_row_insert::{self, Statement};
use super::settings::{AddressError, Settings, config, places};
use super::socket::{Encryption, Place, Socket};
use super::tls;
use crate::sql::Sql;

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
    prepared: HashMap<Key, Prepared>,
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
    /// session has not met yet are prepared before, and runs of one [`multi_row_insert`] are sent as one.
    pub(super) fn run(&mut self, statements: &[Statement<'_>]) -> Result<Vec<Answer>, Stopped> {
        let groups = self.prepare(statements);
        let groups = groups.map_err(|trouble| Stopped { at: 0, trouble })?;
        let Session { frames, prepared, .. } = &mut *self.session;
        let mut runs = Vec::with_capacity(groups.len());
        for group in &groups {
            let (at, rows) = (group.start, &statements[group.clone()]);
            let Some(prepared) = prepared.get(&key(rows[0].0, group.len() > 1)) else {
                let trouble = Trouble::Mismatch("a statement was not prepared".to_owned());
                return Err(Stopped { at, trouble });
            };
            runs.push(Run { prepared, rows });
        }
        let answers = exchange::run(frames, &runs);
        let answers = answers.map_err(|Stopped { at, trouble }| {
            // Behind the last is the word that the server is ready.
            let at = groups.get(at).map_or(statements.len(), |group| group.start);
            Stopped { at, trouble }
        })?;
        let mut all = Vec::with_capacity(statements.len());
        for (answer, group) in answers.into_iter().zip(groups) {
            match group.len() {
                1 => all.push(answer),
                many => all.extend(multi_row_insert::answers(many)),
            }
        }
        Ok(all)
    }

    /// Runs a text of one or more commands, without parameters and rows.
    pub(super) fn command(&mut self, text: &str) -> Result<(), Trouble> {
        exchange::command(&mut self.session.frames, text)
    }

    /// Prepares what this session has not met yet of statements that are run in this order. Answers
    /// which of them are run as one.
    pub(super) fn prepare(
        &mut self,
        statements: &[Statement<'_>],
    ) -> Result<Vec<Range<usize>>, Trouble> {
        self.prepare_each(statements.iter().map(|(sql, _)| *sql), false)?;
        let groups = multi_row_insert::groups(statements);
        let many = groups.iter().filter(|group| group.len() > 1);
        self.prepare_each(many.map(|group| statements[group.start].0), true)?;
        Ok(groups)
    }

    /// Prepares statements, each for itself or, where that was done, for many at once.
    pub(super) fn prepare_each(
        &mut self,
        statements: impl Iterator<Item = &'static Sql>,
        for_many: bool,
    ) -> Result<(), Trouble> {
        let Session { frames, prepared, names } = &mut *self.session;
        let (mut keys, mut missing) = (Vec::new(), Vec::new());
        for sql in statements {
            let key = key(sql, for_many);
            if prepared.contains_key(&key) || keys.contains(&key) {
                continue;
            }
            *names += 1;
            let name = name(sql.text(), *names);
            let text = match (for_many, prepared.get(&self::key(sql, false))) {
                (false, _) => sql.text().into(),
                (true, Some(one)) => multi_row_insert::text(sql.text(), &one.params)?.into(),
                (true, None) => {
                    return Err(Trouble::Mismatch("its kinds are not known".to_owned()));
                }
            };
            missing.push(Wanted { name, text, takes_arrays: for_many });
            keys.push(key);
        }
        if missing.is_empty() {
            return Ok(());
        }
        let answers = exchange::prepare(frames, &missing).map_err(|stopped| stopped.trouble)?;
        prepared.extend(keys.into_iter().zip(answers));
        Ok(())
    }
}

/// A name for the session's statement with this number. Where it is short it begins with the
/// statement itself, so that whoever watches the wire can tell a commit.
fn name(text: &str, number: u64) -> String {
    const SHORT: usize = 8;
    if text.len() <= SHORT { format!("{text}-{number}") } else { number.to_string() }
}

/// What a session knows a prepared statement by: where its text is, how long that is, and whether it
/// is for many at once. Two statements never share the first two unless they are the same text.
type Key = (usize, usize, bool);

fn key(sql: &'static Sql, for_many: bool) -> Key {
    let text = sql.text();
    (text.as_ptr().addr(), text.len(), for_many)
}
