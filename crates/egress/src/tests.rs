pub(crate) mod tls;

use std::io::ErrorKind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use domain::secret::SecretText;
use futures_util::FutureExt;
use futures_util::future::join;
use http::{HeaderName, Request};
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use testkit::scripted::{Asked, Play, Scripted};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::exchange::Link;
use crate::idle::Keepable;

const DEADLINE: Duration = Duration::from_secs(30);
const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// A time that never comes but for the durations named, which are over at once.
fn time(over: &'static [Duration]) -> Wait {
    Arc::new(move |duration| {
        if over.contains(&duration) {
            Box::pin(std::future::ready(()))
        } else {
            Box::pin(std::future::pending())
        }
    })
}

fn client(server: &Scripted, wait: Wait) -> BankClient {
    BankClient::new(BaseUrl::parse(&server.base_url()).unwrap(), wait).unwrap()
}

async fn ask(client: &BankClient) -> Result<Reply, Error> {
    let secret = SecretText::from("made-up-key");
    client.post_json("/movements", &[(KEY, &secret)], b"{}".to_vec(), DEADLINE).await
}

async fn answer_to(play: Play) -> Result<Reply, Error> {
    let server = Scripted::start(move |_| play.clone());
    ask(&client(&server, time(&[]))).await
}

#[tokio::test]
async fn a_question_says_all_that_it_must_and_its_answer_is_read_whole() {
    let server = Scripted::start(|_| Play::Answer(418, b"{\"code\":1000}".to_vec()));
    let base = format!("{}/api/", server.base_url());
    let client = BankClient::new(BaseUrl::parse(&base).unwrap(), time(&[])).unwrap();
    let reply = ask(&client).await.unwrap();
    assert_eq!((reply.status, reply.body), (418, b"{\"code\":1000}".to_vec()));
    let [Asked { line, body, .. }] = &server.asked()[..] else { panic!("one question") };
    assert_eq!((line.as_str(), body.as_str()), ("POST /api/movements", "{}"));
    let host = server.base_url().trim_start_matches("http://").to_owned();
    for (name, value) in [
        ("host", host.as_str()),
        ("x-api-key", "made-up-key"),
        ("content-type", "application/json"),
        ("content-length", "2"),
    ] {
        assert_eq!(server.asked()[0].header(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let client = client(&server, time(&[]));
    for _ in 0..3 {
        ask(&client).await.unwrap();
    }
    assert_eq!((server.connections(), server.asked().len()), (1, 3));
}

#[tokio::test]
async fn a_connection_that_was_kept_too_long_is_not_used_again() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let client = client(&server, time(&[crate::idle::KEPT_FOR]));
    ask(&client).await.unwrap();
    ask(&client).await.unwrap();
    assert_eq!(server.connections(), 2);
}

/// The bank closes the connection in the very moment of the second question.
#[tokio::test]
async fn a_question_that_met_a_closing_connection_is_asked_on_a_new_one() {
    let count = AtomicUsize::new(0);
    let server = Scripted::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        1 => Play::Bytes(Vec::new()),
        _ => Play::ok("{}"),
    });
    let client = client(&server, time(&[]));
    ask(&client).await.unwrap();
    ask(&client).await.unwrap();
    assert_eq!((server.connections(), server.asked().len()), (2, 3));
}

/// The bank has closed the connection, and this side has not looked since.
#[tokio::test]
async fn a_question_on_a_connection_that_is_over_is_not_waited_for() {
    let (ours, mut theirs) = tokio::io::duplex(4_096);
    let link = Link::open(TokioIo::new(Box::new(ours))).await.unwrap();
    let question = || Request::post("/").body(Full::new(Bytes::new())).unwrap();
    let bank = async {
        theirs.read_buf(&mut Vec::with_capacity(4_096)).await.unwrap();
        theirs.write_all(b"HTTP/1.1 200 -\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
    };
    let (answered, ()) = join(link.exchange(question()), bank).await;
    let (reply, link) = answered.unwrap_or_else(|error| panic!("{error}"));
    let mut link = link.expect("the connection is kept");
    assert!(reply.status == 200 && link.is_open());
    drop(theirs);
    let answered = link.exchange(question()).now_or_never().expect("nobody waits");
    assert_eq!(answered.map(|(reply, _)| reply), Err(Error::Reset));
}

#[tokio::test]
async fn every_way_to_fail_has_its_name() {
    let head = |rest: &str| format!("HTTP/1.1 200 OK\r\n{rest}").into_bytes();
    for (play, error) in [
        (Play::Bytes(Vec::new()), Error::Reset),
        (Play::Bytes(head("content-length: 9\r\n\r\n{\"cod")), Error::Reset),
        (Play::Bytes(b"220 mail ready\r\n\r\n".to_vec()), Error::Malformed),
        (Play::Answer(200, vec![b' '; BODY_MAX + 1]), Error::TooLarge),
    ] {
        assert_eq!(answer_to(play).await, Err(error));
    }
    let whole = answer_to(Play::Answer(200, vec![b' '; BODY_MAX])).await;
    assert_eq!(whole.map(|reply| reply.body.len()), Ok(BODY_MAX));
    // Without a length, the end of the connection is the end of the body.
    let endless = answer_to(Play::Bytes(head("\r\n{}"))).await;
    assert_eq!(endless.map(|reply| reply.body), Ok(b"{}".to_vec()));
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let other = Scripted::start(|_| Play::ok("{}"));
    let head = format!("HTTP/1.1 307 -\r\nlocation: {}/\r\ncontent-length: 0\r\n\r\n", {
        other.base_url()
    });
    let reply = answer_to(Play::Bytes(head.into_bytes())).await;
    assert_eq!(reply.map(|reply| reply.status), Ok(307));
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn the_deadline_is_over_everything() {
    let server = Scripted::start(|_| Play::Silence);
    let answer = ask(&client(&server, time(&[DEADLINE]))).await;
    assert_eq!(answer, Err(Error::Timeout));
}

/// A bank that takes its time, and one question more than go on at once.
#[tokio::test]
async fn a_place_that_was_not_got_in_time_is_no_silence_of_the_bank() {
    let server = Scripted::start(|_| Play::Silence);
    let client = client(&server, time(&[bank::PLACE_MAX]));
    let _taken = client.places.try_acquire_many(bank::EXCHANGES_MAX as u32).unwrap();
    assert_eq!(ask(&client).await, Err(Error::Busy));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_connection_is_tried_again_a_few_times() {
    let base = format!("http://{}", testkit::closed_port());
    let waits = Arc::new(Mutex::new(Vec::new()));
    let wait: Wait = {
        let (waits, time) = (Arc::clone(&waits), time(&[connect::PAUSE]));
        Arc::new(move |duration| {
            waits.lock().unwrap().push(duration);
            time(duration)
        })
    };
    let client = BankClient::new(BaseUrl::parse(&base).unwrap(), wait).unwrap();
    assert_eq!(ask(&client).await, Err(Error::Connect(ErrorKind::ConnectionRefused)));
    let pauses = waits.lock().unwrap().iter().filter(|wait| **wait == connect::PAUSE).count();
    assert_eq!(pauses, connect::RETRIES as usize);
}

#[tokio::test]
async fn a_server_without_tls_is_not_spoken_to_where_tls_is_wanted() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let base = server.base_url().replace("http://", "https://");
    let client = BankClient::new(BaseUrl::parse(&base).unwrap(), time(&[connect::PAUSE])).unwrap();
    assert!(matches!(ask(&client).await, Err(Error::Connect(_))));
    let requests: Vec<Asked> = server.asked();
    assert!(requests.iter().all(|asked| asked.header("x-api-key").is_none()), "{requests:?}");
}

#[tokio::test]
async fn a_key_that_cannot_be_a_header_is_named_by_nobody() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let client = client(&server, time(&[]));
    let secret = SecretText::from("made\nup");
    let answer = client.post_json("/", &[(KEY, &secret)], Vec::new(), DEADLINE).await;
    assert_eq!(answer, Err(Error::Header));
    assert_eq!(answer.unwrap_err().to_string(), "a header cannot be written");
}
