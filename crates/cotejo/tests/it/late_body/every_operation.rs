//! Every operation that has a body, whoever may call it, where its caller is changed while the body is on its way.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use api::{Endpoint, endpoints};
use domain::access::Rule;
use domain::permissions::Permission;
use domain::rights::Right;
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::golden::masked;
use testkit::picture::{RED, png};
use testkit::principal::Call;
use testkit::{Principal, Response, Setup, TestApp, either_engine};
use tokio::sync::oneshot;

use super::TIME_MAX;
use crate::reach::table::Table;
use crate::world::World;

/// How long the body of a picture may take.
const PICTURE_TIME_MAX: Duration = Duration::from_secs(60);

/// The kind of a caller.
#[derive(Clone, Copy)]
enum Kind {
    Key,
    Employee,
    ClientsPerson,
    Owner,
}

impl Kind {
    /// Its column in the table of access.
    fn column(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Employee => "employee",
            Self::ClientsPerson => "person of a client",
            Self::Owner => "owner's session",
        }
    }
}

/// How long a caller waits who tries a password twice each time.
const TRY_INTERVAL: Duration = Duration::from_secs(400);

/// A method, the end of a path and a body, by which somebody is changed.
type Change = (&'static str, &'static str, Value);

/// The answer of a call that was admitted before its body was here, and whose caller was changed then; nothing where the
/// call is answered without its body.
async fn interrupted(
    app: &TestApp,
    (call, time_max): (Call, Duration),
    change: impl Future<Output = ()>,
) -> Option<Response> {
    let (is_over, over) = oneshot::channel();
    let admitted = pin!(app.clock().is_awaited_anew(app.now().plus(time_max)));
    let call = pin!(call.send_late(async { over.await.unwrap() }));
    let Either::Right(((), call)) = select(call, admitted).await else { return None };
    change.await;
    is_over.send(()).unwrap();
    // Some ask an address, and wait for what does not answer.
    Some(app.clock().flow(call).await)
}

/// Returns an answer's status and body, without what differs from request to request.
fn said(answer: &Response) -> (u16, Value) {
    let mut body = masked(&answer.json());
    body["request_id"] = Value::Null;
    (answer.status, body)
}

/// One operation that callers are admitted to, and changed before all of it is there.
struct Trial<'a> {
    app: &'a TestApp,
    world: World<'a>,
    endpoint: &'a Endpoint,
    wrong: Vec<String>,
    /// How many of its calls were admitted before their bodies were here.
    late: usize,
}

impl Trial<'_> {
    fn is_of_picture(&self) -> bool {
        !self.world.request(self.endpoint)["image/png"].is_null()
    }

    fn call(&self, caller: &Principal) -> Call {
        let path = self.world.path(self.endpoint);
        let call = caller.request(self.endpoint.method.as_str(), &path);
        match self.is_of_picture() {
            true => call.header("content-type", "image/png").body(png(8, 8, |_, _| RED)),
            false => call.json(&self.world.example(self.endpoint)),
        }
    }

    /// Changes the caller while it sends its body, where it is admitted at all. It must be answered like a caller that
    /// was changed before: 400 only by what is wrong with the body itself.
    async fn admits(
        &mut self,
        caller: &Principal,
        change: impl Future<Output = Response>,
        what: &str,
    ) -> bool {
        let change = async { drop(change.await.ok()) };
        let time_max = if self.is_of_picture() { PICTURE_TIME_MAX } else { TIME_MAX };
        let call = (self.call(caller), time_max);
        let Some(answer) = interrupted(self.app, call, change).await else { return false };
        self.late += 1;
        let again = self.app.clock().flow(self.call(caller).send()).await;
        let is_right = match answer.status {
            // Whoever logs out is not let in again.
            200 => ![401, 403].contains(&again.status) || self.endpoint.name == "Logout",
            _ => said(&answer) == said(&again),
        };
        if !is_right {
            let [name, late, again] = [self.endpoint.name, &answer.text(), &again.text()];
            self.wrong.push(format!("{name}, {what}: {} {late}, and then {again}", answer.status));
        }
        // A secret is tried a few times in that time.
        self.app.clock().advance(TRY_INTERVAL);
        self.world.owner.sign_in_again().await;
        true
    }

    async fn keys(&mut self) {
        let all = Permission::ALL.map(Permission::as_str);
        let without = all.into_iter().filter(|one| *one != Permission::Movements.as_str());
        let without: Vec<_> = without.collect();
        let client = self.world.ids["{client_id}"].clone();
        let changes: [Change; 11] = [
            ("PUT", "/credit-limit", json!({ "monthly_credit_limit": 5 })),
            ("PUT", "/credit-limit", json!({ "monthly_credit_limit": 0 })),
            ("PATCH", "", json!({ "permissions": without })),
            ("PATCH", "", json!({ "permissions": [] })),
            ("PATCH", "", json!({ "name": "otra" })),
            ("PATCH", "", json!({ "expires_at": "2027-01-01T00:00:00Z" })),
            ("PATCH", "", json!({ "is_active": false })),
            (
                "PUT",
                "/scope",
                json!({ "client_owner_id": null, "user_banks": [self.world.owner.bank] }),
            ),
            ("PUT", "/scope", json!({ "client_owner_id": client, "user_banks": [] })),
            ("POST", "/rotate", json!({})),
            ("DELETE", "", json!({})),
        ];
        for (method, part, body) in changes {
            let key = self.world.owner.key_with(&all).await;
            let path = format!("/v1/api-keys/{}{part}", key.id);
            let changing = self.world.owner.request(method, &path).json(&body).send();
            if !self.admits(&key, changing, &format!("key {part} {body}")).await {
                return;
            }
        }
    }

    async fn employees(&mut self) {
        let all: Vec<_> = Right::all().map(Right::as_str).collect();
        let most = all.iter().filter(|one| !one.starts_with("statistics"));
        let most: Vec<_> = most.copied().collect();
        let mut employee = self.world.owner.employee(9, &most).await;
        for change in [
            json!({ "permissions": all }),
            json!({ "permissions": [] }),
            json!({ "is_active": false }),
        ] {
            let path = employee.path();
            let changing = self.world.owner.request("PATCH", &path).json(&change).send();
            if !self.admits(&employee, changing, &format!("employee {change}")).await {
                return;
            }
            let before = json!({ "permissions": most, "is_active": true });
            self.world.owner.patch(&path, before).await.ok();
            employee.sign_in_again().await;
        }
    }

    async fn clients_people(&mut self) {
        let client = self.world.owner.client(true).await;
        let mut person = self.world.owner.client_employee(&client, 9).await;
        let (client, account) =
            (format!("/v1/clients/{client}"), json!({ "client_owner_id": client }));
        let moved = format!("/v1/usersbank/{}/client", self.world.owner.key.link_bank().await);
        for (method, path, body) in [
            ("PATCH", person.path(), json!({ "name": "Eva" })),
            ("PATCH", client.clone(), json!({ "name": "Otra" })),
            ("PUT", format!("{client}/credit-limit"), json!({ "monthly_credit_limit": 0 })),
            ("PUT", moved, account),
            ("PATCH", client.clone(), json!({ "payments_enabled": false })),
            ("PATCH", client.clone(), json!({ "payments_enabled": true })),
            ("PATCH", client.clone(), json!({ "is_active": false })),
        ] {
            let changing = self.world.owner.request(method, &path).json(&body).send();
            if !self.admits(&person, changing, &format!("person of a client {body}")).await {
                return;
            }
            let before = json!({ "is_active": true });
            self.world.owner.patch(&client, before).await.ok();
            person.sign_in_again().await;
        }
    }

    async fn owners(&mut self) {
        let owner = &self.world.owner;
        let person = json!({ "email": owner.email, "password": owner.password });
        let moved = format!("/v1/usersbank/{}/client", owner.key.link_bank().await);
        let account = json!({ "client_owner_id": self.world.ids["{client_id}"] });
        for (method, path, body) in [
            ("PUT", "/v1/profile", json!({ "public_name": "Otra" })),
            ("PUT", &*moved, account),
            ("POST", "/auth/logout", json!({})),
        ] {
            let owner = &self.world.owner;
            let opened = owner.post("/auth/login", person.clone()).await.ok();
            let session = owner.with_bearer(opened["token"].as_str().unwrap());
            let changing = match path {
                "/auth/logout" => &session,
                _ => &**owner,
            };
            let changing = changing.request(method, path).json(&body).send();
            if !self.admits(&session, changing, &format!("owner {path}")).await {
                return;
            }
        }
    }
}

/// Tries every operation that has a body on callers of one kind. Each that the table of access lets them call was tried.
async fn try_all(setup: Setup, kind: Kind) {
    let bank = SimulatedBank::open().await;
    let app = setup.with_bank(&bank).start().await;
    let (mut wrong, mut late) = (Vec::new(), BTreeMap::new());
    for endpoint in &endpoints() {
        let is_open = matches!(endpoint.rule, Rule::Public | Rule::Hook);
        if is_open || endpoint.method == "GET" {
            continue;
        }
        let world = World::new(&app).await;
        let mut trial = Trial { app: &app, world, endpoint, wrong: Vec::new(), late: 0 };
        match kind {
            Kind::Key => trial.keys().await,
            Kind::Employee => trial.employees().await,
            Kind::ClientsPerson => trial.clients_people().await,
            Kind::Owner => trial.owners().await,
        }
        wrong.append(&mut trial.wrong);
        if !trial.world.request(endpoint).is_null() {
            late.insert(endpoint.name, trial.late);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let table = Table::below("Operations");
    let column = table.columns.iter().position(|column| *column == kind.column()).unwrap();
    let is_admitted = |name: &str| {
        let (_, cells) = table.rows.iter().find(|(row, _)| row == name).expect(name);
        cells[column] == "yes"
    };
    // The service itself waits for a minute, too, so that a picture which is refused at once may look late.
    let untried = late.iter().filter(|(name, count)| is_admitted(name) && **count == 0);
    let untried: Vec<_> = untried.collect();
    assert!(untried.is_empty(), "no body was late: {untried:?}");
}

either_engine! {
    async fn a_key_that_is_changed_while_it_sends_is_answered_by_what_it_is_then(setup: Setup) {
        try_all(setup, Kind::Key).await;
    }

    async fn an_employee_who_is_changed_while_it_sends_is_answered_by_what_it_is_then(setup: Setup) {
        try_all(setup, Kind::Employee).await;
    }

    async fn a_clients_person_that_is_changed_while_it_sends_is_answered_by_what_it_is_then(setup: Setup) {
        try_all(setup, Kind::ClientsPerson).await;
    }

    async fn an_owner_that_is_changed_while_it_sends_is_answered_by_what_it_is_then(setup: Setup) {
        try_all(setup, Kind::Owner).await;
    }
}
