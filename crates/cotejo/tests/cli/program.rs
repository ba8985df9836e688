//! The built program, run in a data folder of its own.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStderr, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The address of a server that does not listen yet.
const NOWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// A data folder, gone when the test is over.
pub(crate) struct Data(PathBuf);

impl Data {
    pub(crate) fn new() -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("cotejo-cli-{}-{number}", process::id()));
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The program with the arguments and this folder, hashing passwords cheaply.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bare(arguments);
        command.arg("--data").arg(&self.0);
        command.env("COTEJO_PASSWORD_MEMORY_KIB", "8").env("COTEJO_PASSWORD_PASSES", "1");
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs it to its good end, and answers the one JSON object that it printed.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Starts a server and waits until it listens.
    pub(crate) fn serve(&self) -> Serving {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        // From here on it is killed, however the test ends.
        let mut server = Serving { child, addr: NOWHERE, log, lines: Vec::new() };
        server.addr = server.wait_for_the_start();
        server
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// The program with nothing but the arguments.
pub(crate) fn bare(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotejo"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Waits until the server whose log that is has started, and answers where it listens. The rest of the log is read on, so
/// that it never has to wait for a reader.
pub(crate) fn started(log: ChildStderr) -> SocketAddr {
    let mut lines = BufReader::new(log).lines().map(Result::unwrap);
    let events = lines.by_ref().map(|line| serde_json::from_str::<Value>(&line).expect(&line));
    let started = events.into_iter().find(|event| event["message"] == "started").unwrap();
    thread::spawn(move || lines.for_each(drop));
    started["addr"].as_str().unwrap().parse().unwrap()
}

/// The status and the body that a path answers there.
pub(crate) fn get(addr: SocketAddr, path: &str) -> (u16, String) {
    ask(addr, ("GET", path), None, "")
}

/// The status and the body that a request is answered with, which may show a credential.
fn ask(
    addr: SocketAddr,
    (method, path): (&str, &str),
    credential: Option<&str>,
    body: &str,
) -> (u16, String) {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).unwrap();
    let bearer = credential.map(|text| format!("authorization: Bearer {text}\r\n"));
    let (bearer, length) = (bearer.unwrap_or_default(), body.len());
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n{bearer}\
         content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, body.to_owned())
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A server, killed where a test does not stop it.
pub(crate) struct Serving {
    child: Child,
    addr: SocketAddr,
    log: BufReader<ChildStderr>,
    lines: Vec<String>,
}

impl Serving {
    fn wait_for_the_start(&mut self) -> SocketAddr {
        loop {
            let mut line = String::new();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "it did not start");
            let event: Value = serde_json::from_str(&line).unwrap();
            self.lines.push(line);
            if event["message"] == "started" {
                return event["addr"].as_str().unwrap().parse().unwrap();
            }
        }
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The status and the body that a path answers.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        get(self.addr, path)
    }

    /// The status and the body that a request is answered with, which may show a credential.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        credential: Option<&str>,
        body: &str,
    ) -> (u16, String) {
        ask(self.addr, (method, path), credential, body)
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let (flag, id) = (format!("-{name}"), self.child.id().to_string());
        assert!(Command::new("kill").args([flag, id]).status().unwrap().success());
    }

    /// Asks it to end, and answers its exit code and everything that it logged.
    pub(crate) fn stop(mut self) -> (Option<i32>, String) {
        self.signal("TERM");
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        (status.code(), self.lines.concat() + &rest)
    }

    /// Ends it at once.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        if thread::panicking() {
            eprintln!("{}", self.lines.concat());
        }
    }
}
