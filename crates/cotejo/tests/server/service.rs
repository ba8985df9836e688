//! A server with a folder of its own, and what a client says to it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use app::settings::PasswordCost;
use cotejo::{Config, Flags, Runtime, Server};
use domain::time::Timestamp;
use serde_json::json;
use store::{Engine, OnFatal, Options, PostgresSettings};
use testkit::postgres::Database;

use crate::hasty::HastyClock;

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// Data of a server: a folder, and a database where it is on PostgreSQL.
pub(crate) struct Service {
    folder: PathBuf,
    database: Option<Database>,
}

impl Service {
    pub(crate) fn on_sqlite() -> Self {
        Self::on(None)
    }

    pub(crate) fn on_postgres() -> Self {
        Self::on(Some(Database::empty()))
    }

    fn on(database: Option<Database>) -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("cotejo-server-{}-{number}", std::process::id());
        Self { folder: std::env::temp_dir().join(name), database }
    }

    /// The address of its PostgreSQL.
    pub(crate) fn url(&self) -> String {
        self.database.as_ref().unwrap().url()
    }

    /// Makes its tables in its PostgreSQL, as `cotejo migrate` does, and nothing in them.
    pub(crate) fn make_tables(&self) {
        let options = Options {
            engine: Engine::Postgres(PostgresSettings::at(self.url())),
            now: Timestamp::from_micros(0),
            on_fatal: OnFatal::new(|reason| panic!("{reason}")),
        };
        store::open(&options).unwrap().close();
    }

    /// Runs statements in its PostgreSQL, past the store.
    pub(crate) fn execute(&self, statements: &str) {
        self.database.as_ref().unwrap().execute(statements);
    }

    /// A folder that is not the server's, and goes with it.
    pub(crate) fn another_folder(&self) -> PathBuf {
        self.folder.join("another")
    }

    /// Its data folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) async fn start(&self) -> Server {
        let url = self.database.as_ref().map(Database::url);
        self.start_on(url.as_deref()).await.unwrap()
    }

    /// Starts it with a configuration that was changed, by the clock on the wall.
    pub(crate) async fn start_with(&self, change: impl FnOnce(&mut Config)) -> Server {
        let url = self.database.as_ref().map(Database::url);
        let mut config = self.config(url.as_deref());
        change(&mut config);
        Server::start(&config, Runtime::default()).await.unwrap()
    }

    /// Starts it on the database at that address, if it can.
    pub(crate) async fn start_on(&self, url: Option<&str>) -> Option<Server> {
        let runtime = Runtime { clock: Arc::new(HastyClock), ..Runtime::default() };
        Server::start(&self.config(url), runtime).await.ok()
    }

    fn config(&self, url: Option<&str>) -> Config {
        let flags = Flags {
            listen: Some("127.0.0.1:0".to_owned()),
            data: Some(self.folder.clone()),
            database: url.map(Into::into),
            ..Flags::default()
        };
        let mut config = Config::load(&flags, []).unwrap();
        config.settings.password_cost = PasswordCost { memory_kib: 8, passes: 1 };
        config
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// Sends one request, and waits for the whole answer until the other side closes.
pub(crate) fn say(addr: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The same, beside the runtime.
pub(crate) async fn say_beside(server: &Server, request: String) -> String {
    let addr = server.addr();
    tokio::task::spawn_blocking(move || say(addr, &request)).await.unwrap()
}

/// Tells whether that e-mail address and password sign in.
pub(crate) async fn signs_in(server: &Server, email: &str, password: &str) -> bool {
    let body = json!({ "email": email, "password": password }).to_string();
    let length = body.len();
    let head = "POST /auth/login HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n";
    let request = format!("{head}content-length: {length}\r\n\r\n{body}");
    say_beside(server, request).await.starts_with("HTTP/1.1 200")
}

/// A verification by the first owner's default key, on a connection that closes after it.
pub(crate) fn verification(server: &Server, reference: &str) -> String {
    let owner = server.first_owner().unwrap();
    let body = format!("{{\"bank_reference\":\"{reference}\",\"amount\":1}}");
    format!(
        "POST /userbankpayment/{}/betaserio HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n\
         authorization: Bearer {}\r\ncontent-length: {}\r\n\r\n{body}",
        owner.user_bank.unwrap(),
        owner.api_key.expose(),
        body.len(),
    )
}
