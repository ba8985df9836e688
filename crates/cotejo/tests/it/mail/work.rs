//! What is asked for by an address costs the same whether anybody has it: statements and waits of the store.

use std::sync::{Arc, OnceLock};

use app::access::{Credential, admit};
use app::sessions::request_reset;
use app::{Clock, RequestContext};
use domain::access::RequestPasswordReset;
use domain::browser::Program;
use domain::language::Language;
use domain::text::EmailAddress;
use serde_json::json;
use store::Meter;
use testkit::log::access_line;
use testkit::{Engine, Principal, Setup, TestApp, both_engines};

use super::{deliver, with_mail};

const NOBODY: &str = "nobody@example.com";

/// Counts statements and waits of a request for another password until all is done, even what follows its answer.
async fn asking(app: &TestApp, email: &str) -> (u64, u64) {
    let meter = Arc::<Meter>::default();
    let request = RequestContext {
        received: app.now(),
        received_uptime: app.clock().uptime(),
        request_id: "work".to_owned(),
        address: None,
        program: Program::default(),
        language: Language::Es,
        meter: Arc::clone(&meter),
        readmitted: OnceLock::new(),
    };
    let act = admit::<RequestPasswordReset>(app.app(), Credential::None, Arc::new(request));
    let email = EmailAddress::parse(email).unwrap();
    request_reset(app.app(), &act.await.unwrap(), email).unwrap();
    app.settle().await;
    (meter.statements(), meter.waits())
}

/// Counts the statements and waits of an invitation of that address.
async fn inviting(
    app: &TestApp,
    inviter: &Principal,
    (number, email): (usize, &str),
) -> (u64, u64) {
    app.invalidate_auth_cache().await;
    let engine = match app.database().url() {
        Some(_) => Engine::Postgres,
        None => Engine::Sqlite,
    };
    let id = format!("inviting-{number}-{engine:?}");
    let call = inviter.request("POST", "/v1/employees").header("x-request-id", &id);
    let body = json!({ "email": email, "name": "Luis", "permissions": [] });
    call.json(&body).send().await.ok();
    let line = access_line(&id).await;
    (line.statements, line.waits)
}

both_engines! {
    async fn who_asks_for_another_password_has_the_store_work_alike(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let people = [NOBODY, &owner.email];
        let switched_off = app.owner().await;
        app.tamper(&format!(
            "update owner_profiles set is_active = false where email = '{}'",
            switched_off.email,
        )).await;
        let mut costs = Vec::new();
        for email in people.into_iter().chain([&*switched_off.email]) {
            costs.push(asking(&app, email).await);
        }
        let [nobody, known, off] = costs[..] else { unreachable!() };
        assert_eq!((nobody, nobody.1), (off, known.1), "{costs:?}");
        // What somebody gets is written by the same transaction, without another wait.
        assert!(known.0 > nobody.0, "{costs:?}");
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);
        // Who has had enough of them costs what nobody does.
        for _ in 0..2 {
            asking(&app, &owner.email).await;
        }
        assert_eq!(asking(&app, &owner.email).await, nobody);
    }

    async fn who_is_invited_has_the_store_work_alike(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let (luis, gone) = (other.employee(1, &[]).await, other.employee(2, &[]).await);
        other.delete(&gone.path()).await.ok();
        let mut costs = Vec::new();
        for invited in [NOBODY, &*other.email, &*luis.email, &*gone.email].into_iter().enumerate() {
            costs.push(inviting(&app, &owner, invited).await);
        }
        assert!(costs[0].0 > 0 && costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
    }
}
