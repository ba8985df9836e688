use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener as Listener};
use std::thread;
use std::time::Duration;

use app::ports::Clock as _;
use bank_sim::payment::{Account, Kind, NewPayment, Oddities, Payer, PushTarget, SecretHeader};
use bank_sim::runtime::{Notice, Posted};
use bank_sim::{Poster, Reach, serve};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::text::Text;
use testkit::VirtualClock;
use tokio::net::TcpListener;

use super::*;
use crate::system::TrackedTasks;

/// Somebody who answers one request with these bytes, and hands out what was asked.
fn receiver(answer: String) -> (SocketAddr, thread::JoinHandle<String>) {
    let listener = Listener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = Vec::new();
        let mut some = [0; 1024];
        // The body of a notice is an object, and nothing in it is one.
        while !asked.ends_with(b"}") {
            let count = stream.read(&mut some).unwrap();
            asked.extend_from_slice(&some[..count]);
        }
        // Who reads no further than it may can be gone before all is written.
        drop(stream.write_all(answer.as_bytes()));
        String::from_utf8(asked).unwrap()
    });
    (address, asked)
}

fn notice(url: String) -> Notice {
    Notice { url, header: "API-KEY", secret: "secreto".into(), body: "{}".to_owned() }
}

fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn a_notice_is_posted_as_json_with_its_secret() {
    let (address, asked) = receiver(answer("200 OK", "{\"codigo\":\"00\"}"));
    let posted = HttpPoster.post(notice(format!("http://{address}/hooks?a=b"))).await;
    assert_eq!(posted, Ok(Posted { status: 200, body: "{\"codigo\":\"00\"}".to_owned() }));
    let asked = asked.join().unwrap();
    assert!(asked.starts_with("POST /hooks?a=b HTTP/1.1\r\n"), "{asked}");
    for header in
        [&format!("host: {address}"), "api-key: secreto", "content-type: application/json"]
    {
        assert!(asked.to_lowercase().contains(&format!("\r\n{header}\r\n")), "{header}: {asked}");
    }
}

#[tokio::test]
async fn no_redirect_is_followed_and_no_endless_answer_read() {
    let (address, _) = receiver(answer("302 Found\r\nlocation: http://127.0.0.1:1/", ""));
    let posted = HttpPoster.post(notice(format!("http://{address}/"))).await;
    assert_eq!(posted.unwrap().status, 302);
    let (address, _) = receiver(answer("200 OK", &"x".repeat(9_000)));
    let posted = HttpPoster.post(notice(format!("http://{address}/"))).await;
    assert!(posted.unwrap_err().contains("the answer"));
}

#[tokio::test]
async fn where_nobody_is_there_is_no_connection() {
    let listener = Listener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for (url, reason) in [
        (format!("http://{address}/"), "no connection"),
        (format!("https://{address}/"), "does not begin with http://"),
        ("http:///".to_owned(), "the address"),
    ] {
        let error = HttpPoster.post(notice(url)).await.unwrap_err();
        assert!(error.contains(reason), "{error}");
        assert!(!error.contains("secreto"), "{error}");
    }
}

#[tokio::test]
async fn the_banks_go_by_the_clock_of_the_service() {
    let (address, asked) = receiver(answer("200 OK", "{\"codigo\":\"00\"}"));
    let clock = VirtualClock::at(Timestamp::parse("2026-11-20T12:00:00-04:00").unwrap());
    let tasks = TrackedTasks::default();
    let runtime = runtime(SimulatedTime::Of(Arc::new(clock.clone())), Arc::new(tasks.clone()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let running = serve(listener, Reach::Loopback, runtime).unwrap();
    let simulator = running.simulator();
    let number = AccountNumber::parse("01020000890000000001").unwrap();
    let push = PushTarget {
        url: format!("http://{address}/hook"),
        header: SecretHeader::ApiKey,
        api_key: "secreto".into(),
    };
    let account = Account {
        number: number.clone(),
        api_key: "clave".into(),
        phone: Phone::parse("04120000001").unwrap(),
        rif: Document::parse("J-12345678-4").unwrap(),
        push: Some(push),
    };
    simulator.add_account(account).unwrap();
    let payment = NewPayment {
        account: number,
        reference: TypedReference::parse("79912345").unwrap(),
        amount: Bolivars::from_hundredths(100),
        payer: Payer {
            bank: BankCode::parse("0134").unwrap(),
            phone: Phone::parse("04140000002").unwrap(),
            document: Document::parse("V12345678").unwrap(),
            name: Text::parse("Prueba").unwrap(),
        },
        kind: Kind::PagoMovil,
        at: None,
        delay: Duration::from_secs(30),
        oddities: Oddities::default(),
    };
    simulator.add_payment(payment).unwrap();
    clock.is_awaited(clock.now().plus(Duration::from_secs(30))).await;
    clock.advance(Duration::from_secs(30));
    simulator.deliver_due().await;
    let (_, deliveries) = simulator.payment(1).unwrap();
    assert_eq!(deliveries[0].end.as_ref().unwrap().status, 200);
    assert!(asked.join().unwrap().contains("\"monto\":\"1.0\""));
    running.stop().await;
    tasks.drain().await;
}
