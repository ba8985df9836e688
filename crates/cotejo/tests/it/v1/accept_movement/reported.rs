//! Who is told that an accepted payment is new.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use app::access::{Credential, admit};
use app::verification::ReportedTo;
use app::verification::accept_movement::{AcceptRequest, accept_movement};
use app::{Clock, RequestContext};
use domain::browser::Program;
use domain::language::Language;
use domain::secret::SecretText;
use serde_json::json;
use testkit::log::access_line;
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{accept, accept_for_caller, path_of, result};
use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::changed::after;
use crate::payment_links::accept::{OWED, shown};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn verify(caller: &Principal, owner: &Owner, reference: &str) -> Response {
    let body = json!({ "bank_reference": reference, "amount": 150.75 });
    caller.verify(&owner.bank, body).await
}

/// Accepts a movement as the owner, and loses the answer on its way.
async fn accept_in_vain(app: &TestApp, owner: &Owner, movement: &str) {
    let person = json!({ "email": owner.email, "password": owner.password });
    let session = owner.post("/auth/login", person).await.ok();
    let request = RequestContext {
        received: app.now(),
        received_uptime: app.clock().uptime(),
        request_id: "lost".to_owned(),
        address: None,
        program: Program::default(),
        language: Language::Es,
        meter: Arc::default(),
        readmitted: OnceLock::new(),
    };
    let token = SecretText::new(session["token"].as_str().unwrap().to_owned());
    let act = admit(app.app(), Credential::Bearer(token), Arc::new(request)).await.unwrap();
    let movement = movement.parse().unwrap();
    let request = AcceptRequest { movement, reported_to: ReportedTo::Answer, other_than: None };
    let answered = accept_movement(app.app(), &act, request, None, |_| Vec::new()).await.unwrap();
    assert!(answered.first_report.is_some());
    drop(answered);
    app.settle().await;
}

/// Accepts a movement as the owner, and hangs up while it is written.
#[expect(clippy::disallowed_methods, reason = "the clock of the test stands still")]
async fn hang_up(app: &TestApp, owner: &Owner, movement: &str) {
    let person = json!({ "email": owner.email, "password": owner.password });
    let session = owner.post("/auth/login", person).await.ok();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         x-request-id: hang-up-accept\r\ncontent-length: 2\r\n\r\n{{}}",
        path = path_of(movement),
        token = session["token"].as_str().unwrap(),
    );
    let hanging_up = async {
        let mut stream = TcpStream::connect(owner.address()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        // Far more than the request takes to come as far as its write, which waits.
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(stream);
        assert_eq!(access_line("hang-up-accept").await.status, 499);
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    after(app, owner.id.parse().unwrap(), |_, _| Ok(()), hanging_up).await;
    app.settle().await;
}

both_engines! {
    async fn who_hangs_up_while_it_is_written_gets_the_report_when_asking_again(app: TestApp) {
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        hang_up(&app, &owner, &movement).await;
        assert_eq!(app.database().number("select count(*) from payments"), 1);
        assert!(!result(&verify(&owner.key, &owner, "7654321").await).1);
        assert!(result(&accept(&owner, &movement).await).1);
        assert!(!result(&accept(&owner, &movement).await).1);
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_caller_gets_the_report_in_the_acceptors_place_and_once(app: TestApp) {
        let owner = app.owner().await;
        let till = owner.key_with(&["payment_verifications"]).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let (payment, is_new, cost) = result(&accept_for_caller(&owner, &movement).await);
        assert_eq!((is_new, cost), (false, 1));
        // Who left it to a caller is not told either, however it asks.
        for answer in [accept_for_caller(&owner, &movement).await, accept(&owner, &movement).await] {
            assert_eq!(result(&answer), (payment.clone(), false, 0));
        }
        // Another amount is another payment.
        let other = json!({ "bank_reference": "7654321", "amount": 1 });
        till.verify(&owner.bank, other).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");

        // The caller that gets the first report gets its cost too, whichever actor was charged.
        assert_eq!(result(&verify(&till, &owner, "7654321").await), (payment.clone(), true, 1));
        for caller in [&till, &owner.key] {
            assert_eq!(result(&verify(caller, &owner, "7654321").await), (payment.clone(), false, 0));
        }
        assert_eq!(owner.balance().await, 999);
        let audit = owner.get("/v1/audit?limit=100").await.ok();
        let mut entries = audit["entries"].as_array().unwrap().iter();
        let line = entries.find(|entry| entry["action"] == "AcceptMovement").unwrap();
        assert_eq!(line["after"], json!({ "user_bank_payment_id": payment, "for_caller": true }));
    }

    async fn what_is_left_to_a_caller_waits_for_it(app: TestApp) {
        let mut owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        accept_for_caller(&owner, &movement).await.ok();
        app.clock().advance(3 * DAY);
        owner.sign_in_again().await;
        assert!(!result(&accept(&owner, &movement).await).1);
        assert!(result(&verify(&owner.key, &owner, "7654321").await).1);
        assert!(!result(&verify(&owner.key, &owner, "7654321").await).1);
    }

    async fn nobody_else_gets_the_report_of_what_a_person_accepted(app: TestApp) {
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        assert!(result(&accept(&owner, &movement).await).1);
        assert!(!result(&verify(&owner.key, &owner, "7654321").await).1);
        assert!(!result(&verify(&owner, &owner, "7654321").await).1);
    }

    async fn an_answer_that_reaches_nobody_is_new_to_the_same_person_again(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payments:write"]).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        accept_in_vain(&app, &owner, &movement).await;
        // It was claimed and charged; to others it is not new, and it can be left to nobody any more.
        assert_eq!(owner.balance().await, 999);
        assert!(!result(&verify(&owner.key, &owner, "7654321").await).1);
        assert!(!result(&accept(&employee, &movement).await).1);
        accept_for_caller(&owner, &movement).await.refused(409, "PAYMENT_ALREADY_EXISTS");
        let (_, is_new, cost) = result(&accept(&owner, &movement).await);
        assert_eq!((is_new, cost), (true, 1));
        assert!(!result(&accept(&owner, &movement).await).1);
        assert_eq!(owner.balance().await, 999);
    }

    /// A person decides what no question may: the one payment is there, and whoever asks for it is told once.
    async fn a_contested_movement_is_accepted_and_left_to_the_till(setup: Setup) {
        let pushed = PushedAccount::start(setup).await;
        let (shown, other) = ("04140000002", "04140000003");
        let mut body = notice("0134", "000079912345");
        body["numeroCliente"] = json!(other);
        assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
        pushed.bank.pay("000079912345", 15_075, Duration::ZERO);
        let ask = async |phone: &str| {
            pushed.app.clock().advance(Duration::from_secs(3));
            let body = json!({ "bank_reference": "79912345", "amount": 150.75, "phone_pagador": phone });
            pushed.owner.key.verify(&pushed.account, body).await
        };
        ask(shown).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        let notices = pushed.owner.get("/v1/notices").await.ok()["notices"].clone();
        let movement = notices[0]["subject"].as_str().unwrap().to_owned();
        let (payment, is_new, cost) = result(&accept_for_caller(&pushed.owner, &movement).await);
        assert_eq!((is_new, cost), (false, 1));
        assert_eq!(result(&ask(other).await), (payment.clone(), true, 1));
        assert_eq!(result(&ask(other).await), (payment, false, 0));
        assert_eq!((pushed.count("payments"), pushed.owner.balance().await), (1, 999));
    }

    async fn a_kept_answer_says_that_it_is_new_to_who_asks_for_it_by_its_key(app: TestApp) {
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let send = async || {
            let call = owner.request("POST", &path_of(&movement)).header("idempotency-key", "caja-7");
            call.json(&json!({})).send().await
        };
        let first = send().await;
        assert!(result(&first).1);
        assert_eq!(send().await.body, first.body);
        // Without the key it is a repeat.
        assert!(!result(&accept(&owner, &movement).await).1);
    }
}
