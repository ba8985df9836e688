//! The connection that a database thread owns, and everything that it knows about its server.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Error, NoTls, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::exchange::{Answer, Message, exchange};
use super::failure::Failure;
use super::settings::{AddressError, Settings, driver};
use super::tls;
use crate::sql::Sql;

/// How often a thread tries to connect before it fails the work in hand.
const CONNECTS_AT_MOST: u32 = 5;
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Where the server is and how to talk to it; shared by all threads.
pub(super) struct Address {
    config: Config,
    tls: Option<MakeRustlsConnect>,
}

impl Address {
    pub(super) fn of(settings: &Settings) -> Result<Self, AddressError> {
        let config = driver(settings)?;
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(tls::connector()?),
        };
        Ok(Self { config, tls })
    }

    /// The same server, for sessions that cannot write outside a transaction either.
    pub(super) fn read_only(&self) -> Self {
        let mut config = self.config.clone();
        let options = config.get_options().unwrap_or_default();
        config.options(format!("{options} -c default_transaction_read_only=on"));
        Self { config, tls: self.tls.clone() }
    }

    /// The same server, for statements that may take as long as they need.
    pub(super) fn without_time_limit(&self) -> Self {
        let mut config = self.config.clone();
        let options = config.get_options().unwrap_or_default();
        config.options(format!("{options} -c statement_timeout=0"));
        Self { config, tls: self.tls.clone() }
    }

    async fn connect(&self) -> Result<(Client, JoinHandle<()>), Error> {
        match &self.tls {
            Some(tls) => connect(&self.config, tls.clone()).await,
            None => connect(&self.config, NoTls).await,
        }
    }
}

async fn connect<T>(config: &Config, tls: T) -> Result<(Client, JoinHandle<()>), Error>
where
    T: MakeTlsConnect<Socket> + Send + 'static,
    T::Stream: Send,
    T::TlsConnect: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, connection) = config.connect(tls).await?;
    let wire = async move {
        // Whoever waits for an answer learns of the end too, and judges it.
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to the database ended");
        }
    };
    Ok((client, tokio::runtime::Handle::current().spawn(wire)))
}

/// A thread's place for its connection: made when needed, made anew after it was lost.
pub(super) struct Link {
    address: Arc<Address>,
    runtime: Runtime,
    session: Option<Session>,
}

impl Link {
    pub(super) fn new(address: Arc<Address>) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self { address, runtime, session: None })
    }

    /// The open connection, or a new one.
    pub(super) fn wire(&mut self) -> Result<Wire<'_>, Failure> {
        if self.session.as_ref().is_some_and(|session| session.client.is_closed()) {
            self.forget();
        }
        let session = match self.session.take() {
            Some(session) => session,
            None => self.connect()?,
        };
        Ok(Wire { runtime: &self.runtime, session: self.session.insert(session) })
    }

    /// Closes the connection, and with it whatever the server still holds for it.
    pub(super) fn forget(&mut self) {
        if let Some(session) = self.session.take() {
            session.wire.abort();
            // The socket closes when the task is dropped, which only a running runtime does. What
            // comes back is that it was aborted.
            drop(self.runtime.block_on(session.wire));
        }
    }

    fn connect(&self) -> Result<Session, Failure> {
        let mut tries = 1;
        loop {
            match self.runtime.block_on(self.address.connect()) {
                Ok((client, wire)) => {
                    return Ok(Session { client, wire, prepared: HashMap::new() });
                }
                Err(error) if tries == CONNECTS_AT_MOST => return Err(Failure::of(&error)),
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
    client: Client,
    wire: JoinHandle<()>,
    /// By address and length of the statement's text, which is a constant of the program.
    prepared: HashMap<(usize, usize), Statement>,
}

/// An open connection, lent for a transaction.
pub(super) struct Wire<'l> {
    runtime: &'l Runtime,
    session: &'l mut Session,
}

impl Wire<'_> {
    pub(super) fn is_closed(&self) -> bool {
        self.session.client.is_closed()
    }

    /// Sends the messages and waits once for their answers; see [`exchange`].
    pub(super) fn exchange(&self, messages: Vec<Message<'_>>) -> Vec<Result<Answer, Error>> {
        self.runtime.block_on(exchange(&self.session.client, messages))
    }

    /// Prepares those of the statements that this connection has not met yet, all at once.
    pub(super) fn prepare<'q>(
        &mut self,
        statements: impl Iterator<Item = &'q Sql>,
    ) -> Result<(), Failure> {
        let mut missing: Vec<&'static str> = Vec::new();
        for sql in statements {
            if !self.session.prepared.contains_key(&key(sql.text())) {
                missing.push(sql.text());
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let messages = missing.iter().map(|text| Message::Prepare(text)).collect();
        for (text, answer) in missing.into_iter().zip(self.exchange(messages)) {
            if let Answer::Prepared(statement) = answer.map_err(|error| Failure::of(&error))? {
                self.session.prepared.insert(key(text), statement);
            }
        }
        Ok(())
    }

    /// The statement as this connection has prepared it.
    pub(super) fn prepared(&self, sql: &Sql) -> Result<Statement, Failure> {
        let statement = self.session.prepared.get(&key(sql.text()));
        statement.cloned().ok_or_else(|| Failure::broken("a statement was not prepared"))
    }
}

/// Two statements never share an address and a length unless they are the same text.
fn key(text: &'static str) -> (usize, usize) {
    (text.as_ptr().addr(), text.len())
}
