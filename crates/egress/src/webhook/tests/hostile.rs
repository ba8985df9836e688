//! Receivers that mean harm, or are as good as if they did. Whatever they do, the exchange ends at its
//! deadline or before, and little of what they pour is kept.

use std::future::{Future, pending};

use futures_util::future::{Either, select};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::super::metered::LINE_MAX;
use super::*;

/// A client whose deadline comes when `phase` has begun, on its way through that many of them, and not
/// before; everything else that is waited for never comes.
fn ending_in(phases: usize) -> WebhookClient {
    let bell = Arc::new(Notify::new());
    let ring = Arc::clone(&bell);
    let wait: Wait = Arc::new(move |duration| {
        let bell = Arc::clone(&bell);
        Box::pin(async move {
            match duration {
                DEADLINE => bell.notified().await,
                _ => pending().await,
            }
        })
    });
    let reached = AtomicUsize::new(0);
    let mut client = trusting(None, Reach::Anywhere, leading_to(&["127.0.0.1"]).0, wait);
    // The time is asked for whenever a phase begins.
    client.now = Arc::new(move || {
        if reached.fetch_add(1, Ordering::SeqCst) + 1 == phases {
            ring.notify_one();
        }
        Timestamp::from_micros(0)
    });
    client
}

const RESOLVING: usize = 1;
const WAITING: usize = 3;
const READING: usize = 4;

/// Posts while a receiver does what it does on the first connection.
async fn post_while<F: Future<Output = ()>>(
    client: &WebhookClient,
    receive: impl FnOnce(TcpStream) -> F,
) -> Exchange {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let receive = std::pin::pin!(async {
        let (stream, _) = listener.accept().await.unwrap();
        receive(stream).await;
        // No other connection is accepted: a client that tried would wait for ever.
        pending::<()>().await;
    });
    match select(std::pin::pin!(exchange_with(client, &url)), receive).await {
        Either::Left((exchange, _)) => exchange,
        Either::Right(_) => unreachable!("it goes on for ever"),
    }
}

#[tokio::test]
async fn a_name_that_is_never_found_ends_at_the_deadline() {
    let mut client = ending_in(RESOLVING);
    client.resolve = Arc::new(|_, _| Box::pin(pending()));
    let exchange = exchange_with(&client, "http://shop.example").await;
    assert_eq!(exchange.answer, Err(Trouble::Timeout(Phase::Resolving)));
    assert_eq!((exchange.sent, exchange.address), (None, None));
}

#[tokio::test]
async fn a_receiver_that_never_answers_ends_at_the_deadline() {
    for said in ["", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nx-slow: ", "HTTP/1.1 102 Processing\r\n\r\n"]
    {
        let client = ending_in(WAITING);
        let exchange = post_while(&client, async |mut stream| {
            hear(&mut stream, said.as_bytes()).await;
            pending::<()>().await;
            drop(stream);
        });
        let exchange = exchange.await;
        assert_eq!(exchange.answer, Err(Trouble::Timeout(Phase::Waiting)), "{said}");
        assert!(exchange.sent.is_some());
    }
}

#[tokio::test]
async fn a_body_that_drips_ends_at_the_deadline() {
    let heads = ["content-length: 100\r\n", "transfer-encoding: chunked\r\n", ""];
    for (rest, drop_of_it) in heads.into_iter().zip(["x", "1\r\nx\r\n", "x"]) {
        let client = ending_in(READING);
        let exchange = post_while(&client, async |mut stream| {
            hear(&mut stream, &head(rest)).await;
            // As slow as can be: each byte waits until the one before has been read.
            for _ in 0..10 {
                stream.write_all(drop_of_it.as_bytes()).await.unwrap();
                tokio::task::yield_now().await;
            }
            pending::<()>().await;
            drop(stream);
        });
        assert_eq!(exchange.await.answer, Err(Trouble::Timeout(Phase::Reading)), "{rest}");
    }
}

/// However much a receiver pours out, the exchange ends when enough was kept.
#[tokio::test]
async fn an_endless_body_is_cut_off() {
    for (first, again) in [
        (head("content-length: 999999999999\r\n"), vec![b'x'; 1_000]),
        (head(""), vec![b'x'; 1_000]),
        (head("transfer-encoding: chunked\r\n"), b"5\r\nabcde\r\n".to_vec()),
        (head("transfer-encoding: chunked\r\n"), b"1\r\nx\r\n".to_vec()),
    ] {
        let answer = answer_to(Play::Endless(first, again)).await.unwrap();
        assert_eq!((answer.status, answer.body.len()), (200, READ_MAX));
    }
}

/// Nothing that is packed was asked for, and nothing is unpacked: a bomb is so many bytes of nothing.
#[tokio::test]
async fn a_bomb_is_kept_as_it_came_up_to_the_limit() {
    // The beginning of what `gzip` makes of a great deal of zeros, made up and never looked into.
    let packed = [&[0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3][..], &[0; 100_000]].concat();
    let head = head(&format!("content-encoding: gzip\r\ncontent-length: {}\r\n", packed.len()));
    let server = Scripted::start({
        let packed = packed.clone();
        move |_| Play::Stall([head.clone(), packed.clone()].concat())
    });
    let answer = post_to(&server).await.unwrap();
    assert!(answer.body == packed[..READ_MAX]);
    assert_eq!(server.asked()[0].header("accept-encoding"), None);
}

/// Checks that a flood of what is no answer is cut off: only so many bytes may come over the line.
#[tokio::test]
async fn a_flood_ends_before_the_deadline_does() {
    let interim = |status: &str| {
        (
            Vec::new(),
            format!("HTTP/1.1 {status} -\r\nx: {}\r\n\r\n", "y".repeat(2_000)).into_bytes(),
        )
    };
    let extension = format!("1;{}\r\nx\r\n", "y".repeat(8_000)).into_bytes();
    for (first, again) in [
        interim("100"),
        interim("102"),
        interim("103"),
        (head("transfer-encoding: chunked\r\n"), extension),
    ] {
        let beginning = String::from_utf8_lossy(&again[..12]).into_owned();
        let ended = answer_to(Play::Endless(first, again)).await;
        // Chunks with more beside than in them are no HTTP to some.
        let expected = [Err(Trouble::Flooded), Err(Trouble::Reset), Err(Trouble::Malformed)];
        let count = if beginning.starts_with("HTTP") { 1 } else { 3 };
        assert!(expected[..count].contains(&ended), "{beginning}: {ended:?}");
    }
    const { assert!(LINE_MAX > 32 * READ_MAX) };
}

/// A head without an end is long enough at some point, however it is cut.
#[tokio::test]
async fn an_endless_head_is_cut_off() {
    for again in ["a: b\r\n", "b"] {
        let first = b"HTTP/1.1 200 OK\r\na: ".to_vec();
        let ended = answer_to(Play::Endless(first, again.repeat(1_000).into_bytes())).await;
        assert_eq!(ended, Err(Trouble::HeadTooLong), "{again:?}");
    }
}

/// Hangs up, by a reset where `is_rude`.
fn hang_up(stream: TcpStream, is_rude: bool) {
    if is_rude {
        stream.set_zero_linger().unwrap();
    }
    drop(stream);
}

#[tokio::test]
async fn a_connection_that_ends_anywhere_is_a_reset() {
    let client = client(Reach::Anywhere, &[]);
    for is_rude in [false, true] {
        // Before anything was read, whether or not it was sent by then.
        let exchange = post_while(&client, async |stream| hang_up(stream, is_rude));
        assert_eq!(exchange.await.answer, Err(Trouble::Reset), "{is_rude}");
        for said in [
            "",
            "HTTP/1.1 2",
            "HTTP/1.1 200 OK\r\nx: y\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n",
        ] {
            let exchange = post_while(&client, async |mut stream| {
                hear(&mut stream, said.as_bytes()).await;
                hang_up(stream, is_rude);
            });
            assert_eq!(exchange.await.answer, Err(Trouble::Reset), "{said:?} {is_rude}");
        }
    }
}

/// It goes nowhere, inward least of all, and is what its status says.
#[tokio::test]
async fn a_redirect_is_an_answer_and_no_way_in() {
    let inside = Scripted::start(|_| Play::ok("{}"));
    for to in [&inside.base_url(), "http://169.254.169.254/latest/meta-data/", "//127.0.0.1/"] {
        for status in [301, 302, 303, 307, 308] {
            let location = format!("HTTP/1.1 {status} -\r\nlocation: {to}\r\n\r\n");
            let answer = answer_to(Play::Bytes(location.into_bytes())).await;
            assert_eq!(answer.map(|answer| answer.status), Ok(status));
        }
    }
    assert_eq!(inside.connections(), 0);
}

/// A name that is someone else's by the time it is called: the one look counts, which is at the call.
#[tokio::test]
async fn a_name_that_turns_inward_after_the_check_is_refused() {
    let inside = Scripted::start(|_| Play::ok("{}"));
    let port = inside.base_url().rsplit(':').next().unwrap().to_owned();
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    let resolve: Resolve = Arc::new(move |_, _| {
        let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        let address: IpAddr = if first { "8.8.8.8" } else { "127.0.0.1" }.parse().unwrap();
        Box::pin(std::future::ready(Ok(vec![address])))
    });
    let client = trusting(None, Reach::Internet, resolve, never());
    let url = format!("http://shop.example:{port}/");
    assert_eq!(client.check(&url).await, Ok(()));
    let exchange = exchange_with(&client, &url).await;
    assert_eq!(exchange.answer, Err(Trouble::Forbidden(Zone::Loopback)));
    assert_eq!((exchange.sent, exchange.address), (None, None));
    assert_eq!((looks.load(Ordering::SeqCst), inside.connections()), (2, 0));
}

/// Work that uses up whatever its task may do in one go, again and again, as reading does while
/// somebody pours, keeps no deadline from coming.
#[tokio::test]
async fn work_that_never_pauses_ends_at_its_deadline() {
    let wait: Wait = Arc::new(|_| Box::pin(tokio::task::coop::consume_budget()));
    let work = async {
        loop {
            tokio::task::coop::consume_budget().await;
        }
    };
    assert_eq!(within(&wait, DEADLINE, work).await, None::<()>);
}
