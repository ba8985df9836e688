//! Importing what another system accepted: by the running server, or without one, from a file or standard input.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{Data, text};

const OWNER: &str = "ana@example.com";

/// A shop with a test account, and a file of claims.
struct Shop {
    data: Data,
    account: String,
    key: String,
}

impl Shop {
    fn open() -> Self {
        let data = Data::new();
        let create = ["owner", "create", "--json", "--test-account", "--credits", "9"];
        let made = data.json(&[&create[..], &["--email", OWNER]].concat());
        let field = |name: &str| made[name].as_str().unwrap().to_owned();
        Self { account: field("user_bank_id"), key: field("api_key"), data }
    }

    fn file(&self) -> PathBuf {
        self.data.path().join("claims.csv")
    }

    /// Writes the file, each line of which is of the account.
    fn write(&self, lines: &[&str]) {
        let lines: String = lines.iter().map(|line| format!("{},{line}\n", self.account)).collect();
        fs::write(self.file(), format!("account,reference,amount,date\n{lines}")).unwrap();
    }

    fn work(&self, work: &str, more: &[&str]) -> Value {
        let file = self.file();
        let command = ["claims", work, file.to_str().unwrap(), "--owner", OWNER, "--json"];
        self.data.json(&[&command[..], more].concat())
    }

    fn fails(&self, more: &[&str]) -> String {
        let file = self.file();
        let command = ["claims", "import", file.to_str().unwrap(), "--owner", OWNER];
        let output = self.data.run(&[&command[..], more].concat());
        assert_eq!(output.status.code(), Some(1));
        text(&output.stderr)
    }

    fn verify(&self, reference: &str) -> (u16, Value) {
        let server = self.data.serve();
        let path = format!("/userbankpayment/{}/betaserio", self.account);
        let body = json!({ "bank_reference": reference, "amount": 150.75 }).to_string();
        let (status, answer) = server.ask("POST", &path, Some(self.key.as_str()), &body);
        server.stop();
        (status, serde_json::from_str(&answer).unwrap())
    }
}

fn counted(lines: u64, (added, known, repeated): (u64, u64, u64), is_dry_run: bool) -> Value {
    json!({
        "lines": lines,
        "accounts": 1,
        "added": added,
        "known": known,
        "repeated": repeated,
        "dry_run": is_dry_run,
    })
}

#[test]
fn a_file_is_imported_with_and_without_a_server_and_again() {
    let shop = Shop::open();
    shop.write(&["31067890,150.75,", "32067890,,", "0032067890,,"]);
    assert_eq!(shop.work("import", &["--test", "--dry-run"]), counted(3, (2, 0, 1), true));
    assert_eq!(shop.work("import", &["--test"]), counted(3, (2, 0, 1), false));
    assert_eq!(shop.work("import", &["--test"]), counted(3, (0, 2, 1), false));
    let (status, answer) = shop.verify("31067890");
    assert_eq!((status, &answer["error"]), (409, &json!("PAYMENT_ALREADY_EXISTS")));

    let server = shop.data.serve();
    shop.write(&["31067890,150.75,", "33067890,,"]);
    assert_eq!(shop.work("import", &["--test"]), counted(2, (1, 1, 0), false));
    server.stop();
    assert_eq!(shop.verify("33067890").0, 409);
    let withdrawn = shop.work("withdraw", &["--test"]);
    assert_eq!((&withdrawn["withdrawn"], &withdrawn["unknown"]), (&json!(2), &json!(0)));
    let (status, answer) = shop.verify("33067890");
    assert_eq!((status, &answer["data"]["is_new"]), (200, &json!(true)));
    assert_eq!(shop.data.json(&["check-ledger", "--json"])["differences_found"], 0);
}

#[test]
fn more_lines_than_one_transaction_takes_are_counted_once_each() {
    let shop = Shop::open();
    let lines: Vec<String> = (0..1_203).map(|number| format!("7{number:07},1.50,")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    shop.write(&lines[..700]);
    assert_eq!(shop.work("import", &["--test"]), counted(700, (700, 0, 0), false));
    shop.write(&lines);
    assert_eq!(shop.work("import", &["--test"]), counted(1_203, (503, 700, 0), false));
}

#[test]
fn claims_are_read_from_standard_input() {
    let shop = Shop::open();
    let arguments = ["claims", "import", "-", "--owner", OWNER, "--test", "--json"];
    let mut command = shop.data.command(&arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "account;reference;amount\n{};31067890;150,75", shop.account).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer, counted(1, (1, 0, 0), false));
}

#[test]
fn of_a_file_with_a_line_that_says_no_claim_nothing_is_written() {
    let shop = Shop::open();
    let other = "bank_00000000000000000000000001";
    shop.write(&["31067890,,", "x,,", "67890,,", "067890,,", "31067890,1.234.50,"]);
    let problem = shop.fails(&["--test"]);
    for line in
        ["4 of 5 lines", "line 3: reference:", "line 4: reference:", "line 5: ", "line 6: amount:"]
    {
        assert!(problem.contains(line), "{line}: {problem}");
    }
    // The second account is looked at before the first is written.
    fs::write(
        shop.file(),
        format!("account,reference\n{},31067890\n{other},31067890\n", shop.account),
    )
    .unwrap();
    let problem = shop.fails(&["--test"]);
    assert!(problem.contains("line 3") && problem.contains("no account"), "{problem}");
    shop.write(&["31067890,,"]);
    assert!(shop.fails(&[]).contains("--test"), "real payments of a test account");
    assert_eq!(shop.work("import", &["--test", "--dry-run"]), counted(1, (1, 0, 0), true));
    let (status, answer) = shop.verify("31067890");
    assert_eq!((status, &answer["data"]["is_new"]), (200, &json!(true)));
}
