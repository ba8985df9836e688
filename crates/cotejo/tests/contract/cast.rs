//! Who asks, and what there is to ask about: some of everything that a path names.

use std::collections::BTreeMap;

use domain::permissions::Permission;
use domain::rights::Right;
use serde_json::{Value, json};
use testkit::employee::PASSWORD;
use testkit::owner::link_bank;
use testkit::{Principal, TestApp};

/// How much of each thing there is.
const OF_EACH: u32 = 3;

/// Address that webhooks go to. They reach nobody, since no name leads anywhere.
const RECEIVER: &str = "https://tienda.example/webhooks";

/// A kind of caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// The session of an owner.
    Owner,
    /// The session of an employee with every permission.
    Employee,
    /// The session of a person of a client.
    ClientPerson,
    /// A key of the owner's with every permission.
    Key,
    /// Somebody without a credential.
    Nobody,
}

impl Who {
    pub(crate) const ALL: [Self; 5] =
        [Self::Owner, Self::Employee, Self::ClientPerson, Self::Key, Self::Nobody];

    /// How many operations are done for it at least: a test that gets refusals alone proves little.
    pub(crate) const fn does_at_least(self) -> usize {
        match self {
            Self::Owner => 75,
            Self::Employee => 57,
            Self::ClientPerson => 27,
            Self::Key => 24,
            Self::Nobody => 2,
        }
    }
}

/// The ids of things, by the prefix that those of a kind have.
pub(crate) type Ids = BTreeMap<&'static str, Vec<String>>;

/// A caller, and the ids of what it may ask about.
pub(crate) struct Cast {
    /// What it shows, if anything.
    pub(crate) credential: Option<String>,
    /// What it may ask about.
    pub(crate) ids: Ids,
}

impl Cast {
    /// An owner with some of everything, and that caller of it.
    pub(crate) async fn on(app: &TestApp, who: Who) -> Self {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let rights: Vec<String> = Right::all().map(|right| right.to_string()).collect();
        let rights: Vec<&str> = rights.iter().map(String::as_str).collect();
        // The caller is none of those that are asked about.
        let employee = owner.employee(0, &rights).await;
        let person = owner.client_employee(&client, 0).await;
        let mut employees = Vec::new();
        for number in 1..=OF_EACH {
            employees.push(owner.employee(number, &rights).await.id);
            employees.push(owner.client_employee(&client, number).await.id);
        }
        let maker: &Principal = if who == Who::ClientPerson { &person } else { &owner };
        let mut ids = belongings(app, maker).await;
        ids.insert("cli", vec![client]);
        ids.insert("emp", employees);
        let credential = match who {
            Who::Owner => Some(token(app, &owner.email, &owner.password).await),
            Who::Employee => Some(token(app, &employee.email, PASSWORD).await),
            Who::ClientPerson => Some(token(app, &person.email, PASSWORD).await),
            Who::Key => {
                let all: Vec<&str> = Permission::ALL.into_iter().map(Permission::as_str).collect();
                Some(owner.key_with(&all).await.text)
            }
            Who::Nobody => None,
        };
        if let (Some(token), true) = (&credential, who != Who::Key) {
            ids.insert("ses", other_sessions(app, token).await);
        }
        Self { credential, ids }
    }
}

/// Accounts, keys, links, and what was reported of these, all of that caller's.
async fn belongings(app: &TestApp, maker: &Principal) -> Ids {
    let [mut banks, mut keys, mut links] = [const { Vec::new() }; 3];
    for _ in 0..OF_EACH {
        banks.push(link_bank(maker).await);
        let key = json!({ "name": "caja" });
        keys.push(text(&maker.post("/auth/api-key", key).await.ok()["api_key"]["id"]));
        let link = json!({ "amount": 150.75, "description": "Pedido 7", "user_bank_id": banks[0],
            "webhook_url": RECEIVER });
        links.push(text(&maker.post("/v1/paymentlink", link).await.ok()["paymentlink"]["id"]));
    }
    // One is paid, of which the receiver is notified; the others stay open.
    let pay = app.nobody();
    let pay = pay.request("POST", &format!("/pay/{}", links[0]));
    let form = "application/x-www-form-urlencoded";
    let pay = pay.header("content-type", form).body("reference=167890&seen=15075");
    app.clock().flow(pay.send()).await;
    let path = format!("/v1/webhooks/deliveries?payment_link_id={}", links[0]);
    let listed = maker.get(&path).await.ok();
    let events: Vec<String> =
        listed["deliveries"].as_array().unwrap().iter().map(|one| text(&one["id"])).collect();
    assert!(!events.is_empty(), "nobody was told of a payment");
    let asked = maker.get("/v1/verifications").await.ok();
    let asked = asked["verifications"].as_array().unwrap().iter().map(|one| text(&one["id"]));
    let asked: Vec<String> = asked.collect();
    assert!(!asked.is_empty(), "no payment was looked for");
    // What is asked for first is to be open.
    links.rotate_left(1);
    let all = [("bank", banks), ("key", keys), ("link", links), ("evt", events), ("ver", asked)];
    BTreeMap::from(all)
}

/// Signs in.
async fn token(app: &TestApp, email: &str, password: &str) -> String {
    let body = json!({ "email": email, "password": password });
    text(&app.nobody().post("/auth/login", body).await.ok()["token"])
}

/// The sessions of the person with that token, but for its own.
async fn other_sessions(app: &TestApp, token: &str) -> Vec<String> {
    let found = app.nobody().with_bearer(token).get("/auth/sessions").await.ok();
    let sessions = found["sessions"].as_array().unwrap().iter();
    sessions
        .filter(|session| session["is_current"] == false)
        .map(|session| text(&session["id"]))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
