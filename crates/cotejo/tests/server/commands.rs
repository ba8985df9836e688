//! Commands beside a server on PostgreSQL: they go to the database themselves.

use std::process::{Command, Output};

use cotejo::Server;
use serde_json::Value;
use testkit::proxy::Proxy;

use crate::lost_commits::{COMMITS_AT_MOST, lose_commits, was_one_lost};
use crate::service::{Service, signs_in};

/// The password in what a command printed.
fn password(output: &Output) -> String {
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    printed["password"].as_str().unwrap_or("none").to_owned()
}

/// Runs the program on a database from another folder, without its master key.
fn run_on(url: &str, service: &Service, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotejo"));
    command.args(arguments).arg("--data").arg(service.another_folder());
    command.env("COTEJO_DATABASE", url).env("COTEJO_PASSWORD_MEMORY_KIB", "8");
    command.output().unwrap()
}

/// Runs it to its good end.
fn run(service: &Service, arguments: &[&str]) -> String {
    let output = run_on(&service.url(), service, arguments);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {problem}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_write_and_audit_beside_a_server() {
    let service = Service::on_postgres();
    let server: Server = service.start().await;
    let made = run(&service, &["owner", "create", "--email", "ana@example.com", "--json"]);
    assert!(made.contains("\"email\":\"ana@example.com\""), "{made}");
    let grant = ["credits", "grant", "--owner", "ana@example.com", "--amount", "7", "--json"];
    let granted = run(&service, &grant);
    assert!(granted.contains("\"balance\":7"), "{granted}");
    let audit = run(&service, &["check-ledger"]);
    assert_eq!(audit, "2 owners audited, 0 differences\n");
    assert!(server.stop().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_is_made_once_and_signs_in_whichever_commits_are_lost() {
    let service = Service::on_postgres();
    let server = service.start().await;
    let proxy = Proxy::before(&service.url());
    let (mut mended, mut unsure) = (0, 0);
    for number in 1..COMMITS_AT_MOST {
        for all_after in [false, true] {
            let email = format!("ana-{number}-{all_after}@example.com");
            let create = ["owner", "create", "--email", &email, "--json"];
            let lost = lose_commits(&proxy, number, all_after);
            let first = run_on(proxy.url(), &service, &create);
            proxy.disarm();
            if !was_one_lost(&lost) {
                assert!(mended > 0 && unsure > 0, "no loss met the owner's own commit");
                assert!(server.stop().await.unwrap());
                return;
            }
            let mut known = password(&first);
            if first.status.success() {
                mended += 1;
            } else {
                // Running it again makes the owner, unless it is there with the password of then.
                let second = run_on(&service.url(), &service, &create);
                if second.status.success() {
                    known = password(&second);
                } else {
                    let problem = String::from_utf8_lossy(&second.stderr);
                    assert!(problem.contains("there is an owner"), "{problem}");
                    unsure += 1;
                }
            }
            assert!(signs_in(&server, &email, &known).await, "{number} {all_after}");
        }
    }
    panic!("a command with more than {COMMITS_AT_MOST} commits");
}
