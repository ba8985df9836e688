//! Metrics, alert rules and board, each against the other and as Prometheus' own program reads them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::program::{Data, text};

/// Said by the runner of the tests where promtool cannot be installed.
const WITHOUT_PROMTOOL: &str = "COTEJO_TEST_WITHOUT_PROMTOOL";

const RULES: &str = "cotejo.rules.yml";
const RULES_TEST: &str = "cotejo.test.yml";

/// The parts of a histogram, behind its name.
const PARTS: [&str; 3] = ["_bucket", "_sum", "_count"];

fn deployed(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy")).join(path)
}

/// Returns the metrics of a service that has verified a payment, and its owner.
fn shown() -> (String, Value) {
    let data = Data::new();
    let create = [
        "owner",
        "create",
        "--json",
        "--test-account",
        "--credits",
        "9",
        "--email",
        "ana@example.com",
    ];
    let owner = data.json(&create);
    let server = data.serve();
    let path = format!("/userbankpayment/{}/betaserio", owner["user_bank_id"].as_str().unwrap());
    let body = json!({ "bank_reference": "67890", "amount": 150.75 }).to_string();
    let (status, answer) = server.ask("POST", &path, owner["api_key"].as_str(), &body);
    assert_eq!(status, 200, "{answer}");
    let (status, metrics) = server.get("/metrics");
    assert_eq!(status, 200);
    server.stop();
    (metrics, owner)
}

/// The names of what has a type there, with those of the parts of histograms.
fn names_shown(metrics: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        assert!(names.insert(name.to_owned()), "{name} is there twice");
        if kind == "histogram" {
            names.extend(PARTS.map(|part| format!("{name}{part}")));
        }
    }
    names
}

/// The names of metrics in expressions.
fn names_in(expressions: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = expressions.split(|c: char| !is_part(c));
    let ours = words.filter(|word| word.starts_with("cotejo_") || word.starts_with("process_"));
    ours.map(ToOwned::to_owned).collect()
}

/// The expressions of the rules: the lines behind each `expr`.
fn rules() -> String {
    let text = fs::read_to_string(deployed("prometheus").join(RULES)).unwrap();
    let mut lines = text.lines();
    let mut expressions = String::new();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("expr:") {
            expressions.push_str(lines.next().unwrap());
            expressions.push('\n');
        }
    }
    expressions
}

/// The expressions of the board.
fn board() -> String {
    let text = fs::read_to_string(deployed("grafana/cotejo.json")).unwrap();
    let board: Value = serde_json::from_str(&text).unwrap();
    let panels = board["panels"].as_array().unwrap().iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    let mut expressions: Vec<_> =
        targets.map(|target| target["expr"].as_str().unwrap().to_owned()).collect();
    for variable in board["templating"]["list"].as_array().unwrap() {
        expressions.extend(variable["query"]["query"].as_str().map(ToOwned::to_owned));
    }
    expressions.join("\n")
}

/// Returns the rows about metrics of a page of the guide.
fn guide(page: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/");
    let text = fs::read_to_string(format!("{root}{page}")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `cotejo_"));
    let rows: Vec<_> =
        rows.chain(text.lines().filter(|line| line.starts_with("| `process_"))).collect();
    assert!(rows.len() > 20, "{page}: {rows:?}");
    rows.join("\n")
}

/// Runs promtool, unless it cannot be installed here.
fn promtool(arguments: &[&str], input: &str) {
    if std::env::var_os(WITHOUT_PROMTOOL).is_some() {
        eprintln!("left out: promtool cannot be installed here");
        return;
    }
    let mut command = Command::new("promtool");
    command.args(arguments).current_dir(deployed("prometheus"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("promtool, which Debian's package prometheus has");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
}

#[test]
fn every_metric_of_rules_and_board_is_shown_and_promtool_finds_no_fault_in_any() {
    let (metrics, owner) = shown();
    let there = names_shown(&metrics);
    for (place, expressions) in [("rules", rules()), ("board", board())] {
        let named = names_in(&expressions);
        assert!(named.len() > 10, "{place}: {named:?}");
        let missing: Vec<_> = named.difference(&there).collect();
        assert!(missing.is_empty(), "{place} name {missing:?}, which nobody shows");
    }
    for page in ["operar.md", "operate.md"] {
        let named = names_in(&guide(page));
        let missing: Vec<_> = named.difference(&there).collect();
        assert!(missing.is_empty(), "{page} names {missing:?}, which nobody shows");
    }
    promtool(&["check", "metrics"], &metrics);
    // Neither secrets nor what grows with the number of owners.
    for secret in ["api_key", "user_bank_id", "owner_id", "password"] {
        if let Some(secret) = owner[secret].as_str() {
            assert!(!metrics.contains(secret), "{secret}");
        }
    }
    for line in [
        "cotejo_build_info{version=\"",
        "cotejo_bank_answers_total{provider=\"BANK_TEST\",outcome=\"shown\"} 1",
        "cotejo_bank_answer_duration_seconds_count{provider=\"BANK_TEST\"} 1",
        "cotejo_mail_attempts_total{outcome=\"sent\"} 0",
        "cotejo_webhook_attempts_total{outcome=\"exhausted\"} 0",
        "cotejo_sign_ins_refused_total{reason=\"wrong_password\"} 0",
        "cotejo_balances_exhausted_total 0",
        "cotejo_store_clock_skew_seconds 0",
        "cotejo_work_waiting{work=\"delivery\"} 0",
        "cotejo_data_free_bytes ",
        "process_resident_memory_bytes ",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    let by_method = "cotejo_http_request_duration_seconds_count{method=\"POST\",route=\"";
    assert!(metrics.contains(by_method), "{metrics}");
    // What is not there is left out, and is no number that could be taken for one.
    assert!(!metrics.contains(" -1\n"), "{metrics}");
}

#[test]
fn alarms_go_off_when_they_must_and_not_before() {
    promtool(&["check", "rules", RULES], "");
    promtool(&["test", "rules", RULES_TEST], "");
    let tests = fs::read_to_string(deployed("prometheus").join(RULES_TEST)).unwrap();
    for alarm in [
        "CotejoBankDown",
        "CotejoDeliveriesWaiting",
        "CotejoMailWaiting",
        "CotejoDiskFull",
        "CotejoClockWrong",
        "CotejoRateOld",
        "CotejoOwnerAtZero",
        "CotejoCopyOld",
    ] {
        assert!(tests.contains(&format!("alertname: {alarm}\n")), "{alarm}");
    }
}

#[test]
fn a_copy_that_was_made_is_seen_and_so_is_an_owner_that_runs_out_and_a_wrong_password() {
    let data = Data::new();
    let create = [
        "owner",
        "create",
        "--json",
        "--test-account",
        "--credits",
        "1",
        "--email",
        "ana@example.com",
    ];
    let owner = data.json(&create);
    let copy = data.path().join("copy").display().to_string();
    data.json(&["backup", "--json", &copy]);
    let server = data.serve();
    let path = format!("/userbankpayment/{}/betaserio", owner["user_bank_id"].as_str().unwrap());
    let body = json!({ "bank_reference": "67890", "amount": 150.75 }).to_string();
    assert_eq!(server.ask("POST", &path, owner["api_key"].as_str(), &body).0, 200);
    let wrong = json!({ "email": "ana@example.com", "password": "not this one" }).to_string();
    assert_eq!(server.ask("POST", "/auth/login", None, &wrong).0, 401);
    let (_, metrics) = server.get("/metrics");
    for line in [
        "\ncotejo_last_copy_timestamp_seconds 1",
        "\ncotejo_balances_exhausted_total 1\n",
        "\ncotejo_sign_ins_refused_total{reason=\"wrong_password\"} 1\n",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    server.stop();
}
