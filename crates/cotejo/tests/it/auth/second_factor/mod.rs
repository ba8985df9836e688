//! The second factor: `/auth/totp`, codes at `POST /auth/login`, and `POST /auth/step-up`.

mod codes;
mod ends;
mod guessing;
mod setup;
mod step_up;

use serde_json::{Value, json};
use testkit::employee::PASSWORD;
use testkit::{Authenticator, Employee, Owner, Principal, Response, TestApp};

/// Somebody with a second factor, signed in by a code.
struct Person {
    session: Principal,
    email: String,
    password: String,
    authenticator: Authenticator,
}

impl Person {
    /// The owner, and an employee of it: what holds for one holds for every person.
    async fn both(app: &TestApp, owner: &Owner) -> [Self; 2] {
        [Self::owner(app, owner).await, Self::employee(app, &owner.employee(1, &[]).await).await]
    }

    async fn owner(app: &TestApp, owner: &Owner) -> Self {
        Self::new(app, owner, &owner.email, &owner.password).await
    }

    async fn employee(app: &TestApp, employee: &Employee) -> Self {
        Self::new(app, employee, &employee.email, PASSWORD).await
    }

    async fn new(app: &TestApp, session: &Principal, email: &str, password: &str) -> Self {
        Self {
            session: session.clone(),
            email: email.to_owned(),
            password: password.to_owned(),
            authenticator: Authenticator::of(app, session, password).await,
        }
    }

    async fn sign_in(&self, code: &str) -> Response {
        let mut body = credentials(&self.email, &self.password);
        body["code"] = code.into();
        self.session.without_credential().post("/auth/login", body).await
    }

    /// Another session, by a code that was not shown yet.
    async fn another_session(&self, app: &TestApp) -> Principal {
        let answer = self.sign_in(&self.authenticator.next_code(app)).await.ok();
        self.session.with_bearer(answer["token"].as_str().unwrap())
    }

    async fn step_up(&self, code: &str) -> Response {
        self.session.post("/auth/step-up", json!({ "code": code })).await
    }

    /// A recovery code that nobody has used.
    fn recovery_code(&mut self) -> String {
        self.authenticator.recovery_codes.pop().unwrap()
    }
}

fn credentials(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password })
}

/// A code that is none within two hours, by whichever clock.
fn wrong_code(authenticator: &Authenticator, app: &TestApp) -> String {
    let step = testkit::authenticator::STEP;
    let begin = app.now().minus(125 * step);
    let near: Vec<_> = (0..250).map(|n| authenticator.code(begin.plus(n * step))).collect();
    (0..251).map(|n| format!("{n:06}")).find(|code| !near.contains(code)).unwrap()
}

/// Lists these refusals from the audit trail: their subject and how often they came.
fn refusals(app: &TestApp, action: &str) -> Vec<String> {
    let query = "select subject || ' ' || cast(times as varchar(20)) from audit where action";
    app.database().texts(&format!("{query} = '{action}' order by id asc"))
}
