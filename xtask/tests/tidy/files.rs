//! What the text of every file must keep to.

use crate::source::{code, functions, tests_among, without_test_modules};
use crate::{files_below, none, read, rust_files};

/// How long a file may be; most should be half as long.
const FILE_LINES_MAX: usize = 500;

/// How long a function may be: what fits on a screen.
const FUNCTION_LINES_MAX: usize = 70;

/// Crates that may touch the outside: the program, and what serves development.
const OUTSIDE: &[&str] = &["crates/cotejo/", "crates/testkit/", "xtask/"];

/// Words that only those crates may use. The lints know these too, but not under every name.
const WORDS_OF_THE_OUTSIDE: &[&str] = &[
    "std::env",
    "env::var",
    "SystemTime",
    "tokio::spawn",
    "task::spawn(",
    "spawn_local",
    "thread::spawn",
    "process::exit",
    "OsRng",
];

/// Words that besides them only the engines and the PostgreSQL client may use: they time their own queues and waits.
const WORDS_OF_THE_ENGINES: &[&str] = &["Instant::now"];

/// Words that only the modules of tables may use: they alone publish events, and send statements together.
const WORDS_OF_THE_TABLES: &[&str] = &[".after_commit(", ".pipeline(", "Tx::new("];

/// Files that may open connections to elsewhere, besides what goes out: simulated banks post notices to where a
/// developer says, tests ask what they have started, and the PostgreSQL client calls the database at the address that
/// the operator gave.
const OPENERS: &[&str] = &[
    "crates/egress/",
    "crates/cotejo/src/simulated_banks/poster.rs",
    "crates/pg/src/resolve.rs",
    "crates/pg/src/socket.rs",
    "crates/testkit/",
    "xtask/",
];

#[test]
fn files_and_functions_fit_on_few_screens() {
    let files = rust_files();
    let tests = tests_among(&files, read);
    let mut violations = Vec::new();
    for file in &files {
        let text = read(file);
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            violations.push(format!("{file} has {lines} lines"));
        }
        if tests.contains(file) {
            continue;
        }
        for function in functions(&text).iter().filter(|one| one.lines > FUNCTION_LINES_MAX) {
            let (name, line, lines) = (&function.name, function.first_line, function.lines);
            violations.push(format!("{file}:{line}: {name} has {lines} lines"));
        }
    }
    none("length", &violations);
}

#[test]
fn only_the_program_touches_the_outside() {
    let files = rust_files();
    let tests = tests_among(&files, read);
    let mut violations = Vec::new();
    for file in &files {
        if tests.contains(file) || OUTSIDE.iter().any(|place| file.starts_with(place)) {
            continue;
        }
        let code = without_test_modules(&code(&read(file)));
        let mut words = WORDS_OF_THE_OUTSIDE.to_vec();
        if !file.starts_with("crates/db/") && !file.starts_with("crates/pg/") {
            words.extend(WORDS_OF_THE_ENGINES);
        }
        if !file.starts_with("crates/db/") && !file.starts_with("crates/store/") {
            words.extend(WORDS_OF_THE_TABLES);
        }
        let said = words.iter().filter(|word| code.contains(**word));
        violations.extend(said.map(|word| format!("{file}: {word}")));
    }
    none("environment, clock, tasks and chance", &violations);
}

#[test]
fn only_egress_goes_out() {
    const WORDS: &[&str] = &[
        "TcpStream::connect",
        "TcpSocket",
        "UdpSocket",
        "lookup_host",
        "to_socket_addrs",
        "client::conn",
    ];
    let files = rust_files();
    let tests = tests_among(&files, read);
    let mut violations = Vec::new();
    for file in &files {
        if tests.contains(file) || OPENERS.iter().any(|place| file.starts_with(place)) {
            continue;
        }
        let code = without_test_modules(&code(&read(file)));
        let said = WORDS.iter().filter(|word| code.contains(**word));
        violations.extend(said.map(|word| format!("{file}: {word}")));
    }
    none("connections to the outside", &violations);
}

#[test]
fn nothing_is_allowed_silently_or_left_undone() {
    let mut violations = Vec::new();
    for file in rust_files() {
        let text = read(&file);
        let code = code(&text);
        for word in ["#[allow(", "#![allow(", "todo!", "unimplemented!", "dbg!"] {
            if code.contains(word) {
                violations.push(format!("{file}: {word}"));
            }
        }
        for mark in [concat!("FIX", "ME"), concat!("TO", "DO"), concat!("XX", "X")] {
            if text.contains(mark) {
                violations.push(format!("{file}: {mark}"));
            }
        }
    }
    none("lints are expected with a reason, and work is finished", &violations);
}

/// Use cases that do not write by `Act::write`, each with what it does instead of looking again at who was admitted.
const OTHER_WRITES: &[(&str, &str)] = &[
    ("act.rs", "is `Act::write`"),
    ("accounts/link.rs", "looks again itself, and gives its locator back"),
    ("accounts/take_notification.rs", "a bank calls, which no session ends"),
    ("employees/accept.rs", "is for whoever has the invitation, which it looks at"),
    ("employees/invite.rs", "looks again itself, and gives its locator back"),
    ("employees/renew.rs", "looks again itself, and gives its locator back"),
    ("keys/create.rs", "looks again itself, and gives its locator back"),
    ("keys/rotate.rs", "looks again itself, unless its own commit was lost"),
    ("links/hold_rate.rs", "is for whoever has the link, which it looks at"),
    ("links/renew.rs", "is for whoever has the link, which it looks at"),
    ("subscriptions/payer_cancel.rs", "is for whoever has the page, which it looks at"),
    ("subscriptions/steps.rs", "does what is due, whoever calls"),
    ("subscriptions/stop_reminders.rs", "is for whoever has the address, which it looks at"),
    ("sessions/confirm_email.rs", "is for whoever has the link, which it looks at"),
    ("sessions/login.rs", "begins a session"),
    ("sessions/logout.rs", "ends the session that calls"),
    ("sessions/request_reset.rs", "answers nobody, and looks again at the person"),
    ("sessions/reset_password.rs", "is for whoever has the link, which it looks at"),
    ("sessions/refresh.rs", "looks at the session that it goes on with"),
    ("verification/run.rs", "looks again where it reserves"),
    ("verification/verify.rs", "looks again itself; a refused attempt is noted whoever it was"),
    ("webhooks/events.rs", "sets nothing"),
    ("webhook_secrets.rs", "makes what is there as if it had always been"),
];

#[test]
fn who_has_ended_meanwhile_writes_nothing() {
    let files = rust_files();
    let tests = tests_among(&files, read);
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !tests.contains(*file)) {
        let Some(use_case) = file.strip_prefix("crates/app/src/") else { continue };
        let is_listed = OTHER_WRITES.iter().any(|(other, _)| *other == use_case);
        let text = code(&read(file));
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let writes =
            ["write(act.meter(),Lane::Admission", "write_again(act.meter(),Lane::Admission"];
        if !is_listed && writes.iter().any(|write| text.contains(write)) {
            violations.push(file.clone());
        }
    }
    none("a use case writes by `Act::write`, which looks again at who was let in", &violations);
}

#[test]
fn only_commands_print() {
    let files = rust_files();
    let tests = tests_among(&files, read);
    let prints = ["print!(", "println!("];
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !tests.contains(*file)) {
        if file.starts_with("crates/cotejo/src/commands") || file.starts_with("xtask/") {
            continue;
        }
        // `eprintln!` ends alike.
        if prints.iter().any(|print| code(&read(file)).contains(print)) {
            violations.push(file.clone());
        }
    }
    none("everything else is logged", &violations);
}

#[test]
fn no_file_knows_the_machine_that_it_was_written_on() {
    let homes = [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/ho", "me/")];
    let mut violations = Vec::new();
    for file in files_below("") {
        // What is no text knows nothing.
        let Ok(text) = std::fs::read_to_string(crate::root().join(&file)) else { continue };
        for (number, line) in text.lines().enumerate() {
            if homes.iter().any(|home| names(line, home)) {
                violations.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none("paths of a machine", &violations);
}

/// Tells whether the line has a path that begins so, and not one that goes through such a folder.
fn names(line: &str, home: &str) -> bool {
    line.match_indices(home).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "_-./}*".contains(c))
    })
}
