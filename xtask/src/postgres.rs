//! A PostgreSQL server that lives as long as one command: its folder is made for it and deleted
//! after it, also on Ctrl-C and after a panic.

mod install;

use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};

use self::install::{Binaries, User};
use crate::process::{self, progress};

/// Variable in which the tests look for the server's address.
pub(crate) const ADDRESS_VARIABLE: &str = "TEST_POSTGRES_URL";

/// How often another port is tried where somebody took the free one that was found.
const STARTS_AT_MOST: u32 = 3;

/// The exit status after Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

/// Small, for many databases and connections at once.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=400",
    "shared_buffers=64MB",
    "log_min_messages=fatal",
    "ssl=on",
];

/// Certificate for clients that want TLS: the tests' certificate for 127.0.0.1, and its key.
const CERTIFICATE: &[(&str, &[u8])] = &[
    ("server.crt", include_bytes!("../../crates/testkit/src/certificates/receiver.pem")),
    ("server.key", include_bytes!("../../crates/testkit/src/certificates/key.pem")),
];

/// Settings that make commits as durable as in production.
const DURABLE: &[&str] = &["fsync=on", "max_wal_size=256MB"];

/// For tests, which end services and never this server: nothing of it is to outlive the machine, and no database of a
/// test lives long enough to be cleaned up in, or for its plans to be compiled.
const FOR_TESTS: &[&str] =
    &["fsync=off", "full_page_writes=off", "autovacuum=off", "max_wal_size=512MB", "jit=off"];

/// Folder of files on a disk. It is not below the project, whose folders the server's user may have no right to enter.
const ON_DISK: &str = "/tmp";

/// Folder of files that are kept in memory. A database is some nine hundred files, and on a disk half of a small test's
/// time goes into making and deleting them.
const IN_MEMORY: &str = "/dev/shm";

/// Room that a server for tests needs, in bytes: its log, and a database for each test that runs at once.
const ROOM_FOR_TESTS: u64 = 2 << 30;

/// Runs `command` with a server at hand.
pub(crate) fn run(command: &[OsString]) -> Result<()> {
    let [program, arguments @ ..] = command else { anyhow::bail!("no command was given") };
    let server = Server::start_for_tests()?;
    process::run(server.reachable_by(Command::new(program).args(arguments)))
}

/// A running server. Dropping it stops it and deletes its folder.
pub(crate) struct Server {
    cluster: Arc<Mutex<Option<Cluster>>>,
    url: String,
}

impl Server {
    /// Installs what is missing, and starts a server with an empty database.
    pub(crate) fn start() -> Result<Self> {
        Self::start_with(DURABLE, Path::new(ON_DISK))
    }

    /// The same, of which nothing is left when the machine fails.
    pub(crate) fn start_for_tests() -> Result<Self> {
        let folder = if has_room(IN_MEMORY) { IN_MEMORY } else { ON_DISK };
        Self::start_with(FOR_TESTS, Path::new(folder))
    }

    fn start_with(more: &[&str], folder: &Path) -> Result<Self> {
        let binaries = Binaries::find_or_install()?;
        let cluster = Cluster::new(binaries, folder)?;
        let password = password()?;
        let cluster = Arc::new(Mutex::new(Some(cluster)));
        // From here on the folder exists, so that whatever ends us must delete it.
        let mut server = Self { cluster: Arc::clone(&cluster), url: String::new() };
        ctrlc::set_handler(move || interrupted(&cluster))?;

        let guard = server.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        let cluster = guard.as_ref().context("interrupted")?;
        progress("making a throw-away PostgreSQL");
        cluster.initialise(&password)?;
        let port = cluster.start(more)?;
        drop(guard);
        server.url = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
        Ok(server)
    }

    /// Its address, password included.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Runs a statement in the database at that address.
    pub(crate) fn execute(&self, url: &str, sql: &str) -> Result<()> {
        let mut psql = Command::new("psql");
        process::run_quietly(psql.args(["--quiet", "--command", sql, url])).map(drop)
    }

    /// Makes another, empty database; answers its address.
    pub(crate) fn database(&self, name: &str) -> Result<String> {
        self.execute(&self.url, &format!("create database {name}"))?;
        let (server, _) = self.url.rsplit_once('/').context("the server's address")?;
        Ok(format!("{server}/{name}"))
    }

    /// The number that a query answers in the database at that address.
    pub(crate) fn number(&self, url: &str, sql: &str) -> Result<u64> {
        let mut psql = Command::new("psql");
        psql.args(["--quiet", "--tuples-only", "--no-align", "--command", sql, url]);
        let output = process::run_quietly(&mut psql)?;
        Ok(String::from_utf8(output.stdout)?.trim().parse()?)
    }

    /// Seconds of processor time that all of its processes have used.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let guard = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        let data = guard.as_ref().context("interrupted")?.data();
        let file = fs::read_to_string(data.join("postmaster.pid"))?;
        let process = file.lines().next().context("postmaster.pid")?.trim().parse()?;
        process::family_cpu_seconds(process)
    }

    /// Gives the command the server's address.
    pub(crate) fn reachable_by<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(ADDRESS_VARIABLE, &self.url)
    }
}

/// Tells whether a folder has room for a server of tests. One that cannot be asked has none.
fn has_room(folder: &str) -> bool {
    let asked = Command::new("df").args(["--output=avail", "--block-size=1", folder]).output();
    let asked = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let room = asked.and_then(|text| text.lines().nth(1)?.trim().parse::<u64>().ok());
    room.is_some_and(|room| room >= ROOM_FOR_TESTS)
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&self.cluster);
    }
}

#[expect(clippy::disallowed_methods, reason = "after a signal nothing is left to return to")]
fn interrupted(cluster: &Mutex<Option<Cluster>>) {
    end(cluster);
    std::process::exit(INTERRUPTED);
}

fn end(cluster: &Mutex<Option<Cluster>>) {
    if let Some(cluster) = cluster.lock().unwrap_or_else(PoisonError::into_inner).take() {
        cluster.end();
    }
}

/// A server's folder, and the programs and the user that go with it.
struct Cluster {
    binaries: Binaries,
    user: User,
    folder: PathBuf,
}

impl Cluster {
    fn new(binaries: Binaries, below: &Path) -> Result<Self> {
        let user = User::choose()?;
        let folder = below.join(format!("cotejo-postgres-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder).context("the server's folder")?;
        if let User::Other { id, .. } = user {
            chown(&folder, Some(id), None).context("the server's folder")?;
        }
        Ok(Self { binaries, user, folder })
    }

    fn initialise(&self, password: &str) -> Result<()> {
        let file = self.folder.join("password");
        fs::write(&file, password)?;
        if let User::Other { id, .. } = self.user {
            chown(&file, Some(id), None)?;
        }
        let mut initdb = self.command("initdb");
        initdb.arg("--pgdata").arg(self.data()).arg("--pwfile").arg(&file);
        initdb.args(["--username=postgres", "--auth=scram-sha-256", "--no-sync"]);
        // An order of text unlike that of bytes, so that a forgotten collation is found.
        initdb.args(["--encoding=UTF8", "--locale=C.UTF-8"]);
        initdb.args(["--locale-provider=icu", "--icu-locale=en"]);
        process::run_quietly(&mut initdb)?;
        for (name, text) in CERTIFICATE {
            let file = self.data().join(name);
            // The server takes no key that others may read.
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&file)?
                .write_all(text)?;
            if let User::Other { id, .. } = self.user {
                chown(&file, Some(id), None)?;
            }
        }
        Ok(())
    }

    /// Starts the server with these settings besides, and answers its port.
    fn start(&self, more: &[&str]) -> Result<u16> {
        let mut tries = 1;
        loop {
            let port = free_port()?;
            let settings = SETTINGS.iter().chain(more);
            let options: Vec<_> = settings.map(|setting| format!("-c {setting}")).collect();
            let mut start = self.command("pg_ctl");
            start.arg("--pgdata").arg(self.data()).arg("--log").arg(self.folder.join("log"));
            start.args(["--silent", "--wait", "--options"]);
            start.arg(format!("-p {port} {}", options.join(" "))).arg("start");
            // Its output is ours: the server inherits it, and a pipe would never end.
            match process::run(&mut start) {
                Ok(()) => return Ok(port),
                Err(error) if tries == STARTS_AT_MOST => {
                    let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                    return Err(error.context(log));
                }
                Err(_) => tries += 1,
            }
        }
    }

    fn end(self) {
        let mut stop = self.command("pg_ctl");
        stop.arg("--pgdata").arg(self.data()).args(["--silent", "--mode=immediate", "stop"]);
        if self.data().join("postmaster.pid").exists() && !process::succeeds(&mut stop) {
            progress("the throw-away PostgreSQL could not be stopped");
        }
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            progress(&format!("{} could not be deleted: {error}", self.folder.display()));
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A program of the server, run as the server's user in a folder that it may enter.
    fn command(&self, program: &str) -> Command {
        let program = self.binaries.path(program);
        let mut command = match &self.user {
            User::Ourselves => Command::new(program),
            User::Other { name, .. } => {
                let mut command = Command::new("runuser");
                command.args(["-u", name, "--"]).arg(program);
                command
            }
        };
        command.current_dir(&self.folder);
        command
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The superuser's password, so that nobody else on the machine gets in.
fn password() -> Result<String> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
