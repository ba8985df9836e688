//! The connection that a database thread owns, and the statements that are prepared on it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pg::{Answer, Config, Error, Run, Stopped};

use super::failure::{Failure, Remedy};
use super::multi_row_insert::{self, Statement};
use super::values::param;
use crate::sql::Sql;

/// How often a thread tries to connect before it fails the work in hand.
const CONNECTS_AT_MOST: u32 = 5;
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A thread's place for its connection: made when needed, made again after it was lost.
pub(super) struct Link {
    config: Arc<Config>,
    session: Option<Session>,
}

impl Link {
    pub(super) fn new(config: Arc<Config>) -> Self {
        Self { config, session: None }
    }

    /// The open connection, or a new one.
    pub(super) fn wire(&mut self) -> Result<Wire<'_>, Failure> {
        let is_open = |session: &Session| !session.connection.has_ended();
        let session = match self.session.take().filter(is_open) {
            Some(session) => session,
            None => self.connect()?,
        };
        Ok(Wire { session: self.session.insert(session) })
    }

    /// Closes the connection, and with it whatever the server still holds for it.
    pub(super) fn forget(&mut self) {
        if let Some(session) = self.session.take() {
            session.connection.close();
        }
    }

    /// Closes it where a job that has failed so many times leaves it of no use.
    pub(super) fn renew(&mut self, remedy: Remedy, tries: u32) {
        if remedy.is_new_connection(tries) {
            self.forget();
        }
    }

    fn connect(&self) -> Result<Session, Failure> {
        let mut tries = 1;
        loop {
            match pg::Connection::open(&self.config) {
                Ok(connection) => return Ok(Session { connection, prepared: HashMap::new() }),
                Err(error) if tries == CONNECTS_AT_MOST => {
                    return Err(Failure::connecting(&error).at(&self.config.places()));
                }
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
    connection: pg::Connection,
    prepared: HashMap<Key, pg::Statement>,
}

/// An open connection, lent for a transaction.
pub(super) struct Wire<'l> {
    session: &'l mut Session,
}

impl Wire<'_> {
    pub(super) fn is_lost(&self) -> bool {
        self.session.connection.is_lost()
    }

    /// Tells whether the session has ended, as far as can be known without asking.
    pub(super) fn has_ended(&self) -> bool {
        self.session.connection.has_ended()
    }

    /// Runs the statements in order and waits once for their answers. Those that this session has not met yet are
    /// prepared before, and runs of one [`multi_row_insert`] are sent as few.
    pub(super) fn run(&mut self, statements: &[Statement<'_>]) -> Result<Vec<Answer>, Stopped> {
        let groups = self.prepare(statements).map_err(|error| Stopped { at: 0, error })?;
        let Session { connection, prepared } = &mut *self.session;
        let mut runs = Vec::with_capacity(groups.len());
        for group in &groups {
            let rows = &statements[group.clone()];
            let Some(statement) = prepared.get(&key(rows[0].0, rows.len())) else {
                let error = Error::Mismatch("a statement was not prepared".to_owned());
                return Err(Stopped { at: group.start, error });
            };
            let params = rows.iter().flat_map(|(_, params)| params.iter().map(param)).collect();
            runs.push(Run { statement, params });
        }
        let answers = connection.run(&runs).map_err(|Stopped { at, error }| {
            // Behind the last is the word that the server is ready.
            let at = groups.get(at).map_or(statements.len(), |group| group.start);
            Stopped { at, error }
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
    pub(super) fn command(&mut self, text: &str) -> Result<(), Error> {
        self.session.connection.command(text)
    }

    /// Prepares what this session has not met yet of statements that are run in this order. Answers
    /// which of them are run as one.
    pub(super) fn prepare(
        &mut self,
        statements: &[Statement<'_>],
    ) -> Result<Vec<Range<usize>>, Error> {
        let groups = multi_row_insert::groups(statements);
        self.prepare_each(groups.iter().map(|group| (statements[group.start].0, group.len())))?;
        Ok(groups)
    }

    /// Prepares statements, each for so many rows.
    pub(super) fn prepare_each(
        &mut self,
        statements: impl Iterator<Item = (&'static Sql, usize)>,
    ) -> Result<(), Error> {
        let Session { connection, prepared } = &mut *self.session;
        let (mut keys, mut missing) = (Vec::new(), Vec::new());
        for (sql, rows) in statements {
            let key = key(sql, rows);
            if prepared.contains_key(&key) || keys.contains(&key) {
                continue;
            }
            missing.push(match rows {
                1 => Cow::Borrowed(sql.text()),
                many => Cow::Owned(multi_row_insert::text(sql.text(), many)?),
            });
            keys.push(key);
        }
        if missing.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = missing.iter().map(AsRef::as_ref).collect();
        prepared.extend(keys.into_iter().zip(connection.prepare(&texts)?));
        Ok(())
    }
}

/// Key by which a session knows a prepared statement: where its text is, how long that is, and for how many rows it is.
/// Two statements never share the first two unless they are the same text.
type Key = (usize, usize, usize);

fn key(sql: &'static Sql, rows: usize) -> Key {
    let text = sql.text();
    (text.as_ptr().addr(), text.len(), rows)
}
