//! A PostgreSQL database for every test, made on the server that `cargo xtask test` starts.

#[cfg(feature = "store")]
mod template;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::{Client, NoTls};

/// The superuser's database on the server.
const ADDRESS_VARIABLE: &str = "TEST_POSTGRES_URL";

/// A database that nobody else knows. Dropping it drops the database, and with it whatever
/// connections are still open.
#[derive(Debug)]
pub struct Database {
    name: String,
}

impl Database {
    /// A database without a table.
    ///
    /// # Panics
    /// Where no server is at hand.
    #[must_use]
    pub fn empty() -> Self {
        Self::made(async |server, name| copy(server, name, "template1").await.expect("a database"))
    }

    /// Returns the database's address, as a store takes it.
    #[must_use]
    pub fn url(&self) -> String {
        address(&self.name)
    }

    /// Runs statements in the database, past the store.
    ///
    /// # Panics
    /// Where the server refuses them.
    pub fn execute(&self, statements: &str) {
        on(&self.url(), async |client| execute(client, statements).await).expect("the statements");
    }

    /// Runs statements past the store; answers whether they break no constraint.
    ///
    /// # Panics
    /// Where the server refuses them for another reason.
    #[must_use]
    pub fn breaks_nothing(&self, statements: &str) -> bool {
        let mut breaks_nothing = true;
        let run = async |client: &Client| {
            if let Err(error) = client.batch_execute(statements).await {
                // Class 23 is of the violations of constraints.
                let code = error.code().map(tokio_postgres::error::SqlState::code);
                assert!(code.is_some_and(|code| code.starts_with("23")), "{statements}: {error:?}");
                breaks_nothing = false;
            }
        };
        on(&self.url(), run).expect("the statements");
        breaks_nothing
    }

    /// The number that the query answers, past the store.
    ///
    /// # Panics
    /// Where it answers anything but one row with one `bigint`.
    #[must_use]
    pub fn number(&self, query: &str) -> i64 {
        let mut number = 0;
        let ask = async |client: &Client| {
            number = client.query_one(query, &[]).await.expect(query).get(0);
        };
        on(&self.url(), ask).expect("the query");
        number
    }

    /// The first column of each row that the query answers, past the store.
    ///
    /// # Panics
    /// Where it is refused, or answers anything but text.
    #[must_use]
    pub fn texts(&self, query: &str) -> Vec<String> {
        let mut texts = Vec::new();
        let ask = async |client: &Client| {
            let rows = client.query(query, &[]).await.expect(query);
            texts = rows.iter().map(|row| row.get(0)).collect();
        };
        on(&self.url(), ask).expect("the query");
        texts
    }

    /// Runs statements in a transaction that stays open, with every lock that it takes, until what
    /// this returns is dropped; it is rolled back then.
    ///
    /// # Panics
    /// Where the server refuses them.
    #[must_use]
    pub fn hold(&self, statements: &str) -> Held {
        let (url, statements) = (self.url(), format!("begin; {statements}"));
        let (taken, is_taken) = mpsc::channel();
        let (release, until) = mpsc::channel();
        let holder = thread::spawn(move || {
            let hold = async move |client: &Client| {
                execute(client, &statements).await;
                taken.send(()).expect("whoever waits for the locks");
                // Nothing else is to happen on this connection, so its thread may block. It is
                // released when the other end is dropped.
                until.recv().expect_err("nothing is ever sent");
            };
            drop(on(&url, hold));
        });
        is_taken.recv().expect("the locks");
        Held { release: Some(release), holder: Some(holder) }
    }

    /// A database that `make` makes, on the one connection that this takes.
    fn made(make: impl AsyncFnOnce(&Client, &str) + Send) -> Self {
        let name = unused_name();
        on_server(async |server| make(server, &name).await).expect("a database on the test server");
        Self { name }
    }
}

/// Copies a database. Its files are copied, which writes less than logging every page.
async fn copy(server: &Client, name: &str, template: &str) -> Result<(), tokio_postgres::Error> {
    let copy = format!("create database {name} template {template} strategy file_copy");
    server.batch_execute(&copy).await
}

/// A name that no database on the server has: processes have numbers, and these come again.
#[expect(
    clippy::disallowed_methods,
    reason = "a name must differ, and nothing else follows from it"
)]
fn unused_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock that is set");
    format!("test_{}_{}_{number}", std::process::id(), now.as_micros())
}

/// Locks that a transaction holds.
#[derive(Debug)]
pub struct Held {
    /// Dropped to let go.
    release: Option<mpsc::Sender<()>>,
    holder: Option<JoinHandle<()>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.release.take());
        // It has said why, if it could not go on.
        drop(self.holder.take().map(JoinHandle::join));
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let drop_it = format!("drop database if exists {} with (force)", self.name);
        // A test that fails already must not abort on top of it; the server is thrown away anyway.
        drop(on_server(async |server| execute(server, &drop_it).await));
    }
}

fn on_server(task: impl AsyncFnOnce(&Client) + Send) -> thread::Result<()> {
    on(&server_url(), task)
}

/// Does something in the database at `url`, on a thread and a runtime of its own, so that tests
/// may be asynchronous or not.
fn on(url: &str, task: impl AsyncFnOnce(&Client) + Send) -> thread::Result<()> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let connected = tokio_postgres::connect(url, NoTls).await;
            let (client, connection) = connected.expect("a connection to the test server");
            let work = async {
                task(&client).await;
                drop(client);
            };
            let (_, ended) = tokio::join!(work, connection);
            ended.expect("the connection to end well");
        });
    };
    thread::scope(|scope| scope.spawn(run).join())
}

async fn execute(server: &Client, statement: &str) {
    server.batch_execute(statement).await.expect(statement);
}

/// The address of the database called `name`, on the same server.
fn address(name: &str) -> String {
    let server = server_url();
    let (base, _) = server.rsplit_once('/').expect("an address that ends in a database");
    format!("{base}/{name}")
}

#[expect(clippy::disallowed_methods, reason = "the test command says here where its server is")]
fn server_url() -> String {
    std::env::var(ADDRESS_VARIABLE).unwrap_or_else(|_| {
        panic!("{ADDRESS_VARIABLE} is not set: run the tests by `cargo xtask test`")
    })
}
