//! A guide that is walked from its beginning to its end, in one shell, as a reader would paste it.
//!
//! What a block of `sh` prints is what the block of `json` behind it says, as far as that goes; what
//! ends in `&` stays, and what it prints later is what a block of `text` says. `…` stands for
//! anything. Only addresses differ from the guide's: every program listens where it is free.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// How long anything may take; past it, the guide promises what does not come.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the shell says behind the last line of every block.
const END: &str = "-- the end of a block --";

/// What Python does with statements on its standard input.
const RUN_SQL: &str =
    "import sqlite3, sys; sqlite3.connect(\":memory:\").executescript(sys.stdin.read())";

/// A program that stays.
struct Lasting {
    by_guide: &'static str,
    by_test: &'static str,
    /// Where it listens by the guide.
    place: &'static str,
    /// What it says when it listens.
    word: &'static str,
}

const LASTING: [Lasting; 3] = [
    Lasting {
        by_guide: "cotejo banks",
        by_test: "cotejo banks --listen 127.0.0.1:0",
        place: "127.0.0.1:8102",
        word: "Bancos simulados en / simulated banks at http://127.0.0.1:…",
    },
    Lasting {
        by_guide: "cotejo serve",
        by_test: "cotejo serve --listen 127.0.0.1:0",
        place: "127.0.0.1:8080",
        word: "…\"started\",\"addr\":\"127.0.0.1:…",
    },
    Lasting {
        by_guide: "receiver.py 9000",
        by_test: "receiver.py 0",
        place: "127.0.0.1:9000",
        word: "http://127.0.0.1:…",
    },
];

/// A fenced block: what it is written in, and its text.
pub(super) type Block = (String, String);

/// The blocks of a guide of the project.
pub(super) fn blocks(guide: &str) -> Vec<Block> {
    let blocks = guide.split("```").skip(1).step_by(2);
    let blocks = blocks.map(|block| block.split_once('\n').expect("a block has lines"));
    blocks.map(|(kind, text)| (kind.to_owned(), text.to_owned())).collect()
}

/// The folder of the project.
pub(super) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A shell with a folder and programs of its own, ended with the test.
pub(super) struct Walk {
    shell: Child,
    input: ChildStdin,
    printed: Receiver<String>,
    said: Receiver<String>,
    folder: PathBuf,
    moved: Vec<(&'static str, String)>,
}

impl Walk {
    /// Begins where the project's guides are at hand, and nothing else is.
    pub(super) fn begin() -> Self {
        for program in ["curl", "python3"] {
            let asked = Command::new(program).arg("--version").output();
            assert!(asked.is_ok(), "{program} is not there: `cargo xtask test` installs it");
        }
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("cotejo-walk-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        symlink(root().join("docs").canonicalize().unwrap(), folder.join("docs")).unwrap();
        let programs = Path::new(env!("CARGO_BIN_EXE_cotejo")).parent().unwrap();
        let mut shell = Command::new("sh")
            .current_dir(&folder)
            .env("no_proxy", "*")
            .envs([("COTEJO_PASSWORD_MEMORY_KIB", "8"), ("COTEJO_PASSWORD_PASSES", "1")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let input = shell.stdin.take().unwrap();
        let printed = lines(shell.stdout.take().unwrap());
        let said = lines(shell.stderr.take().unwrap());
        let mut walk = Self { shell, input, printed, said, folder, moved: Vec::new() };
        walk.run(&format!("set -eu; PATH='{}':$PATH", programs.display()));
        walk
    }

    /// Walks through a guide.
    pub(super) fn through(&mut self, guide: &str) {
        let mut printed = String::new();
        for (kind, block) in blocks(guide) {
            match kind.as_str() {
                // What the reader has from somebody, and the test has said already.
                "sh" if block.contains("=…") => {}
                "sh" if block.trim_end().ends_with('&') => self.start(&block),
                "sh" => printed = self.run(&block),
                "json" => {
                    let expected = self.here(&block);
                    let expected: Value = serde_json::from_str(&expected).expect(&block);
                    let found: Value = serde_json::from_str(&printed)
                        .unwrap_or_else(|_| panic!("not {block}\nbut {printed}"));
                    assert!(agrees(&expected, &found), "{block}\nis not\n{found:#}");
                }
                "sql" => {
                    self.run(&format!("python3 -c '{RUN_SQL}' <<'.'\n{block}."));
                }
                "text" => {
                    self.hear(block.trim());
                }
                _ => {}
            }
        }
    }

    /// Runs what ends by itself and well, and answers what it printed.
    pub(super) fn run(&mut self, block: &str) -> String {
        let block = self.here(block);
        self.tell(&format!("{block}\nprintf '\\n%s\\n' '{END}'\n"));
        let mut printed = Vec::new();
        loop {
            match self.printed.recv_timeout(PATIENCE) {
                Ok(line) if line == END => return printed.join("\n"),
                Ok(line) => printed.push(line),
                Err(end) => self.fail(&block, &printed, end),
            }
        }
    }

    /// Starts what stays, and learns where it listens.
    pub(super) fn start(&mut self, block: &str) {
        let known = LASTING.iter().find(|one| block.contains(one.by_guide));
        let program = known.expect("a program that is known to stay");
        let block = self.here(block).replace(program.by_guide, program.by_test);
        self.tell(&format!("{{ {block}\n}} >&2\n"));
        let line = self.hear(program.word);
        let port = line.split("127.0.0.1:").nth(1).unwrap();
        let port = port.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        self.moved.push((program.place, format!("127.0.0.1:{port}")));
    }

    /// Waits until one of the programs that stay says that, and answers its whole line.
    pub(super) fn hear(&self, line: &str) -> String {
        let mut others = Vec::new();
        loop {
            match self.said.recv_timeout(PATIENCE) {
                Ok(said) if fits(line, &said) => return said,
                Ok(said) => others.push(said),
                Err(end) => self.fail(line, &others, end),
            }
        }
    }

    /// What is said in the guide, with the addresses of this test.
    fn here(&self, text: &str) -> String {
        let put = |text: String, (place, at): &(&str, String)| text.replace(place, at);
        self.moved.iter().fold(text.to_owned(), put)
    }

    fn tell(&mut self, block: &str) {
        self.input.write_all(block.as_bytes()).unwrap();
    }

    fn fail(&self, block: &str, printed: &[String], end: RecvTimeoutError) -> ! {
        let said: Vec<String> = self.said.try_iter().collect();
        panic!("{end:?}\n{block}\n{}\n{}", printed.join("\n"), said.join("\n"))
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        // The shell and everything that it has started are one group.
        let group = format!("-{}", self.shell.id());
        drop(Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status());
        drop(self.shell.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The lines of a pipe, drained whether anybody listens or not.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            drop(sender.send(line));
        }
    });
    receiver
}

/// Whether an answer is what a guide shows of it: objects may have more fields.
fn agrees(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::String(expected), Value::String(found)) => fits(expected, found),
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected.iter().zip(found).all(|(one, other)| agrees(one, other))
        }
        (Value::Object(expected), Value::Object(found)) => expected.iter().all(|(name, value)| {
            name == "…" || found.get(name).is_some_and(|other| agrees(value, other))
        }),
        (expected, found) => expected == found,
    }
}

/// Whether a text is what a guide shows of it.
fn fits(expected: &str, found: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = found.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn what_a_guide_leaves_out_is_not_compared_and_the_rest_is() {
    for (expected, found) in
        [("a", "a"), ("a…", "abc"), ("…c", "abc"), ("a…c…e", "abcde"), ("…", "")]
    {
        assert!(fits(expected, found), "{expected} {found}");
    }
    for (expected, found) in [("a", "ab"), ("a…", "b"), ("…c", "ab"), ("a…x…e", "abcde"), ("", "a")]
    {
        assert!(!fits(expected, found), "{expected} {found}");
    }
    let found = serde_json::json!({ "a": [{ "b": 1 }], "c": "link_7" });
    let is = |text: &str| agrees(&serde_json::from_str(text).unwrap(), &found);
    assert!(is(r#"{"a": [{"b": 1}]}"#) && is(r#"{"c": "link_…", "…": null}"#));
    assert!(!is(r#"{"a": []}"#) && !is(r#"{"a": [{"b": 2}]}"#) && !is(r#"{"d": null}"#));
}
