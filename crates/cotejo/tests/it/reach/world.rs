//! Two owners, two clients and one of everything that somebody may reach or not, by the words of `docs/access.md`.

use std::collections::HashMap;

use domain::rights::Right;
use serde_json::{Value, json};
use testkit::owner::{Key, link_bank};
use testkit::{Employee, Owner, Principal, TestApp};

use crate::pay::{make, paid_with};
use crate::receipts::receipts;
use crate::slow_bank::{let_answer, time_out};
use crate::subscriptions;

/// Every permission that a key is given here.
const PERMISSIONS: [&str; 8] = [
    "payment_verifications",
    "payment_links",
    "bank_accounts_manage",
    "movements",
    "notifications",
    "integrations",
    "statistics",
    "subscriptions",
];

/// Things by the words of a column, each by its id.
pub(crate) type Objects = HashMap<&'static str, String>;

pub(crate) struct World {
    pub(crate) owner: Owner,
    pub(crate) callers: Vec<(&'static str, Principal)>,
    pub(crate) accounts: Objects,
    pub(crate) keys: Objects,
    pub(crate) links: Objects,
    pub(crate) subscriptions: Objects,
    pub(crate) receipts: Objects,
    pub(crate) verifications: Objects,
    pub(crate) movements: Objects,
    pub(crate) clients: Objects,
    pub(crate) sessions: Objects,
    pub(crate) employees: Objects,
    pub(crate) people_of_c: Objects,
}

async fn give(owner: &Owner, bank: &str, client: &str) {
    let body = json!({ "client_owner_id": client });
    owner.put(&format!("/v1/usersbank/{bank}/client"), body).await.ok();
}

async fn trash(owner: &Owner, bank: &str) {
    owner.delete(&format!("/usersbank/{bank}/to-trash")).await.ok();
}

async fn scope(owner: &Owner, key: &Key, client: Value, banks: [&String; 2]) {
    let body = json!({ "client_owner_id": client, "user_banks": banks });
    owner.put(&format!("/v1/api-keys/{}/scope", key.id), body).await.ok();
}

/// A verification by that caller that has ended.
async fn verification(app: &TestApp, caller: &Principal, bank: &str, number: u32) -> String {
    let id = time_out(app, caller, bank, &format!("{number}10004")).await;
    let_answer(app).await;
    id
}

/// The latest movement of an account.
async fn movement(caller: &Principal, bank: &str) -> String {
    let listed = caller.get(&format!("/movements/{bank}")).await.ok();
    listed["movements"][0]["id"].as_str().unwrap().to_owned()
}

/// A subscription by that caller, of which nothing is owed so far.
async fn subscription(caller: &Principal, bank: &str) -> String {
    subscriptions::id(&subscriptions::make(caller, bank, json!({ "pay_first": false })).await)
}

/// The receipt of a link by that caller that was paid.
async fn receipt(app: &TestApp, caller: &Principal, bank: &str, number: u32) -> String {
    let link = make(caller, bank, json!({})).await;
    paid_with(&app.nobody(), &link, &format!("{number}67890")).await;
    let listed = receipts(caller).await;
    let receipt = listed.iter().find(|receipt| receipt["payment_link_id"] == link);
    receipt.expect("the receipt")["id"].as_str().unwrap().to_owned()
}

/// The session of the caller.
async fn session_of(caller: &Principal) -> String {
    let sessions = caller.get("/auth/sessions").await.ok();
    let mut listed = sessions["sessions"].as_array().unwrap().iter();
    let own = listed.find(|session| session["is_current"] == true).unwrap();
    own["id"].as_str().unwrap().to_owned()
}

/// People of an owner: one who may do everything and calls, and others whom somebody may change.
async fn people(owner: &Owner, stranger: &Owner) -> (Employee, Employee, Objects) {
    let all: Vec<_> = Right::all().map(Right::as_str).collect();
    let (caller, other) =
        (owner.employee(1, &all).await, owner.employee(2, &["payments:read"]).await);
    let removed = owner.employee(3, &[]).await;
    owner.delete(&removed.path()).await.ok();
    let body = json!({ "email": "invitada@tienda.example", "name": "Eva" });
    let invited = owner.post("/v1/employees", body).await.ok();
    let employees = Objects::from([
        ("of O", other.id.clone()),
        ("invited", invited["employee"]["id"].as_str().unwrap().to_owned()),
        ("removed", removed.id.clone()),
        ("another owner's", stranger.employee(1, &[]).await.id),
        ("absent", "emp_00000000000000000000000000".to_owned()),
    ]);
    (caller, other, employees)
}

/// People of clients: one of C and one of D who call, and others whom somebody may change as people of C.
async fn people_of_clients(
    owner: &Owner,
    stranger: &Owner,
    [c, d]: [&str; 2],
    employee: &Employee,
) -> (Employee, Employee, Objects) {
    let (of_c, of_d) = (owner.client_employee(c, 1).await, owner.client_employee(d, 2).await);
    let (other, removed) = (owner.client_employee(c, 3).await, owner.client_employee(c, 4).await);
    owner.delete(&removed.path()).await.ok();
    let body = json!({ "email": "invitada@sucursal.example", "name": "Eva" });
    let invited = owner.post(&format!("/v1/clients/{c}/invitation"), body).await.ok();
    let client_of_stranger = stranger.client(true).await;
    let objects = Objects::from([
        ("of C", other.id.clone()),
        ("invited to C", invited["employee"]["id"].as_str().unwrap().to_owned()),
        ("removed from C", removed.id.clone()),
        ("of D", of_d.id.clone()),
        ("employee of O", employee.id.clone()),
        ("another owner's", stranger.client_employee(&client_of_stranger, 1).await.id),
        ("absent", "emp_00000000000000000000000000".to_owned()),
    ]);
    (of_c, of_d, objects)
}

impl World {
    pub(crate) async fn new(app: &TestApp) -> Self {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (c, d) = (owner.client(true).await, owner.client(true).await);
        let (key, limited) =
            (owner.key_with(&PERMISSIONS).await, owner.key_with(&PERMISSIONS).await);
        let (of_c, of_d) = (owner.client_key(&c).await, owner.client_key(&d).await);
        let limited_of_c = owner.client_key(&c).await;
        let revoked = owner.key_with(&PERMISSIONS).await;

        let (first, second, of_d_bank) =
            (link_bank(&of_c).await, link_bank(&of_c).await, link_bank(&of_d).await);
        let (trashed, trashed_of_c) = (link_bank(&owner).await, link_bank(&of_c).await);
        let moved = link_bank(&of_c).await;
        scope(&owner, &limited, Value::Null, [&owner.bank, &trashed]).await;
        scope(&owner, &limited_of_c, json!(c), [&first, &moved]).await;

        let made: [(&str, &Principal, &str); 9] = [
            ("by O on its own", &owner, &owner.bank),
            ("by O on C's", &owner.key, &first),
            ("by C on its first", &of_c, &first),
            ("by C on its second", &of_c, &second),
            ("by D on its own", &of_d, &of_d_bank),
            ("by C on what moved to D", &of_c, &moved),
            ("by O on its own in the trash", &owner, &trashed),
            ("by C on its own in the trash", &of_c, &trashed_of_c),
            ("another owner's", &stranger, &stranger.bank),
        ];
        let (mut links, mut verifications) = (Objects::new(), Objects::new());
        let mut movements = Objects::new();
        let (mut subscriptions, mut receipts) = (Objects::new(), Objects::new());
        for ((name, caller, bank), number) in made.into_iter().zip(11..) {
            links.insert(name, make(caller, bank, json!({})).await);
            verifications.insert(name, verification(app, caller, bank, number).await);
            movements.insert(name, movement(caller, bank).await);
            subscriptions.insert(name, subscription(caller, bank).await);
            receipts.insert(name, receipt(app, caller, bank, number).await);
        }
        subscriptions.insert("absent", "sub_00000000000000000000000000".to_owned());
        receipts.insert("absent", "rcp_00000000000000000000000000".to_owned());
        links.insert("absent", "link_00000000000000000000000000".to_owned());
        verifications.insert("absent", "ver_00000000000000000000000000".to_owned());
        movements.insert("absent", "mov_00000000000000000000000000".to_owned());

        let pending = &links["by C on what moved to D"];
        of_c.post(&format!("/v1/paymentlink/{pending}/cancel"), json!({})).await.ok();
        let living = &subscriptions["by C on what moved to D"];
        of_c.post(&format!("/v1/subscriptions/{living}/cancelbyowner"), json!({})).await.ok();
        give(&owner, &moved, &d).await;
        trash(&owner, &trashed).await;
        trash(&owner, &trashed_of_c).await;
        owner.revoke(&revoked).await;

        let accounts = Objects::from([
            ("own", owner.bank.clone()),
            ("C's first", first),
            ("C's second", second),
            ("D's", of_d_bank),
            ("in the trash", trashed),
            ("C's in the trash", trashed_of_c),
            ("moved from C to D", moved),
            ("another owner's", stranger.bank.clone()),
            ("absent", "bank_00000000000000000000000000".to_owned()),
        ]);
        let keys = Objects::from([
            ("default", owner.key.id.clone()),
            ("standalone", key.id.clone()),
            ("with a selection", limited.id.clone()),
            ("C's", of_c.id.clone()),
            ("C's with a selection", limited_of_c.id.clone()),
            ("D's", of_d.id.clone()),
            ("revoked", revoked.id.clone()),
            ("another owner's", stranger.key.id.clone()),
            ("absent", "key_00000000000000000000000000".to_owned()),
        ]);
        let clients = Objects::from([
            ("C", c),
            ("D", d),
            ("another owner's", stranger.client(true).await),
            ("absent", "cli_00000000000000000000000000".to_owned()),
        ]);
        let (employee, other_employee, mut employees) = people(&owner, &stranger).await;
        let both_clients = [&*clients["C"], &*clients["D"]];
        let (person_of_c, person_of_d, people_of_c) =
            people_of_clients(&owner, &stranger, both_clients, &other_employee).await;
        employees.insert("of C", people_of_c["of C"].clone());
        let sessions = Objects::from([
            ("the owner's", session_of(&owner).await),
            ("employee's", session_of(&employee).await),
            ("another employee's", session_of(&other_employee).await),
            ("of a person of C", session_of(&person_of_c).await),
            ("another owner's", session_of(&stranger).await),
            ("absent", "ses_00000000000000000000000000".to_owned()),
        ]);
        let principal = |key: &Key| Principal::clone(key);
        let callers = vec![
            ("owner's session", Principal::clone(&owner)),
            ("employee", Principal::clone(&employee)),
            ("default key", principal(&owner.key)),
            ("key", principal(&key)),
            ("key with a selection", principal(&limited)),
            ("key of C", principal(&of_c)),
            ("key of C with a selection", principal(&limited_of_c)),
            ("key of D", principal(&of_d)),
            ("person of C", Principal::clone(&person_of_c)),
            ("person of D", Principal::clone(&person_of_d)),
            ("another owner's session", Principal::clone(&stranger)),
            ("another owner's key", principal(&stranger.key)),
        ];
        Self {
            owner,
            callers,
            accounts,
            keys,
            links,
            subscriptions,
            receipts,
            verifications,
            movements,
            clients,
            sessions,
            employees,
            people_of_c,
        }
    }

    /// The world in which an employee without permissions calls, too.
    pub(crate) async fn with_somebody_without_permissions(mut self) -> Self {
        let nobody = self.owner.employee(4, &[]).await;
        self.callers.push(("employee without permissions", Principal::clone(&nobody)));
        self
    }
}
