//! Connections that are kept for the next exchange, and those that are not.

use std::pin::pin;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::yield_now;

use super::super::line::USED_MAX;
use super::*;
use crate::idle::KEPT_FOR;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Returns what of an exchange is compared here: what was answered, and whether the connection was there already.
fn status_of(exchange: &Exchange) -> (Result<u16, Trouble>, bool) {
    (exchange.answer.clone().map(|answer| answer.status), exchange.is_reused)
}

/// Posts twice to a receiver that answers the first by `play` and others with 201, and returns the
/// second exchange and how many connections it took.
async fn twice(client: &WebhookClient, play: Play) -> (Exchange, usize) {
    let first = AtomicUsize::new(0);
    let server = Scripted::start(move |_| match first.fetch_add(1, Ordering::SeqCst) {
        0 => play.clone(),
        _ => Play::Answer(201, Vec::new()),
    });
    let url = format!("{}/hook", server.base_url());
    assert!(!exchange_with(client, &url).await.is_reused);
    let second = exchange_with(client, &url).await;
    assert_eq!(server.asked().len(), 2, "each is sent once");
    (second, server.connections())
}

fn answered(rest: &str) -> Vec<u8> {
    [&head(rest)[..], b"ok"].concat()
}

#[tokio::test]
async fn a_connection_is_used_again_and_its_name_is_not_looked_up_again() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let port = server.base_url().rsplit(':').next().unwrap().to_owned();
    let (resolve, looks) = leading_to(&["127.0.0.1"]);
    let client = trusting(None, Reach::Anywhere, resolve, never());
    for is_reused in [false, true, true] {
        let exchange =
            exchange_with(&client, &format!("http://shop.example:{port}/{is_reused}")).await;
        assert_eq!(status_of(&exchange), (Ok(200), is_reused));
        // The address that was checked is the one that it leads to still.
        assert_eq!(exchange.address, Some("127.0.0.1".parse().unwrap()));
        assert!(exchange.sent.is_some());
    }
    assert_eq!((server.connections(), looks.load(Ordering::SeqCst)), (1, 1));
    // Another host is another destination, though it is the same machine.
    let other = exchange_with(&client, &format!("http://other.example:{port}/")).await;
    assert_eq!(status_of(&other), (Ok(200), false));
}

#[tokio::test]
async fn only_what_came_to_a_clean_end_is_used_again() {
    let long = vec![b'x'; READ_MAX];
    for (play, is_reused) in [
        (Play::Answer(500, b"no".to_vec()), true),
        (Play::Stall(answered("content-length: 2\r\n")), true),
        (Play::Stall(answered("content-length: 2\r\nkeep-alive: timeout=5, max=9\r\n")), true),
        (Play::Stall([&head("transfer-encoding: chunked\r\n")[..], b"0\r\n\r\n"].concat()), true),
        (Play::Stall(b"HTTP/1.1 103 -\r\n\r\nHTTP/1.1 204 -\r\n\r\n".to_vec()), true),
        (Play::Stall(answered("content-length: 2\r\nconnection: close\r\n")), false),
        (Play::Stall(answered("content-length: 2\r\nkeep-alive: timeout=1\r\n")), false),
        (
            Play::Stall(
                b"HTTP/1.0 200 -\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n".to_vec(),
            ),
            false,
        ),
        // Whether or not there is more: what is as long as is read is not read on.
        (Play::Answer(200, long), false),
        // Without a length, the end of the connection is the end of the body.
        (Play::Bytes(answered("")), false),
        (
            Play::Stall(b"HTTP/1.1 101 -\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n".to_vec()),
            false,
        ),
        (Play::Bytes(b"220 mail ready\r\n\r\n".to_vec()), false),
    ] {
        let shown = format!("{play:?}").chars().take(80).collect::<String>();
        let (second, connections) = twice(&client(Reach::Anywhere, &[]), play).await;
        assert_eq!(status_of(&second), (Ok(201), is_reused), "{shown}");
        assert_eq!(connections, if is_reused { 1 } else { 2 }, "{shown}");
    }
}

/// Checks that what comes after the end of an answer is nobody's answer.
#[tokio::test]
async fn an_answer_ahead_of_its_question_is_not_taken_for_it() {
    let forged = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
    for more in [&forged[..], b"x", b"\r\n"] {
        let play = Play::Stall([OK, more].concat());
        let (second, connections) = twice(&client(Reach::Anywhere, &[]), play).await;
        assert_eq!((status_of(&second), connections), ((Ok(201), false), 2), "{more:?}");
    }
}

/// A listener, and its address to post to.
async fn listening() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    (listener, url)
}

/// A first exchange, and the connection on which it was received.
async fn first(client: &WebhookClient, listener: &TcpListener, url: &str) -> TcpStream {
    let receive = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        hear(&mut stream, OK).await;
        stream
    };
    let (stream, exchange) = join(receive, exchange_with(client, url)).await;
    assert_eq!(status_of(&exchange), (Ok(200), false));
    stream
}

/// The same while the connection is kept: it is noticed before anything is sent.
#[tokio::test]
async fn what_comes_while_it_is_kept_makes_an_end_of_a_connection() {
    let (listener, url) = listening().await;
    let client = client(Reach::Anywhere, &[]);
    for does_forge in [true, false] {
        let mut before = first(&client, &listener, &url).await;
        if does_forge {
            before.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        } else {
            // It hangs up, as receivers do after a while.
            before.shutdown().await.unwrap();
        }
        let again = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            hear(&mut stream, b"HTTP/1.1 202 -\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
                .await;
        };
        let ((), exchange) = join(again, exchange_with(&client, &url)).await;
        assert_eq!(status_of(&exchange), (Ok(202), false));
        let mut rest = Vec::new();
        let ended = before.read_to_end(&mut rest).await;
        assert!(rest.is_empty(), "nothing was sent on it: {ended:?}");
    }
}

/// It may have been received, and be acted on: there is no second try that nobody knows of.
#[tokio::test]
async fn what_may_have_been_received_is_not_sent_twice() {
    let (listener, url) = listening().await;
    let client = client(Reach::Anywhere, &[]);
    let mut stream = first(&client, &listener, &url).await;
    let receive = async {
        hear(&mut stream, b"").await;
        drop(stream);
    };
    let ((), exchange) = join(receive, exchange_with(&client, &url)).await;
    assert_eq!(status_of(&exchange), (Err(Trouble::Reset), true));
    assert!(exchange.sent.is_some());
    for _ in 0..100 {
        yield_now().await;
    }
    assert!(listener.accept().now_or_never().is_none(), "nobody else came");
}

/// A receiver that fails on one connection fails on all that were kept.
#[tokio::test]
async fn a_failure_makes_an_end_of_the_others_too() {
    let (listener, url) = listening().await;
    let client = client(Reach::Anywhere, &[]);
    // Two at once, which take two connections.
    let receive = async {
        let (mut one, _) = listener.accept().await.unwrap();
        let (mut other, _) = listener.accept().await.unwrap();
        join(hear(&mut one, OK), hear(&mut other, OK)).await;
        (one, other)
    };
    let both = join(exchange_with(&client, &url), exchange_with(&client, &url));
    let ((one, other), _) = join(receive, both).await;
    let refuse = async {
        // Whichever is asked hangs up, and the other does not.
        let is_one =
            matches!(select(pin!(one.readable()), pin!(other.readable())).await, Either::Left(_));
        if is_one { other } else { one }
    };
    let (_other, failed) = join(refuse, exchange_with(&client, &url)).await;
    assert_eq!(status_of(&failed), (Err(Trouble::Reset), true));
    assert!(client.idle.take(&(OWNER, Destination::parse(&url).unwrap().origin())).is_none());
}

/// No connection is kept too long, nor used too long however busy it is.
#[tokio::test]
async fn a_connection_is_not_used_for_ever() {
    for over in [KEPT_FOR, USED_MAX] {
        let wait: Wait = Arc::new(move |duration| {
            if duration == over {
                Box::pin(std::future::ready(()))
            } else {
                Box::pin(std::future::pending())
            }
        });
        let client = trusting(None, Reach::Anywhere, leading_to(&[]).0, wait);
        let (second, connections) = twice(&client, Play::ok("{}")).await;
        assert_eq!((status_of(&second), connections), ((Ok(201), false), 2), "{over:?}");
    }
}

/// An owner that names many hosts holds as many connections as there are places, and no more.
#[tokio::test]
async fn few_are_kept_however_many_hosts_there_are() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let port = server.base_url().rsplit(':').next().unwrap().to_owned();
    let mut client = client(Reach::Anywhere, &["127.0.0.1"]);
    client.idle = Idle::new(Limits { of_each: 2, in_all: 3 }, never());
    for host in 0..5 {
        exchange_with(&client, &format!("http://{host}a.example:{port}/")).await;
    }
    // The first two made room.
    for (host, is_reused) in [(4, true), (3, true), (2, true), (0, false)] {
        let exchange = exchange_with(&client, &format!("http://{host}a.example:{port}/")).await;
        assert_eq!(status_of(&exchange), (Ok(200), is_reused), "{host}");
    }
}

/// Checks that owners share no connections: whether one was there already would show its owner that something was sent
/// before.
#[tokio::test]
async fn no_owner_uses_the_connections_of_another() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let client = client(Reach::Anywhere, &[]);
    let to = Destination::parse(&server.base_url()).unwrap();
    for (owner, is_reused) in [(1, false), (2, false), (1, true), (2, true)] {
        let owner = OwnerId::from_bytes([owner; 16]);
        let exchange = client.post(owner, &to, &[], Bytes::from_static(b"{}")).await;
        assert_eq!(status_of(&exchange), (Ok(200), is_reused));
    }
    assert_eq!(server.connections(), 2);
}
