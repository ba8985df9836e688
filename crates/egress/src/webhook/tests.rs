//! Receivers of every kind on this machine, ugly ones included.

mod hostile;
mod http2;
mod kept;
mod phases;
mod tls;

use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use domain::time::Timestamp;
use domain::webhooks::{Phase, Zone};
use futures_util::future::join;
use rustls::RootCertStore;
use testkit::scripted::{Play, Scripted};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::connect::OFFERED;
use super::*;
use crate::connect::verifying;

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);

/// A time that never comes.
fn never() -> Wait {
    Arc::new(|_| Box::pin(std::future::pending()))
}

/// A client for which the machine trusts these.
fn trusting(
    roots: Option<RootCertStore>,
    reach: Reach,
    resolve: Resolve,
    wait: Wait,
) -> WebhookClient {
    let tls = OnceLock::from(roots.and_then(|roots| verifying(roots, OFFERED).ok()));
    let idle = Idle::new(KEPT, Wait::clone(&wait));
    let closed = Vec::new();
    WebhookClient { reach, closed, resolve, is_own: |_| false, tls, idle, wait, now: still() }
}

/// A time that stands still.
fn still() -> Now {
    Arc::new(|| Timestamp::from_micros(0))
}

/// Every name leads to these, and each look is counted.
fn leading_to(addresses: &[&str]) -> (Resolve, Arc<AtomicUsize>) {
    let addresses: Vec<IpAddr> = addresses.iter().map(|one| one.parse().unwrap()).collect();
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    let resolve: Resolve = Arc::new(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Ok(addresses.clone())))
    });
    (resolve, looks)
}

fn client(reach: Reach, addresses: &[&str]) -> WebhookClient {
    trusting(None, reach, leading_to(addresses).0, never())
}

fn progress() -> Progress {
    Progress::new(&still())
}

async fn exchange_with(client: &WebhookClient, url: &str) -> Exchange {
    let headers = [(HeaderName::from_static("x-service-timestamp"), HeaderValue::from_static("1"))];
    let body = Bytes::from_static(b"{\"a\":1}");
    client.post(OWNER, &Destination::parse(url).unwrap(), &headers, body).await
}

async fn post_with(client: &WebhookClient, url: &str) -> Result<Answer, Trouble> {
    exchange_with(client, url).await.answer
}

async fn post_to(server: &Scripted) -> Result<Answer, Trouble> {
    post_with(&client(Reach::Anywhere, &[]), &format!("{}/hook?a=b", server.base_url())).await
}

async fn answer_to(play: Play) -> Result<Answer, Trouble> {
    post_to(&Scripted::start(move |_| play.clone())).await
}

fn head(rest: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{rest}\r\n").into_bytes()
}

#[tokio::test]
async fn networks_that_the_operator_closed_are_refused_in_every_form() {
    let closed = || vec!["8.8.8.0/24".parse().unwrap(), "2606:4700::/32".parse().unwrap()];
    let refused = Trouble::Forbidden(Zone::Closed);
    for reach in [Reach::Internet, Reach::Anywhere] {
        let literal = client(reach, &[]).refusing(closed());
        for url in [
            "http://8.8.8.8",
            "http://[::ffff:8.8.8.8]",
            "http://[64:ff9b::8.8.8.8]",
            "http://[2606:4700::1]",
        ] {
            assert_eq!(literal.check(url).await, Err(refused), "{url}");
            assert_eq!(post_with(&literal, url).await.unwrap_err(), refused, "{url}");
        }
        assert_eq!(literal.check("http://8.8.9.8").await, Ok(()));
        let named = client(reach, &["1.1.1.1", "8.8.8.8"]).refusing(closed());
        assert_eq!(named.check("http://shop.example").await, Err(refused));
    }
}

#[tokio::test]
async fn a_webhook_says_all_that_it_must_and_its_answer_is_read() {
    let server =
        Scripted::start(|_| Play::Bytes(b"HTTP/1.1 503 -\r\nretry-after: 7\r\n\r\nlater".to_vec()));
    let answer = post_to(&server).await.unwrap();
    let expected = Answer {
        status: 503,
        retry_after: Some("7".into()),
        head: b"HTTP/1.1 503 -\r\nretry-after: 7\r\n".to_vec(),
        body: b"later".to_vec(),
    };
    assert!(answer == expected, "{answer:?}");
    let asked = &server.asked()[0];
    assert_eq!((asked.line.as_str(), asked.body.as_str()), ("POST /hook?a=b", "{\"a\":1}"));
    let host = server.base_url().trim_start_matches("http://").to_owned();
    for (name, value) in [
        ("host", host.as_str()),
        ("content-type", "application/json"),
        ("content-length", "7"),
        ("x-service-timestamp", "1"),
    ] {
        assert_eq!(asked.header(name), Some(value), "{name}");
    }
    assert_eq!(asked.header("accept-encoding"), None, "nothing that would have to be unpacked");
}

/// Reads one webhook on a connection and answers it, unless the other side has hung up.
async fn hear(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), answer: &[u8]) -> Option<String> {
    let mut received = vec![0; 4_096];
    let mut len = 0;
    while !received[..len].ends_with(b"{\"a\":1}") {
        len += stream.read(&mut received[len..]).await.ok().filter(|read| *read > 0)?;
    }
    stream.write_all(answer).await.unwrap();
    stream.flush().await.unwrap();
    String::from_utf8(received[..len].to_vec()).ok()
}

/// Names of headers are those that receivers know, and what is reported as sent was sent.
#[tokio::test]
async fn what_was_sent_is_reported_as_it_was() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?a=b", listener.local_addr().unwrap());
    let client = client(Reach::Anywhere, &[]);
    let receive = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        hear(&mut stream, b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap()
    };
    let (received, exchange) = join(receive, exchange_with(&client, &url)).await;
    assert_eq!(exchange.answer.map(|answer| answer.status), Ok(200));
    assert!(received.contains("\r\nX-Service-Timestamp: 1\r\n"), "{received}");
    assert_eq!(exchange.sent.unwrap() + "\r\n{\"a\":1}", received);
    assert_eq!(exchange.address, Some("127.0.0.1".parse().unwrap()));
}

#[tokio::test]
async fn every_way_to_end_has_its_name() {
    for (play, end) in [
        (Play::Answer(204, Vec::new()), Ok(204)),
        (Play::Bytes(head("content-length: 2\r\n").into_iter().chain(*b"ok").collect()), Ok(200)),
        // Without a length, the end of the connection is the end of the body.
        (Play::Bytes(head("")), Ok(200)),
        (Play::Bytes(Vec::new()), Err(Trouble::Reset)),
        (Play::Bytes(head("content-length: 9\r\n")), Err(Trouble::Reset)),
        (Play::Bytes(b"220 mail ready\r\n\r\n".to_vec()), Err(Trouble::Malformed)),
        // A server of mail, which speaks first, and one that never stops to.
        (Play::Bytes(b"220 mail ready\r\n".repeat(10_000)), Err(Trouble::Malformed)),
        (Play::Bytes(head(&format!("a: {}\r\n", "b".repeat(200_000)))), Err(Trouble::HeadTooLong)),
        (Play::Bytes(head(&"a: b\r\n".repeat(200))), Err(Trouble::HeadTooLong)),
    ] {
        let shown = format!("{play:?}").chars().take(80).collect::<String>();
        assert_eq!(answer_to(play).await.map(|answer| answer.status), end, "{shown}");
    }
}

/// The guard stands before any connection, whatever form the address has.
#[tokio::test]
async fn nothing_inside_is_dialled() {
    let inside = Scripted::start(|_| Play::ok("{}"));
    let port = inside.base_url().rsplit(':').next().unwrap().to_owned();
    let loopback = Err(Trouble::Forbidden(Zone::Loopback));
    for (host, addresses, end) in [
        ("127.0.0.1", &[][..], loopback.clone()),
        ("[::1]", &[], loopback.clone()),
        ("[::ffff:127.0.0.1]", &[], loopback.clone()),
        ("[64:ff9b::7f00:1]", &[], loopback.clone()),
        ("169.254.169.254", &[], Err(Trouble::Forbidden(Zone::LinkLocal))),
        ("shop.example", &["127.0.0.1"], loopback.clone()),
        // One that is forbidden spoils the name, wherever it stands.
        ("shop.example", &["8.8.8.8", "127.0.0.1"], loopback),
        (
            "shop.example",
            &["8.8.8.8", "10.0.0.1", "1.1.1.1"],
            Err(Trouble::Forbidden(Zone::Private)),
        ),
        ("shop.example", &[], Err(Trouble::UnknownName)),
    ] {
        let url = format!("http://{host}:{port}/");
        let client = client(Reach::Internet, addresses);
        assert_eq!(post_with(&client, &url).await, end, "{host} {addresses:?}");
    }
    assert_eq!(inside.connections(), 0);
}

/// Whatever the form, whether it is written in the address or a name leads to it, and whether it is
/// stored or called: the same word.
#[tokio::test]
async fn every_form_of_an_address_inside_is_refused_at_storing_and_at_calling() {
    for (forms, zone) in [
        ("127.0.0.1 [::1] [::ffff:127.0.0.1] [64:ff9b::7f00:1]", Zone::Loopback),
        ("10.0.0.1 [::ffff:a00:1] [64:ff9b::10.0.0.1] [64:ff9b:1::8.8.8.8]", Zone::Private),
        ("[fc00::1] [fec0::1] 172.16.0.1 [::ffff:192.168.1.1]", Zone::Private),
        ("169.254.169.254 [::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe]", Zone::LinkLocal),
        ("168.63.129.16 [::ffff:168.63.129.16]", Zone::Metadata),
        // 6to4 and Teredo, whatever they carry.
        ("[2002:a00:1::] [2002:808:808::1] [2001:0:ffff::1] 192.88.99.1", Zone::Tunnel),
        ("[::10.0.0.1] [::] 0.0.0.0 [::ffff:0:10.0.0.1] [3fff::1]", Zone::Reserved),
    ] {
        let expected = Err(Trouble::Forbidden(zone));
        for form in forms.split(' ') {
            let literal = client(Reach::Internet, &[]);
            let url = format!("https://{form}/hook");
            assert_eq!(literal.check(&url).await, expected, "{form}");
            assert_eq!(post_with(&literal, &url).await.map(drop), expected, "{form}");
            // One of several is enough.
            let named = client(Reach::Internet, &["8.8.8.8", form.trim_matches(['[', ']'])]);
            assert_eq!(named.check("https://shop.example").await, expected, "{form}");
            let end = post_with(&named, "https://shop.example").await;
            assert_eq!(end.map(drop), expected, "{form}");
        }
    }
    // Decimal, octal, hexadecimal and short forms are addresses to some readers and names to others.
    for form in "2130706433 0x7f000001 0177.0.0.1 017700000001 127.1 0x7f.1 127.0.0.01".split(' ') {
        let (client, url) = (client(Reach::Internet, &[]), format!("http://{form}/"));
        assert_eq!(client.check(&url).await, Err(Trouble::InvalidUrl), "{form}");
        let destination = Destination::parse(&url).map(drop);
        assert_eq!(destination, Err(Trouble::InvalidUrl), "nothing could be called: {form}");
    }
}

/// The machine's own address is refused at storing as at calling, in every form that leads to it and in
/// the same word; what is beside it is not.
#[tokio::test]
async fn the_machines_own_address_is_refused_before_it_is_kept() {
    let own = |mut client: WebhookClient| {
        client.is_own = |address| address == IpAddr::from([8, 8, 8, 8]);
        client
    };
    let expected = Err(Trouble::Forbidden(Zone::Loopback));
    for form in ["8.8.8.8", "[::ffff:8.8.8.8]", "[::ffff:808:808]", "[64:ff9b::8.8.8.8]"] {
        let literal = own(client(Reach::Internet, &[]));
        let url = format!("https://{form}/hook");
        assert_eq!(literal.check(&url).await, expected, "{form}");
        assert_eq!(post_with(&literal, &url).await.map(drop), expected, "{form}");
        let named = own(client(Reach::Internet, &["1.1.1.1", form.trim_matches(['[', ']'])]));
        assert_eq!(named.check("https://shop.example").await, expected, "{form}");
        assert_eq!(post_with(&named, "https://shop.example").await.map(drop), expected, "{form}");
        assert_eq!(own(client(Reach::Anywhere, &[])).check(&url).await, Ok(()), "{form}");
    }
    // What carries it into a tunnel is refused for that, and what is no usual form for being none.
    let literal = own(client(Reach::Internet, &[]));
    let tunnel = Err(Trouble::Forbidden(Zone::Tunnel));
    assert_eq!(literal.check("https://[2002:808:808::1]/").await, tunnel);
    for form in ["134744072", "0x08080808", "010.010.010.010", "8.8.2056"] {
        let url = format!("https://{form}/");
        assert_eq!(literal.check(&url).await, Err(Trouble::InvalidUrl), "{form}");
    }
    assert_eq!(literal.check("https://8.8.4.4/").await, Ok(()));
}

/// An address of loopback stands here for one of the internet that is this machine's own: the guard lets
/// those through.
#[tokio::test]
async fn the_machines_own_address_is_refused_whatever_it_is() {
    let inside = Scripted::start(|_| Play::ok("{}"));
    let port = inside.base_url().rsplit(':').next().unwrap().parse().unwrap();
    let own = ["127.0.0.1".parse().unwrap()];
    let end = client(Reach::Internet, &[]).dial(&own, port, &progress()).await;
    assert_eq!(end.map(drop), Err(Trouble::Forbidden(Zone::Loopback)));
    assert!(client(Reach::Anywhere, &[]).dial(&own, port, &progress()).await.is_ok());
}

/// Checks that an address which is no name is as good as ever where no name can be looked up, as while all places are
/// taken.
#[tokio::test]
async fn an_address_that_is_no_name_needs_no_place() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let resolve: Resolve = Arc::new(|_, _| Box::pin(std::future::pending()));
    let client = trusting(None, Reach::Anywhere, Arc::clone(&resolve), never());
    assert_eq!(post_with(&client, &server.base_url()).await.map(|answer| answer.status), Ok(200));
    let client = trusting(None, Reach::Internet, resolve, never());
    let private = Err(Trouble::Forbidden(Zone::Private));
    assert_eq!(client.check("http://10.0.0.1/").await, private);
}

#[tokio::test]
async fn a_name_is_looked_up_on_behalf_of_the_owner_it_is_called_for() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let resolve: Resolve = Arc::new(move |purpose, _| {
        seen.lock().unwrap().push(purpose);
        Box::pin(std::future::ready(Ok(Vec::new())))
    });
    let client = trusting(None, Reach::Internet, resolve, never());
    assert_eq!(client.check("https://shop.example").await, Ok(()));
    let end = post_with(&client, "https://shop.example").await;
    assert_eq!(end, Err(Trouble::UnknownName));
    assert_eq!(*asked.lock().unwrap(), [Purpose::Keeping, Purpose::Delivering(OWNER)]);
}

/// A name is looked up once for an exchange: there is no second answer that could differ.
#[tokio::test]
async fn the_address_that_was_checked_is_the_one_that_is_dialled() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let port = server.base_url().rsplit(':').next().unwrap().to_owned();
    let (resolve, looks) = leading_to(&["127.0.0.1"]);
    let client = trusting(None, Reach::Anywhere, resolve, never());
    post_with(&client, &format!("http://shop.example:{port}/")).await.unwrap();
    assert_eq!(looks.load(Ordering::SeqCst), 1);
    assert_eq!(server.asked()[0].header("host"), Some(format!("shop.example:{port}").as_str()));
}

#[tokio::test]
async fn the_next_address_is_dialled_where_nobody_listens() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let port = server.base_url().rsplit(':').next().unwrap().to_owned();
    // The server listens on one address of this machine alone.
    let client = client(Reach::Anywhere, &["127.0.0.2", "127.0.0.1"]);
    let url = format!("http://shop.example:{port}/");
    assert_eq!(post_with(&client, &url).await.map(|answer| answer.status), Ok(200));
    let closed = format!("http://{}", testkit::closed_port());
    assert_eq!(post_with(&client, &closed).await, Err(Trouble::Unreachable));
}

#[tokio::test]
async fn where_nobody_is_trusted_nothing_is_sent_to_https() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let url = server.base_url().replace("http://", "https://");
    assert_eq!(post_with(&client(Reach::Anywhere, &[]), &url).await, Err(Trouble::NoTrust));
    let roots = Some(RootCertStore::empty());
    let client = trusting(roots, Reach::Anywhere, leading_to(&[]).0, never());
    assert_eq!(post_with(&client, &url).await, Err(Trouble::Tls));
    assert!(server.asked().iter().all(|asked| !asked.body.contains("\"a\"")));
}

#[tokio::test]
async fn an_address_is_checked_alike_before_it_is_kept() {
    for (url, addresses, expected) in [
        ("https://shop.example", &["8.8.8.8"][..], Ok(())),
        ("https://shop.example", &["10.0.0.1"], Err(Trouble::Forbidden(Zone::Private))),
        ("http://[fd00:ec2::254]/", &[], Err(Trouble::Forbidden(Zone::Private))),
        ("http://2130706433/", &[], Err(Trouble::InvalidUrl)),
        // It may lead somewhere by the time it is called.
        ("https://not-yet.example", &[], Ok(())),
    ] {
        assert_eq!(client(Reach::Internet, addresses).check(url).await, expected, "{url}");
    }
    assert_eq!(client(Reach::Anywhere, &["10.0.0.1"]).check("http://a.example").await, Ok(()));
    let resolve: Resolve = Arc::new(|_, _| Box::pin(std::future::pending()));
    let soon: Wait = Arc::new(|_| Box::pin(std::future::ready(())));
    let slow = trusting(None, Reach::Internet, resolve, soon);
    assert_eq!(slow.check("https://slow.example").await, Ok(()));
    let crowded: Resolve =
        Arc::new(|_, _| Box::pin(std::future::ready(Err(io::ErrorKind::WouldBlock.into()))));
    let crowded = trusting(None, Reach::Internet, crowded, never());
    assert_eq!(crowded.check("https://unchecked.example").await, Ok(()));
}
