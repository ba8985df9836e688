//! `cotejo master-key`: a new key seals everything anew, and the former one is needed for nothing that stays.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::employee::PASSWORD;
use testkit::{Authenticator, Setup, TestApp, either_engine};

use crate::bdv;

fn run(app: &TestApp, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotejo"));
    command.arg("master-key").args(arguments).args(app.arguments()).output().unwrap()
}

/// Runs it to its good end, and answers what it printed.
fn change(app: &TestApp, what: &str) -> Value {
    let output = run(app, &[what, "--json", "--nodes-stopped"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn key_file(app: &TestApp) -> PathBuf {
    PathBuf::from(&app.arguments()[1]).join("master.key")
}

/// The keys in the file, without what is said of them.
fn keys(app: &TestApp) -> Vec<String> {
    let text = fs::read_to_string(key_file(app)).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// Leaves the latest key in the file alone.
fn forget_former(app: &TestApp) {
    fs::write(key_file(app), format!("{}\n", keys(app)[0])).unwrap();
}

either_engine! {
    async fn secrets_open_under_a_new_key_when_the_former_one_is_gone(setup: Setup) {
        let (bank, mut app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        owner.get("/me/webhook-secret").await.ok();
        let rotate = json!({ "overlap_hours": 24 });
        owner.post("/me/webhook-secret/rotate", rotate).await.ok();
        let secret = owner.get("/me/webhook-secret").await.ok();
        let of_client = format!("/v1/clients/{}/webhook-secret", owner.client(true).await);
        for _ in 0..2 {
            owner.post(&of_client, json!({})).await.ok();
        }
        let luis = owner.employee(1, &[]).await;
        let authenticator = Authenticator::of(&app, &luis, PASSWORD).await;
        app.stop().await;
        let former = keys(&app);

        let rotated = change(&app, "rotate");
        // The check value, the key of sessions, the bank's key, the account's metadata, two webhook secrets of the owner
        // and two of its client, and an authenticator's.
        assert_eq!((&rotated["owners"], &rotated["secrets"]), (&json!(2), &json!(9)), "{rotated}");
        let both = keys(&app);
        assert_eq!((both.len(), &both[1..]), (2, &former[..]));
        assert_eq!(change(&app, "reseal"), json!({ "owners": 2, "secrets": 0 }));

        forget_former(&app);
        app.start_again().await;
        assert_eq!(owner.get("/me/webhook-secret").await.ok(), secret);
        // What does not open cannot become the former one.
        owner.post(&of_client, json!({})).await.ok();
        for code in [authenticator.next_code(&app), authenticator.recovery_codes[0].clone()] {
            let body = json!({ "email": luis.email, "password": PASSWORD, "code": code });
            app.nobody().post("/auth/login", body).await.ok();
        }
        bank.pay("000079912345", 15_075, Duration::ZERO);
        let body = json!({ "bank_reference": "912345", "amount": 150.75 });
        assert_eq!(owner.key.verify(&account, body).await.ok()["data"]["is_new"], true);
    }

    async fn a_rotation_that_was_cut_short_is_finished(mut app: TestApp) {
        let owner = app.owner().await;
        let secret = owner.get("/me/webhook-secret").await.ok();
        app.stop().await;
        // As it stands when the new key is in the file, and nothing is sealed under it.
        let (new, former) = ("5a".repeat(32), fs::read_to_string(key_file(&app)).unwrap());
        fs::write(key_file(&app), format!("{new}\n{former}")).unwrap();
        app.start_again().await;
        assert_eq!(owner.get("/me/webhook-secret").await.ok(), secret);
        app.stop().await;
        assert_eq!(change(&app, "reseal"), json!({ "owners": 2, "secrets": 3 }));
        forget_former(&app);
        app.start_again().await;
        assert_eq!(owner.get("/me/webhook-secret").await.ok(), secret);
    }

    async fn a_repeat_after_a_rotation_is_known(mut app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "bank_reference": "67890" });
        let ask = || {
            let path = testkit::principal::verify_path(&owner.bank);
            let call = owner.key.request("POST", &path).header("idempotency-key", "pedido-1");
            call.header("content-type", "application/json").body(body.to_string()).send()
        };
        let first = ask().await.ok();
        app.stop().await;
        change(&app, "rotate");
        app.start_again().await;
        assert_eq!(ask().await.ok(), first);
        app.settle().await;
    }

    async fn it_is_refused_beside_a_server(app: TestApp) {
        let before = keys(&app);
        let output = run(&app, &["rotate"]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("stop the server") || said.contains("stop every node"), "{said}");
        assert_eq!(keys(&app), before);
    }
}
