//! How long each part of an exchange is reported to have taken, by a clock that steps whenever it is
//! looked at: one microsecond, two, four, so that each step differs from any sum of others.

use super::tls::{Receiver, trusting_it};
use super::*;

/// A clock of which each step is twice the one before, from one microsecond on.
fn stepping() -> Now {
    let looks = AtomicUsize::new(0);
    Arc::new(move || Timestamp::from_micros((1 << looks.fetch_add(1, Ordering::SeqCst)) - 1))
}

fn stepping_client(addresses: &[&str]) -> WebhookClient {
    let mut client = client(Reach::Anywhere, addresses);
    client.now = stepping();
    client
}

/// The microseconds of each phase, in their order.
fn micros(exchange: &Exchange) -> [Option<u128>; 5] {
    Phase::ALL.map(|phase| exchange.phases.get(phase).map(|time| time.as_micros()))
}

#[tokio::test]
async fn every_part_is_reported_and_what_did_not_begin_is_not() {
    let server = Scripted::start(|_| Play::ok("{}"));
    let client = stepping_client(&[]);
    let fresh = exchange_with(&client, &server.base_url()).await;
    assert_eq!(micros(&fresh), [Some(1), Some(2), None, Some(4), Some(8)]);
    // The clock goes on where it was: at its fifth step.
    let reused = exchange_with(&client, &server.base_url()).await;
    assert!(reused.is_reused);
    assert_eq!(micros(&reused), [None, None, None, Some(32), Some(64)]);
}

#[tokio::test]
async fn encryption_is_a_part_of_its_own() {
    let receiver = Receiver::start(&[b"http/1.1"]).await;
    let mut client = trusting(Some(trusting_it()), Reach::Anywhere, leading_to(&[]).0, never());
    client.now = stepping();
    let exchange = receiver.while_it_answers(exchange_with(&client, &receiver.url())).await;
    assert_eq!(exchange.answer.as_ref().map(|answer| answer.status), Ok(200));
    assert_eq!(micros(&exchange), [Some(1), Some(2), Some(4), Some(8), Some(16)]);
}

#[tokio::test]
async fn what_fails_ends_the_part_in_which_it_did() {
    let refused = exchange_with(&stepping_client(&[]), "http://shop.example").await;
    assert_eq!(refused.answer, Err(Trouble::UnknownName));
    assert_eq!(micros(&refused), [Some(1), None, None, None, None]);

    let closed = format!("http://{}", testkit::closed_port());
    let unreachable = exchange_with(&stepping_client(&[]), &closed).await;
    assert_eq!(unreachable.answer, Err(Trouble::Unreachable));
    assert_eq!(micros(&unreachable), [Some(1), Some(2), None, None, None]);
    assert_eq!((unreachable.sent, unreachable.is_reused), (None, false));
    assert_eq!(unreachable.address, Some("127.0.0.1".parse().unwrap()));

    let server = Scripted::start(|_| Play::Bytes(Vec::new()));
    let reset = exchange_with(&stepping_client(&[]), &server.base_url()).await;
    assert_eq!(reset.answer, Err(Trouble::Reset));
    assert_eq!(micros(&reset), [Some(1), Some(2), None, Some(4), None]);

    let https = server.base_url().replace("http://", "https://");
    let no_trust = exchange_with(&stepping_client(&[]), &https).await;
    assert_eq!(no_trust.answer, Err(Trouble::NoTrust));
    assert_eq!(micros(&no_trust), [Some(1), Some(2), Some(4), None, None]);
}
