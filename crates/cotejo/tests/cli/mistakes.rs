//! What an operator gets wrong, and what the program says to do about it.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use testkit::postgres::Database;

use crate::program::{Data, bare, text};

/// Runs the command, checks that it ends with that status, and returns its error output.
fn said(mut command: Command, status: i32) -> String {
    let output = command.output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{said}");
    said
}

#[test]
fn an_unknown_command_is_reported_with_those_that_there_are() {
    let message = said(bare(&["fly"]), 2);
    for command in ["serve", "owner", "check-ledger", "master-key"] {
        assert!(message.contains(&format!("\n  {command} ")), "{message}");
    }
    assert!(!message.contains("config-example"), "{message}");
    let message = said(bare(&["owner", "fly"]), 2);
    assert!(message.contains("\n  create ") && !message.contains("\n  serve "), "{message}");
}

#[test]
fn an_address_that_is_none_is_reported_with_an_example() {
    let message = said(Data::new().command(&["serve", "--listen", "nonsense"]), 2);
    assert!(message.contains("such as 127.0.0.1:8080"), "{message}");
}

#[test]
fn a_level_that_is_none_is_reported_with_those_that_there_are() {
    for level in ["loud", "info,loud", "store=loud", ""] {
        let mut command = Data::new().command(&["migrate"]);
        command.env("COTEJO_LOG_LEVEL", level);
        let message = said(command, 2);
        assert!(message.contains("off, error, warn, info, debug, trace"), "{level}: {message}");
    }
    for level in ["warn", "INFO", "info,egress=debug", "db::sqlite=trace,off"] {
        let mut command = Data::new().command(&["migrate"]);
        command.env("COTEJO_LOG_LEVEL", level);
        said(command, 0);
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_reported_with_what_to_do() {
    let file = Data::new();
    fs::write(file.path(), "a file").unwrap();
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
        let mut command = bare(command);
        command.arg("--data").arg(file.path().join("data"));
        let message = said(command, 1);
        assert!(message.contains("the data folder") && message.contains("by --data"), "{message}");
    }
    fs::remove_file(file.path()).unwrap();
    // Nobody may make a file there.
    let message = said(bare(&["serve", "--listen", "127.0.0.1:0", "--data", "/proc"]), 1);
    assert!(message.contains("cannot be written to") && message.contains("by --data"), "{message}");
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    let data = Data::new();
    fs::create_dir_all(data.path()).unwrap();
    let file = data.path().join("cotejo.sqlite");
    let make = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('create table notes (text)')";
    let made = Command::new("python3").args(["-c", make]).arg(&file).status().unwrap();
    assert!(made.success());
    for foreign in
        [fs::read(&file).unwrap(), b"no database at all, and longer than a page's head".repeat(9)]
    {
        fs::write(&file, &foreign).unwrap();
        let message = said(data.command(&["serve", "--listen", "127.0.0.1:0"]), 1);
        assert!(
            message.contains("not a database of cotejo") && message.contains("--data"),
            "{message}"
        );
        assert_eq!(fs::read(&file).unwrap(), foreign);
    }
}

#[test]
fn a_server_that_is_down_is_reported_with_its_place_and_without_its_password() {
    // Nobody listens at a port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let data = Data::new();
    let mut command = data.command(&["migrate"]);
    command.env("COTEJO_DATABASE", format!("postgres://me:hunter2@127.0.0.1:{port}/cotejo"));
    let message = said(command, 1);
    assert!(message.contains(&format!("127.0.0.1:{port}")), "{message}");
    assert!(!message.contains("hunter2"), "{message}");
}

#[test]
fn a_server_that_lets_nobody_in_is_not_waited_for() {
    let (data, database) = (Data::new(), Database::empty());
    let url = database.url();
    let (login, place) = url.rsplit_once('@').unwrap();
    let user = login.rsplit_once(':').unwrap().0;
    for (wrong, state) in
        [(format!("{user}:hunter2@{place}"), "28P01"), (format!("{url}_elsewhere"), "3D000")]
    {
        let mut command = data.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("COTEJO_DATABASE", wrong);
        let message = said(command, 1);
        assert!(message.contains(state) && !message.contains("hunter2"), "{message}");
    }
}

#[test]
fn a_master_key_of_another_store_makes_no_owner() {
    let (data, other) = (Data::new(), Data::new());
    for (data, email) in [(&data, "ana@example.com"), (&other, "otra@example.com")] {
        data.json(&["owner", "create", "--email", email, "--json"]);
    }
    let wrong = other.path().join("master.key");
    let create = |key: &PathBuf| {
        let mut command = data.command(&["owner", "create", "--email", "luz@example.com"]);
        command.arg("--master-key-file").arg(key);
        command
    };
    let refuses = || {
        let message = said(create(&wrong), 1);
        assert!(message.contains("is not the one that this database"), "{message}");
        let message = said(create(&data.path().join("nowhere.key")), 1);
        assert!(message.contains("master key"), "{message}");
    };
    refuses();
    // A running server has its own, and does nothing for a command that means another.
    let server = data.serve();
    refuses();
    assert_eq!(data.json(&["check-ledger", "--json"])["owners"], 1);
    said(create(&data.path().join("master.key")), 0);
    server.stop();
    // Without it, as on a machine that only commands run on, owners are made all the same.
    fs::remove_file(data.path().join("master.key")).unwrap();
    data.json(&["owner", "create", "--email", "sol@example.com", "--json"]);
}

/// A server whose disk is a small one of its own, ended with the test.
struct OnSmallDisk(Child);

impl Drop for OnSmallDisk {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_to_be_full_until_there_is_room() {
    let data = Data::new();
    fs::create_dir_all(data.path()).unwrap();
    let folder = data.path().display();
    // What is mounted is seen by this process alone, and gone with it.
    let script = format!(
        "mount -t tmpfs -o size=16m none '{folder}' && exec '{}' serve --listen 127.0.0.1:0 --json --data '{folder}'",
        env!("CARGO_BIN_EXE_cotejo")
    );
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]);
    command.env("COTEJO_PASSWORD_MEMORY_KIB", "8").env("COTEJO_PASSWORD_PASSES", "1");
    let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut server = OnSmallDisk(child);
    let addr = crate::program::started(server.0.stderr.take().unwrap());
    let seen = PathBuf::from(format!("/proc/{}/root{folder}", server.0.id()));
    let letter = fs::read_to_string(seen.join("first-secrets.txt")).unwrap();
    let key = letter.lines().find_map(|line| line.split_once("API key:")).unwrap().1.trim();
    let bank = letter.split('/').find(|part| part.starts_with("bank_")).unwrap();
    let verify = |reference: &str| {
        let mut curl = Command::new("curl");
        curl.args(["-sS", &format!("http://{addr}/userbankpayment/{bank}/betaserio")]);
        curl.args(["-H", &format!("Authorization: Bearer {key}")]);
        curl.args(["--json", &format!("{{\"bank_reference\": \"{reference}\"}}")]);
        text(&curl.env("no_proxy", "*").output().unwrap().stdout)
    };
    let ready = || crate::program::get(addr, "/health/ready");
    assert!(verify("67890").contains("\"is_new\":true"));
    assert_eq!(ready().0, 200);

    let filling = seen.join("filling");
    let full = fs::write(&filling, vec![1; 16 << 20]).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    // The WAL has a little room left of what it was before.
    let mut answers = (1..100).map(|n| verify(&format!("{n}67890")));
    let refused = answers.find(|answer| answer.contains("\"error\"")).unwrap();
    assert!(refused.contains("SERVICE_UNAVAILABLE"), "{refused}");
    assert!(refused.contains("su disco está lleno") && !refused.contains("ocupado"), "{refused}");
    let (status, body) = ready();
    assert!(status == 503 && body.contains("disk is full"), "{status} {body}");

    fs::remove_file(&filling).unwrap();
    assert_eq!(ready().0, 200);
    assert!(verify("98767890").contains("\"is_new\":true"));
}
