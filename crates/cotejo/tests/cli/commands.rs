//! Commands without a server: they open the store themselves.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Stdio;

use crate::program::{Data, bare, text};

#[test]
fn what_cannot_be_understood_is_usage() {
    for arguments in [
        &[][..],
        &["fly"],
        &["serve", "--fly"],
        &["owner", "create"],
        &["owner", "create", "--email", "nobody"],
        &["owner", "create", "--email", "a@b", "--credits", "-1"],
        &["credits", "grant", "--owner", "a@b", "--amount", "many"],
        &["serve", "--listen", "everywhere"],
        &["migrate", "--database", "mysql://db"],
        &["migrate", "--config", "/nowhere/cotejo.toml"],
    ] {
        let output = bare(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

/// The variable works under this name only where the allocator has taken the place of the system's, for SQLite too.
#[cfg(target_os = "linux")]
#[test]
fn the_program_brings_its_allocator() {
    let output = bare(&["--version"]).env("MALLOC_CONF", "stats_print:true").output().unwrap();
    assert!(text(&output.stderr).contains("jemalloc"), "{}", text(&output.stderr));
}

#[test]
fn help_is_no_failure() {
    for arguments in [&["--help"][..], &["--version"], &["serve", "--help"]] {
        let output = bare(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_schema_is_printed_and_how_it_is_spread() {
    let printed = |arguments: &[&str]| {
        let output = bare(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(printed(&["schema"]).contains("\ncreate table owners (\n"));
    let spread = printed(&["schema", "--distributed"]);
    let owners =
        "\nselect create_distributed_table('owners', 'owner_id', colocate_with => 'none');\n";
    assert!(spread.contains(owners) && !spread.contains("create table"), "{spread}");
}

#[test]
fn an_unknown_variable_is_usage_and_names_the_right_one() {
    let data = Data::new();
    let output = data.command(&["migrate"]).env("COTEJO_LOG_LEVL", "debug").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean COTEJO_LOG_LEVEL?"));
}

#[test]
fn an_owner_is_made_granted_and_audited() {
    let data = Data::new();
    let made = data.json(&["owner", "create", "--email", "Ana@Example.com", "--json"]);
    assert_eq!(made["email"], "ana@example.com");
    for (field, prefix) in [("user_id", "own_"), ("api_key", "ck_live_"), ("api_key_id", "key_")] {
        assert!(made[field].as_str().unwrap().starts_with(prefix), "{made}");
    }
    assert!(made["password"].as_str().unwrap().len() >= 20);

    let grant = |amount: &str| {
        let arguments = ["credits", "grant", "--owner", "ana@example.com", "--amount", amount];
        data.run(&[&arguments[..], &["--json"]].concat())
    };
    assert!(text(&grant("100").stdout).contains("\"balance\":100"));
    assert!(text(&grant("-30").stdout).contains("\"balance\":70"));
    let refused = grant("-71");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("only 70 credits"), "{}", text(&refused.stderr));
    assert_eq!(grant("0").status.code(), Some(1));

    let owner = made["user_id"].as_str().unwrap();
    let arguments = ["client", "create", "--owner", owner, "--name", "Shop", "--json"];
    let client = data.json(&[&arguments[..], &["--payments-enabled"]].concat());
    assert!(client["client_id"].as_str().unwrap().starts_with("cli_"), "{client}");
    assert_eq!(client["payments_enabled"], true);

    let audit = data.json(&["check-ledger", "--json"]);
    assert_eq!(audit["owners"], 1);
    assert_eq!(audit["differences"].as_array().unwrap().len(), 0);
}

#[test]
fn an_owner_has_a_test_account_only_where_it_is_asked_for() {
    let data = Data::new();
    let real = data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    assert!(real.as_object().unwrap().contains_key("user_bank_id"), "{real}");
    assert!(real["user_bank_id"].is_null(), "{real}");
    let create = ["owner", "create", "--email", "luz@example.com", "--json", "--test-account"];
    let trial = data.json(&create);
    assert!(trial["user_bank_id"].as_str().unwrap().starts_with("bank_"), "{trial}");
}

#[test]
fn an_address_is_taken_once_and_strangers_get_nothing() {
    let data = Data::new();
    let create = ["owner", "create", "--email", "ana@example.com"];
    assert_eq!(data.run(&create).status.code(), Some(0));
    let again = data.run(&create);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("there is an owner"), "{}", text(&again.stderr));
    for owner in ["eva@example.com", "own_00000000000000000000000000"] {
        let output = data.run(&["credits", "grant", "--owner", owner, "--amount", "1"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("there is no owner"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_password_can_come_by_standard_input() {
    let data = Data::new();
    let give = |email: &str, password: &str| {
        let arguments = ["owner", "create", "--email", email, "--password-stdin", "--json"];
        let mut command = data.command(&arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        write!(child.stdin.take().unwrap(), "{password}").unwrap();
        child.wait_with_output().unwrap()
    };
    let output = give("ana@example.com", "correct horse battery staple\n");
    assert!(text(&output.stdout).contains("\"password\":\"correct horse battery staple\""));
    let short = give("eva@example.com", "hunter2\n");
    assert_eq!(short.status.code(), Some(1));
    assert!(!text(&short.stderr).contains("hunter2"));
}

/// A server that takes a command and dies before it answers.
#[test]
fn a_password_is_shown_where_the_servers_answer_is_lost() {
    let data = Data::new();
    assert!(data.run(&["migrate"]).status.success());
    let lock = fs::File::create(data.path().join("lock")).unwrap();
    lock.lock().unwrap();
    let socket = UnixListener::bind(data.path().join("admin.sock")).unwrap();
    let server = std::thread::spawn(move || {
        let (stream, _) = socket.accept().unwrap();
        let mut request = String::new();
        BufReader::new(stream).read_line(&mut request).unwrap();
        serde_json::from_str::<serde_json::Value>(&request).unwrap()
    });
    let output = data.run(&["owner", "create", "--email", "ana@example.com", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let asked = server.join().unwrap();
    assert!(shown["password"].as_str().unwrap().len() >= 20);
    assert_eq!((&shown["email"], &shown["password"]), (&asked["email"], &asked["password"]));
    let problem = text(&output.stderr);
    assert!(problem.contains("may have been made"), "{problem}");
    assert!(!problem.contains(shown["password"].as_str().unwrap()));
}

#[test]
fn a_database_without_its_master_key_is_left_alone() {
    let data = Data::new();
    let create = ["owner", "create", "--email", "ana@example.com"];
    assert_eq!(data.run(&create).status.code(), Some(0));
    let key = data.path().join("master.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_file(&key).unwrap();
    let output = data.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("is missing"), "{}", text(&output.stderr));
    assert!(!key.exists());
}

#[test]
fn an_audit_makes_nothing() {
    let data = Data::new();
    let output = data.run(&["check-ledger"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no database"));
    assert!(!data.path().exists());
}

#[test]
fn migrating_makes_the_schema_and_no_key() {
    let data = Data::new();
    assert_eq!(data.run(&["migrate"]).status.code(), Some(0));
    assert_eq!(data.json(&["check-ledger", "--json"])["owners"], 0);
    assert!(!data.path().join("master.key").exists());
}
