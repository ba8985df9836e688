//! Callers of every kind, for each operation.

use std::time::Duration;

use domain::permissions::Permission;
use domain::rights::{Right, Rights};
use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::owner::{Key, link_bank};
use testkit::{Authenticator, Employee, Owner, Principal, TestApp};

/// Every permission that there is.
fn permissions() -> Vec<&'static str> {
    Permission::ALL.into_iter().map(Permission::as_str).collect()
}

/// Callers of the operations. Those that stay the same for all operations are made once.
pub(super) struct Callers {
    pub(super) owner: Owner,
    stranger: Owner,
    /// Gets the permission of each operation, and nothing else.
    employee: Employee,
    /// Gets every other.
    other_employee: Employee,
    /// People of a client, with payments and without.
    people: [Employee; 2],
    /// Gets the permission, too, and has a second factor.
    guarded_employee: Employee,
    /// An owner with a second factor, that employee, and a person of a client that has payments.
    guarded: [Guarded; 3],
    /// Sessions of the owner, the employee and the client's person, who have none and typed the password long ago.
    lasting: [Principal; 3],
    always: Vec<(&'static str, Principal)>,
}

/// Somebody with a second factor.
struct Guarded {
    email: String,
    password: String,
    authenticator: Authenticator,
    /// A session that has shown a code just now.
    after_a_code: Principal,
    /// One that has shown it long ago.
    without_a_code: Principal,
}

impl Guarded {
    async fn new(app: &TestApp, person: &Principal, email: &str, password: &str) -> Self {
        Self {
            email: email.to_owned(),
            password: password.to_owned(),
            authenticator: Authenticator::of(app, person, password).await,
            after_a_code: person.clone(),
            without_a_code: person.clone(),
        }
    }

    async fn session(&mut self) -> Principal {
        let code = self.authenticator.recovery_codes.pop().expect("a code");
        let body = json!({ "email": self.email, "password": self.password, "code": code });
        let answer = self.after_a_code.without_credential().post("/auth/login", body).await.ok();
        self.after_a_code.with_bearer(answer["token"].as_str().unwrap())
    }
}

/// Opens all sessions of these.
async fn sign_in_guarded(app: &TestApp, people: &mut [Guarded]) {
    for guarded in &mut *people {
        guarded.without_a_code = guarded.session().await;
    }
    app.tamper("update sessions set proved_at = 1 where proved_at is not null").await;
    for guarded in people {
        guarded.after_a_code = guarded.session().await;
    }
}

/// Opens a session of a person without a second factor.
async fn session_of(person: &Principal, email: &str, password: &str) -> Principal {
    let body = json!({ "email": email, "password": password });
    let answer = person.without_credential().post("/auth/login", body).await.ok();
    person.with_bearer(answer["token"].as_str().unwrap())
}

/// Opens sessions of people without a second factor, who typed the password long ago.
async fn lasting(
    app: &TestApp,
    owner: &Owner,
    (employee, person): (&Employee, &Employee),
) -> [Principal; 3] {
    let sessions = [
        session_of(owner, &owner.email, &owner.password).await,
        session_of(employee, &employee.email, PASSWORD).await,
        session_of(person, &person.email, PASSWORD).await,
    ];
    app.tamper("update sessions set proved_at = 1 where proved_at is null").await;
    sessions
}

/// A key of a client, limited to an account of it.
async fn limited_client_key(owner: &Owner, client: &str) -> Key {
    let key = owner.client_key(client).await;
    let bank = link_bank(&key).await;
    let body = json!({ "name": "sucursal", "client_owner_id": client, "user_banks": [bank] });
    owner.issue(body).await
}

async fn limited_key(owner: &Owner) -> Key {
    let body = json!({ "name": "caja", "user_banks": [owner.bank], "permissions": permissions() });
    owner.issue(body).await
}

async fn key_with_a_monthly_limit(owner: &Owner) -> Key {
    let key = owner.key_with(&permissions()).await;
    owner.set_limit(&key, json!(100)).await.ok();
    key
}

async fn inactive_key(owner: &Owner) -> Key {
    let key = owner.key_with(&permissions()).await;
    owner.deactivate(&key).await;
    key
}

async fn expired_key(app: &TestApp, owner: &Owner) -> Key {
    let ends = app.now().plus(Duration::from_secs(1)).to_string();
    let body = json!({ "name": "feria", "expires_at": ends, "permissions": permissions() });
    let key = owner.issue(body).await;
    app.clock().advance(Duration::from_secs(1));
    key
}

async fn revoked_key(owner: &Owner) -> Key {
    let key = owner.key_with(&permissions()).await;
    owner.revoke(&key).await;
    key
}

async fn key_of_an_inactive_client(owner: &Owner) -> Key {
    let client = owner.client(true).await;
    let key = owner.client_key(&client).await;
    owner.patch(&format!("/v1/clients/{client}"), json!({ "is_active": false })).await.ok();
    key
}

/// An owner whom the operator has switched off.
async fn inactive_owner(app: &TestApp) -> Owner {
    let owner = app.owner().await;
    let off = "update owner_profiles set is_active = false where email";
    app.tamper(&format!("{off} = '{}'", owner.email)).await;
    owner
}

async fn ended_session(owner: &Owner) -> Principal {
    let body = json!({ "email": owner.email, "password": owner.password });
    let token = owner.post("/auth/login", body).await.ok()["token"].as_str().unwrap().to_owned();
    let session = owner.with_bearer(&token);
    session.post("/auth/logout", json!({})).await.ok();
    session
}

async fn inactive_employee(owner: &Owner) -> Principal {
    let employee = owner.employee(3, &[]).await;
    owner.patch(&employee.path(), json!({ "is_active": false })).await.ok();
    Principal::clone(&employee)
}

async fn inactive_person(owner: &Owner, client: &str) -> Principal {
    let person = owner.client_employee(client, 3).await;
    owner.patch(&person.path(), json!({ "is_active": false })).await.ok();
    Principal::clone(&person)
}

async fn person_of_an_inactive_client(owner: &Owner) -> Principal {
    let client = owner.client(true).await;
    let person = owner.client_employee(&client, 4).await;
    owner.patch(&format!("/v1/clients/{client}"), json!({ "is_active": false })).await.ok();
    Principal::clone(&person)
}

/// Gives an employee these permissions and no other.
async fn permit(owner: &Owner, employee: &Employee, rights: impl Iterator<Item = Right>) {
    let names: Vec<_> = rights.map(Right::as_str).collect();
    owner.patch(&employee.path(), json!({ "permissions": names })).await.ok();
}

fn of_employee(employee: &Employee) -> Principal {
    Principal::clone(employee)
}

fn of_key(key: &Key) -> Principal {
    Principal::clone(key)
}

impl Callers {
    pub(super) async fn new(app: &TestApp) -> Self {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (closed, open) = (owner.client(false).await, owner.client(true).await);
        let inactive = inactive_owner(app).await;
        let always = vec![
            ("key without permissions", of_key(&owner.key_with(&[]).await)),
            ("key with a selection", of_key(&limited_key(&owner).await)),
            ("key with a monthly limit", of_key(&key_with_a_monthly_limit(&owner).await)),
            ("key of a client without payments", of_key(&owner.client_key(&closed).await)),
            (
                "key of a client without payments, with a selection",
                of_key(&limited_client_key(&owner, &closed).await),
            ),
            ("key of a client", of_key(&owner.client_key(&open).await)),
            ("key of a client with a selection", of_key(&limited_client_key(&owner, &open).await)),
            ("inactive key", of_key(&inactive_key(&owner).await)),
            ("expired key", of_key(&expired_key(app, &owner).await)),
            ("revoked key", of_key(&revoked_key(&owner).await)),
            ("key of an inactive client", of_key(&key_of_an_inactive_client(&owner).await)),
            ("key of an inactive owner", Principal::clone(&inactive.key)),
            ("session of an inactive owner", Principal::clone(&inactive)),
            ("ended session", ended_session(&owner).await),
            ("nobody", owner.without_credential()),
            ("employee without permissions", of_employee(&owner.employee(4, &[]).await)),
            ("inactive employee", inactive_employee(&owner).await),
            ("inactive person of a client", inactive_person(&owner, &open).await),
            ("person of an inactive client", person_of_an_inactive_client(&owner).await),
        ];
        let (employee, other_employee) =
            (owner.employee(1, &[]).await, owner.employee(2, &[]).await);
        let people =
            [owner.client_employee(&open, 1).await, owner.client_employee(&closed, 2).await];
        let (guarded_owner, guarded_employee) = (app.owner().await, owner.employee(6, &[]).await);
        let guarded_person = owner.client_employee(&open, 5).await;
        let mut guarded = [
            Guarded::new(app, &guarded_owner, &guarded_owner.email, &guarded_owner.password).await,
            Guarded::new(app, &guarded_employee, &guarded_employee.email, PASSWORD).await,
            Guarded::new(app, &guarded_person, &guarded_person.email, PASSWORD).await,
        ];
        let lasting = lasting(app, &owner, (&employee, &people[0])).await;
        sign_in_guarded(app, &mut guarded).await;
        Self {
            lasting,
            owner,
            stranger,
            employee,
            other_employee,
            guarded_employee,
            guarded,
            people,
            always,
        }
    }

    /// Gives those a second factor whose own has just ended.
    pub(super) async fn guard_again(&mut self, app: &TestApp) {
        for Guarded { after_a_code, password, authenticator, .. } in &mut self.guarded {
            *authenticator = Authenticator::of(app, after_a_code, password).await;
        }
        sign_in_guarded(app, &mut self.guarded).await;
    }

    /// Opens sessions for those whose session has just ended itself.
    pub(super) async fn sign_in_again(&mut self, app: &TestApp) {
        sign_in_guarded(app, &mut self.guarded).await;
        self.lasting = lasting(app, &self.owner, (&self.employee, &self.people[0])).await;
        self.owner.sign_in_again().await;
        self.stranger.sign_in_again().await;
        self.employee.sign_in_again().await;
        self.other_employee.sign_in_again().await;
        for person in &mut self.people {
            person.sign_in_again().await;
        }
        for (who, caller) in &mut self.always {
            if *who == "employee without permissions" {
                *caller = of_employee(&self.owner.employee(5, &[]).await);
            }
        }
    }

    /// Gives one employee that permission alone, and the other every one that does not hold it; both all where there is
    /// none to give.
    async fn permit(&self, permission: &str) {
        let Self { owner, employee, other_employee, guarded_employee, .. } = self;
        let Ok(right) = Right::parse(permission) else {
            permit(owner, employee, Right::all()).await;
            permit(owner, guarded_employee, Right::all()).await;
            permit(owner, other_employee, Right::all()).await;
            return;
        };
        permit(owner, employee, [right].into_iter()).await;
        permit(owner, guarded_employee, [right].into_iter()).await;
        let others = Right::all().filter(|one| !Rights::from_iter([*one]).contains(right));
        permit(owner, other_employee, others).await;
    }

    /// Lists the callers of an operation that this permission opens. Sessions are last: some operations end a
    /// credential of the caller.
    pub(super) async fn of(&self, permission: &str, right: &str) -> Vec<(&'static str, Principal)> {
        let Self { owner, stranger, employee, other_employee, guarded, people, always, .. } = self;
        let lasting = &self.lasting;
        self.permit(right).await;
        let all = permissions();
        let others: Vec<_> = all.iter().copied().filter(|one| *one != permission).collect();
        let right = if permission == "—" { &all[..] } else { &[permission][..] };
        let mut callers = always.clone();
        callers.extend([
            ("key", of_key(&owner.key_with(right).await)),
            ("key with every other permission", of_key(&owner.key_with(&others).await)),
            ("default key", Principal::clone(&owner.key)),
            ("another owner's key", Principal::clone(&stranger.key)),
            ("owner without a code", guarded[0].without_a_code.clone()),
            ("owner after a code", guarded[0].after_a_code.clone()),
            ("employee without a code", guarded[1].without_a_code.clone()),
            ("employee after a code", guarded[1].after_a_code.clone()),
            ("person of a client without a code", guarded[2].without_a_code.clone()),
            ("person of a client after a code", guarded[2].after_a_code.clone()),
            ("owner long after the password", lasting[0].clone()),
            ("employee long after the password", lasting[1].clone()),
            ("person of a client long after the password", lasting[2].clone()),
            ("employee", Principal::clone(employee)),
            ("employee with every other permission", Principal::clone(other_employee)),
            ("person of a client", of_employee(&people[0])),
            ("person of a client without payments", of_employee(&people[1])),
            ("owner's session", Principal::clone(owner)),
            ("another owner's session", Principal::clone(stranger)),
        ]);
        callers
    }
}
