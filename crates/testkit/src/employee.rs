//! An employee of an owner, or a person of a client, who was invited and has accepted.

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
    /// Where it is changed and removed.
    path: String,
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
        Self::accepting(inviter, "/v1/employees", &invited).await
    }

    /// Invites a person of a client by that address, accepts and signs in.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn of_client(inviter: &Principal, client: &str, email: &str) -> Self {
        let path = format!("/v1/clients/{client}");
        let body = json!({ "email": email, "name": "Marta" });
        let invited = inviter.post(&format!("{path}/invitation"), body).await.ok();
        Self::accepting(inviter, &format!("{path}/employees"), &invited).await
    }

    async fn accepting(inviter: &Principal, place: &str, invited: &Value) -> Self {
        let nobody = inviter.without_credential();
        let answer = json!({ "token": token_of(invited), "password": PASSWORD });
        nobody.post("/auth/invitations/accept", answer).await.ok();
        let text = |field: &str| invited["employee"][field].as_str().expect("a text").to_owned();
        let (id, email) = (text("id"), text("email"));
        let mut employee = Self { path: format!("{place}/{id}"), id, email, session: nobody };
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

    /// Returns the path where the employee is changed and removed.
    #[must_use]
    pub fn path(&self) -> String {
        self.path.clone()
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

    /// A person of that number of a client.
    pub async fn client_employee(&self, client: &str, number: u32) -> Employee {
        Employee::of_client(self, client, &format!("persona{number}.{}", self.email)).await
    }
}
