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
        assert_eq!(report, json!({ "owners": 2, "differences": [], "overdue": [] }));
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
            app.database().execute(&format!("update key_months set {counter} = {counter} + 1"));
            let (report, code) = check(&app);
            assert_eq!(code, 1, "{counter}: {report}");
            let differences = report["differences"].as_array().unwrap();
            assert!(!differences.is_empty(), "{counter}");
            let is_named = |found: &Value| found["what"].as_str().unwrap().contains(counter);
            assert!(differences.iter().any(is_named), "{counter}: {report}");
            app.database().execute(&format!("update key_months set {counter} = {counter} - 1"));
        }
        assert_eq!(check(&app).1, 0);
    }

    async fn a_link_that_does_not_lead_to_the_line_before_is_named(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        for n in 1..=4 {
            let asked = json!({ "bank_reference": format!("{n}67890") });
            owner.key.verify(&owner.bank, asked).await.ok();
        }
        let line = |number: &str| {
            format!("(select l.verification_id from credit_movements l where l.ordinal = {number})")
        };
        let mend = format!(
            "update credit_movements set previous = {}; update key_months set newest_line = {}",
            line("credit_movements.ordinal - 1"),
            line("4"),
        );
        app.database().execute(&mend);
        assert_eq!(check(&app).1, 0);
        for (change, named) in [
            // Cut, and leading nowhere.
            ("update credit_movements set previous = null where ordinal = 3".to_owned(), "credit_lines"),
            ("update credit_movements set previous = owner_id where ordinal = 3".to_owned(), "credit_lines"),
            // Going round: to itself, and from the first line to the last.
            ("update credit_movements set previous = verification_id".to_owned(), "credit_lines"),
            (
                format!("update credit_movements set previous = {} where ordinal = 1", line("4")),
                "credit_movements.previous",
            ),
            // Past a line, at the end of the list too.
            (
                format!("update credit_movements set previous = {} where ordinal = 4", line("2")),
                "credit_movements: links that lead to the line of ver_",
            ),
            (format!("update key_months set newest_line = {}", line("3")), "newest credit_movements.ordinal"),
            ("update key_months set newest_line = null".to_owned(), "owners.credit_lines"),
        ] {
            app.database().execute(&change);
            let (report, code) = check(&app);
            assert_eq!(code, 1, "{change}: {report}");
            let differences = report["differences"].as_array().unwrap();
            assert!(differences.iter().all(|found| found["owner"] == owner.id), "{report}");
            let is_named = |found: &Value| found["what"].as_str().unwrap().contains(named);
            assert!(differences.iter().any(is_named), "{change}: {report}");
            app.database().execute(&mend);
            assert_eq!(check(&app).1, 0, "{change}");
        }
    }

    async fn a_link_that_does_not_lead_to_the_movement_before_is_named(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        for n in 1..=4 {
            let asked = json!({ "bank_reference": format!("{n}67890") });
            owner.key.verify(&owner.bank, asked).await.ok();
        }
        let movement = |number: &str| {
            format!("(select m.id from movements m where m.number = {number})")
        };
        let mend = format!("update movements set previous = {}", movement("movements.number - 1"));
        app.database().execute(&mend);
        assert_eq!(check(&app).1, 0);
        for leads_to in ["null".to_owned(), "owner_id".to_owned(), "id".to_owned(), movement("4"), movement("1")] {
            let change = format!("update movements set previous = {leads_to} where number = 3");
            app.database().execute(&change);
            let (report, code) = check(&app);
            assert_eq!(code, 1, "{change}: {report}");
            assert_eq!(report["differences"].as_array().unwrap().len(), 1, "{report}");
            let what = report["differences"][0]["what"].as_str().unwrap();
            assert!(what.starts_with("movements.previous of acct_"), "{what}");
            // The list ends, wherever it leads.
            let path = format!("/movements/{}", owner.bank);
            assert_eq!(owner.key.get(&path).await.status, 200);
            app.database().execute(&mend);
            assert_eq!(check(&app).1, 0, "{change}");
        }
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
