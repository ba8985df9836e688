//! Receivers that speak TLS, well or badly.

use std::future::{Future, pending};
use std::pin::pin;

use futures_util::future::{Either, select};
use tokio::net::TcpListener as Listener;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use domain::webhooks::Flaw;

pub(super) use testkit::certificates::trusted as trusting_it;
use testkit::certificates::{Shown, serving};

use super::*;

/// A receiver that shows a certificate.
pub(super) struct Receiver {
    pub(super) listener: Listener,
    pub(super) acceptor: TlsAcceptor,
}

impl Receiver {
    /// One that can speak these protocols.
    pub(super) async fn start(spoken: &[&[u8]]) -> Self {
        Self::showing(Shown::Good, spoken).await
    }

    async fn showing(shown: Shown, spoken: &[&[u8]]) -> Self {
        let listener = Listener::bind("127.0.0.1:0").await.unwrap();
        Self { listener, acceptor: TlsAcceptor::from(serving(shown, spoken)) }
    }

    pub(super) fn url(&self) -> String {
        format!("https://{}/hook", self.listener.local_addr().unwrap())
    }

    /// Does the work while one webhook after the other is answered in HTTP/1.1.
    pub(super) async fn while_it_answers<T>(&self, work: impl Future<Output = T>) -> T {
        let answer = async {
            loop {
                let (stream, _) = self.listener.accept().await.unwrap();
                // A client that does not believe the certificate hangs up.
                let Ok(mut stream) = self.acceptor.accept(stream).await else { continue };
                let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                while hear(&mut stream, ok).await.is_some() {}
            }
        };
        during(work, answer).await
    }
}

/// Does the work while something else goes on, which must not end.
pub(super) async fn during<T>(work: impl Future<Output = T>, other: impl Future<Output = ()>) -> T {
    match select(pin!(work), pin!(other)).await {
        Either::Left((done, _)) => done,
        Either::Right(_) => unreachable!("it goes on for ever"),
    }
}

#[tokio::test]
async fn a_receiver_that_is_trusted_is_notified_and_its_connection_kept() {
    let receiver = Receiver::start(&[]).await;
    let roots = Some(trusting_it());
    let client = trusting(roots, Reach::Anywhere, leading_to(&[]).0, never());
    let url = receiver.url();
    let posts = async { [exchange_with(&client, &url).await, exchange_with(&client, &url).await] };
    let exchanges = receiver.while_it_answers(posts).await;
    for (exchange, is_reused) in exchanges.into_iter().zip([false, true]) {
        assert_eq!(exchange.answer.map(|answer| answer.status), Ok(200));
        assert!(exchange.sent.unwrap().starts_with("POST /hook HTTP/1.1\r\nHost: 127.0.0.1:"));
        assert_eq!(exchange.is_reused, is_reused);
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_certificate_is_reported() {
    for (shown, roots, host, flaw) in [
        (Shown::Good, RootCertStore::empty(), "127.0.0.1", Flaw::Untrusted),
        (Shown::SignedByItself, trusting_it(), "127.0.0.1", Flaw::Untrusted),
        (Shown::Good, trusting_it(), "other.example", Flaw::OtherHost),
        (Shown::OfAnotherHost, trusting_it(), "127.0.0.1", Flaw::OtherHost),
        (Shown::OfAnotherHost, trusting_it(), "shop.example", Flaw::OtherHost),
        (Shown::Expired, trusting_it(), "127.0.0.1", Flaw::Expired),
        (Shown::Expired, trusting_it(), "shop.example", Flaw::Expired),
    ] {
        let receiver = Receiver::showing(shown, &[]).await;
        let resolve = leading_to(&["127.0.0.1"]).0;
        let client = trusting(Some(roots), Reach::Anywhere, resolve, never());
        let url = receiver.url().replace("127.0.0.1", host);
        let exchange = receiver.while_it_answers(exchange_with(&client, &url)).await;
        assert_eq!(exchange.answer, Err(Trouble::Certificate(flaw)), "{shown:?} {host}");
        assert_eq!(exchange.sent, None, "nothing is sent to whom nobody trusts");
    }
}

#[tokio::test]
async fn what_speaks_no_tls_is_no_receiver_of_https() {
    for said in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"220 mail ready\r\n", b"", &[22, 3, 1]]
    {
        let receiver = Receiver::start(&[]).await;
        let client = trusting(Some(trusting_it()), Reach::Anywhere, leading_to(&[]).0, never());
        let speak = async {
            let (mut stream, _) = receiver.listener.accept().await.unwrap();
            stream.write_all(said).await.unwrap();
            drop(stream);
            pending::<()>().await;
        };
        let exchange = during(exchange_with(&client, &receiver.url()), speak).await;
        assert_eq!((exchange.answer, exchange.sent), (Err(Trouble::Tls), None), "{said:?}");
    }
}

/// A handshake that never comes to its end, silent or with a byte now and then, ends at the deadline.
#[tokio::test]
async fn a_slow_handshake_ends_at_the_deadline() {
    for bytes in [0, 1, 5] {
        let receiver = Receiver::start(&[]).await;
        let bell = Arc::new(Notify::new());
        let rung = Arc::clone(&bell);
        let wait: Wait = Arc::new(move |duration| {
            let rung = Arc::clone(&rung);
            Box::pin(async move {
                match duration {
                    DEADLINE => rung.notified().await,
                    _ => pending().await,
                }
            })
        });
        let client = trusting(Some(trusting_it()), Reach::Anywhere, leading_to(&[]).0, wait);
        let drip = async {
            let (mut stream, _) = receiver.listener.accept().await.unwrap();
            // It has been greeted, so that the handshake has begun.
            stream.read_u8().await.unwrap();
            // The beginning of a record that says that 100 bytes follow.
            stream.write_all(&[22, 3, 3, 0, 100][..bytes]).await.unwrap();
            bell.notify_one();
            pending::<()>().await;
            drop(stream);
        };
        let exchange = during(exchange_with(&client, &receiver.url()), drip).await;
        assert_eq!(exchange.answer, Err(Trouble::Timeout(Phase::Securing)), "{bytes}");
        assert_eq!(exchange.sent, None);
    }
}
