//! Receivers that speak HTTP/2.

use std::future::{pending, poll_fn};

use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use http::{Request, Response};
use tokio::sync::Notify;

use super::tls::{Receiver, during, trusting_it};
use super::*;

/// Script of what a receiver does with the first webhook, the second and so on.
type Script<'a> = dyn Fn(usize, &mut SendResponse<Bytes>) + 'a;

/// Request that came over HTTP/2.
struct Received {
    head: Request<()>,
    body: Vec<u8>,
}

/// Serves connection after connection, each of whose requests are answered by the script.
async fn serve(receiver: &Receiver, received: &Mutex<Vec<Received>>, script: &Script<'_>) {
    loop {
        let (stream, _) = receiver.listener.accept().await.unwrap();
        let stream = receiver.acceptor.accept(stream).await.unwrap();
        let mut http = h2::server::handshake(stream).await.unwrap();
        let mut streams = Vec::new();
        while let Some(Ok((request, mut respond))) = http.accept().await {
            let (head, body) = request.into_parts();
            let body = during_read(body, &mut http).await;
            let number = {
                let mut received = received.lock().unwrap();
                received.push(Received { head: Request::from_parts(head, ()), body });
                received.len()
            };
            script(number, &mut respond);
            streams.push(respond);
        }
    }
}

/// Reads a body, while the connection is driven.
async fn during_read<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin>(
    mut body: RecvStream,
    http: &mut h2::server::Connection<S, Bytes>,
) -> Vec<u8> {
    let mut read = Vec::new();
    loop {
        let data = std::pin::pin!(body.data());
        let closed = std::pin::pin!(poll_fn(|cx| http.poll_closed(cx)));
        match futures_util::future::select(data, closed).await {
            futures_util::future::Either::Left((Some(Ok(data)), _)) => {
                read.extend_from_slice(&data);
            }
            _ => return read,
        }
    }
}

fn ok(respond: &mut SendResponse<Bytes>, body: Bytes) {
    let head = Response::builder().header("X-Made-Up", "1").body(()).unwrap();
    let mut body_to = respond.send_response(head, false).unwrap();
    body_to.send_data(body, true).unwrap();
}

fn client_of(wait: Wait) -> WebhookClient {
    trusting(Some(trusting_it()), Reach::Anywhere, leading_to(&[]).0, wait)
}

/// Posts to a receiver that does by the script.
async fn post_by(client: &WebhookClient, script: &Script<'_>) -> Exchange {
    let receiver = Receiver::start(&[b"h2", b"http/1.1"]).await;
    let url = receiver.url();
    let received = Mutex::default();
    during(exchange_with(client, &url), serve(&receiver, &received, script)).await
}

#[tokio::test]
async fn a_receiver_that_speaks_it_is_notified_in_it_on_one_connection() {
    let receiver = Receiver::start(&[b"h2"]).await;
    let (client, received) = (client_of(never()), Mutex::default());
    let url = receiver.url();
    let posts = async {
        let mut exchanges = Vec::new();
        for _ in 0..3 {
            exchanges.push(exchange_with(&client, &url).await);
        }
        exchanges
    };
    let script: &Script<'_> = &|_, respond| ok(respond, Bytes::from_static(b"taken"));
    let exchanges = during(posts, serve(&receiver, &received, script)).await;
    let host = url.trim_start_matches("https://").trim_end_matches("/hook");
    let sent = format!(
        "POST /hook HTTP/2.0\r\n:authority: {host}\r\nuser-agent: cotejo/{}\r\naccept: */*\r\n\
         content-type: application/json\r\ncontent-length: 7\r\nx-service-timestamp: 1\r\n",
        env!("CARGO_PKG_VERSION"),
    );
    for (exchange, is_reused) in exchanges.iter().zip([false, true, true]) {
        let answer = exchange.answer.as_ref().unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"taken"[..]));
        assert_eq!(answer.head, b"HTTP/2.0 200\r\nx-made-up: 1\r\n");
        assert_eq!((exchange.sent.as_ref(), exchange.is_reused), (Some(&sent), is_reused));
        let is_begun = |phase| exchange.phases.get(phase).is_some();
        assert_eq!(is_begun(Phase::Securing), !is_reused);
        assert!(is_begun(Phase::Waiting) && is_begun(Phase::Reading));
    }
    let received = received.lock().unwrap();
    assert_eq!(received.len(), 3);
    for Received { head, body } in received.iter() {
        assert_eq!((head.method().as_str(), body.as_slice()), ("POST", &b"{\"a\":1}"[..]));
        assert_eq!(head.uri().to_string(), url);
        let names: Vec<_> = head.headers().keys().map(http::HeaderName::as_str).collect();
        let expected = sent.lines().skip(2).map(|line| line.split(": ").next().unwrap());
        assert!(expected.eq(names));
    }
}

#[tokio::test]
async fn what_is_poured_is_cut_off() {
    let client = client_of(never());
    let long = post_by(&client, &|_, respond| ok(respond, Bytes::from(vec![b'x'; 10 * READ_MAX])));
    let long = long.await.answer.unwrap();
    assert_eq!((long.status, long.body.len()), (200, READ_MAX));

    // More interim answers than a line has room for.
    let flood = post_by(&client, &|_, respond| {
        for _ in 0..2_000 {
            // Longer than what the other side remembers of what it received before.
            let value = "y".repeat(5_000);
            let interim = Response::builder().status(103).header("x", value).body(()).unwrap();
            respond.send_informational(interim).unwrap();
        }
    });
    assert_eq!(flood.await.answer, Err(Trouble::Flooded));
}

/// A little too long, far too long, and so long that h2 has had enough of it: one word for all of them.
#[tokio::test]
async fn a_head_that_is_too_long_is_reported_as_that() {
    let with = |headers: usize, len: usize| {
        move |_: usize, respond: &mut SendResponse<Bytes>| {
            let mut head = Response::builder();
            for number in 0..headers {
                head = head.header(format!("x-{number}"), "y".repeat(len));
            }
            respond.send_response(head.body(()).unwrap(), true).unwrap();
        }
    };
    let client = client_of(never());
    for (headers, len) in
        [(9, 8_000), (20, 8_000), (40, 8_000), (100, 8_000), (300, 8_000), (2_000, 10), (1, 70_000)]
    {
        let exchange = post_by(&client, &with(headers, len)).await;
        assert_eq!(exchange.answer, Err(Trouble::HeadTooLong), "{headers} of {len}");
    }
    for (headers, len) in [(7, 8_000), (1, 60_000), (900, 10)] {
        let exchange = post_by(&client, &with(headers, len)).await;
        assert_eq!(exchange.answer.map(|answer| answer.status), Ok(200), "{headers} of {len}");
    }
}

/// Few bytes that stand for many: a header that is sent once, and meant again and again.
#[tokio::test]
async fn a_head_that_was_packed_is_measured_unpacked() {
    let bomb = |times: usize| {
        move |_: usize, respond: &mut SendResponse<Bytes>| {
            let mut head = Response::builder();
            for _ in 0..times {
                head = head.header("x", "y".repeat(3_000));
            }
            respond.send_response(head.body(()).unwrap(), true).unwrap();
        }
    };
    let client = client_of(never());
    for times in [25, 80, 500, 5_000] {
        let exchange = post_by(&client, &bomb(times)).await;
        assert_eq!(exchange.answer, Err(Trouble::HeadTooLong), "{times}");
    }
}

/// A head that is short and none of HTTP is not called long.
#[tokio::test]
async fn a_head_that_is_none_is_reported_as_that() {
    let client = client_of(never());
    let exchange = post_by(&client, &|_, respond| {
        let head = Response::builder().header("content-length", "7").body(()).unwrap();
        respond.send_response(head, true).unwrap();
    });
    assert_eq!(exchange.await.answer, Err(Trouble::Malformed));
}

#[tokio::test]
async fn a_reset_is_a_reset() {
    let client = client_of(never());
    for reason in [Reason::INTERNAL_ERROR, Reason::REFUSED_STREAM, Reason::CANCEL] {
        let early = post_by(&client, &move |_, respond| respond.send_reset(reason)).await;
        assert_eq!(early.answer, Err(Trouble::Reset), "{reason}");
        let begin: &Script<'_> = &move |_, respond| {
            let mut body = respond.send_response(Response::new(()), false).unwrap();
            body.send_data(Bytes::from_static(b"begun"), false).unwrap();
            body.send_reset(reason);
        };
        let late = post_by(&client, begin).await;
        assert_eq!(late.answer, Err(Trouble::Reset), "{reason}");
    }
}

/// A receiver that says that it speaks HTTP/2 and does not.
#[tokio::test]
async fn what_is_no_http2_is_reported() {
    let receiver = Receiver::start(&[b"h2"]).await;
    let speak = async {
        let (stream, _) = receiver.listener.accept().await.unwrap();
        let mut stream = receiver.acceptor.accept(stream).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        pending::<()>().await;
        drop(stream);
    };
    let exchange = during(exchange_with(&client_of(never()), &receiver.url()), speak).await;
    assert_eq!(exchange.answer, Err(Trouble::Malformed));
}

#[tokio::test]
async fn the_deadline_is_over_it_too() {
    for does_begin in [false, true] {
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
        let mut client = client_of(wait);
        // The time is asked for when each phase begins: resolving, connecting, securing, waiting, reading.
        let looks = AtomicUsize::new(0);
        let last = if does_begin { 5 } else { 4 };
        client.now = Arc::new(move || {
            if looks.fetch_add(1, Ordering::SeqCst) + 1 == last {
                ring.notify_one();
            }
            Timestamp::from_micros(0)
        });
        let begun = Mutex::new(Vec::new());
        let script: &Script<'_> = &|_, respond| {
            if does_begin {
                begun.lock().unwrap().push(respond.send_response(Response::new(()), false));
            }
        };
        let end = post_by(&client, script).await;
        let phase = if does_begin { Phase::Reading } else { Phase::Waiting };
        assert_eq!(end.answer, Err(Trouble::Timeout(phase)));
    }
}

/// A receiver that takes its leave is left, and called anew.
#[tokio::test]
async fn a_receiver_that_takes_its_leave_is_called_anew() {
    let receiver = Receiver::start(&[b"h2"]).await;
    let client = client_of(never());
    let serve = async {
        loop {
            let (stream, _) = receiver.listener.accept().await.unwrap();
            let stream = receiver.acceptor.accept(stream).await.unwrap();
            let mut http = h2::server::handshake(stream).await.unwrap();
            let (_, mut respond) = http.accept().await.unwrap().unwrap();
            ok(&mut respond, Bytes::new());
            http.graceful_shutdown();
            // Until the other side has hung up.
            poll_fn(|cx| http.poll_closed(cx)).await.ok();
        }
    };
    let url = receiver.url();
    let posts = async { [exchange_with(&client, &url).await, exchange_with(&client, &url).await] };
    let exchanges = during(posts, serve).await;
    assert!(exchanges.iter().all(|exchange| !exchange.is_reused && exchange.answer.is_ok()));
}
