//! An employee of an owner, who was invited and has accepted.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::{Owner, Principal};

/// The password that every employee of these tests chooses.
pub const PASSWORD: &str = "una frase de prueba";

/// An employee. It calls by its session.
#[derive(Clone, Debug)]
pub struct Employee {
    /// Its id.
    pub id: String,
    /// What it signs in with.
    pub email: String,
    session: Principal,
}

/// The secret at the end of an invitation's address.
///
/// # Panics
/// Where the answer has none.
#[must_use]
pub fn token_of(invited: &Value) -> String {
    let url = invited["invitation_url"].as_str().expect("an address");
    url.rsplit('/').next().expect("a last part").to_owned()
}

impl Employee {
    /// Invites somebody by that address, accepts and signs in.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn of(inviter: &Principal, email: &str, permissions: &[&str]) -> Self {
        let body = json!({ "email": email, "name": "Luis", "permissions": permissions });
        let invited = inviter.post("/v1/employees", body).await.ok();
        let nobody = inviter.without_credential();
        let answer = json!({ "token": token_of(&invited), "password": PASSWORD });
        nobody.post("/auth/invitations/accept", answer).await.ok();
        let id = invited["employee"]["id"].as_str().expect("an id").to_owned();
        let mut employee = Self { id, email: email.to_owned(), session: nobody };
        employee.sign_in_again().await;
        employee
    }

    /// Opens another session.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn sign_in_again(&mut self) {
        let body = json!({ "email": self.email, "password": PASSWORD });
        let answer = self.session.post("/auth/login", body).await.ok();
        self.session = self.session.with_bearer(answer["token"].as_str().expect("a token"));
    }

    /// Where the employee is changed and removed.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/v1/employees/{}", self.id)
    }
}

impl Deref for Employee {
    type Target = Principal;

    fn deref(&self) -> &Principal {
        &self.session
    }
}

impl Owner {
    /// An employee of that number with these permissions.
    pub async fn employee(&self, number: u32, permissions: &[&str]) -> Employee {
        Employee::of(self, &format!("empleado{number}.{}", self.email), permissions).await
    }
}
