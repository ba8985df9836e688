//! An address of its own for health and metrics.

use std::net::SocketAddr;

use cotejo::Server;

use crate::service::{Service, say};

async fn get(addr: SocketAddr, path: &'static str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n\r\n");
    tokio::task::spawn_blocking(move || say(addr, &request)).await.unwrap()
}

async fn start(service: &Service) -> (Server, SocketAddr) {
    let address: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let server = service.start_with(|config| config.operations = Some(address)).await;
    let apart = server.operations_addr().unwrap();
    (server, apart)
}

async fn metrics_are_shown_there_alone_and_health_at_both(service: Service) {
    let (server, apart) = start(&service).await;
    assert_ne!(server.addr(), apart);
    for addr in [server.addr(), apart] {
        for path in ["/health/live", "/health/ready"] {
            let answer = get(addr, path).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        }
    }
    let shown = get(apart, "/metrics").await;
    assert!(shown.starts_with("HTTP/1.1 200") && shown.contains("\ncotejo_ready 1\n"), "{shown}");
    let hidden = get(server.addr(), "/metrics").await;
    assert!(hidden.starts_with("HTTP/1.1 404") && !hidden.contains("cotejo_ready"), "{hidden}");
    // Nothing else is served there.
    for path in ["/me", "/app", "/v1/platforms", "/"] {
        let answer = get(apart, path).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
    assert!(server.stop().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_have_an_address_of_their_own_on_sqlite() {
    metrics_are_shown_there_alone_and_health_at_both(Service::on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_have_an_address_of_their_own_on_postgres() {
    metrics_are_shown_there_alone_and_health_at_both(Service::on_postgres()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_one_metrics_are_shown_at_the_address_for_everybody() {
    let service = Service::on_sqlite();
    let server = service.start_with(|_| {}).await;
    assert_eq!(server.operations_addr(), None);
    assert!(get(server.addr(), "/metrics").await.starts_with("HTTP/1.1 200"));
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_closes_the_address_too() {
    let service = Service::on_sqlite();
    let (server, apart) = start(&service).await;
    server.stop().await.unwrap();
    assert!(std::net::TcpStream::connect(apart).is_err());
}
