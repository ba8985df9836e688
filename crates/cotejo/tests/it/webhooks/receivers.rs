//! The receivers of the guide, each run as it stands there, by the command that the guide says.

mod program;

use std::thread;

use serde_json::json;
use testkit::receiver::{Receiver, sign};
use testkit::scripted::{Asked, Play, Scripted};
use testkit::{Owner, Setup, TestApp, either_engine};
use tokio::task::yield_now;

use self::program::Program;
use super::secret;
use crate::pay;

/// Webhook that a receiver is sent: timestamp, signature and body.
#[derive(Clone)]
struct Notice {
    timestamp: Option<String>,
    signature: Option<String>,
    body: String,
}

impl Notice {
    /// Copies the webhook as the service sent it.
    fn of(request: &Asked) -> Self {
        let header = |name: &str| request.header(name).map(str::to_owned);
        Self {
            timestamp: header("x-service-timestamp"),
            signature: header("x-service-signature"),
            body: request.body.clone(),
        }
    }

    /// Signed at that time.
    fn signed(secret: &str, timestamp: &str, body: &str) -> Self {
        Self {
            timestamp: Some(timestamp.to_owned()),
            signature: Some(sign(secret, timestamp, body)),
            body: body.to_owned(),
        }
    }

    /// Sends it, and answers the status, if one comes.
    fn send(&self, to: &Program) -> Option<u16> {
        let mut headers = Vec::new();
        headers.extend(self.timestamp.as_ref().map(|text| ("X-Service-Timestamp", text.as_str())));
        headers.extend(self.signature.as_ref().map(|text| ("X-Service-Signature", text.as_str())));
        to.post(&headers, self.body.as_bytes())
    }
}

/// Makes a link that is reported to `url`, pays it, and answers its id.
async fn paid_link(app: &TestApp, owner: &Owner, url: &str, reference: &str) -> String {
    let more = json!({ "webhook_url": url });
    let id = pay::make(&owner.key, &owner.bank, more).await;
    pay::paid_with(&app.nobody(), &id, reference).await;
    id
}

/// Text that a receiver prints about an end that brought no payment.
const NO_PAYMENT: &str = "no es un pago / not a payment";

/// Text that a receiver prints about a payment of the sandbox, where it is not set to take these.
const NO_MONEY: &str = "de prueba, no es dinero / a test, no money";

/// A webhook of a paid link, as the service sends it, and the line that a receiver prints of it.
async fn genuine(app: &TestApp, owner: &Owner, reference: &str) -> (Notice, String) {
    let receiver = Receiver::with_status(204);
    let id = paid_link(app, owner, &receiver.url(), reference).await;
    (Notice::of(&receiver.received(1).await[0]), format!("paid {id} {reference}"))
}

async fn nothing_is_left_to_send(app: &TestApp) {
    while app.database().number("select count(*) from due where kind = 2") > 0 {
        yield_now().await;
    }
}

/// Checks what every receiver takes for a payment, and what it answers with success and leaves.
async fn takes_nothing_else_for_a_payment(setup: Setup, name: &str) {
    let app = setup.in_real_time().start().await;
    let owner = app.owner().await;
    let secret = secret(&owner).await;
    let receiver = Program::start(name, &secret, &owner.key, &[]);
    let now = app.now().as_seconds().to_string();
    let signed = |body: &str| Notice::signed(&secret, &now, body);

    let (paid, line) = genuine(&app, &owner, "167890").await;
    let (link, reference) = line.strip_prefix("paid ").unwrap().split_once(' ').unwrap();
    let rejections = Receiver::with_status(204);
    let more = json!({ "webhook_url": rejections.url() });
    let rejected = pay::make(&owner.key, &owner.bank, more).await;
    owner.post(&format!("/v1/paymentlink/{rejected}/reject"), json!({})).await.ok();
    let failed = Notice::of(&rejections.received(1).await[0]);

    // A payment of the sandbox, which only `TEST=1` lets through.
    assert_eq!(paid.send(&receiver), Some(204));
    let mut handled = vec![format!("paid {link}: {NO_MONEY}")];
    // Every end that is none, and what calls itself paid without a payment. The service, where the
    // link has had another end since, is not asked back: that would be sent again for two days.
    let ends = ["failed", "expired", "canceled", "paid"].map(|end| (&failed, &*rejected, end));
    for (notice, id, status) in ends.into_iter().chain([(&paid, link, "expired")]) {
        let said = |status: &str| format!("\"status\":\"{status}\"");
        let body = notice.body.replace(&said("failed"), &said(status));
        let body = body.replace(&said("paid"), &said(status));
        let body = body.replace("\"livemode\":false", "\"livemode\":true");
        assert_eq!(signed(&body).send(&receiver), Some(204), "{body}");
        handled.push(format!("{status} {id}: {NO_PAYMENT}"));
    }
    assert!(!receiver.has_a_record());

    // Only the word itself says that it is money.
    let live = paid.body.replace("\"livemode\":false", "\"livemode\":true");
    assert_ne!(live, paid.body);
    for other in ["\"true\"", "1", "null"] {
        let body = live.replace("\"livemode\":true", &format!("\"livemode\":{other}"));
        assert_eq!(signed(&body).send(&receiver), Some(204), "{body}");
        handled.push(format!("paid {link}: {NO_MONEY}"));
    }
    assert!(!receiver.has_a_record());
    assert_eq!(signed(&live).send(&receiver), Some(204));
    handled.push(format!("paid {link} {reference}"));
    assert!(receiver.has_a_record());
    assert_eq!(receiver.end(), handled);

    // Asking back goes to the service and nowhere else, whatever that says.
    let place = format!("http://{}/paymentlink/{link}/info", owner.key.address());
    let elsewhere = format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
    let away = Scripted::start(move |_| Play::Bytes(elsewhere.clone().into_bytes()));
    let more = [("COTEJO", &*away.base_url())];
    let receiver = Program::start(name, &secret, &owner.key, &more);
    assert_eq!(signed(&live).send(&receiver), Some(503));
    assert!(!receiver.has_a_record() && away.asked().len() == 1);
}

/// Checks what every receiver does, whatever it is written in.
async fn believes_us_and_nobody_else(setup: Setup, name: &str) {
    // They look at the age of what they receive, so that time must be the wall's.
    let app = setup.in_real_time().start().await;
    let owner = app.owner().await;
    let secret = secret(&owner).await;
    let receiver = Program::start(name, &secret, &owner.key, &[("TEST", "1")]);

    // Sent by the service itself: a payment, and a rejection, which is none.
    let first = paid_link(&app, &owner, &receiver.url(), "167890").await;
    let more = json!({ "webhook_url": receiver.url() });
    let rejected = pay::make(&owner.key, &owner.bank, more).await;
    owner.post(&format!("/v1/paymentlink/{rejected}/reject"), json!({})).await.ok();
    nothing_is_left_to_send(&app).await;
    assert_eq!(
        app.database().number("select count(*) from webhook_attempts where status = 204"),
        2
    );
    let mut handled =
        vec![format!("paid {first} 167890"), format!("failed {rejected}: {NO_PAYMENT}")];

    // Sent again, at once and later, with the signature of that later time.
    let (notice, line) = genuine(&app, &owner, "267890").await;
    let now = app.now().as_seconds();
    let at = |seconds: i64| Notice::signed(&secret, &seconds.to_string(), &notice.body);
    for copy in [&notice, &notice, &at(now - 60), &at(now + 60)] {
        assert_eq!(copy.send(&receiver), Some(204));
    }
    handled.push(line);
    let (notice, line) = genuine(&app, &owner, "367890").await;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(notice.send(&receiver), Some(204)));
        }
    });
    handled.push(line);

    let (notice, line) = genuine(&app, &owner, "467890").await;
    refuses_what_is_not_ours(&receiver, &notice, &secret, now);

    // What is signed and says what is not so, as somebody might who has the secret.
    let unpaid = pay::make(&owner.key, &owner.bank, json!({})).await;
    let body = notice.body.replace(line.split(' ').nth(1).unwrap(), &unpaid);
    assert_eq!(Notice::signed(&secret, &now.to_string(), &body).send(&receiver), Some(503));

    // What could not be kept is not answered with success, and is sent again.
    receiver.break_its_record();
    assert_eq!(notice.send(&receiver), Some(500));

    let mut printed = receiver.end();
    printed.sort_unstable();
    handled.sort_unstable();
    assert_eq!(printed, handled);
}

/// Checks what every receiver does while a rotation goes on: at first it knows the former secret alone, then both, and
/// at last the new one alone.
async fn is_notified_throughout_a_rotation(setup: Setup, name: &str) {
    let app = setup.in_real_time().start().await;
    let owner = app.owner().await;
    let former = secret(&owner).await;
    let rotate = json!({ "overlap_hours": 1 });
    let answer = owner.post("/me/webhook-secret/rotate", rotate).await.ok();
    let new = answer["webhook_secret"].as_str().unwrap().to_owned();
    // A variable that is there and empty is no secret, or everybody would know it.
    for (secret, old, believed, reference) in [
        (&former, "", [true, false], "167890"),
        (&new, &*former, [true, true], "267890"),
        (&new, "", [false, true], "367890"),
    ] {
        let more = [("TEST", "1"), ("WEBHOOK_SECRET_OLD", old)];
        let receiver = Program::start(name, secret, &owner.key, &more);
        let tries = app.database().number("select count(*) from webhook_attempts");
        let id = paid_link(&app, &owner, &receiver.url(), reference).await;
        nothing_is_left_to_send(&app).await;
        let tries = app.database().number("select count(*) from webhook_attempts") - tries;
        assert_eq!(tries, if believed[1] { 1 } else { 2 }, "{name} is told again at once");
        let now = app.now().as_seconds().to_string();
        for (secret, is_believed) in [(&*former, believed[0]), (&*new, believed[1]), ("", false)] {
            let status = Notice::signed(secret, &now, "{}").send(&receiver);
            assert_eq!(status, Some(if is_believed { 400 } else { 401 }), "{name}");
        }
        assert_eq!(receiver.end(), [format!("paid {id} {reference}")]);
    }
}

/// Checks what every receiver does when its owner has it checked.
async fn passes_the_check(setup: Setup, name: &str) {
    let app = setup.in_real_time().start().await;
    let owner = app.owner().await;
    let receiver = Program::start(name, &secret(&owner).await, &owner.key, &[]);
    let answer = owner.post("/v1/webhooks/check", json!({ "url": receiver.url() })).await.ok();
    let checks = answer["checks"].as_array().unwrap();
    // How busy the machine is that the test runs on is none of the receiver's doing.
    let looked_at = checks.iter().filter(|check| check["check"] != "answer_time");
    let wrong: Vec<_> = looked_at.filter(|check| check["grade"] != "passed").collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    assert!(!receiver.has_a_record());
    let handled = receiver.end();
    assert_eq!(handled.len(), 4, "what is authentic, and nothing else: {handled:?}");
    assert!(handled.iter().all(|line| line.split(' ').nth(1).unwrap().starts_with("test_")));
}

fn refuses_what_is_not_ours(receiver: &Program, notice: &Notice, secret: &str, now: i64) {
    let at = |timestamp: &str| Notice::signed(secret, timestamp, &notice.body);
    let now = now.to_string();
    let forged = Notice::signed("another secret", &now, &notice.body);
    let changed =
        Notice { body: notice.body.replacen("\"amount\":", "\"amount\": ", 1), ..notice.clone() };
    assert_ne!(changed.body, notice.body);
    let later = Notice { timestamp: Some(format!("{now}0")), ..notice.clone() };
    let uppercase = notice.signature.as_deref().unwrap().to_uppercase();
    let bare = notice.signature.as_deref().unwrap().trim_start_matches("sha256=").to_owned();
    let signature = |text: Option<String>| Notice { signature: text, ..notice.clone() };
    let refused = [
        ("another secret", forged),
        ("a changed byte", changed),
        ("a changed timestamp", later),
        ("no signature", signature(None)),
        ("an empty signature", signature(Some(String::new()))),
        ("a signature in capitals", signature(Some(uppercase))),
        ("a signature without its name", signature(Some(bare))),
        ("no timestamp", Notice { timestamp: None, ..notice.clone() }),
        ("too old", at(&(now.parse::<i64>().unwrap() - 400).to_string())),
        ("of the future", at(&(now.parse::<i64>().unwrap() + 400).to_string())),
        ("a timestamp with a sign", at(&format!("+{now}"))),
        ("a timestamp without end", at(&"9".repeat(40))),
        ("no timestamp but words", at("hoy")),
    ];
    for (what, notice) in refused {
        assert_eq!(notice.send(receiver), Some(401), "{what}");
    }
    for body in ["", "paid", "[]", "null", "{\"status\":\"paid\"}"] {
        let signed = Notice::signed(secret, &now, body);
        assert_eq!(signed.send(receiver), Some(400), "{body}");
    }
    let path = notice.body.replace("link_", "../link_");
    assert_eq!(Notice::signed(secret, &now, &path).send(receiver), Some(400));
    // A sender that is refused while it still sends may not see it.
    let endless = Notice::signed(secret, &now, &" ".repeat((1 << 20) + 1));
    assert!(matches!(endless.send(receiver), None | Some(413)));
}

either_engine! {
    async fn the_receiver_in_python_believes_us_and_nobody_else(setup: Setup) {
        believes_us_and_nobody_else(setup, "python3").await;
    }

    async fn the_receiver_in_python_takes_nothing_else_for_a_payment(setup: Setup) {
        takes_nothing_else_for_a_payment(setup, "python3").await;
    }

    async fn the_receiver_in_python_passes_the_check(setup: Setup) {
        passes_the_check(setup, "python3").await;
    }

    async fn the_receiver_in_python_is_notified_throughout_a_rotation(setup: Setup) {
        is_notified_throughout_a_rotation(setup, "python3").await;
    }

    async fn the_receiver_in_php_believes_us_and_nobody_else(setup: Setup) {
        believes_us_and_nobody_else(setup, "php").await;
    }

    async fn the_receiver_in_php_takes_nothing_else_for_a_payment(setup: Setup) {
        takes_nothing_else_for_a_payment(setup, "php").await;
    }

    async fn the_receiver_in_php_passes_the_check(setup: Setup) {
        passes_the_check(setup, "php").await;
    }

    async fn the_receiver_in_php_is_notified_throughout_a_rotation(setup: Setup) {
        is_notified_throughout_a_rotation(setup, "php").await;
    }

    async fn the_receiver_in_node_believes_us_and_nobody_else(setup: Setup) {
        believes_us_and_nobody_else(setup, "node").await;
    }

    async fn the_receiver_in_node_takes_nothing_else_for_a_payment(setup: Setup) {
        takes_nothing_else_for_a_payment(setup, "node").await;
    }

    async fn the_receiver_in_node_passes_the_check(setup: Setup) {
        passes_the_check(setup, "node").await;
    }

    async fn the_receiver_in_node_is_notified_throughout_a_rotation(setup: Setup) {
        is_notified_throughout_a_rotation(setup, "node").await;
    }

    async fn the_receiver_in_rust_believes_us_and_nobody_else(setup: Setup) {
        believes_us_and_nobody_else(setup, "cargo").await;
    }

    async fn the_receiver_in_rust_takes_nothing_else_for_a_payment(setup: Setup) {
        takes_nothing_else_for_a_payment(setup, "cargo").await;
    }

    async fn the_receiver_in_rust_passes_the_check(setup: Setup) {
        passes_the_check(setup, "cargo").await;
    }

    async fn the_receiver_in_rust_is_notified_throughout_a_rotation(setup: Setup) {
        is_notified_throughout_a_rotation(setup, "cargo").await;
    }
}
