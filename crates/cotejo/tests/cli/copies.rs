//! Copies of the store, and what happens when one is put back.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::program::{Data, text};

const OWNER: &str = "ana@example.com";

/// Makes an owner, and answers what is shown of it.
fn owner(data: &Data, email: &str) -> Value {
    let create =
        ["owner", "create", "--json", "--test-account", "--credits", "9", "--email", email];
    data.json(&create)
}

/// The place of a copy, which goes with the folder.
fn place(data: &Data) -> PathBuf {
    data.path().join("copy")
}

fn backup(data: &Data) -> Value {
    data.json(&["backup", "--json", "--force", &shown(&place(data))])
}

/// Puts the copy into an empty folder that has the master key and nothing else.
fn restore(from: &Data, arguments: &[&str]) -> (Data, Value) {
    let empty = empty(from);
    let copy = shown(&place(from));
    let put = empty.json(&[&["restore", "--json", &copy][..], arguments].concat());
    (empty, put)
}

fn empty(from: &Data) -> Data {
    let empty = Data::new();
    fs::create_dir_all(empty.path()).unwrap();
    fs::copy(from.path().join("master.key"), empty.path().join("master.key")).unwrap();
    empty
}

fn fails(data: &Data, arguments: &[&str], because: &str) {
    let output = data.run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    let problem = text(&output.stderr);
    assert!(problem.contains(because), "{arguments:?}: {problem}");
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The status of a verification on the sandbox.
fn verified(data: &Data, made: &Value, reference: &str) -> (u16, Value) {
    let server = data.serve();
    let path = format!("/userbankpayment/{}/betaserio", made["user_bank_id"].as_str().unwrap());
    let body = json!({ "bank_reference": reference, "amount": 150.75 }).to_string();
    let (status, answer) = server.ask("POST", &path, made["api_key"].as_str(), &body);
    server.stop();
    (status, serde_json::from_str(&answer).unwrap())
}

#[test]
fn a_copy_is_for_its_owners_eyes_and_takes_no_files_place_unasked() {
    let data = Data::new();
    fails(&data, &["backup", &shown(&place(&data))], "there is no database");
    owner(&data, OWNER);
    let made = backup(&data);
    assert_eq!((&made["owners"], &made["has_master_key"]), (&json!(1), &json!(false)));
    let mode = fs::metadata(place(&data)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = fs::read_to_string(data.path().join("master.key")).unwrap();
    let key = key.lines().find(|line| !line.starts_with('#')).unwrap();
    let copy = fs::read(place(&data)).unwrap();
    assert!(!String::from_utf8_lossy(&copy).contains(key));

    fails(&data, &["backup", &shown(&place(&data))], "--force");
    let beside = fs::read_dir(data.path()).unwrap().map(|one| one.unwrap().file_name());
    assert_eq!(beside.filter(|name| name.to_string_lossy().starts_with("copy")).count(), 1);
}

#[test]
fn a_copy_is_made_beside_a_server_and_has_all_that_was_answered() {
    let data = Data::new();
    let made = owner(&data, OWNER);
    let server = data.serve();
    let path = format!("/userbankpayment/{}/betaserio", made["user_bank_id"].as_str().unwrap());
    let body = json!({ "bank_reference": "1067890", "amount": 150.75 }).to_string();
    let ask = || server.ask("POST", &path, made["api_key"].as_str(), &body);
    assert_eq!(ask().0, 200);
    backup(&data);
    assert_eq!(ask().0, 200);
    server.stop();

    let (restored, put) = restore(&data, &["--keys", "go-on"]);
    let found = [&put["owners"], &put["keys_held"], &put["differences"], &put["integrity"]];
    assert_eq!(found, [&json!(1), &json!(0), &json!(0), &json!(0)]);
    let (status, answer) = verified(&restored, &made, "1067890");
    assert_eq!((status, &answer["data"]["is_new"]), (200, &json!(false)));
    assert_eq!(restored.json(&["check-ledger", "--json"])["differences_found"], 0);
}

#[test]
fn a_copy_goes_into_an_empty_place_alone_and_only_if_it_is_whole() {
    let data = Data::new();
    owner(&data, OWNER);
    backup(&data);
    let copy = shown(&place(&data));
    // Nobody has a default for the keys.
    assert_eq!(data.run(&["restore", &copy]).status.code(), Some(2));
    fails(&data, &["restore", &copy, "--keys", "hold"], "not empty");

    let without = Data::new();
    fails(&without, &["restore", &copy, "--keys", "hold"], "there is no master key");
    let other = Data::new();
    owner(&other, OWNER);
    fs::remove_file(other.path().join("cotejo.sqlite")).unwrap();
    fails(&other, &["restore", &copy, "--keys", "hold"], "is not the one");

    let mut bytes = fs::read(place(&data)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(place(&data), &bytes).unwrap();
    let place = empty(&data);
    let output = place.run(&["restore", &copy, "--keys", "hold"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!place.path().join("cotejo.sqlite").exists(), "nothing is written before");
    fs::write(self::place(&data), b"something else").unwrap();
    fails(&place, &["restore", &copy, "--keys", "hold"], "not a copy");
}

#[test]
fn held_keys_open_nothing_until_their_owner_says_so() {
    let data = Data::new();
    let made = owner(&data, OWNER);
    backup(&data);
    let (held, put) = restore(&data, &["--keys", "hold"]);
    assert_eq!(put["keys_held"], 1);
    let (status, answer) = verified(&held, &made, "1067890");
    assert_eq!((status, &answer["error"]), (403, &json!("API_KEY_IS_NOT_ACTIVE")));
    // Sessions of before are over, and the owner signs in as ever.
    let server = held.serve();
    let login = json!({ "email": OWNER, "password": made["password"] }).to_string();
    let (status, session) = server.ask("POST", "/auth/login", None, &login);
    assert_eq!(status, 200, "{session}");
    let session: Value = serde_json::from_str(&session).unwrap();
    let path = format!("/v1/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let on = json!({ "is_active": true }).to_string();
    let (status, answer) = server.ask("PATCH", &path, session["token"].as_str(), &on);
    assert_eq!(status, 200, "{answer}");
    server.stop();
    assert_eq!(verified(&held, &made, "1067890").0, 200);
}

#[test]
fn what_had_ended_since_the_copy_is_ended_again() {
    let data = Data::new();
    let made = owner(&data, OWNER);
    let luz = owner(&data, "luz@example.com");
    let server = data.serve();
    let login = json!({ "email": OWNER, "password": made["password"] }).to_string();
    let session: Value =
        serde_json::from_str(&server.ask("POST", "/auth/login", None, &login).1).unwrap();
    let token = session["token"].as_str();
    let key = json!({ "name": "caja", "permissions": ["payment_verifications"] }).to_string();
    let (_, issued) = server.ask("POST", "/auth/api-key", token, &key);
    let issued: Value = serde_json::from_str(&issued).unwrap();
    backup(&data);
    let rotate = "/v1/api-keys/default/rotate";
    assert_eq!(server.ask("POST", rotate, token, "{}").0, 200);
    server.stop();
    let id = issued["api_key"]["id"].as_str().unwrap();
    data.json(&["key", "revoke", "--json", "--owner", OWNER, "--key", id]);
    data.json(&["owner", "reset-password", "--json", "--owner", "luz@example.com"]);
    let log = data.path().join("ended.log");
    let lines = fs::read_to_string(&log).unwrap();
    assert_eq!(lines.lines().count(), 3, "{lines}");
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);

    // By a clock that is behind, the review would end before what was accepted last.
    let ahead = data.path().join("ahead.log");
    fs::write(&ahead, lines.replacen("20", "29", 1)).unwrap();
    let (copy, ahead) = (shown(&place(&data)), shown(&ahead));
    let early = ["restore", copy.as_str(), "--keys", "go-on", "--ended", ahead.as_str()];
    fails(&empty(&data), &early, "set the clock first");

    let (restored, put) = restore(&data, &["--keys", "go-on", "--ended", &shown(&log)]);
    assert_eq!(put["ended"], 3);
    // The same copy may be put back once more.
    assert_eq!(fs::read_to_string(restored.path().join("ended.log")).unwrap(), lines);
    let server = restored.serve();
    let me = |key: &Value| server.ask("GET", "/me", key.as_str(), "").0;
    assert_eq!((me(&made["api_key"]), me(&issued["api_key"]["api_key"])), (403, 401));
    // The other owner's key was never touched, and its former password opens nothing.
    assert_eq!(me(&luz["api_key"]), 200);
    let login = json!({ "email": "luz@example.com", "password": luz["password"] }).to_string();
    assert_eq!(server.ask("POST", "/auth/login", None, &login).0, 401);
    server.stop();
}

#[test]
fn restored_is_for_a_server_that_was_put_back_by_other_means() {
    let data = Data::new();
    owner(&data, OWNER);
    let instant = "2026-11-20T08:00:00-04:00";
    let restored = ["restored", "--copied-at", instant, "--keys", "hold", "--nodes-stopped"];
    fails(&data, &restored, "cotejo restore");
    assert_eq!(data.run(&["restored", "--keys", "hold"]).status.code(), Some(2));
}
