//! `cotejo doctor`

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;
use testkit::postgres::Database;

use crate::program::{Data, text};

/// Runs it, and answers its status and its findings.
fn examined(mut command: Command) -> (Option<i32>, Value) {
    let output = command.output().unwrap();
    assert!(!text(&output.stdout).contains("hunter2"));
    let said = text(&output.stderr);
    let report = serde_json::from_slice(&output.stdout).expect(&said);
    (output.status.code(), report)
}

/// How bad the findings of a check are.
fn levels<'a>(report: &'a Value, check: &str) -> Vec<&'a str> {
    let findings = report["findings"].as_array().unwrap().iter();
    let of_check = findings.filter(|finding| finding["check"] == check);
    of_check.map(|finding| finding["level"].as_str().unwrap()).collect()
}

fn offline(data: &Data) -> Command {
    data.command(&["doctor", "--json", "--offline"])
}

#[test]
fn a_folder_without_a_store_is_no_fault_and_is_left_as_it_is() {
    let data = Data::new();
    let (status, report) = examined(offline(&data));
    assert_eq!((status, report["worst"].as_str()), (Some(3), Some("warning")), "{report}");
    assert_eq!(levels(&report, "data"), ["warning"]);
    assert_eq!(levels(&report, "database"), ["warning"]);
    assert!(!data.path().exists());
}

#[test]
fn a_store_is_looked_at_and_nothing_is_left_there() {
    let data = Data::new();
    data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    let names = || {
        let files = fs::read_dir(data.path()).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<_> = files.collect();
        names.sort();
        names
    };
    let before = names();
    let (_, report) = examined(offline(&data));
    for check in ["configuration", "clock", "data", "database", "rights", "master_key"] {
        assert_eq!(levels(&report, check), ["good"], "{check}: {report}");
    }
    assert_eq!(levels(&report, "last_copy"), ["warning"], "{report}");
    let left = names();
    assert!(before.iter().all(|name| left.contains(name)));
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("doctor")), "{left:?}");

    let copy = data.path().join("copy");
    data.json(&["backup", copy.to_str().unwrap(), "--json"]);
    let (_, report) = examined(offline(&data));
    assert_eq!(levels(&report, "last_copy"), ["good"], "{report}");

    fs::set_permissions(data.path(), Permissions::from_mode(0o755)).unwrap();
    let (status, report) = examined(offline(&data));
    assert_eq!((status, levels(&report, "data")), (Some(1), vec!["fault"]), "{report}");
    fs::remove_file(data.path().join("master.key")).unwrap();
    let (status, report) = examined(offline(&data));
    assert_eq!((status, levels(&report, "master_key")), (Some(1), vec!["fault"]), "{report}");
    assert!(
        report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|finding| { finding["level"] == "good" || finding["advice"].is_string() })
    );
}

#[test]
fn a_service_is_seen_by_its_address_and_another_one_is_not_taken_for_it() {
    let data = Data::new();
    let server = data.serve();
    let seen = |url: &str| {
        let mut command = data.command(&["doctor", "--json"]);
        command.env("COTEJO_BASE_URL", url);
        examined(command).1
    };
    let report = seen(&format!("http://{}", server.addr()));
    assert_eq!(levels(&report, "seen_outside"), ["good"], "{report}");
    assert_eq!(levels(&report, "database"), ["good"], "beside a server: {report}");
    let report = seen(&format!("http://{}/elsewhere", server.addr()));
    assert_eq!(levels(&report, "seen_outside"), ["fault"], "{report}");
    server.stop();
}

#[test]
fn a_bank_is_reached_or_not() {
    let data = Data::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let looked = || {
        let mut command = data.command(&["doctor", "--json"]);
        command.env("COTEJO_BANKS_BDV_URL", &url);
        examined(command)
    };
    assert_eq!(levels(&looked().1, "bank_reached"), ["good"]);
    drop(listener);
    let (status, report) = looked();
    assert_eq!((status, levels(&report, "bank_reached")), (Some(1), vec!["fault"]), "{report}");
}

#[test]
fn a_postgres_is_looked_at() {
    let (data, database) = (Data::new(), Database::empty());
    let with = |arguments: &[&str]| {
        let mut command = data.command(arguments);
        command.env("COTEJO_DATABASE", database.url());
        command
    };
    let examine = || examined(with(&["doctor", "--json", "--offline"]));
    let (status, report) = examine();
    assert_eq!((status, levels(&report, "database")), (Some(1), vec!["fault"]), "{report}");
    assert!(with(&["migrate"]).output().unwrap().status.success());
    let (_, report) = examine();
    for check in ["database", "rights", "database_clock"] {
        assert_eq!(levels(&report, check), ["good"], "{check}: {report}");
    }
}
