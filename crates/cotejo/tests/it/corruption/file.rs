//! What a database tool would find is found by `cotejo check-ledger`, which asks SQLite itself.

use std::process::Command;

use serde_json::{Value, json};
use testkit::{Engine, Setup};

/// Runs the command; answers its report and its exit code.
fn check(arguments: &[String]) -> (Value, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotejo"));
    let output = command.arg("check-ledger").args(arguments).arg("--json").output().unwrap();
    let report = serde_json::from_slice(&output.stdout);
    let report = report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (report, output.status.code().unwrap())
}

#[test]
fn an_index_that_lacks_an_entry_is_named() {
    testkit::run(Engine::Sqlite, async |setup: Setup| {
        let mut app = setup.start().await;
        app.expect_disorder();
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890" });
        owner.key.verify(&owner.bank, asked).await.ok();
        app.stop().await;
        assert_eq!(check(&app.arguments()).1, 0);

        // The index is hidden while the row is written, as a broken tool or disk might leave it.
        let database = app.database();
        database.execute(
            "pragma writable_schema = on; \
             create table hidden as select * from sqlite_schema where name = 'movements_tail'; \
             delete from sqlite_schema where name = 'movements_tail'",
        );
        database.execute("update movements set tail = '1'");
        database.execute(
            "pragma writable_schema = on; insert into sqlite_schema select * from hidden; \
             drop table hidden",
        );
        let (report, code) = check(&app.arguments());
        assert_eq!(code, 1, "{report}");
        let integrity = report["integrity"].as_array().unwrap();
        let is_named = |line: &Value| line.as_str().unwrap().contains("movements_tail");
        assert!(integrity.iter().any(is_named), "{report}");
    });
}

#[test]
fn a_row_that_refers_to_nothing_is_named() {
    testkit::run(Engine::Sqlite, async |setup: Setup| {
        let mut app = setup.start().await;
        app.expect_disorder();
        let owner = app.owner().await;
        app.stop().await;
        app.database().execute_unchecked(&format!(
            "update user_banks set client_id = owner_id where owner_id = \
             (select owner_id from owner_profiles where email = '{}')",
            owner.email
        ));
        let (report, code) = check(&app.arguments());
        assert_eq!(code, 1, "{report}");
        assert_eq!(report["integrity"].as_array().unwrap().len(), 1, "{report}");
    });
}
