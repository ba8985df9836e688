//! A stop loses nothing that has begun.

use std::time::Duration;

use app::ledger_audit::audit;
use app::ports::Clock;
use cotejo::Server;
use cotejo::system::SystemClock;

use crate::service::{Service, say, say_beside, verification};

/// Everything agrees and nothing is open, in the store of a server that is starting or running.
async fn is_settled(server: &Server) {
    let progress = std::sync::Arc::default();
    let now = server.app().clock.now();
    let owners = audit(&server.app().store, now, &progress, |owner, findings| {
        assert!(findings.differences.is_empty(), "{owner}: {findings:?}");
        assert!(findings.overdue.is_empty(), "{owner}: {findings:?}");
    });
    assert_eq!(owners.await.unwrap(), 1);
}

/// The bank is slow: the caller is answered so, and hangs up; the stop comes then.
async fn a_stop_waits_for_a_verification_whose_caller_is_gone(service: Service) {
    let server = service.start().await;
    let (addr, slow) = (server.addr(), verification(&server, "10004"));
    let bank = server.first_owner().unwrap().user_bank.unwrap();
    let key = server.first_owner().unwrap().api_key.expose().to_owned();
    let caller = tokio::task::spawn_blocking(move || say(addr, &slow));
    // Long enough to be read, and shorter than the slow bank takes.
    SystemClock.sleep_until(SystemClock.now().plus(Duration::from_millis(100))).await;
    assert!(server.stop().await.unwrap(), "not everything was finished");
    let answer = caller.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 "), "no answer: {answer:?}");

    let server = service.start().await;
    assert!(server.first_owner().is_none());
    is_settled(&server).await;
    let body = "{\"bank_reference\":\"10004\",\"amount\":1}";
    let again = format!(
        "POST /userbankpayment/{bank}/betaserio HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n\
         authorization: Bearer {key}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len(),
    );
    let answer = say_beside(&server, again).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    // It is new to who asks again, with its cost.
    assert!(answer.contains("\"is_new\":true"), "{answer}");
    assert!(answer.contains("\"credit_cost\":1"), "{answer}");
    server.stop().await.unwrap();
}

async fn a_service_is_ready_and_verifies(service: Service) {
    let server = service.start().await;
    let ready = "GET /health/ready HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n\r\n";
    let answer = say_beside(&server, ready.to_owned()).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let answer = say_beside(&server, verification(&server, "0000067890")).await;
    assert!(answer.contains("\"is_new\":true"), "{answer}");
    is_settled(&server).await;
    assert!(server.stop().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_on_sqlite() {
    a_stop_waits_for_a_verification_whose_caller_is_gone(Service::on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_on_postgres() {
    a_stop_waits_for_a_verification_whose_caller_is_gone(Service::on_postgres()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_works_on_sqlite() {
    a_service_is_ready_and_verifies(Service::on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_works_on_postgres() {
    a_service_is_ready_and_verifies(Service::on_postgres()).await;
}
