//! Many connections from one address that never end: everybody else is served, and a stop does not wait.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use cotejo::{Config, Server};
use futures_util::future::{Either, join_all, select};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::Instant;

use crate::service::Service;

/// The places of the servers here.
const PLACES: usize = 20;

/// Within which everybody else must have an answer. Far more than it takes.
const SOON: Duration = Duration::from_secs(60);

/// Far more than a stop takes, and less than the 30 seconds that it may.
const STOPPED_SOON: Duration = Duration::from_secs(20);

const LONG: Duration = Duration::from_secs(600);

const CROWD: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

const ASK: &str = "GET /me HTTP/1.1\r\nhost: cotejo\r\n\r\n";

/// A request whose body is sent when it is asked for.
const POST: &str = "POST /auth/login HTTP/1.1\r\nhost: cotejo\r\nexpect: 100-continue\r\n\
                    content-length: 9\r\n\r\n";

/// Behaviour of the crowd's connections.
#[derive(Clone, Copy, Debug)]
enum Doing {
    /// They ask without end and never read an answer.
    NotReading,
    /// They begin a head and do not end it.
    SendingHeads,
    /// They ask, and stay.
    Staying,
    /// They send a head, and not its body.
    SendingBodies,
}

#[expect(clippy::disallowed_methods, reason = "sockets do not follow a test's clock")]
async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(limit, work).await.ok()
}

#[expect(clippy::disallowed_methods, reason = "sockets do not follow a test's clock")]
async fn pause(duration: Duration) {
    tokio::time::sleep(duration).await;
}

async fn connect(from: Ipv4Addr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

/// Sends a request from that address and reads the whole answer; nothing where none came in time.
async fn ask(from: Ipv4Addr, to: SocketAddr, path: &str) -> Option<String> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n\r\n");
    let asking = async {
        let mut stream = connect(from, to).await.ok()?;
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        Some(answer)
    };
    within(SOON, asking).await.flatten()
}

/// Opens as many connections as there are places, all busy with the same. Those that are not
/// admitted end, and are none of the crowd.
async fn crowd(to: SocketAddr, doing: Doing) -> Vec<TcpStream> {
    crowd_of(CROWD, PLACES, to, doing).await
}

async fn crowd_of(from: Ipv4Addr, count: usize, to: SocketAddr, doing: Doing) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..count {
        let Ok(mut stream) = connect(from, to).await else { continue };
        let is_there = match doing {
            Doing::NotReading => fill(&mut stream).await,
            Doing::SendingHeads => stream.write_all(b"GET /me HTTP/1.1\r\nhost: co").await.is_ok(),
            Doing::Staying => {
                let is_sent = stream.write_all(ASK.as_bytes()).await.is_ok();
                is_sent && matches!(within(SOON, stream.read_u8()).await, Some(Ok(_)))
            }
            Doing::SendingBodies => {
                let is_sent = stream.write_all(POST.as_bytes()).await.is_ok();
                // The head was read, and its body is waited for.
                is_sent && matches!(within(SOON, stream.read_u8()).await, Some(Ok(b'H')))
            }
        };
        if is_there {
            streams.push(stream);
        }
    }
    streams
}

/// Asks until the other side takes no more, because its answers are not read.
async fn fill(stream: &mut TcpStream) -> bool {
    let many = ASK.repeat(500);
    loop {
        match within(Duration::from_millis(300), stream.write_all(many.as_bytes())).await {
            Some(Ok(())) => {}
            Some(Err(_)) => return false,
            None => return true,
        }
    }
}

/// Deadlines that are of no help within a test, so that places alone are.
fn patient(config: &mut Config) {
    config.http.connections_max = PLACES;
    config.http.header_timeout = LONG;
    config.http.write_timeout = LONG;
    config.http.answer_timeout = LONG;
}

/// For how long a head may be waited for, where the crowd never rests. It is shorter than what it stands for.
const HEAD_TIMEOUT: Duration = Duration::from_secs(1);

/// Shortly before a connection on which nothing is asked would be closed: nine seconds of ten.
const SHORTLY_BEFORE: Duration = Duration::from_millis(900);

/// Within which health must be answered, which is at once.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Does the same on a connection again and again; one that is cut off connects anew.
async fn never_rest(to: SocketAddr, doing: Doing) {
    loop {
        if let Ok(mut stream) = connect(CROWD, to).await {
            while has_done(&mut stream, doing).await {
                pause(SHORTLY_BEFORE).await;
            }
        }
        pause(Duration::from_millis(20)).await;
    }
}

/// Does it once; answers whether it can do so again on the same connection.
async fn has_done(stream: &mut TcpStream, doing: Doing) -> bool {
    match doing {
        Doing::Staying => {
            let mut answer = [0; 4096];
            let is_sent = stream.write_all(ASK.as_bytes()).await.is_ok();
            is_sent && matches!(stream.read(&mut answer).await, Ok(1..))
        }
        Doing::SendingHeads => {
            let is_sent = stream.write_all(b"GET /me HTTP/1.1\r\nhost: co").await.is_ok();
            // Nothing is answered until it is closed.
            is_sent && stream.read_u8().await.is_ok()
        }
        Doing::NotReading | Doing::SendingBodies => unreachable!("they owe something and stay"),
    }
}

async fn a_crowd_that_never_rests_disturbs_nobody(doing: Doing) {
    let service = Service::on_sqlite();
    let server = service
        .start_with(|config| {
            config.http.connections_max = PLACES;
            config.http.header_timeout = HEAD_TIMEOUT;
        })
        .await;
    let to = server.addr();
    let crowd = join_all((0..PLACES).map(|_| never_rest(to, doing)));
    let others = async {
        for _ in 0..3 {
            pause(SHORTLY_BEFORE).await;
            for path in ["/health/live", "/health/ready"] {
                let answer = within(AT_ONCE, ask(OTHER, to, path)).await.flatten();
                let answer = answer.unwrap_or_else(|| panic!("no answer from {path} at once"));
                assert!(answer.starts_with("HTTP/1.1 200 OK"), "{path}: {answer}");
            }
            let answer = ask(OTHER, to, "/me").await.expect("no answer");
            assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
        }
    };
    match select(Box::pin(crowd), Box::pin(others)).await {
        Either::Left(_) => unreachable!("a crowd never rests"),
        Either::Right(((), crowd)) => drop(crowd),
    }
    stops_soon(server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_again_before_its_connection_is_closed_disturbs_nobody() {
    a_crowd_that_never_rests_disturbs_nobody(Doing::Staying).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_begins_heads_anew_disturbs_nobody() {
    a_crowd_that_never_rests_disturbs_nobody(Doing::SendingHeads).await;
}

async fn everybody_else_is_served(server: &Server) {
    for (path, status) in
        [("/health/live", "200 OK"), ("/health/ready", "200 OK"), ("/me", "401 Unauthorized")]
    {
        let answer = ask(OTHER, server.addr(), path).await;
        let answer = answer.unwrap_or_else(|| panic!("no answer from {path}"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
    }
}

async fn stops_soon(server: Server) {
    let begun = Instant::now();
    assert!(server.stop().await.unwrap(), "not everything was finished");
    assert!(begun.elapsed() < STOPPED_SOON, "the stop took {:?}", begun.elapsed());
}

async fn a_crowd_disturbs_nobody(doing: Doing) {
    let service = Service::on_sqlite();
    let server = service.start_with(patient).await;
    let crowd = crowd(server.addr(), doing).await;
    assert!(!crowd.is_empty(), "nobody of the crowd was let in");
    everybody_else_is_served(&server).await;
    stops_soon(server).await;
    drop(crowd);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_disturbs_nobody_and_no_stop() {
    a_crowd_disturbs_nobody(Doing::NotReading).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_heads_without_end_disturbs_nobody_and_no_stop() {
    a_crowd_disturbs_nobody(Doing::SendingHeads).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_and_stays_disturbs_nobody_and_no_stop() {
    a_crowd_disturbs_nobody(Doing::Staying).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_bodies_without_end_disturbs_nobody_and_no_stop() {
    a_crowd_disturbs_nobody(Doing::SendingBodies).await;
}

/// Three addresses have all places between them, none more than its share.
async fn several_crowds_disturb_nobody(doing: Doing) {
    let service = Service::on_sqlite();
    let server = service.start_with(patient).await;
    let mut crowds = Vec::new();
    for (last, count) in [(4, 8), (5, 8), (6, PLACES - 16)] {
        let from = Ipv4Addr::new(127, 0, 0, last);
        crowds.extend(crowd_of(from, count, server.addr(), doing).await);
    }
    assert_eq!(crowds.len(), PLACES, "not everybody was let in");
    // Of the API first, which has none of the places that are kept for operations.
    let answer = ask(OTHER, server.addr(), "/me").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    everybody_else_is_served(&server).await;
    stops_soon(server).await;
    drop(crowds);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_several_do_not_read_the_one_with_most_gives_way() {
    several_crowds_disturb_nobody(Doing::NotReading).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_several_send_heads_without_end_the_one_with_most_gives_way() {
    several_crowds_disturb_nobody(Doing::SendingHeads).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_several_send_bodies_without_end_the_one_with_most_gives_way() {
    several_crowds_disturb_nobody(Doing::SendingBodies).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_an_answer_is_left() {
    let service = Service::on_sqlite();
    let server = service
        .start_with(|config| {
            patient(config);
            config.http.write_timeout = Duration::from_secs(1);
        })
        .await;
    let mut stream = connect(CROWD, server.addr()).await.unwrap();
    assert!(fill(&mut stream).await);
    let left = async { while stream.write_all(b"GET ").await.is_ok() {} };
    within(SOON, left).await.expect("the connection is still there");
    assert!(server.stop().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_all_places_are_busy_health_is_answered_and_others_are_asked_to_come_again() {
    let service = Service::on_sqlite();
    let server = service
        .start_with(|config| {
            patient(config);
            config.http.connections_max = 2;
            config.http.connections_per_address = Some(1);
        })
        .await;
    let mut busy = Vec::new();
    for last in [4, 5] {
        let mut stream = connect(Ipv4Addr::new(127, 0, 0, last), server.addr()).await.unwrap();
        // Which waits for its body gives way to nobody that would have as many.
        stream.write_all(POST.as_bytes()).await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'H');
        busy.push(stream);
    }
    for path in ["/health/live", "/health/ready", "/metrics"] {
        let answer = ask(OTHER, server.addr(), path).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{path}: {answer}");
    }
    let answer = ask(OTHER, server.addr(), "/me").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(
        answer.contains("retry-after: 1") && answer.contains("SERVICE_UNAVAILABLE"),
        "{answer}"
    );
    let metrics = ask(OTHER, server.addr(), "/metrics").await.unwrap();
    assert!(metrics.contains("cotejo_http_connections{places=\"general\"} 2"), "{metrics}");
    drop(busy);
    server.stop().await.unwrap();
}
