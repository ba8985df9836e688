//! An owner with one of everything, whom every operation can be asked about by the example of the document.

use std::collections::BTreeMap;

use api::Endpoint;
use serde_json::{Value, json};
use testkit::golden::masked;
use testkit::{Owner, Response, TestApp};

use crate::pay::make;

/// How the hint of a key begins, and how many of its last characters it ends with.
const KEY_HINT: &str = "ck_live_…";
const HINT_LEN: usize = 4;

/// The tables that there are.
const SCHEMA: &str = include_str!("../../../store/migrations/0001_schema.sql");

/// An owner with one of everything that a call can be about.
pub(crate) struct World<'a> {
    app: &'a TestApp,
    pub(crate) owner: Owner,
    pub(crate) ids: BTreeMap<&'static str, String>,
    pub(crate) document: Value,
}

impl<'a> World<'a> {
    pub(crate) async fn new(app: &'a TestApp) -> Self {
        let owner = app.owner().await;
        let (client, employee) = (owner.client(true).await, owner.employee(1, &[]).await);
        let person = owner.client_employee(&client, 1).await;
        let ids = BTreeMap::from([
            ("{api_key_id}", owner.key_with(&["movements"]).await.id),
            ("{bank_id}", owner.bank.clone()),
            ("{payment_link_id}", make(&owner.key, &owner.bank, json!({})).await),
            ("{subscription_id}", subscription(&owner).await),
            ("{cycle}", "1".to_owned()),
            ("{client_id}", client),
            ("{employee_id}", employee.id.clone()),
            ("{person_id}", person.id.clone()),
        ]);
        let document = serde_json::from_str(api::openapi()).unwrap();
        Self { app, owner, ids, document }
    }

    /// The path of an operation about what is there. What there is none of has an id of its form.
    pub(crate) fn path(&self, endpoint: &Endpoint) -> String {
        let mut path = endpoint.path.to_owned();
        if path.contains("{client_id}") {
            path = path.replace("{employee_id}", "{person_id}");
        }
        for (placeholder, id) in &self.ids {
            path = path.replace(placeholder, id);
        }
        for (placeholder, id) in [
            ("{movement_id}", "mov_00000000000000000000000000"),
            ("{receipt_id}", "rcp_00000000000000000000000000"),
            ("{notice_id}", "ntc_00000000000000000000000000"),
            ("{session_id}", "ses_00000000000000000000000000"),
            ("{verification_id}", "ver_00000000000000000000000000"),
            ("{delivery_id}", "evt_00000000000000000000000000"),
            ("{redelivery_id}", "redo_00000000000000000000000000"),
            ("{provider}", "bdv"),
        ] {
            path = path.replace(placeholder, id);
        }
        path
    }

    /// Returns the operation's request body in the document; null where it needs none.
    pub(crate) fn request(&self, endpoint: &Endpoint) -> &Value {
        let method = endpoint.method.as_str().to_ascii_lowercase();
        &self.document["paths"][endpoint.path][method]["requestBody"]["content"]
    }

    /// The example of the document, about what is there.
    pub(crate) fn example(&self, endpoint: &Endpoint) -> Value {
        let request = &self.request(endpoint)["application/json"];
        if request.is_null() {
            return json!({});
        }
        let example = &request["example"];
        assert!(example.is_object(), "the document has no example of {}", endpoint.name);
        let mut text = example.to_string();
        for (prefix, placeholder) in [("bank", "{bank_id}"), ("cli", "{client_id}")] {
            let shown = format!("{prefix}_00000000000000000000000001");
            text = text.replace(&shown, &self.ids[placeholder]);
        }
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) async fn send(&self, endpoint: &Endpoint, query: &str, body: &Value) -> Response {
        let path = self.path(endpoint) + query;
        self.owner.request(endpoint.method.as_str(), &path).json(body).send().await
    }

    /// A body that is about what `another` has, about what is here.
    pub(crate) fn of(&self, another: &Self, body: &Value) -> Value {
        let mut text = body.to_string();
        for (placeholder, id) in &another.ids {
            text = text.replace(id, &self.ids[placeholder]);
        }
        serde_json::from_str(&text).unwrap()
    }

    /// Returns the answer's body without what differs from caller to caller.
    pub(crate) fn masked(&self, answer: &Response) -> Value {
        let text = answer.json().to_string().replace(&self.owner.email, "{email}");
        let mut between = text.split(KEY_HINT);
        let before = between.next().unwrap_or_default().to_owned();
        let without_hints =
            between.fold(before, |text, rest| text + KEY_HINT + rest.split_at(HINT_LEN).1);
        masked(&serde_json::from_str(&without_hints).unwrap())
    }

    /// How many rows each table has, and when the records were changed last: one statement, since some tests ask after each
    /// call. When a key was used is written behind the calls, from time to time.
    pub(crate) fn written(&self) -> Vec<String> {
        let tables = SCHEMA.lines().filter_map(|line| line.strip_prefix("create table "));
        let tables = tables.filter_map(|rest| rest.split([' ', '(']).next());
        let counts = tables
            .filter(|table| *table != "key_uses")
            .map(|table| format!("select '{table} ' || count(*) as written from {table}"));
        let changes = ["payment_links", "api_keys", "clients", "employees", "user_banks"]
            .map(|table| format!("select '{table} at ' || max(updated_at) from {table}"));
        let queries: Vec<_> = counts.chain(changes).collect();
        self.app.database().texts(&format!("{} order by written", queries.join(" union all ")))
    }
}

/// Answers whether the body of a call is read at all: HTTP gives that of a `GET` no meaning, and a picture has no fields.
pub(crate) fn has_fields(endpoint: &Endpoint) -> bool {
    endpoint.method.as_str() != "GET" && endpoint.name != "SetLogo"
}

/// Makes a subscription, and answers its id. It is paid at its periods' ends: a link of it would stand beside the other
/// one in an order that chance decides, since both are made at one instant.
async fn subscription(owner: &Owner) -> String {
    let body = json!({
        "user_bank_id": owner.bank,
        "pay_first": false,
        "uniqueProduct": { "productName": "Gimnasio", "productPrice": 5 },
        "uniqueClient": { "clientName": "Cliente", "clientPhone": "0412" },
    });
    let made = owner.key.post("/v1/subscription/make", body).await.ok();
    made["subscription"]["id"].as_str().unwrap().to_owned()
}
