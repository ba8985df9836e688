//! A guide that is walked from its beginning to its end, in one shell, as a reader would paste it.
//!
//! What a block of `sh` prints is what the block of `json` behind it says, as far as that goes, and no error
//! unless that says so; a server stays, and what it prints later is what a block of `text` says. `…` stands
//! for anything. A line `NAME=…` is what the reader has from somebody, and the test too; what no line sets is
//! not set. Only addresses differ from the guide's: every program listens where it is free. A block whose fence
//! has a second word, such as `json event`, is run or compared by the test of that name.

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
const LINE_TIMEOUT: Duration = Duration::from_secs(60);

/// Command that builds the program.
const BUILD: &str = "cargo build --release";

/// Line that the shell prints behind the last line of every block.
const END: &str = "-- the end of a block --";

/// Python program that runs the statements on its standard input.
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
pub(crate) type Block = (String, String);

/// The blocks of a guide of the project.
pub(crate) fn blocks(guide: &str) -> Vec<Block> {
    let blocks = guide.split("```").skip(1).step_by(2);
    let blocks = blocks.map(|block| block.split_once('\n').expect("a block has lines"));
    blocks.map(|(kind, text)| (kind.to_owned(), text.to_owned())).collect()
}

/// A page of the guide, and how much of it has been walked.
pub(super) struct Page {
    name: &'static str,
    rest: String,
}

impl Page {
    /// The page from its beginning.
    pub(super) fn open(name: &'static str) -> Self {
        let rest = fs::read_to_string(root().join("docs/guide").join(name)).unwrap();
        Self { name, rest }
    }

    /// Takes the text before those words.
    fn before(&mut self, words: &str) -> String {
        let at = self.rest.find(words).unwrap_or_else(|| panic!("{words} in {}", self.name));
        let rest = self.rest.split_off(at);
        std::mem::replace(&mut self.rest, rest)
    }

    /// Holds that no block is left that was not walked.
    pub(super) fn is_over(&self) {
        assert!(blocks(&self.rest).is_empty(), "{} is not walked to its end", self.name);
    }
}

/// The folder of the project.
pub(crate) fn root() -> &'static Path {
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
    /// What the reader has from somebody: names and values.
    given: Vec<(&'static str, String)>,
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
        let mut walk =
            Self { shell, input, printed, said, folder, moved: Vec::new(), given: Vec::new() };
        walk.run(&format!("set -eu; PATH='{}':$PATH", programs.display()));
        walk
    }

    /// Gives the reader this value, by that name.
    pub(super) fn give(&mut self, name: &'static str, value: &str) {
        self.given.push((name, value.to_owned()));
    }

    /// Gives the reader that file.
    pub(super) fn put(&self, name: &str, content: &[u8]) {
        fs::write(self.folder.join(name), content).unwrap();
    }

    /// Returns the value that the reader knows by that name.
    pub(super) fn given(&self, name: &str) -> String {
        let given = self.given.iter().rfind(|(given, _)| *given == name);
        given.unwrap_or_else(|| panic!("nobody gave {name}")).1.clone()
    }

    /// Calls the service with the credential that the reader knows by that name. An empty body makes it a GET.
    pub(super) fn call(&mut self, credential: &str, path: &str, body: &str) -> String {
        let credential = self.given(credential);
        let body = if body.is_empty() { String::new() } else { format!("--json '{body}'") };
        self.run(&format!(
            "curl -sS 'http://127.0.0.1:8080/{path}' -H 'Authorization: Bearer {credential}' {body}"
        ))
    }

    /// Walks through the page to those words.
    pub(super) fn up_to(&mut self, page: &mut Page, words: &str) {
        let text = page.before(words);
        self.through(&text);
    }

    /// Walks through what is left of the page.
    pub(super) fn finish(&mut self, page: &mut Page) {
        let text = std::mem::take(&mut page.rest);
        self.through(&text);
    }

    fn through(&mut self, text: &str) {
        let blocks = blocks(text);
        let mut printed = None;
        for (place, (kind, block)) in blocks.iter().enumerate() {
            match kind.as_str() {
                "sh" if block.trim() == BUILD => self.build(),
                "sh" if stays(block) => self.start(block),
                "sh" => {
                    let output = self.run(&self.filled_in(block));
                    let is_refused = matches!(blocks.get(place + 1), Some((kind, next))
                        if kind == "json" && next.contains("\"error\""));
                    assert!(is_refused || !shows_error(&output), "{block}\n{output}");
                    printed = Some(output);
                }
                "json" => {
                    let printed = printed.as_ref().expect("what it is the answer to is before it");
                    let expected = self.here(block);
                    let expected: Value = serde_json::from_str(&expected).expect(block);
                    let found: Value = serde_json::from_str(printed)
                        .unwrap_or_else(|_| panic!("not {block}\nbut {printed}"));
                    assert!(agrees(&expected, &found), "{block}\nis not\n{found:#}");
                }
                "sql" => {
                    self.run(&format!("python3 -c '{RUN_SQL}' <<'.'\n{block}."));
                }
                "text" => {
                    self.hear(block.trim());
                }
                // The file of another program: what it says of this one must hold.
                "ini" => self.run_unit(block),
                "nginx" => assert!(block.contains("http://127.0.0.1:8080;"), "{block}"),
                "yaml" => assert!(block.contains("job_name: cotejo\n"), "{block}"),
                kind if kind.contains(' ') => {}
                kind => panic!("nobody runs a block of {kind:?}:\n{block}"),
            }
        }
    }

    /// The block with what the reader has from somebody.
    fn filled_in(&self, block: &str) -> String {
        let line = |line: &str| {
            let named = line.split_once('=').filter(|(name, value)| {
                let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
                is_name && value.split(' ').next().is_some_and(|value| value.contains('…'))
            });
            let Some((name, _)) = named else { return line.to_owned() };
            format!("{name}='{}'", self.given(name))
        };
        block.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The program is built already, for this test.
    fn build(&self) {
        let folder = self.folder.join("target/release");
        fs::create_dir_all(&folder).unwrap();
        symlink(env!("CARGO_BIN_EXE_cotejo"), folder.join("cotejo")).unwrap();
    }

    /// Checks that the program understands how a unit of systemd starts it.
    fn run_unit(&mut self, block: &str) {
        let line = block.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/"));
        self.run(&format!("{} --help", line.expect("how it is started")));
    }

    /// Ends what stays.
    pub(super) fn stop(&mut self) {
        self.run("jobs -p > pids; kill $(cat pids); wait; rm pids");
    }

    /// Runs what ends by itself and well, and answers what it printed.
    pub(super) fn run(&mut self, block: &str) -> String {
        let block = self.here(block);
        self.send(&format!("{block}\nprintf '\\n%s\\n' '{END}'\n"));
        let mut printed = Vec::new();
        loop {
            match self.printed.recv_timeout(LINE_TIMEOUT) {
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
        // What the guide says by itself is what the program does by itself.
        let block = block.replace(&format!(" --listen {}", program.place), "");
        self.moved.retain(|(place, _)| *place != program.place);
        let block = self.here(&block).replace(program.by_guide, program.by_test);
        let block = block.trim_end().trim_end_matches('&');
        self.send(&format!("{{ {block} &\n}} >&2\n"));
        let line = self.hear(program.word);
        let port = line.split("127.0.0.1:").nth(1).unwrap();
        let port = port.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        self.moved.push((program.place, format!("127.0.0.1:{port}")));
    }

    /// Waits until one of the programs that stay says that, and answers its whole line.
    pub(super) fn hear(&self, line: &str) -> String {
        let mut others = Vec::new();
        loop {
            match self.said.recv_timeout(LINE_TIMEOUT) {
                Ok(said) if fits(line, &said) => return said,
                Ok(said) => others.push(said),
                Err(end) => self.fail(line, &others, end),
            }
        }
    }

    /// Returns the guide's text with the addresses of this test.
    pub(super) fn here(&self, text: &str) -> String {
        let put = |text: String, (place, at): &(&str, String)| text.replace(place, at);
        self.moved.iter().fold(text.to_owned(), put)
    }

    fn send(&mut self, block: &str) {
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

/// Tells whether the block starts a program that stays, to which the reader gives a terminal of its own or an `&`.
fn stays(block: &str) -> bool {
    let is_one_line = block.trim().lines().count() == 1;
    is_one_line && LASTING.iter().any(|program| block.contains(program.by_guide))
}

/// Tells whether one of the lines is the refusal of a call.
fn shows_error(printed: &str) -> bool {
    let answers = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    answers.into_iter().any(|answer| answer.get("error").is_some_and(Value::is_string))
}

/// Tells whether an answer is as the guide shows it: objects may have more fields.
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

/// Tells whether a text is as the guide shows it.
pub(crate) fn fits(expected: &str, found: &str) -> bool {
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
