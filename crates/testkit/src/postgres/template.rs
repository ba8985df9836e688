//! The schema of the store, made once on the server and copied for each test.

use domain::time::Timestamp;
use store::{Engine, OnFatal, Options, PostgresSettings};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::{Database, address, copy, execute};

/// The database with the schema in it, made by the first test that wants a copy.
const TEMPLATE: &str = "cotejo_template";

/// The process that makes the template holds this advisory lock, since tests run in many processes.
const TEMPLATE_LOCK: i64 = 5_310_244_871;

impl Database {
    /// A database with the schema of the store.
    ///
    /// # Panics
    /// Where no server is at hand.
    #[must_use]
    pub fn migrated() -> Self {
        Self::made(async |server, name| match copy(server, name, TEMPLATE).await {
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_DATABASE) => {
                make_template(server).await;
                copy(server, name, TEMPLATE).await.expect("a copy of the template");
            }
            copied => copied.expect("a copy of the template"),
        })
    }
}

/// Makes the template, unless another process has just made it.
async fn make_template(server: &Client) {
    let exists = "select 1 from pg_database where datname = $1";
    server.query("select pg_advisory_lock($1)", &[&TEMPLATE_LOCK]).await.expect("a lock");
    if server.query(exists, &[&TEMPLATE]).await.expect("its databases").is_empty() {
        // Under another name until it is complete, in case this process dies on the way.
        execute(server, "drop database if exists cotejo_template_draft").await;
        execute(server, "create database cotejo_template_draft").await;
        migrate(&address("cotejo_template_draft"));
        // Sessions that were closed may take a moment to end, and a database with one is not renamed.
        execute(
            server,
            "select pg_terminate_backend(pid, 60000) from pg_stat_activity \
             where datname = 'cotejo_template_draft'",
        )
        .await;
        execute(server, "alter database cotejo_template_draft rename to cotejo_template").await;
    }
}

fn migrate(url: &str) {
    let options = Options {
        engine: Engine::Postgres(PostgresSettings {
            connections: 1,
            readers: 1,
            ..PostgresSettings::at(url)
        }),
        now: Timestamp::from_micros(0),
        on_fatal: OnFatal::new(|reason| panic!("{reason}")),
    };
    store::open(&options).expect("a store on the template").close();
}
