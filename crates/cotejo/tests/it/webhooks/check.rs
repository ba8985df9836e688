//! `POST /v1/webhooks/check`: how an owner's receiver keeps the rules that receivers are given.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use app::webhooks::CHECK_MAX;
use domain::time::Timestamp;
use egress::DEADLINE;
use futures_util::future::{Either, join_all, select};
use serde_json::{Value, json};
use testkit::receiver::{Receiver, sign};
use testkit::scripted::{Asked, Play, Scripted};
use testkit::{Owner, Response, Setup, TestApp, VirtualClock, both_engines, either_engine};

use super::secret;

/// Names of the checks, in order.
const CHECKS: [&str; 10] = [
    "genuine",
    "duplicate",
    "failed_status",
    "other_status",
    "wrong_signature",
    "no_signature",
    "stale_timestamp",
    "altered_body",
    "clock",
    "answer_time",
];

/// Checks in which a receiver is to refuse.
const FORGED: [&str; 4] = ["wrong_signature", "no_signature", "stale_timestamp", "altered_body"];

/// Asks for a check and lets time go on until it is answered.
async fn check(app: &TestApp, owner: &Owner, url: &str) -> Value {
    app.clock().flow(owner.post("/v1/webhooks/check", json!({ "url": url }))).await.ok()
}

/// A check of a receiver, once that was asked something.
async fn under_way<'a>(
    owner: &'a Owner,
    receiver: &Receiver,
) -> impl Future<Output = Response> + Unpin + 'a {
    let call = owner.post("/v1/webhooks/check", json!({ "url": receiver.url() }));
    match select(Box::pin(call), Box::pin(receiver.received(1))).await {
        Either::Right((_, call)) => call,
        Either::Left(_) => panic!("it was answered before it was asked"),
    }
}

/// The one of that name.
fn of<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let checks = answer["checks"].as_array().unwrap();
    checks.iter().find(|check| check["check"] == name).unwrap()
}

fn grade<'a>(answer: &'a Value, name: &str) -> &'a str {
    of(answer, name)["grade"].as_str().unwrap()
}

fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    of(answer, name)["text"].as_str().unwrap()
}

/// Tells whether a receiver whose clock is that far ahead is to accept the request. It follows the rules of the guide,
/// by other code than the service's.
fn is_believed(asked: &Asked, secret: &str, clock: &VirtualClock, ahead_seconds: i64) -> bool {
    use app::Clock as _;
    let now = clock.now().as_seconds() + ahead_seconds;
    let header = |name: &str| asked.header(name).unwrap_or_default();
    let timestamp = header("x-service-timestamp");
    let age = timestamp.parse::<i64>().map(|at| (now - at).abs());
    age.is_ok_and(|age| age <= 300)
        && header("x-service-signature") == sign(secret, timestamp, &asked.body)
}

/// A receiver of that owner, which answers with 204 or 401 by the rules, or as `or` says.
async fn careful(
    app: &TestApp,
    owner: &Owner,
    or: impl Fn(&Asked, bool) -> Option<Play> + Send + Sync + 'static,
) -> Scripted {
    let (secret, clock) = (secret(owner).await, app.clock().clone());
    Scripted::start(move |asked| {
        let is_believed = is_believed(asked, &secret, &clock, 0);
        let usual = || Play::Answer(if is_believed { 204 } else { 401 }, Vec::new());
        or(asked, is_believed).unwrap_or_else(usual)
    })
}

/// An answer with that status, from a clock that shows that.
fn dated(status: u16, now: Timestamp) -> Play {
    let text = now.to_string();
    // The day on which held clocks begin.
    let time = text.strip_prefix("2026-11-20T").unwrap().split('.').next().unwrap();
    let date = format!("Date: Fri, 20 Nov 2026 {time} GMT");
    Play::Stall(format!("HTTP/1.1 {status} -\r\n{date}\r\nContent-Length: 0\r\n\r\n").into())
}

either_engine! {
    async fn a_careful_receiver_passes(app: TestApp) {
        let owner = app.owner().await;
        let receiver = careful(&app, &owner, |_, _| None).await;
        let answer = check(&app, &owner, &receiver.base_url()).await;
        assert_eq!((&answer["grade"], &answer["message"]), (&json!("passed"), &json!("su receptor pasa")));
        let checks = answer["checks"].as_array().unwrap();
        let names: Vec<_> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
        assert_eq!(names, CHECKS);
        for name in CHECKS.iter().filter(|name| **name != "clock") {
            assert_eq!(grade(&answer, name), "passed", "{answer:#}");
        }
        // It says no time.
        assert_eq!((grade(&answer, "clock"), &answer["clock"]), ("skipped", &json!(null)));
        assert_eq!((&of(&answer, "genuine")["status"], &of(&answer, "stale_timestamp")["status"]), (&json!(204), &json!(401)));
        assert!(of(&answer, "answer_time")["duration_ms"].is_number());

        assert_eq!((receiver.asked().len(), receiver.connections()), (8, 1), "one after the other");
        let listed = owner.get("/v1/webhooks/deliveries").await.ok();
        assert_eq!(listed["total"], json!(0), "it is no delivery");
        assert_eq!(owner.balance().await, 1_000, "it costs nothing");
        let trail = "select count(*) from audit where action = 'CheckReceiver'";
        assert_eq!(app.database().number(trail), 1);
    }

    async fn what_is_asked_is_of_nothing_and_says_nothing_that_somebody_chose(app: TestApp) {
        let owner = app.owner().await;
        let receiver = careful(&app, &owner, |_, _| None).await;
        let secret = secret(&owner).await;
        let url = format!("{}/hook?\"status\":\"paid\"", receiver.base_url());
        assert_eq!(owner.post("/v1/webhooks/check", json!({ "url": url })).await.status, 400);
        let url = format!("{}/hook?%22livemode%22:true,", receiver.base_url());
        let answer = check(&app, &owner, &url).await;
        assert_eq!(answer["grade"], "passed");
        let asked = receiver.asked();
        let now = app.now().as_seconds();
        for one in &asked {
            let body: Value = serde_json::from_str(&one.body).unwrap();
            assert_eq!((&body["livemode"], body["metadata"].as_array().map(Vec::len)), (&json!(false), Some(0)));
            let payment = body["user_bank_payment"]["id"].as_str().unwrap_or("test_");
            for id in [body["payment_link_id"].as_str().unwrap(), body["payment_link"]["id"].as_str().unwrap(), payment] {
                assert!(id.starts_with("test_"), "{id}");
            }
            let time: i64 = one.header("x-service-timestamp").unwrap().parse().unwrap();
            assert!(time <= now + 1, "good for no longer than what was told just now");
            assert!(!answer.to_string().contains(one.header("x-service-event-id").unwrap()));
        }
        let shown = answer.to_string();
        assert!(!shown.contains("sha256=") && !shown.contains("v1,") && !shown.contains(&secret));

        // The same event twice, which is signed anew; and every other one has an id of its own.
        assert_eq!(asked[0].body, asked[1].body);
        assert_ne!(asked[0].header("x-service-signature"), asked[1].header("x-service-signature"));
        assert_eq!(asked[1].header("x-service-may-repeat"), Some("true"));
        let ids: HashSet<_> = asked.iter().map(|one| one.header("x-service-event-id")).collect();
        assert_eq!(ids.len(), asked.len() - 1);

        let signature = |at: usize| asked[at].header("x-service-signature").map(str::to_owned);
        let signed = |at: usize, body: &str| {
            sign(&secret, asked[at].header("x-service-timestamp").unwrap(), body)
        };
        assert_ne!(signature(4).unwrap(), signed(4, &asked[4].body));
        assert_eq!((signature(5), asked[5].header("webhook-signature")), (None, None));
        assert_eq!(signature(6).unwrap(), signed(6, &asked[6].body), "it is old, and nothing else");
        // What was signed is made up like all the rest, with the amount that is always made up.
        let altered = asked[7].body.replace("1505.0", "150.5");
        assert_ne!(altered, asked[7].body);
        assert_eq!(signature(7).unwrap(), signed(7, &altered));
    }

    async fn a_receiver_that_takes_anything_for_good_fails(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let answer = check(&app, &owner, &receiver.url()).await;
        assert_eq!(answer["grade"], "failed");
        for name in ["genuine", "duplicate", "failed_status", "other_status"] {
            assert_eq!(grade(&answer, name), "passed", "{name}");
        }
        for (name, said) in FORGED.into_iter().zip(["firma falsa", "sin firma", "diez minutos", "monto que cambió"]) {
            assert_eq!(grade(&answer, name), "failed", "{name}");
            let text = text(&answer, name);
            assert!(text.starts_with("grave: ") && text.contains(said) && text.contains("401"), "{text}");
        }
        let english = owner.request("POST", "/v1/webhooks/check").header("accept-language", "en");
        let english = app.clock().flow(english.json(&json!({ "url": receiver.url() })).send()).await.ok();
        assert_eq!(english["message"], "your receiver does not pass: `checks` says what to correct");
        assert!(text(&english, "no_signature").starts_with("serious: "));
    }

    async fn what_is_forgotten_alone_fails_alone(app: TestApp) {
        let owner = app.owner().await;
        let secret = secret(&owner).await;
        for (fault, wrong) in FORGED.into_iter().enumerate() {
            let clock = app.clock().clone();
            let secret = secret.clone();
            let receiver = Scripted::start(move |asked| {
                let header = |name: &str| asked.header(name).unwrap_or_default().to_owned();
                let (timestamp, signature) = (header("x-service-timestamp"), header("x-service-signature"));
                let is_of_now = is_believed(asked, &secret, &clock, 0);
                let is_signed = signature == sign(&secret, &timestamp, &asked.body);
                let is_altered = asked.body.contains("\"amount\":1505");
                let is_taken = match fault {
                    0 => is_of_now || (!signature.is_empty() && !is_signed && !is_altered),
                    1 => is_of_now || signature.is_empty(),
                    2 => is_signed,
                    _ => is_of_now || is_altered,
                };
                Play::Answer(if is_taken { 200 } else { 403 }, Vec::new())
            });
            let answer = check(&app, &owner, &receiver.base_url()).await;
            let failed: Vec<_> =
                CHECKS.into_iter().filter(|name| grade(&answer, name) == "failed").collect();
            assert_eq!(failed, [wrong], "{answer:#}");
        }
    }

    async fn a_receiver_that_refuses_repeats_or_ends_fails(app: TestApp) {
        let owner = app.owner().await;
        let seen = Arc::new(Mutex::new(HashSet::new()));
        let receiver = careful(&app, &owner, move |asked, is_believed| {
            let is_new = seen.lock().unwrap().insert(asked.body.clone());
            (is_believed && !is_new).then(|| Play::Answer(409, Vec::new()))
        });
        let answer = check(&app, &owner, &receiver.await.base_url()).await;
        assert_eq!((grade(&answer, "genuine"), grade(&answer, "duplicate")), ("passed", "failed"));
        assert!(text(&answer, "duplicate").contains("lo repetido") && text(&answer, "duplicate").ends_with("(409)"));

        let receiver = careful(&app, &owner, |asked, is_believed| {
            let is_paid = asked.body.contains("\"status\":\"paid\"");
            (is_believed && !is_paid).then(|| Play::Answer(422, Vec::new()))
        });
        let answer = check(&app, &owner, &receiver.await.base_url()).await;
        assert_eq!((grade(&answer, "failed_status"), grade(&answer, "other_status")), ("failed", "warning"));
        assert_eq!(answer["grade"], "failed");
    }

    async fn a_clock_that_is_off_is_reported(app: TestApp) {
        let owner = app.owner().await;
        let (key, clock) = (secret(&owner).await, app.clock().clone());
        let ahead = |seconds: i64| {
            let (key, clock) = (key.clone(), clock.clone());
            Scripted::start(move |asked| {
                use app::Clock as _;
                let is_believed = is_believed(asked, &key, &clock, seconds);
                let now = Timestamp::from_micros(clock.now().as_micros() + seconds * 1_000_000);
                dated(if is_believed { 204 } else { 401 }, now)
            })
        };
        let answer = check(&app, &owner, &ahead(0).base_url()).await;
        assert_eq!((&answer["grade"], grade(&answer, "clock")), (&json!("passed"), "passed"));

        // It still believes what it is sent, and will not for long.
        let answer = check(&app, &owner, &ahead(-200).base_url()).await;
        assert_eq!((&answer["grade"], grade(&answer, "clock")), (&json!("warning"), "warning"));
        assert_eq!(answer["clock"]["ok"], json!(false));
        assert!(text(&answer, "clock").contains("200 s atrasado"), "{answer:#}");

        // It believes nothing, and so shows nothing by what it refuses.
        let answer = check(&app, &owner, &ahead(900).base_url()).await;
        assert_eq!((&answer["grade"], grade(&answer, "clock")), (&json!("failed"), "warning"));
        assert_eq!(grade(&answer, "genuine"), "failed");
        assert!(text(&answer, "genuine").contains("su reloj esté en hora"));
        for name in ["wrong_signature", "no_signature", "altered_body"] {
            assert_eq!(grade(&answer, name), "warning", "{name}");
            assert!(text(&answer, name).contains("no prueba nada"));
        }
    }

    async fn a_receiver_that_does_not_answer_is_asked_once(app: TestApp) {
        let owner = app.owner().await;
        let answer = check(&app, &owner, "http://127.0.0.1:8/hook").await;
        assert_eq!((&answer["grade"], &of(&answer, "genuine")["trouble"]["code"]), (&json!("failed"), &json!("unreachable")));
        assert_eq!(answer["message"], "no se pudo comprobar: nadie atiende en esa dirección");
        for name in &CHECKS[1..] {
            assert_eq!(grade(&answer, name), "skipped", "{name}");
        }
        for (play, code) in [
            (Play::Bytes(Vec::new()), "reset"),
            (Play::Bytes(b"220 mail ready\r\n\r\n".to_vec()), "malformed"),
        ] {
            let receiver = Receiver::answering(move |_| play.clone());
            let answer = check(&app, &owner, &receiver.url()).await;
            assert_eq!(of(&answer, "genuine")["trouble"]["code"], code);
            assert_eq!((receiver.requests(), grade(&answer, "altered_body")), (1, "skipped"));
        }
        let silent = Receiver::answering(|_| Play::Silence);
        let call = under_way(&owner, &silent).await;
        app.clock().advance(DEADLINE);
        let answer = call.await.ok();
        assert_eq!(of(&answer, "genuine")["trouble"]["code"], "timeout_waiting");
        assert_eq!((silent.requests(), grade(&answer, "answer_time")), (1, "warning"));
    }

    async fn what_goes_wrong_later_is_one_answer_that_is_missing(app: TestApp) {
        let owner = app.owner().await;
        let receiver = careful(&app, &owner, |_, is_believed| {
            (!is_believed).then(|| Play::Bytes(Vec::new()))
        });
        let answer = check(&app, &owner, &receiver.await.base_url()).await;
        assert_eq!(answer["grade"], "warning");
        for name in FORGED {
            assert_eq!(grade(&answer, name), "warning", "{answer:#}");
            assert_eq!(of(&answer, name)["trouble"]["code"], "reset");
        }
        // Who closes after each answer has done nothing wrong.
        let receiver = careful(&app, &owner, |_, is_believed| {
            let status = if is_believed { 204 } else { 401 };
            Some(Play::Bytes(format!("HTTP/1.1 {status} -\r\ncontent-length: 0\r\n\r\n").into()))
        });
        let answer = check(&app, &owner, &receiver.await.base_url()).await;
        assert_eq!(answer["grade"], "passed", "{answer:#}");
    }

    /// The clock is moved on by the receiver that answers: 7 seconds for each.
    async fn a_slow_receiver_is_warned_and_not_waited_for_without_end(app: TestApp) {
        let owner = app.owner().await;
        let clock = app.clock().clone();
        let receiver = careful(&app, &owner, move |_, _| {
            clock.advance(DEADLINE * 7 / 10);
            None
        }).await;
        let call = owner.post("/v1/webhooks/check", json!({ "url": receiver.base_url() }));
        let answer = call.await.ok();
        assert_eq!((&answer["grade"], grade(&answer, "answer_time")), (&json!("warning"), "warning"));
        assert!(text(&answer, "answer_time").contains("7000 ms de los 10000"), "{answer:#}");
        assert_eq!(receiver.asked().len(), 3, "what begins after a quarter of a minute might end too late");
        for name in ["other_status"].into_iter().chain(FORGED) {
            assert_eq!(grade(&answer, name), "skipped");
            assert!(text(&answer, name).contains("tarda demasiado"));
        }
    }

    async fn a_check_is_not_cut_short_by_a_clock_that_is_set(app: TestApp) {
        let owner = app.owner().await;
        let (clock, start) = (app.clock().clone(), app.now());
        let receiver = careful(&app, &owner, move |_, _| {
            clock.set_to(start.plus(2 * CHECK_MAX));
            None
        });
        let url = receiver.await.base_url();
        let answer = check(&app, &owner, &url).await;
        assert_eq!(answer["grade"], "passed", "{answer:#}");
    }

    async fn an_owner_has_one_check_at_a_time(app: TestApp) {
        let owner = app.owner().await;
        let silent = Receiver::answering(|_| Play::Silence);
        let url = json!({ "url": silent.url() });
        let first = under_way(&owner, &silent).await;
        owner.post("/v1/webhooks/check", url).await.refused(409, "REQUEST_IN_PROGRESS");
        let other = app.owner().await;
        check(&app, &other, &Receiver::with_status(204).url()).await;
        app.clock().advance(DEADLINE);
        assert_eq!(first.await.ok()["grade"], "failed");
        check(&app, &owner, &Receiver::with_status(204).url()).await;
    }

    async fn a_caller_that_hangs_up_ends_its_check(app: TestApp) {
        let owner = app.owner().await;
        let silent = Receiver::answering(|_| Play::Silence);
        let call = under_way(&owner, &silent).await;
        drop(call);
        let url = json!({ "url": Receiver::with_status(204).url() });
        loop {
            let answer = app.clock().flow(owner.post("/v1/webhooks/check", url.clone())).await;
            if answer.status != 409 {
                break answer.ok();
            }
        };
        assert_eq!(silent.requests(), 1);
    }

    async fn a_check_goes_nowhere_that_a_webhook_may_not(setup: Setup) {
        let app = setup.without_private_webhooks().start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        for url in [receiver.url(), "http://169.254.169.254/".to_owned(), "http://2130706433/".to_owned()] {
            let call = owner.post("/v1/webhooks/check", json!({ "url": url })).await;
            call.refused(400, "WEBHOOK_URL_NOT_ALLOWED");
        }
        assert_eq!(receiver.connections(), 0);
        owner.post("/v1/webhooks/check", json!({})).await.refused(400, "VALIDATION_ERROR");
    }

    async fn the_word_of_the_installation_is_in_the_headers(setup: Setup) {
        let app = setup.header_word("Tienda").start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        check(&app, &owner, &receiver.url()).await;
        let asked = &receiver.received(8).await;
        assert!(testkit::receiver::is_signed(&asked[0], &secret(&owner).await, "Tienda"));
        assert_eq!(asked[5].header("x-tienda-signature"), None);
    }
}

both_engines! {
    async fn checks_count_as_tests_do(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let tests = (0..9).map(|_| owner.post("/v1/webhooks/test", json!({ "url": receiver.url() })));
        let tests = app.clock().flow(join_all(tests)).await;
        assert!(tests.iter().all(|answer| answer.status == 200));
        check(&app, &owner, &receiver.url()).await;
        let call = owner.post("/v1/webhooks/check", json!({ "url": receiver.url() })).await;
        call.refused(429, "REQUEST_LIMIT_REACHED");
        assert!(call.header("retry-after").is_some());
    }
}
