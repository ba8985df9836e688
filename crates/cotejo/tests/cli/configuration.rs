//! `cotejo config check`, `cotejo config dump`, `cotejo --version`, and secrets that lie in files.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::program::{Data, bare, text};

/// A folder with files of that name and text.
fn folder(files: &[(&str, &str)]) -> Data {
    let folder = Data::new();
    fs::create_dir_all(folder.path()).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Runs the command to its end, and answers its status and all that it said.
fn run(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// The dump of a key.
fn dumped(mut command: Command, key: &str) -> Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("hunter2"));
    let dump: Value = serde_json::from_slice(&output.stdout).unwrap();
    let settings = dump["settings"].as_array().unwrap();
    settings.iter().find(|one| one["key"] == key).unwrap().clone()
}

fn dump() -> Command {
    bare(&["config", "dump", "--json"])
}

const SERVER: [(&str, &str); 4] = [
    ("COTEJO_MAIL_SERVER", "127.0.0.1"),
    ("COTEJO_MAIL_TLS", "off"),
    ("COTEJO_MAIL_FROM", "Cobros <cobros@example.com>"),
    ("COTEJO_MAIL_USER", "cobros"),
];

#[test]
fn a_dump_says_what_holds_and_from_where_it_comes() {
    let folder = folder(&[("cotejo.toml", "listen = \"127.0.0.1:1\"\n[log]\nlevel = \"warn\"\n")]);
    let file = folder.path().join("cotejo.toml");
    let with = || {
        let mut command = dump();
        command.arg("--config").arg(&file).arg("--data").arg("elsewhere");
        command.env("COTEJO_LOG_LEVEL", "debug");
        command
    };
    let listen = dumped(with(), "listen");
    assert_eq!(listen["value"], "127.0.0.1:1");
    assert_eq!(listen["from"], "file");
    assert_eq!(listen["place"], file.to_str().unwrap());
    let level = dumped(with(), "log.level");
    assert_eq!(level["value"], "debug");
    assert_eq!(level["from"], "environment");
    assert_eq!(level["place"], "COTEJO_LOG_LEVEL");
    assert_eq!(dumped(with(), "data")["from"], "flag");
    assert_eq!(dumped(with(), "log.format")["from"], "default");
    assert_eq!(dumped(with(), "mail.server")["value"], Value::Null);

    let mut lines = bare(&["config", "dump"]);
    lines.env("COTEJO_DATABASE", "postgres://me:hunter2@127.0.0.1/c");
    let (status, said) = run(lines);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("database = ********  (environment COTEJO_DATABASE)"), "{said}");
    // What is wrong is said beneath, and never with a secret.
    let mut wrong = bare(&["config", "dump"]);
    wrong.env("COTEJO_DATABASE", "mysql://me:hunter2@127.0.0.1/c");
    let (status, said) = run(wrong);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("must begin with postgres://") && !said.contains("hunter2"), "{said}");
}

#[test]
fn secrets_come_from_files() {
    let folder = folder(&[("secret", "hunter2\n"), ("mail.password", "hunter2"), ("empty", "\n")]);
    let secret = |name: &str| folder.path().join(name);
    let with = || {
        let mut command = dump();
        command.envs(SERVER);
        command
    };
    let mut by_variable = with();
    by_variable.env("COTEJO_MAIL_PASSWORD_FILE", secret("secret"));
    assert_eq!(dumped(by_variable, "mail.password")["from"], "secret_file");
    let mut by_credential = with();
    by_credential.env("CREDENTIALS_DIRECTORY", folder.path());
    assert_eq!(dumped(by_credential, "mail.password")["from"], "credential");
    let mut by_both = with();
    by_both.env("CREDENTIALS_DIRECTORY", folder.path());
    by_both.env("COTEJO_MAIL_PASSWORD", "hunter2");
    assert_eq!(dumped(by_both, "mail.password")["from"], "environment");

    for (name, problem) in [("nowhere", "cannot be read"), ("empty", "is empty")] {
        let mut command = with();
        command.env("COTEJO_MAIL_PASSWORD_FILE", secret(name));
        let (status, said) = run(command);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("COTEJO_MAIL_PASSWORD_FILE: ") && said.contains(problem), "{said}");
    }
    let mut twice = with();
    twice.env("COTEJO_MAIL_PASSWORD_FILE", secret("secret"));
    twice.env("COTEJO_MAIL_PASSWORD", "other");
    let (status, said) = run(twice);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("means nothing beside COTEJO_MAIL_PASSWORD"), "{said}");
    // What is no secret has no file.
    let mut none = dump();
    none.env("COTEJO_LISTEN_FILE", secret("secret"));
    assert_eq!(run(none).0, Some(2));
}

#[test]
fn a_check_says_what_should_be_otherwise() {
    let check = |variables: &[(&str, &str)]| {
        let mut command = bare(&["config", "check"]);
        command.envs(variables.iter().copied());
        run(command)
    };
    let (status, said) = check(&[("COTEJO_LISTEN", "0.0.0.0:8080")]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("leads nowhere") && said.contains("set base_url"), "{said}");

    let (status, said) = check(&[("COTEJO_BASE_URL", "http://cobros.example.com")]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("not encrypted"), "{said}");

    let (status, said) = check(&[("COTEJO_BASE_URL", "https://cobros.example.com/pagos")]);
    assert_eq!(status, Some(3), "{said}");
    for problem in ["has a path", "none is trusted", "test bank is open", "no mail is sent"] {
        assert!(said.contains(problem), "{problem}: {said}");
    }

    let (status, said) = check(&[
        ("COTEJO_BASE_URL", "https://cobros.example.com"),
        ("COTEJO_HTTP_TRUSTED_PROXIES", "127.0.0.1"),
        ("COTEJO_HTTP_CONNECTIONS_MAX", "8"),
        ("COTEJO_VERIFICATION_ALLOW_TEST_BANK", "false"),
        ("COTEJO_BANKS_BDV_URL", "https://bank.example.com"),
        ("COTEJO_MAIL_SERVER", "smtp.example.com"),
        ("COTEJO_MAIL_FROM", "Cobros <cobros@example.com>"),
    ]);
    assert_eq!(status, Some(0), "{said}");
    let (status, said) = check(&[("COTEJO_LISTEN", "nonsense")]);
    assert_eq!(status, Some(2), "{said}");
}

#[test]
fn the_version_names_commit_and_engines() {
    let (status, said) = run(bare(&["--version"]));
    assert_eq!(status, Some(0), "{said}");
    for part in [env!("CARGO_PKG_VERSION"), "commit ", "SQLite 3.", "PostgreSQL"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
