//! `cotejo check-ledger`: every figure is computed again, and each difference is named.

use std::process::Command;

use serde_json::{Value, json};
use testkit::{Owner, TestApp, both_engines};

/// Runs the command beside the service; answers its report and its exit code.
fn check(app: &TestApp) -> (Value, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotejo"));
    command.arg("check-ledger").args(app.arguments()).arg("--json");
    let output = command.output().unwrap();
    let report = serde_json::from_slice(&output.stdout);
    let report = report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (report, output.status.code().unwrap())
}

/// An owner with two payments, one of them of a client.
async fn traded(app: &TestApp) -> Owner {
    let owner = app.owner().await;
    let client = owner.client(true).await;
    let key = owner.client_key(&client).await;
    let bank = key.link_bank().await;
    owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
    key.verify(&bank, json!({ "bank_reference": "67890" })).await.ok();
    owner
}

both_engines! {
    async fn a_ledger_in_order_has_no_difference(app: TestApp) {
        traded(&app).await;
        let (report, code) = check(&app);
        // The first owner of the installation is audited too.
        let sound = json!({
            "owners": 2, "integrity": [], "differences_found": 0, "differences": [], "overdue": []
        });
        assert_eq!(report, sound);
        assert_eq!(code, 0);
    }

    async fn a_figure_that_was_changed_is_named(mut app: TestApp) {
        app.expect_disorder();
        let owner = traded(&app).await;
        let id = format!("select owner_id from owner_profiles where email = '{}'", owner.email);
        let of_owner = format!("owner_id = ({id})");
        for (change, undo, named, kept, computed) in [
            (
                format!("update owners set balance = balance + 1 where {of_owner}"),
                format!("update owners set balance = balance - 1 where {of_owner}"),
                "balance",
                999,
                998,
            ),
            (
                format!("update owners set reserved = reserved + 2 where {of_owner}"),
                format!("update owners set reserved = reserved - 2 where {of_owner}"),
                "reserved",
                2,
                0,
            ),
            (
                "update client_months set posted = posted + 3".to_owned(),
                "update client_months set posted = posted - 3".to_owned(),
                "client_months",
                4,
                1,
            ),
        ] {
            app.database().execute(&change);
            let (report, code) = check(&app);
            assert_eq!(code, 1, "{report}");
            let differences = report["differences"].as_array().unwrap();
            assert_eq!(differences.len(), 1, "{report}");
            let found = &differences[0];
            assert_eq!(found["owner"], owner.id);
            assert!(found["what"].as_str().unwrap().contains(named), "{found}");
            assert_eq!((&found["kept"], &found["computed"]), (&json!(kept), &json!(computed)));
            app.database().execute(&undo);
            assert_eq!(check(&app).1, 0);
        }
    }

    async fn every_counter_of_a_key_is_looked_at(mut app: TestApp) {
        app.expect_disorder();
        traded(&app).await;
        for counter in ["posted", "reserved", "operations", "requests", "credit_lines"] {
            app.database().execute(&format!("update actor_months set {counter} = {counter} + 1"));
            let (report, code) = check(&app);
            assert_eq!(code, 1, "{counter}: {report}");
            let differences = report["differences"].as_array().unwrap();
            assert!(!differences.is_empty(), "{counter}");
            let is_named = |found: &Value| found["what"].as_str().unwrap().contains(counter);
            assert!(differences.iter().any(is_named), "{counter}: {report}");
            app.database().execute(&format!("update actor_months set {counter} = {counter} - 1"));
        }
        assert_eq!(check(&app).1, 0);
    }

    async fn a_charge_without_its_activity_entry_is_named(mut app: TestApp) {
        app.expect_disorder();
        let owner = traded(&app).await;
        app.database().execute("update activity set verification_id = null");
        let (report, code) = check(&app);
        assert_eq!(code, 1);
        let differences = report["differences"].as_array().unwrap();
        let is_named = |found: &Value| {
            let what = found["what"].as_str().unwrap();
            found["owner"] == owner.id && what.starts_with("activity: entries of the attempt")
        };
        assert_eq!(differences.iter().filter(|found| is_named(found)).count(), 2, "{report}");
        // Each attempt is named as such, too, and how many there are.
        let is_about_attempts =
            |found: &Value| found["what"].as_str().unwrap().starts_with("activity");
        assert!(differences.iter().all(is_about_attempts), "{report}");
        assert_eq!(differences.len(), 5, "{report}");
    }

    async fn a_line_that_is_gone_is_missed(mut app: TestApp) {
        app.expect_disorder();
        let owner = traded(&app).await;
        app.database().execute("delete from credit_movements where line = 2");
        let (report, code) = check(&app);
        assert_eq!(code, 1);
        let differences = report["differences"].as_array().unwrap();
        assert!(differences.iter().all(|found| found["owner"] == owner.id), "{report}");
    }
}
