//! A PostgreSQL server of a test's own, which is started late, stopped, or follows another one. The programs are those of
//! the server that all tests share.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder};
use std::hash::BuildHasher;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use testkit::postgres::Database;

/// Settings of a server that no machine outlives.
const SETTINGS: &str =
    "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c shared_buffers=32MB -c fsync=off";

/// A server, which runs or not, gone with the test.
pub(crate) struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    password: String,
}

impl Cluster {
    /// Makes a server with empty databases, which does not run yet.
    pub(crate) fn new() -> Self {
        let folders = "select setting from pg_config where name = 'BINDIR'";
        let programs = PathBuf::from(&Database::empty().texts(folders)[0]);
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        // Nobody else on the machine gets in.
        let password = format!("{:016x}", RandomState::new().hash_one(port));
        let cluster = Self { programs, folder: folder(), port, password };
        let file = cluster.folder.join("password");
        fs::write(&file, &cluster.password).unwrap();
        give(&file);
        let mut initdb = cluster.command("initdb");
        initdb.arg("--pwfile").arg(&file).args(["--username=postgres", "--auth=scram-sha-256"]);
        run(initdb.args(["--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"]));
        cluster
    }

    /// Makes a server with all that this one has, which follows it once it runs.
    pub(crate) fn standby(&self) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        self.standby_at(free.local_addr().unwrap().port())
    }

    /// Makes one in the place of a server that was stopped for good.
    pub(crate) fn standby_in_place_of(&self, former: Self) -> Self {
        let port = former.port;
        drop(former);
        self.standby_at(port)
    }

    fn standby_at(&self, port: u16) -> Self {
        let (programs, password) = (self.programs.clone(), self.password.clone());
        let standby = Self { programs, folder: folder(), port, password };
        let mut copy = standby.command("pg_basebackup");
        copy.env("PGHOST", "127.0.0.1").env("PGPORT", self.port.to_string());
        copy.env("PGUSER", "postgres").env("PGPASSWORD", &self.password);
        run(copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]));
        standby
    }

    /// Starts it, and waits until it lets clients in.
    pub(crate) fn start(&self) {
        let mut start = self.command("pg_ctl");
        start.arg("--log").arg(self.folder.join("log")).args(["--silent", "--wait", "--options"]);
        run(start.arg(format!("-p {} {SETTINGS}", self.port)).arg("start"));
    }

    /// Stops it once those that follow it have all that it has.
    pub(crate) fn stop(&self) {
        run(self.command("pg_ctl").args(["--silent", "--wait", "--mode=fast", "stop"]));
    }

    /// Makes it follow nobody any more.
    pub(crate) fn promote(&self) {
        run(self.command("pg_ctl").args(["--silent", "--wait", "promote"]));
    }

    /// A program of the server, on its folder, run by a user that may.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match other_user() {
            None => Command::new(program),
            Some((name, _)) => {
                let mut command = Command::new("runuser");
                command.args(["-u", name, "--"]).arg(program);
                command
            }
        };
        command.arg("--pgdata").arg(self.folder.join("data")).current_dir(&self.folder);
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.folder.join("data/postmaster.pid").exists() {
            let mut stop = self.command("pg_ctl");
            drop(quiet(stop.args(["--silent", "--mode=immediate", "stop"])).status());
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The address of all of them, tried in this order.
pub(crate) fn address(clusters: &[&Cluster]) -> String {
    let places = clusters.iter().map(|cluster| format!("127.0.0.1:{}", cluster.port));
    let places = places.collect::<Vec<_>>().join(",");
    format!("postgres://postgres:{}@{places}/postgres", clusters[0].password)
}

/// An empty folder that the server's user may enter.
fn folder() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("cotejo-pg-{}-{number}", process::id()));
    // One of a process that had this id before and was killed.
    drop(fs::remove_dir_all(&folder));
    DirBuilder::new().mode(0o700).create(&folder).unwrap();
    give(&folder);
    folder
}

fn give(path: &Path) {
    if let Some((_, id)) = other_user() {
        chown(path, Some(id), None).unwrap();
    }
}

/// The name and the number of the user that runs the server where root may not.
fn other_user() -> Option<(&'static str, u32)> {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let number = |name: &'static str| {
        let output = Command::new("id").args(["-u", name]).output().unwrap();
        let number = String::from_utf8(output.stdout).unwrap().trim().parse().ok()?;
        Some((name, number))
    };
    Some(["postgres", "nobody"].into_iter().find_map(number).expect("a user that is not root"))
}

/// Runs it to its good end. A server that it starts inherits what it writes to, so that nobody may wait for its end.
fn run(command: &mut Command) {
    assert!(quiet(command).status().unwrap().success(), "{command:?}");
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}
