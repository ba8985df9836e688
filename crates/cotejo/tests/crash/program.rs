//! The built program and the place where it keeps its data.

use std::collections::VecDeque;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStderr, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use testkit::Engine;
use testkit::database::Database;
use testkit::postgres;

use crate::http::ask;

/// How many of its last lines a server is remembered by.
const LINES_MAX: usize = 40;

/// Connections to PostgreSQL, of each kind: its server is shared with other tests.
const CONNECTIONS: &str = "4";

/// Place where a server keeps its data, gone when the test is over.
pub(crate) struct Site {
    folder: PathBuf,
    pub(crate) database: Database,
    /// Where servers find the database, if not where it is.
    pub(crate) detour: Option<String>,
    /// Further settings of servers, as variables.
    pub(crate) settings: Vec<(&'static str, String)>,
}

impl Site {
    pub(crate) fn on(engine: Engine) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Short, since a socket's path has to fit into a hundred bytes.
        let folder = env::temp_dir().join(format!("cotejo-crash-{}-{number}", process::id()));
        let database = match engine {
            Engine::Sqlite => Database::Sqlite(folder.join("a/cotejo.sqlite")),
            Engine::Postgres => Database::Postgres(postgres::Database::empty()),
        };
        Self { folder, database, detour: None, settings: Vec::new() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program with these arguments; `node` names a data folder, of which nodes that share a
    /// database have one each, and the master key in common.
    pub(crate) fn command(&self, program: &mut Command, node: &str, arguments: &[&str]) {
        fs::create_dir_all(&self.folder).unwrap();
        program.args(arguments).arg("--data").arg(self.folder.join(node));
        program.arg("--master-key-file").arg(self.folder.join("master.key"));
        // What is said to the tests, the program would take for a slip of the pen.
        for (name, _) in env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"COTEJO_") {
                program.env_remove(name);
            }
        }
        program.env("COTEJO_PASSWORD_MEMORY_KIB", "8").env("COTEJO_PASSWORD_PASSES", "1");
        program.env("COTEJO_LOG_LEVEL", "warn,cotejo=info");
        program.envs(self.settings.iter().map(|(name, value)| (name, value)));
        if let Some(url) = self.detour.clone().or_else(|| self.database.url()) {
            program.env("COTEJO_DATABASE", url);
            program.env("COTEJO_POSTGRES_CONNECTIONS", CONNECTIONS);
            program.env("COTEJO_POSTGRES_READERS", CONNECTIONS);
        }
    }

    /// Runs it to its end with `input`; answers its status and the object that it printed.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> (Option<i32>, Value) {
        let output = self.output(arguments, input);
        let said = String::from_utf8_lossy(&output.stderr);
        let printed = serde_json::from_slice(&output.stdout);
        (output.status.code(), printed.unwrap_or_else(|_| panic!("{arguments:?}: {said}")))
    }

    /// The same, whatever it printed.
    pub(crate) fn output(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = bare();
        self.command(&mut command, "a", arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Starts a server, and waits until it listens.
    pub(crate) fn start(&self) -> Node {
        self.launch("a").wait()
    }

    /// Starts a server and does not wait for it.
    pub(crate) fn launch(&self, node: &str) -> Starting {
        self.launch_by(bare(), node)
    }

    /// Starts a server by another program, whose last argument is this one.
    pub(crate) fn launch_by(&self, mut program: Command, node: &str) -> Starting {
        self.command(&mut program, node, &["serve", "--listen", "127.0.0.1:0", "--json"]);
        program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Starting { process: Process(child), log, lines: VecDeque::new() }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The path of the program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_cotejo");

fn bare() -> Command {
    Command::new(PROGRAM)
}

/// A process that ends with the test, however that ends.
struct Process(Child);

impl Process {
    /// SIGKILL, and gone when this returns.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Asks it to end, and answers its exit code.
    fn stop(&mut self) -> Option<i32> {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.0.wait().unwrap().code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A server that does not listen yet.
pub(crate) struct Starting {
    process: Process,
    log: BufReader<ChildStderr>,
    lines: VecDeque<String>,
}

impl Starting {
    pub(crate) fn kill(mut self) {
        self.process.kill();
    }

    pub(crate) fn wait(mut self) -> Node {
        let addr = self.addr_with("started");
        let lines = Arc::new(Mutex::new(self.lines));
        let reader = read_on(self.log, Arc::clone(&lines));
        Node { process: self.process, addr, lines, reader: Some(reader) }
    }

    /// Waits until it says that it waits for its database, and answers where it listens.
    pub(crate) fn waits(&mut self) -> SocketAddr {
        self.addr_with("waiting for the database")
    }

    /// Reads its log up to that message, and answers the address in it.
    fn addr_with(&mut self, message: &str) -> SocketAddr {
        loop {
            let mut line = String::new();
            let read = self.log.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "not {message}: {:?}", self.lines);
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            self.lines.push_back(line);
            if event["message"] == message {
                return event["addr"].as_str().unwrap().parse().unwrap();
            }
        }
    }

    /// Asks it to end before it has started, and answers its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.process.stop()
    }
}

/// Reads whatever else it logs, so that it never waits for a reader.
fn read_on(log: BufReader<ChildStderr>, lines: Arc<Mutex<VecDeque<String>>>) -> JoinHandle<()> {
    thread::spawn(move || {
        for line in log.lines().map_while(Result::ok) {
            let mut lines = lines.lock().unwrap();
            lines.push_back(line + "\n");
            while lines.len() > LINES_MAX {
                lines.pop_front();
            }
        }
    })
}

/// Returns the status and the word with which the server there says whether it is ready.
pub(crate) fn readiness(addr: SocketAddr) -> (u16, String) {
    let answer = ask(addr, ("GET", "/health/ready"), "", None);
    (answer.status, answer.body["status"].as_str().unwrap().to_owned())
}

/// A running server.
pub(crate) struct Node {
    process: Process,
    pub(crate) addr: SocketAddr,
    lines: Arc<Mutex<VecDeque<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Node {
    /// SIGKILL, and gone when this returns.
    pub(crate) fn kill(mut self) {
        self.process.kill();
    }

    /// Asks it to end, and sees that it ends well.
    pub(crate) fn stop(mut self) {
        let code = self.process.stop();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        assert_eq!(code, Some(0), "{:?}", self.lines.lock().unwrap());
    }

    /// Tells whether its latest lines have those words.
    pub(crate) fn has_logged(&self, words: &str) -> bool {
        self.lines.lock().unwrap().iter().any(|line| line.contains(words))
    }

    /// Returns the status and the word with which it says whether it is ready.
    pub(crate) fn readiness(&self) -> (u16, String) {
        readiness(self.addr)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if thread::panicking() {
            let lines = self.lines.lock().unwrap();
            eprintln!("{}", lines.iter().map(String::as_str).collect::<String>());
        }
    }
}
