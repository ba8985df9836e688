//! Receivers that mean harm, through the front door: an owner makes a link, a payer pays it, and the service
//! notifies a receiver over a real connection. What is looked at is what its owner can read in the log of
//! deliveries, and what the receiver sees: how many connections there were, and that they ended.
//!
//! The deadline is of the service's own clock, which a test holds still: what ends while it stands ended
//! by itself, and what needs the deadline ends when the test lets it come.

mod cases;

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use delivery::OF_ONE_OWNER_TO_ONE_RECEIVER_MAX as PLACES;
use egress::{DEADLINE, Internet};
use serde_json::{Value, json};
use testkit::certificates::{Shown, trusted};
use testkit::receiver::Receiver;
use testkit::scripted::{Play, Scripted};
use testkit::{Owner, Setup, TestApp, either_engine};
use tokio::task::yield_now;

use self::cases::{Case, End, Place, until_the_deadline, without_it};
use super::write;
use crate::pay;

const ATTEMPTS: &str = "select count(*) from webhook_attempts";

/// Calls off whatever would be sent again later.
fn forget(app: &TestApp) {
    app.database().execute("delete from due where kind = 2");
}

/// Trusts the authority of these tests, and nobody else.
fn trusting() -> Internet {
    Internet { roots: Some(Arc::new(trusted())), ..Internet::default() }
}

/// Every look at a name leads to the next of these addresses, the last again and again. And what was
/// looked up.
fn leading_to(addresses: &'static [&'static str]) -> (Internet, Arc<Mutex<Vec<String>>>) {
    let looks = AtomicUsize::new(0);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let looked_up = Arc::clone(&asked);
    let names: egress::Names = Arc::new(move |name| {
        looked_up.lock().unwrap().push(name);
        let look = looks.fetch_add(1, Ordering::SeqCst).min(addresses.len() - 1);
        let found: Vec<IpAddr> =
            addresses[look].split(' ').map(|address| address.parse().unwrap()).collect();
        Box::pin(std::future::ready(Ok(found)))
    });
    (Internet { names: Some(names), ..trusting() }, asked)
}

/// Makes a link that is reported there, and pays it with what has paid no other.
async fn pay_for(app: &TestApp, owner: &Owner, url: &str) -> String {
    static PAID: AtomicUsize = AtomicUsize::new(1);
    let more = json!({ "webhook_url": url });
    let id = pay::make(&owner.key, &owner.bank, more).await;
    let reference = format!("{}67890", PAID.fetch_add(1, Ordering::SeqCst));
    pay::paid_with(&app.nobody(), &id, &reference).await;
    id
}

/// The one delivery about that link, in short.
async fn listed(owner: &Owner, link: &str) -> Value {
    let path = format!("/v1/webhooks/deliveries?payment_link_id={link}");
    let page = owner.get(&path).await.ok();
    assert_eq!(page["total"], 1);
    page["deliveries"][0].clone()
}

/// The same with its attempts, once there is one.
async fn tried(owner: &Owner, link: &str) -> Value {
    loop {
        let listed = listed(owner, link).await;
        if listed["attempt_count"] != json!(0) && listed["under_way"] == json!(false) {
            let path = format!("/v1/webhooks/deliveries/{}", listed["id"].as_str().unwrap());
            return owner.get(&path).await.ok()["delivery"].clone();
        }
        yield_now().await;
    }
}

/// Returns the log's text of the trouble in the other language.
async fn in_english(owner: &Owner, delivery: &Value) -> Value {
    let path = format!("/v1/webhooks/deliveries/{}", delivery["id"].as_str().unwrap());
    let call = owner.request("GET", &path).header("Accept-Language", "en");
    call.send().await.ok()["delivery"]["trouble"]["text"].clone()
}

/// Pays a link with that receiver, and checks everything that comes of it.
async fn suffer(app: &TestApp, case: &Case, has_deadline: bool) {
    let what = case.what;
    let owner = app.owner().await;
    let place = Place::of(case);
    let link = pay_for(app, &owner, &place.url()).await;
    if has_deadline {
        place.is_reached().await;
        assert_eq!(listed(&owner, &link).await["under_way"], true, "{what}");
        // Meanwhile nobody else waits, not even another receiver of the same owner.
        let well = Receiver::with_status(204);
        let other = pay_for(app, &owner, &well.url()).await;
        assert_eq!(tried(&owner, &other).await["state"], "delivered", "{what}");
        assert_eq!((place.connections(), place.open()), (1, 1), "{what} holds one place");
        app.clock().advance(DEADLINE);
    }
    let delivery = tried(&owner, &link).await;
    assert_eq!(place.connections(), 1, "{what}");
    // Nobody is left at it, unless all was well and its connection is kept.
    while place.open() > 0 && !matches!(case.end, End::Delivered) {
        yield_now().await;
    }
    let attempts = delivery["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 1, "{what}");
    let took = attempts[0]["duration_ms"].as_f64().unwrap();
    let expected = if has_deadline { DEADLINE.as_secs_f64() * 1_000.0 } else { 0.0 };
    assert!((took - expected).abs() < f64::EPSILON, "{what} took {took}");
    match &case.end {
        End::Trouble(endings) => {
            assert_eq!(delivery["state"], "pending", "{what} is told again later");
            assert!(delivery["next_attempt_at"].is_string(), "{what}");
            let trouble = &delivery["trouble"];
            assert_eq!(&attempts[0]["trouble"], trouble, "{what}");
            let is_expected = endings
                .iter()
                .any(|(code, words)| trouble["code"] == *code && trouble["text"] == *words);
            assert!(is_expected, "{what}: {trouble}");
            assert_ne!(in_english(&owner, &delivery).await, trouble["text"], "{what}");
        }
        End::Cut => {
            assert_eq!(delivery["state"], "delivered", "{what}");
            assert_eq!(attempts[0]["answer_body_cut"], true, "{what}");
            let kept = attempts[0]["answer_body_base64"]
                .as_str()
                .map_or_else(|| attempts[0]["answer_body"].as_str().map_or(0, str::len), data_len);
            assert_eq!(kept, store::deliveries::ANSWER_KEPT_MAX, "{what}");
        }
        End::Delivered => assert_eq!(delivery["state"], "delivered", "{what}"),
    }
}

/// How many bytes a text in base 64 stands for.
fn data_len(text: &str) -> usize {
    text.len() / 4 * 3 - text.bytes().filter(|byte| *byte == b'=').count()
}

either_engine! {
    async fn what_hangs_ends_at_the_deadline_in_one_place(setup: Setup) {
        let app = setup.in_internet(trusting()).start().await;
        for case in until_the_deadline() {
            suffer(&app, &case, true).await;
            forget(&app);
        }
    }

    async fn what_ends_by_itself_ends_before_it(setup: Setup) {
        let app = setup.in_internet(trusting()).start().await;
        for case in without_it() {
            suffer(&app, &case, false).await;
            forget(&app);
        }
    }

    /// However many events there are, a receiver that hangs has its places and each event one of them;
    /// when the deadline has come the places are free again.
    async fn each_event_holds_one_place_until_the_deadline(setup: Setup) {
        let app = setup.in_internet(trusting()).start().await;
        for case in until_the_deadline() {
            let (owner, place) = (app.owner().await, Place::of(&case));
            let attempts = app.database().number(ATTEMPTS);
            for _ in 0..=PLACES {
                write(&app, &owner, &place.url()).await;
            }
            place.is_reached_by(PLACES).await;
            assert_eq!((place.connections(), place.open()), (PLACES, PLACES), "{}", case.what);
            app.clock().advance(DEADLINE);
            place.is_reached_by(PLACES + 1).await;
            while app.database().number(ATTEMPTS) < attempts + i64::try_from(PLACES).unwrap() {
                yield_now().await;
            }
            assert_eq!(place.connections(), PLACES + 1, "{}", case.what);
            forget(&app);
            app.clock().advance(DEADLINE);
            while place.open() > 0 {
                yield_now().await;
            }
        }
    }

    /// A name that leads to the internet when its address is kept, and inward when it is called.
    async fn a_name_that_turns_inward_is_refused_at_the_call(setup: Setup) {
        let inside = Receiver::with_status(204);
        let port = inside.url().split(':').nth(2).unwrap().to_owned();
        let (internet, asked) = leading_to(&["8.8.8.8", "127.0.0.1", "8.8.8.8 10.0.0.7"]);
        let app = setup.without_private_webhooks().in_internet(internet).start().await;
        let owner = app.owner().await;
        let url = format!("http://shop.example:{port}");
        let link = pay_for(&app, &owner, &url).await;
        let delivery = tried(&owner, &link).await;
        let expected = json!({
            "code": "forbidden_loopback", "text": "la dirección lleva a este mismo servidor",
        });
        assert_eq!(delivery["trouble"], expected);
        let attempt = &delivery["attempts"][0];
        assert_eq!((&attempt["address"], &attempt["request"]), (&json!(null), &json!(null)));
        // And where one of several addresses is inward, in the words of that one.
        let retry = format!("/v1/webhooks/deliveries/{}/redeliver", delivery["id"].as_str().unwrap());
        owner.post(&retry, json!({})).await.ok();
        while listed(&owner, &link).await["attempt_count"] != json!(2) {
            yield_now().await;
        }
        let delivery = tried(&owner, &link).await;
        let expected =
            json!({ "code": "forbidden_private", "text": "la dirección lleva a una red privada" });
        assert_eq!(delivery["trouble"], expected);
        assert_eq!(inside.connections(), 0);
        assert_eq!(*asked.lock().unwrap(), ["shop.example"; 3], "once to be kept, and once for each call");
    }

    /// The name is looked up once for a call: what is dialled is what was checked, whatever the next look
    /// would say.
    async fn what_was_checked_is_what_is_dialled(setup: Setup) {
        let receiver = Receiver::secured(Shown::Good, |_| Play::Answer(204, Vec::new()));
        let port = receiver.url().split(':').nth(2).unwrap().to_owned();
        let (internet, asked) = leading_to(&["8.8.8.8", "127.0.0.1", "127.0.0.2"]);
        let app = setup.in_internet(internet).start().await;
        let owner = app.owner().await;
        let link = pay_for(&app, &owner, &format!("https://shop.example:{port}")).await;
        let delivery = tried(&owner, &link).await;
        assert_eq!(delivery["state"], "delivered");
        assert_eq!(delivery["attempts"][0]["address"], "127.0.0.1");
        assert_eq!((receiver.connections(), asked.lock().unwrap().len()), (1, 2));
    }

    /// Whom the machine trusts is its own to say: no receiver of these tests is believed without it.
    async fn a_service_believes_nobody_but_whom_its_machine_does(app: TestApp) {
        let receiver = Receiver::secured(Shown::Good, |_| Play::Answer(204, Vec::new()));
        let owner = app.owner().await;
        let link = pay_for(&app, &owner, &receiver.url()).await;
        let delivery = tried(&owner, &link).await;
        let code = delivery["trouble"]["code"].as_str().unwrap();
        assert!(["certificate_untrusted", "no_trust"].contains(&code), "{code}");
        assert_eq!(receiver.requests(), 0);
    }

    async fn a_redirect_inward_is_not_followed(app: TestApp) {
        let inside = Scripted::start(|_| Play::ok("{}"));
        let owner = app.owner().await;
        for status in [301, 302, 303, 307, 308] {
            let to = inside.base_url();
            let receiver = Receiver::answering(move |_| {
                let head = format!("HTTP/1.1 {status} -\r\nlocation: {to}/\r\ncontent-length: 0\r\n\r\n");
                Play::Bytes(head.into_bytes())
            });
            let link = pay_for(&app, &owner, &receiver.url()).await;
            let delivery = tried(&owner, &link).await;
            let expected = json!({
                "code": "redirected", "text": "la respuesta fue una redirección, que no se sigue",
            });
            assert_eq!(delivery["trouble"], expected);
            assert_eq!(delivery["attempts"][0]["status"], status);
            assert_eq!((receiver.connections(), inside.connections()), (1, 0));
        }
    }
}
