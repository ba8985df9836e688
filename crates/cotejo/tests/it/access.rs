//! Who may call what: every operation by every kind of caller, as the table in `docs/access.md` says. A new operation
//! fails here until it has a row. A new kind of caller is one column there, and one line and one function here.

mod callers;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use api::{Endpoint, endpoints};
use domain::access::ProofDemand;
use serde_json::{Value, json};
use testkit::{Owner, Principal, Setup, TestApp, both_engines};

use self::callers::Callers;
use crate::reach::table::Table;

/// Returns the refusal that the table's word stands for; `None` where it speaks of no access.
fn code(word: &str) -> Option<&str> {
    Some(match word {
        // Over the API, only a person with a second factor is asked.
        "yes" | "password" => return None,
        "401" => "401 UNAUTHORIZED",
        "session" => "403 OWNER_SESSION_REQUIRED",
        "step-up" => "403 STEP_UP_REQUIRED",
        "forbidden" => "403 FORBIDDEN",
        "none" => "403 PERMISSIONS_NOT_CONFIGURED",
        "scope" => "403 KEY_SCOPE_RESTRICTED",
        "key off" => "403 API_KEY_IS_NOT_ACTIVE",
        "client off" => "403 CLIENT_IS_NOT_ACTIVE",
        "owner off" => "403 USER_IS_NOT_ACTIVE",
        other => panic!("{other:?} is no word of the table"),
    })
}

/// Returns the table's word for what an operation asks of sessions.
fn proof(demand: ProofDemand) -> &'static str {
    match demand {
        ProofDemand::Reads => "—",
        ProofDemand::Reveals => "shows",
        ProofDemand::Asks => "asks",
        ProofDemand::AsksForCode => "code",
        ProofDemand::AsksWhere { .. } => "where",
        ProofDemand::Unasked(_) => "no",
    }
}

/// Returns the body that an operation is sent.
fn sent(operation: &str) -> Value {
    match operation {
        "CreateKey" | "ChangeKey" => json!({ "name": "caja" }),
        "CreateClient" => {
            static MADE: AtomicU32 = AtomicU32::new(0);
            json!({ "name": format!("Cliente {}", MADE.fetch_add(1, Ordering::Relaxed)) })
        }
        "ChangeClient" => json!({ "name": "Otra" }),
        "SetCreditLimit" | "SetClientCreditLimit" => json!({ "monthly_credit_limit": 5 }),
        "MoveBankAccount" => json!({ "client_owner_id": null }),
        "Verify" => json!({ "bank_reference": "67890" }),
        "LinkBankAccount" => json!({ "bank_provider": "BANK_TEST" }),
        "ChangeBankSecret" => json!({ "secret": "made-up" }),
        "SetAccountSettings" => json!({ "same_bank_by_payer": false }),
        "SetLinkSettings" => json!({ "max_attempts": null, "announce_expiry": false }),
        "SetRateRule" => json!({ "rate_rule": "by_value_date" }),
        "SetOwnRate" => {
            json!({ "currency": "USD", "value_date": "2026-11-20", "rate": "880", "source": "Tienda" })
        }
        "SetProfile" => json!({ "public_name": "Tienda" }),
        "SetWebhookEndpoint" => json!({ "url": null }),
        "SetNoticeSettings" => json!({ "language": "es", "low_balance_below": 20 }),
        "SetKeyScope" => json!({ "client_owner_id": null, "user_banks": [] }),
        _ => json!({}),
    }
}

/// Tells whether the path of an operation names something that somebody has.
fn is_object(entry: &Endpoint) -> bool {
    entry.path.contains('{') && entry.name != "TakeBankNotice"
}

/// The path of an operation about what this owner has.
fn path(entry: &Endpoint, owner: &Owner, client: &str) -> String {
    // Everybody else needs the account that would go.
    let bank = if entry.name == "TrashBankAccount" {
        "bank_00000000000000000000000000"
    } else {
        &owner.bank
    };
    // The default key takes none of these.
    let changes_keys = ["RotateKey", "SetKeyScope", "ChangeKey", "RevokeKey"].contains(&entry.name);
    let key = if changes_keys { "key_00000000000000000000000000" } else { &owner.key.id };
    entry
        .path
        .replace("{provider}", "bdv")
        .replace("{api_key_id}", key)
        .replace("{client_id}", client)
        .replace("{employee_id}", "emp_00000000000000000000000000")
        .replace("{session_id}", "ses_00000000000000000000000000")
        .replace("{notice_id}", "ntc_00000000000000000000000000")
        .replace("{bank_id}", bank)
        .replace("{delivery_id}", "evt_00000000000000000000000000")
        .replace("{redelivery_id}", "redo_00000000000000000000000000")
        .replace("{verification_id}", "ver_00000000000000000000000000")
        .replace("{payment_link_id}", "link_00000000000000000000000000")
        .replace("{movement_id}", "mov_00000000000000000000000000")
        .replace("{receipt_id}", "rcp_00000000000000000000000000")
        .replace("{subscription_id}", "sub_00000000000000000000000000")
        .replace("{cycle}", "1")
}

/// Number of tests that share the table: each asks thousands of times.
const PARTS: usize = 2;

/// Asks, and returns the refusal, which is `None` where the caller was admitted, and whether anything was done.
async fn answer_to(caller: &Principal, entry: &Endpoint, path: &str) -> (Option<String>, bool) {
    let answer = caller.request(entry.method.as_str(), path).json(&sent(entry.name)).send().await;
    let refusal = match answer.end() {
        (200, _) => None,
        (status @ (401 | 403), code) => {
            answer.refused(status, &code);
            Some(format!("{status} {code}"))
        }
        // Who has no second factor has no recovery codes.
        (409, _) if entry.name == "RenewRecoveryCodes" => None,
        // Admitted, and then answered what is wrong with the request itself.
        (400 | 404, code) => {
            let codes =
                ["VALIDATION_ERROR", "NOT_FOUND", "USER_BANK_NOT_FOUND", "C2P_NOT_SUPPORTED"];
            assert!(codes.contains(&code.as_str()), "{code}");
            None
        }
        // Admitted, and there is no rate to be shown.
        (409, code) if code == "RATE_NOT_AVAILABLE" => None,
        end => Some(format!("{end:?}")),
    };
    (refusal, answer.status == 200)
}

/// Asks every other operation of the table, from the `part`th on, as every kind of caller.
async fn ask_every_other(app: TestApp, part: usize) {
    let mut callers = Callers::new(&app).await;
    let client = callers.owner.client(true).await;
    let (table, operations) = (Table::below("Operations"), endpoints());
    let in_table: Vec<_> = table.rows.iter().map(|(name, _)| name.as_str()).collect();
    let served: Vec<_> = operations.iter().map(|entry| entry.name).collect();
    assert_eq!(in_table, served, "the table is not whole");
    let (needs, columns) = table.columns.split_at(3);
    assert_eq!(needs, ["permission", "employee's permission", "proof"]);

    let rows = table.rows.iter().zip(&operations).skip(part).step_by(PARTS);
    let mut rows: Vec<_> = rows.collect();
    // The default key's text ends with its rotation: that goes last.
    rows.sort_by_key(|(_, entry)| entry.name == "RotateDefaultKey");
    let mut wrong = Vec::new();
    for ((name, cells), entry) in rows {
        let (needs, cells) = cells.split_at(3);
        assert_eq!(needs[2], proof(entry.demand), "{name}");
        let path = path(entry, &callers.owner, &client);
        let called = callers.of(&needs[0], &needs[1]).await;
        assert_eq!(called.len(), columns.len());
        for (number, (who, caller)) in called.iter().enumerate() {
            // An owner tries a few secrets a minute, and most of these are one owner's.
            if name == "ChangeBankSecret" && number % 8 == 0 {
                app.clock().advance(Duration::from_secs(60));
            }
            let column = columns.iter().position(|column| column == who).expect(who);
            let word = &cells[column];
            let (refusal, is_done) = answer_to(caller, entry, &path).await;
            if refusal.as_deref() != code(word) {
                wrong.push(format!("{name} by {who}: {refusal:?} instead of {word}"));
            }
            // What the path names is the first owner's.
            if who.starts_with("another owner's") && is_object(entry) && is_done {
                wrong.push(format!("{name} by {who}: was done"));
            }
        }
        match name.as_str() {
            "Logout" => callers.sign_in_again(&app).await,
            "EndSecondFactor" => callers.guard_again(&app).await,
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

both_engines! {
    async fn every_operation_by_every_caller_1(app: TestApp) {
        ask_every_other(app, 0).await;
    }

    async fn every_operation_by_every_caller_2(app: TestApp) {
        ask_every_other(app, 1).await;
    }

    async fn a_key_of_an_inactive_client_is_refused_as_such(app: TestApp) {
        let owner = app.owner().await;
        let (closed, open) = (owner.client(true).await, owner.client(true).await);
        let (key, other) = (owner.client_key(&closed).await, owner.client_key(&open).await);
        key.get("/me").await.ok();
        app.tamper("update clients set is_active = false").await;
        for key in [&key, &other] {
            key.get("/me").await.refused(403, "CLIENT_IS_NOT_ACTIVE");
            let verify = key.verify(&owner.bank, json!({})).await;
            verify.refused(403, "CLIENT_IS_NOT_ACTIVE");
        }
        // Nothing else of the owner's ends with a client.
        owner.get("/me").await.ok();
        owner.key.get("/me").await.ok();
        app.tamper("update clients set is_active = true").await;
        key.get("/me").await.ok();
    }

    async fn a_key_is_good_until_the_moment_it_expires(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "name": "feria", "expires_at": "2026-11-20T12:01:00Z" });
        let key = owner.issue(body).await;
        key.get("/me").await.ok();
        app.clock().advance(Duration::from_millis(59_999));
        key.get("/me").await.ok();
        // Nothing is written at that moment: the clock alone ends it.
        app.clock().advance(Duration::from_millis(1));
        key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn both_header_forms_of_a_key_are_one(app: TestApp) {
        let owner = app.owner().await;
        for entry in endpoints().iter().filter(|entry| entry.name != "Login") {
            let path = path(entry, &owner, "cli_00000000000000000000000000");
            let bearer = owner.key.request(entry.method.as_str(), &path).send().await.end();
            let app_key = owner.key.by_app_key().request(entry.method.as_str(), &path);
            assert_eq!(app_key.send().await.end(), bearer, "{}", entry.name);
        }
    }

    async fn what_is_not_in_the_table_is_not_served(setup: Setup) {
        let app = setup.start().await;
        let owner = app.owner().await;
        let operations = endpoints();
        for entry in &operations {
            let path = path(entry, &owner, "cli_00000000000000000000000000");
            let same_path: Vec<_> =
                operations.iter().filter(|other| other.path == entry.path).collect();
            let is_served =
                |method: &str| same_path.iter().any(|other| other.method.as_str() == method);
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                if !is_served(method) {
                    let answer = owner.request(method, &path).send().await;
                    answer.refused(405, "METHOD_NOT_SUPPORT");
                }
            }
        }
    }
}
