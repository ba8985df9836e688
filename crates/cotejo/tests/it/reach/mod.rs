//! Who reaches what: every operation about an object, by every kind of caller, about every kind of object, as
//! `docs/access.md` says. What is out of reach answers as what does not exist, and what a list shows opens.

mod sequences;
pub(crate) mod table;
mod world;

use std::collections::BTreeSet;
use std::time::Duration;

use api::{Endpoint, endpoints};
use serde_json::{Value, json};
use testkit::{Principal, TestApp, both_engines};

use self::table::Table;
use self::world::{Objects, World};

/// Returns a body for the operation that changes nothing where it is admitted.
fn harmless(name: &str) -> Value {
    match name {
        "SetAccountSettings" => json!({ "same_bank_by_payer": false }),
        "SetCreditLimit" | "SetClientCreditLimit" => json!({ "monthly_credit_limit": null }),
        "Verify" => json!({ "bank_reference": "1" }),
        "ChangeKey" | "ChangeClient" | "ChangeEmployee" | "ChangeClientEmployee" => {
            json!({ "name": null })
        }
        // Invited before, which is shown to a caller who may invite.
        "InviteClientEmployee" => json!({ "email": "invitada@sucursal.example", "name": "Eva" }),
        "SetKeyScope" => json!({ "client_owner_id": null, "user_banks": [] }),
        "MoveBankAccount" => json!({ "client_owner_id": null }),
        "ChangeBankSecret" => json!({ "secret": "made-up" }),
        "AcceptLink" => json!({ "movement_id": "mov_00000000000000000000000000" }),
        "SetSubscriptionPrice" => json!({ "productPrice": 150.75 }),
        "SetUnpaidPolicy" => json!({ "unpaidPolicy": "pause" }),
        // The day that it is.
        "AdvanceTestClock" => json!({ "to": "2026-11-20" }),
        "VoidReceipt" => json!({ "reason": "El pedido se emitió dos veces" }),
        _ => json!({}),
    }
}

/// Operations that change their object, whatever they are sent. They are only tried on objects out of reach.
const DESTRUCTIVE: &[&str] = &[
    "TrashBankAccount",
    "MoveBankAccount",
    "RotatePushSecret",
    "SetKeyScope",
    "RotateKey",
    "RevokeKey",
    "EndSession",
    "RemoveEmployee",
    "RemoveClientEmployee",
    "IssueClientWebhookSecret",
    "RevokeClientWebhookSecret",
    "CancelLink",
    "StopLink",
    "ResumeLink",
    "RejectLink",
    "CancelSubscription",
    "UndoCancellation",
    "PauseSubscription",
    "ResumeSubscription",
    "RenewCycleLink",
    "WaiveCycle",
    "IssuePayerPage",
    "VoidReceipt",
];

/// Operations that the service does not have, and says so whatever they are about.
const NOT_OFFERED: &[&str] = &["PayOutChange", "PayOutChangeOfAccount", "NextInvoiceNumber"];

/// Exceptions: operations that stay open on things that the tables say are gone or out of reach. Sent again, trash and
/// revocation are answered alike, the activity of a revoked key stays visible, and a client's person sees its client's
/// quota.
const KEPT: &[(&str, &str, &[&str])] = &[
    ("ShowActivity", "revoked", &["owner's session"]),
    ("ShowClientCreditLimit", "C", &["person of C"]),
    ("ShowClientCreditLimit", "D", &["person of D"]),
    ("RevokeKey", "revoked", &["owner's session"]),
    ("ShowEmployeeActivity", "removed", &["owner's session"]),
    ("ShowEmployeeActivity", "of C", &["owner's session"]),
    ("RemoveClientEmployee", "removed from C", &["owner's session", "employee"]),
    ("RemoveEmployee", "removed", &["owner's session", "employee"]),
    ("TrashBankAccount", "in the trash", &["owner's session", "employee", "default key", "key"]),
    (
        "TrashBankAccount",
        "C's in the trash",
        &["owner's session", "employee", "default key", "key", "key of C", "person of C"],
    ),
];

fn is_kept(operation: &str, object: &str, who: &str) -> bool {
    KEPT.iter().any(|(kept, of, by)| *kept == operation && *of == object && by.contains(&who))
}

/// Returns an answer's status and body, without what differs from request to request.
fn said(answer: &testkit::Response) -> (u16, Value) {
    let mut body = answer.json();
    if let Some(fields) = body.as_object_mut() {
        fields.remove("request_id");
    }
    (answer.status, body)
}

/// Returns the placeholders in the path of an operation, one after the other.
fn placeholders(entry: &Endpoint) -> String {
    entry.path.split('/').filter(|part| part.starts_with('{')).collect()
}

async fn ask(caller: &Principal, entry: &Endpoint, placeholder: &str, id: &str) -> (u16, Value) {
    // What is known of a person of C is asked below C.
    let path = match placeholder.split_once('}') {
        Some(("{client_id", "{employee_id}")) => {
            let (client, employee) = id.split_once('/').expect("a client and a person");
            entry.path.replace("{client_id}", client).replace("{employee_id}", employee)
        }
        Some(("{subscription_id", "{cycle}")) => {
            entry.path.replace("{subscription_id}", id).replace("{cycle}", "1")
        }
        _ => entry.path.replace(placeholder, id),
    };
    let call = caller.request(entry.method.as_str(), &path).json(&harmless(entry.name));
    said(&call.send().await)
}

/// Holds every operation whose path names such an object to the table. Whom an operation is not for learns nothing of
/// any object.
async fn hold(app: &TestApp, world: &World, heading: &str, placeholder: &str, objects: &Objects) {
    let table = Table::below(heading);
    let mut wrong = Vec::new();
    let operations = endpoints();
    let of_object = operations.iter().filter(|entry| placeholders(entry) == placeholder);
    for entry in of_object.filter(|entry| entry.name != "TakeBankNotice") {
        for (who, caller) in &world.callers {
            if entry.name == "ChangeBankSecret" {
                // An address may make ten of these a minute.
                app.clock().advance(Duration::from_secs(60));
            }
            let absent = ask(caller, entry, placeholder, &objects["absent"]).await;
            let is_let_in = absent.0 != 403;
            for (object, is_reached) in table.row(who) {
                if is_let_in && is_reached && DESTRUCTIVE.contains(&entry.name) {
                    continue;
                }
                let answer = ask(caller, entry, placeholder, &objects[object]).await;
                let is_open = answer != absent && answer.0 != 403;
                let is_offered = !NOT_OFFERED.contains(&entry.name);
                let should_be =
                    is_let_in && is_offered && (is_reached || is_kept(entry.name, object, who));
                if is_open != should_be || (!should_be && answer != absent) {
                    wrong.push(format!("{} by {who} about {object}: {answer:?}", entry.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Holds that a list shows what the table says yes to, and nothing else.
async fn list(
    world: &World,
    heading: &str,
    objects: &Objects,
    shown: impl AsyncFn(&Principal) -> Vec<Value>,
) {
    let table = Table::below(heading);
    for (who, caller) in &world.callers {
        let known: BTreeSet<&str> = objects.values().map(String::as_str).collect();
        let shown = shown(caller).await;
        let shown: BTreeSet<&str> = shown.iter().map(|it| it["id"].as_str().unwrap()).collect();
        let shown: BTreeSet<&str> = shown.intersection(&known).copied().collect();
        let expected: BTreeSet<&str> = table
            .row(who)
            .filter(|(_, is_reached)| *is_reached)
            .map(|(object, _)| objects[object].as_str())
            .collect();
        assert_eq!(shown, expected, "{heading} by {who}");
    }
}

fn entries(answer: &Value, name: &str) -> Vec<Value> {
    answer[name].as_array().unwrap().clone()
}

/// Lists the entries that a caller is shown; none if it is refused.
fn entries_if_let_in(answer: &testkit::Response, name: &str) -> Vec<Value> {
    if answer.status == 200 { entries(&answer.json(), name) } else { Vec::new() }
}

both_engines! {
    async fn accounts_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await;
        list(&world, "Accounts", &world.accounts, async |caller| {
            entries(&caller.get("/me/usersbank").await.ok(), "user_banks")
        })
        .await;
        hold(&app, &world, "Accounts", "{bank_id}", &world.accounts).await;
    }

    async fn keys_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await;
        list(&world, "Keys", &world.keys, async |caller| {
            entries(&caller.get("/me/api-keys").await.ok(), "api_keys")
        })
        .await;
        hold(&app, &world, "Keys", "{api_key_id}", &world.keys).await;
    }

    async fn links_and_verifications_are_reached_as_the_tables_say(app: TestApp) {
        let world = World::new(&app).await;
        list(&world, "Payment links", &world.links, async |caller| {
            entries(&caller.post("/me/payment-links", json!({})).await.ok(), "payment_links")
        })
        .await;
        hold(&app, &world, "Payment links", "{payment_link_id}", &world.links).await;
        hold(&app, &world, "Verifications", "{verification_id}", &world.verifications).await;
        hold(&app, &world, "Movements", "{movement_id}", &world.movements).await;
        // Each was confirmed, and a payment is seen by every caller who sees its verification.
        list(&world, "Verifications", &world.verifications, async |caller| {
            let payments = entries(&caller.get("/v1/payments").await.ok(), "payments");
            payments.iter().map(|payment| json!({ "id": payment["verification_id"] })).collect()
        })
        .await;
    }

    async fn subscriptions_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await.with_somebody_without_permissions().await;
        list(&world, "Subscriptions", &world.subscriptions, async |caller| {
            entries_if_let_in(&caller.post("/me/subscriptions", json!({})).await, "subscriptions")
        })
        .await;
        for placeholder in ["{subscription_id}", "{subscription_id}{cycle}"] {
            hold(&app, &world, "Subscriptions", placeholder, &world.subscriptions).await;
        }
    }

    async fn receipts_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await.with_somebody_without_permissions().await;
        list(&world, "Receipts", &world.receipts, async |caller| {
            entries_if_let_in(&caller.get("/v1/receipts?livemode=false").await, "receipts")
        })
        .await;
        hold(&app, &world, "Receipts", "{receipt_id}", &world.receipts).await;
        let voided = "select count(*) from receipts where voided_at is not null";
        assert_eq!(app.database().number(voided), 0);
    }

    async fn sessions_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await;
        list(&world, "Sessions", &world.sessions, async |caller| {
            entries_if_let_in(&caller.get("/auth/sessions").await, "sessions")
        })
        .await;
        hold(&app, &world, "Sessions", "{session_id}", &world.sessions).await;
    }

    async fn employees_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await;
        let people = ["owner's session", "employee", "another owner's session"];
        for (who, caller) in &world.callers {
            if !people.contains(who) {
                caller.get("/v1/employees").await.refused(403, "OWNER_SESSION_REQUIRED");
            }
        }
        list(&world, "Employees", &world.employees, async |caller| {
            let answer = caller.get("/v1/employees").await;
            if answer.status == 200 { entries(&answer.ok(), "employees") } else { Vec::new() }
        })
        .await;
        hold(&app, &world, "Employees", "{employee_id}", &world.employees).await;
    }

    async fn a_clients_people_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await;
        let client = &world.clients["C"];
        let path = format!("/v1/clients/{client}/employees");
        list(&world, "A client's people", &world.people_of_c, async |caller| {
            entries_if_let_in(&caller.get(&path).await, "employees")
        })
        .await;
        let below = |(name, id): (&&'static str, &String)| (*name, format!("{client}/{id}"));
        let people: Objects = world.people_of_c.iter().map(below).collect();
        hold(&app, &world, "A client's people", "{client_id}{employee_id}", &people).await;
    }

    async fn clients_are_reached_as_the_table_says(app: TestApp) {
        let world = World::new(&app).await;
        list(&world, "Clients", &world.clients, async |caller| {
            entries_if_let_in(&caller.get("/v1/clients").await, "clients")
        })
        .await;
        hold(&app, &world, "Clients", "{client_id}", &world.clients).await;
    }
}
