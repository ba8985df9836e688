//! `/v1/employees`, `/auth/invitations/accept` and `/invitation/{token}`

mod ends;
mod invitations;
mod page;
mod rank;
mod work;

use serde_json::{Value, json};
use testkit::employee::{PASSWORD, token_of};
use testkit::{Owner, Principal, Response};

/// Invites somebody by that address, and returns what the inviter is answered.
async fn invite(inviter: &Principal, email: &str, permissions: &[&str]) -> Value {
    let body = json!({ "email": email, "name": "Luis", "permissions": permissions });
    inviter.post("/v1/employees", body).await.ok()
}

/// Accepts by that secret.
async fn accept(caller: &Principal, token: &str) -> Response {
    let body = json!({ "token": token, "password": PASSWORD });
    caller.without_credential().post("/auth/invitations/accept", body).await
}

/// Signs in, with the usual password.
async fn sign_in(caller: &Principal, email: &str) -> Response {
    let body = json!({ "email": email, "password": PASSWORD });
    caller.without_credential().post("/auth/login", body).await
}

/// Invites somebody by that address, and answers the employee's id and the invitation's secret.
async fn invited(owner: &Owner, email: &str) -> (String, String) {
    let invited = invite(owner, email, &["payments:read"]).await;
    (invited["employee"]["id"].as_str().unwrap().to_owned(), token_of(&invited))
}
