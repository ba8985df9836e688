//! Commands beside a server on PostgreSQL: they go to the database themselves.

use std::process::Command;

use cotejo::Server;

use crate::service::Service;

/// Runs the program on the service's database from another folder, without its master key.
fn run(service: &Service, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cotejo"))
        .args(arguments)
        .arg("--data")
        .arg(service.another_folder())
        .env("COTEJO_DATABASE", service.url())
        .env("COTEJO_PASSWORD_MEMORY_KIB", "8")
        .output()
        .unwrap();
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
