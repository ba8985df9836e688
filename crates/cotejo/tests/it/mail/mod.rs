//! Mail, caught by a real mail server.

mod addresses;
mod invitations;
mod notice_kinds;
mod notices;
mod outbox;
mod reminders;
mod resets;
mod secured;
mod thrown_out;
mod work;

use app::mails::PersonalMail;
use app::queue::Work;
use egress::{MailSettings, Sender, Tls};
use serde_json::{Value, json};
use testkit::{Principal, Response, Setup, TestApp, TestMailServer};

/// A service with a mail server.
async fn with_mail(setup: Setup) -> (TestApp, TestMailServer) {
    let server = TestMailServer::start();
    (setup.with_mail(server.settings()).start().await, server)
}

/// A mail server that is down: a port at which nobody listens.
fn nobody_listens() -> MailSettings {
    MailSettings {
        server: "127.0.0.1".to_owned(),
        port: testkit::closed_port().port(),
        tls: Tls::Off,
        ca_file: None,
        credentials: None,
        from: Sender::parse("cobros@example.com").unwrap(),
    }
}

/// Makes the service send what is due, and waits until it has.
async fn deliver(app: &TestApp) {
    app.settle().await;
    app.clock().advance(PersonalMail::POLL);
    app.clock().is_awaited(app.now().plus(PersonalMail::POLL)).await;
}

/// Asks for another password.
async fn ask(caller: &Principal, email: &str) -> Response {
    let body = json!({ "email": email });
    caller.without_credential().post("/auth/password/reset", body).await
}

/// Sets a password by the secret of a link.
async fn reset(caller: &Principal, token: &str, password: &str) -> Response {
    let body = json!({ "token": token, "password": password });
    caller.without_credential().post("/auth/password/reset/confirm", body).await
}

async fn sign_in(caller: &Principal, email: &str, password: &str) -> Response {
    let body = json!({ "email": email, "password": password });
    caller.without_credential().post("/auth/login", body).await
}

/// Invites somebody by that address, and returns what the inviter is answered.
async fn invite(inviter: &Principal, email: &str) -> Value {
    let body = json!({ "email": email, "name": "Luis", "permissions": ["payments:read"] });
    inviter.post("/v1/employees", body).await.ok()
}
