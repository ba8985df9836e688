//! A receiver of the guide as a process.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, PipeReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use testkit::owner::Key;

/// Beginning of the guide's commands.
const SECRET: &str = "WEBHOOK_SECRET=… ";

/// Beginning of the address that a receiver prints when it listens.
const PLACE: &str = "http://127.0.0.1:";

/// A receiver, ended with the test.
pub(super) struct Program {
    child: Child,
    output: BufReader<PipeReader>,
    folder: PathBuf,
    port: u16,
}

impl Program {
    /// Starts the one whose command in the guide is of that program. It asks the service back by
    /// that key, unless `more` of its environment says otherwise.
    pub(super) fn start(name: &str, secret: &str, key: &Key, more: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name_of_folder = format!("cotejo-receiver-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name_of_folder);
        fs::create_dir_all(&folder).unwrap();
        let (output, writer) = std::io::pipe().unwrap();
        let mut command = command(name);
        command
            .env("WEBHOOK_SECRET", secret)
            .env("COTEJO", format!("http://{}", key.address()))
            .env("KEY", &key.text)
            .env("RECORD", folder.join("payments"))
            .env("no_proxy", "*")
            .env_remove("TEST")
            .envs(more.iter().copied())
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer);
        let child = match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                panic!("{:?} is not there: `cargo xtask test` installs it", command.get_program())
            }
            child => child.unwrap(),
        };
        // Its ends of the pipe go with it, so that the last word is followed by the end.
        drop(command);
        let mut program = Self { child, output: BufReader::new(output), folder, port: 0 };
        program.port = program.wait_for_the_port();
        program
    }

    fn wait_for_the_port(&mut self) -> u16 {
        let mut said = String::new();
        loop {
            assert_ne!(self.output.read_line(&mut said).unwrap(), 0, "it did not start: {said}");
            if let Some(port) = said.split(PLACE).nth(1) {
                return port.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
            }
        }
    }

    /// Returns the address that it is notified at.
    pub(super) fn url(&self) -> String {
        format!("{PLACE}{}/hook", self.port)
    }

    /// Posts that to it, and answers the status, if it answers.
    pub(super) fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> Option<u16> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let length = body.len();
        let mut head = format!("POST /hook HTTP/1.1\r\nHost: shop\r\nContent-Length: {length}\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("Content-Type: application/json\r\nConnection: close\r\n\r\n");
        let mut answer = Vec::new();
        // It may refuse before it has received everything, and hang up.
        drop(stream.write_all(&[head.as_bytes(), body].concat()));
        drop(stream.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).split(' ').nth(1)?.parse().ok()
    }

    /// Tells whether it has kept anything at all.
    pub(super) fn has_a_record(&self) -> bool {
        let folder = self.folder.join("payments");
        let is_empty = fs::read_dir(folder).map_or(true, |mut files| files.next().is_none());
        !is_empty || self.folder.join("payments.sqlite").exists()
    }

    /// Puts something else where it keeps what it has received.
    pub(super) fn break_its_record(&self) {
        let (record, database) =
            (self.folder.join("payments"), self.folder.join("payments.sqlite"));
        if database.exists() {
            fs::remove_file(&database).unwrap();
            fs::create_dir(database).unwrap();
        } else {
            fs::remove_dir_all(&record).unwrap();
            fs::write(record, "").unwrap();
        }
    }

    /// Ends it, and answers what it said that it has handled.
    pub(super) fn end(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut said = String::new();
        self.output.read_to_string(&mut said).unwrap();
        let ends = ["paid ", "failed ", "expired ", "canceled "];
        let handled = said.lines().filter(|line| ends.iter().any(|end| line.starts_with(end)));
        handled.map(|line| line.trim_end().to_owned()).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The command of the guide that runs that program, at a port that is free.
fn command(name: &str) -> Command {
    let guides = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let guide = fs::read_to_string(guides.join("webhooks.md")).unwrap();
    let mut lines = guide.lines().filter_map(|line| line.strip_prefix(SECRET));
    let line = lines.find(|line| line.starts_with(&format!("{name} "))).expect("its command");
    let line = line.replace("9000", "0");
    let mut command = match line.strip_prefix("cargo run --release -- ") {
        Some(port) => {
            let mut command = Command::new(example("receiver"));
            command.arg(port);
            command
        }
        None => {
            let mut words = line.split(' ');
            let mut command = Command::new(words.next().unwrap());
            command.args(words);
            command
        }
    };
    command.current_dir(guides.join("receivers"));
    command
}

/// An example of this crate. Cargo builds it with the tests, unless it is asked for some alone.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().with_file_name("examples").join(name);
    assert!(example.exists(), "the example `{name}` is not built: `cargo xtask test` does it");
    example
}
