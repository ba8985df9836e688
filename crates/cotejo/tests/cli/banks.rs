//! The simulated banks as a process, and the guide to them, run line by line.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::process::Command;
use std::{env, fs, thread};

use bank_sim::faults::FaultKind;
use serde_json::Value;
use testkit::bank_process::BankProcess;

use crate::guides::walk::blocks;
use crate::program::{bare, text};

/// A port that the machine chooses.
const ANYWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

fn start(arguments: &[&str]) -> BankProcess {
    BankProcess::start(env!("CARGO_BIN_EXE_cotejo"), ANYWHERE, arguments)
}

/// Runs this in a shell, and returns its output.
fn shell(script: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new("sh");
    command.args(["-ec", script]).envs(variables.iter().copied()).env("no_proxy", "*");
    let output = command.output().expect("a shell, and curl for it");
    assert!(output.status.success(), "{script}\n{}", text(&output.stderr));
    text(&output.stdout)
}

/// A receiver that is notified of payments: the first time it says `00`, and afterwards `01`.
fn receiver() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let answers = [
            r#"{"codigo":"00","mensajeCliente":"Aprobado","mensajeSistema":"Notificado"}"#,
            r#"{"codigo":"01","mensajeCliente":"pago previamente recibido","mensajeSistema":"Renotificado"}"#,
        ];
        for (stream, body) in listener.incoming().zip(answers) {
            let mut stream = stream.unwrap();
            let mut request = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert_ne!(request.read_line(&mut head).unwrap(), 0, "{head}");
            }
            let head = head.to_lowercase();
            assert!(head.starts_with("post /hooks/bank/bdv/bank_1 http/1.1\r\n"), "{head}");
            assert!(head.contains("\r\napi-key: secreto-de-prueba\r\n"), "{head}");
            let length = body.len();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

fn guide() -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    fs::read_to_string(format!("{root}/docs/guide/simulated-banks.md")).unwrap()
}

#[test]
fn the_guides_examples_answer_what_the_guide_says() {
    let banks = start(&["--manual-clock"]);
    let bank = format!("http://{}", banks.address());
    let service = format!("http://{}", receiver());
    let variables = [("BANCO", bank.as_str()), ("SERVICIO", service.as_str())];
    let (mut asked, mut compared) = (0, 0);
    let mut printed = String::new();
    for (kind, block) in blocks(&guide()) {
        match kind.as_str() {
            // What was started above, and what the variables say.
            "sh" if block.trim() == "cotejo banks --manual-clock" => {}
            "sh" if block.lines().all(|line| line.contains("=http://127.0.0.1:")) => {}
            "sh" => {
                printed = shell(&block, &variables);
                asked += 1;
            }
            "json" => {
                let expected: Value = serde_json::from_str(&block).expect(&block);
                let found: Value = serde_json::from_str(&printed).expect(&printed);
                assert_eq!(found, expected, "{found:#}");
                compared += 1;
            }
            kind => panic!("nobody runs a block of {kind:?}:\n{block}"),
        }
    }
    assert!(asked >= 9 && compared >= 8, "{asked} {compared}");
    assert_eq!(banks.stop().0, Some(0));
}

#[test]
fn the_guide_names_every_fault_there_is() {
    let guide = guide();
    let faults = guide.split("| `kind` | |").nth(1).unwrap();
    let listed = faults.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut listed: Vec<_> = listed.collect();
    let mut known: Vec<_> = FaultKind::ALL.iter().map(|(_, name)| *name).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn what_it_prints_at_the_start_can_be_pasted() {
    let mut banks = start(&[]);
    let bank = format!("http://{}", banks.address());
    let mut answers = Vec::new();
    while answers.len() < 3 {
        let line = banks.line().unwrap_or_else(|| panic!("{answers:?}"));
        if line.starts_with("curl") {
            answers.push(shell(&line, &[]));
        }
    }
    let extract: Value = serde_json::from_str(&answers[2]).unwrap();
    assert_eq!(extract["data"]["movs"][0]["importe"], "150,75", "{answers:?}");
    let clock = shell("curl -sS \"$BANCO/admin/clock\"", &[("BANCO", &bank)]);
    assert!(clock.contains("\"is_manual\":false"), "{clock}");
    let set =
        "curl -sS -X PUT --json '{\"now\": \"2026-11-20T12:00:00-04:00\"}' \"$BANCO/admin/clock\"";
    let refused = shell(set, &[("BANCO", &bank)]);
    assert!(refused.contains("CLOCK_RUNS"), "{refused}");
    assert_eq!(banks.stop(), (Some(0), String::new()));
}

#[test]
fn beyond_this_machine_it_does_not_listen_unless_allowed() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let output = bare(&["banks", "--listen", address]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{address}");
        assert!(text(&output.stderr).contains("--allow-remote"), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    let output = bare(&["banks", "--listen", "bank"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
