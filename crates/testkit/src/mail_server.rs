//! A real mail server on this machine, which prints what it is given: Debian's `python3-aiosmtpd`.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use domain::secret::SecretText;
use egress::{MailSettings, Sender, Tls};
use serde_json::Value;

use crate::certificates::{AUTHORITY_FILE, KEY_FILE, Shown};

/// Debian's Python, which finds Debian's packages.
const PYTHON: &str = "/usr/bin/python3";

const PROGRAM: &str = include_str!("mail_server.py");

/// A mail server. It is killed when the test drops it.
pub struct TestMailServer {
    child: Child,
    input: Mutex<ChildStdin>,
    replies: Mutex<Receiver<()>>,
    mails: Arc<Mutex<Vec<Caught>>>,
    port: u16,
    tls: Tls,
}

/// How a server encrypts, and whom it authenticates.
#[derive(Clone, Copy, Debug)]
pub struct Secured {
    /// From when on.
    pub tls: Tls,
    /// Which certificate it shows.
    pub shown: Shown,
    /// By which mechanism [`USER`] signs in: `PLAIN` or `LOGIN`.
    pub mechanism: &'static str,
}

/// Name that signs in to a server that asks.
pub const USER: &str = "cobros";

/// The password of that.
pub const PASSWORD: &str = "made-up mail password";

/// A mail that the server was given.
#[derive(Clone, Debug)]
pub struct Caught(Value);

impl Caught {
    /// The addresses that it goes to.
    #[must_use]
    pub fn to(&self) -> Vec<&str> {
        let to = self.0["to"].as_array().map(Vec::as_slice).unwrap_or_default();
        to.iter().filter_map(Value::as_str).collect()
    }

    /// A header; empty where it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let headers = self.0["headers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let found = headers.iter().find(|header| header[0] == name);
        found.and_then(|header| header[1].as_str()).unwrap_or_default()
    }

    /// Returns the name that had signed in, if any, and whether the connection was encrypted.
    #[must_use]
    pub fn by(&self) -> (Option<&str>, bool) {
        (self.0["login"].as_str(), self.0["encrypted"].as_bool().unwrap_or_default())
    }

    /// Its text.
    #[must_use]
    pub fn body(&self) -> &str {
        self.0["body"].as_str().unwrap_or_default()
    }

    /// Returns the last part of the link in the mail.
    ///
    /// # Panics
    /// Where it has none.
    #[must_use]
    pub fn token(&self) -> String {
        let link = self.body().lines().find(|line| line.starts_with("http"));
        let link = link.unwrap_or_else(|| panic!("no link: {}", self.body())).trim();
        link.rsplit('/').next().expect("a last part").to_owned()
    }
}

impl TestMailServer {
    /// Starts one, which takes every mail.
    ///
    /// # Panics
    /// Where it does not start.
    #[must_use]
    pub fn start() -> Self {
        Self::run(&[], Tls::Off)
    }

    /// Starts one that speaks to nobody without encryption and takes mail of [`USER`] alone, who trusts the authority
    /// of the tests.
    ///
    /// # Panics
    /// Where it does not start.
    #[must_use]
    pub fn secured(Secured { tls, shown, mechanism }: Secured) -> Self {
        let begin = if tls == Tls::Implicit { "implicit" } else { "starttls" };
        let certificate = shown.file();
        Self::run(&[begin, &certificate, KEY_FILE, mechanism, USER, PASSWORD], tls)
    }

    fn run(arguments: &[&str], tls: Tls) -> Self {
        let mut command = Command::new(PYTHON);
        command.args(["-c", PROGRAM]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Debian's python3");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let input = Mutex::new(child.stdin.take().expect("its input"));
        let mut port = String::new();
        output.read_line(&mut port).expect("its output");
        let port = port.trim().parse().expect("a port: is python3-aiosmtpd installed?");
        let mails = Arc::new(Mutex::new(Vec::new()));
        let (said, replies) = channel();
        let kept = Arc::clone(&mails);
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                match serde_json::from_str(&line) {
                    Ok(mail) => {
                        kept.lock().unwrap_or_else(PoisonError::into_inner).push(Caught(mail));
                    }
                    Err(_) => drop(said.send(())),
                }
            }
        });
        Self { child, input, replies: Mutex::new(replies), mails, port, tls }
    }

    /// How a service reaches it.
    ///
    /// # Panics
    /// Never: the sender is one.
    #[must_use]
    pub fn settings(&self) -> MailSettings {
        let is_secured = self.tls != Tls::Off;
        MailSettings {
            server: "127.0.0.1".to_owned(),
            port: self.port,
            tls: self.tls,
            ca_file: is_secured.then(|| AUTHORITY_FILE.into()),
            credentials: is_secured.then(|| (USER.to_owned(), SecretText::from(PASSWORD))),
            from: Sender::parse("Cobros <cobros@example.com>").expect("a sender"),
        }
    }

    /// Makes it answer mails with that status from now on, or never with `silent`.
    ///
    /// # Panics
    /// Where it is gone.
    pub fn answer(&self, status: &str) {
        let mut input = self.input.lock().expect("its input");
        writeln!(input, "{status}").expect("a server that listens");
        self.replies.lock().expect("its output").recv().expect("a server that answers");
    }

    /// Returns the mails that it was given so far, even those that it did not take.
    ///
    /// # Panics
    /// Where it is gone.
    #[must_use]
    pub fn mails(&self) -> Vec<Caught> {
        // What it says to this comes behind every mail before.
        self.answer("");
        self.mails.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for TestMailServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl fmt::Debug for TestMailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestMailServer").field("port", &self.port).finish_non_exhaustive()
    }
}
