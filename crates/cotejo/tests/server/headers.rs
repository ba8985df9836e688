//! What browsers are sent beside every answer, pages or not.

use cotejo::Server;

use crate::service::{Service, say_beside};

/// An API's answer, a refusal, a path that leads nowhere, and what the operator's machines ask.
const PATHS: [&str; 6] =
    ["/v1/platforms", "/me", "/nowhere", "/health/live", "/health/ready", "/metrics"];

const PAGES: [&str; 2] = ["/pay/link_1", "/pay/assets/none.css"];

const HSTS: &str = "\r\nstrict-transport-security: max-age=31536000\r\n";

async fn ask(server: &Server, method: &str, path: &str) -> String {
    let head = format!("{method} {path} HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n");
    let origin = "origin: https://shop.example\r\naccess-control-request-method: POST\r\n\r\n";
    say_beside(server, head + origin).await
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_is_framed_or_taken_for_something_else() {
    let service = Service::on_sqlite();
    let server = service.start().await;
    for path in PATHS {
        let answer = ask(&server, "GET", path).await;
        for line in [
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
            "content-security-policy: default-src 'none'; frame-ancestors 'none'",
            "referrer-policy: no-referrer",
        ] {
            assert!(answer.contains(&format!("\r\n{line}\r\n")), "{line}: {path}: {answer}");
        }
    }
    for path in PATHS.iter().chain(&PAGES) {
        let answer = ask(&server, "GET", path).await;
        assert!(!answer.contains("strict-transport-security"), "{path}: {answer}");
    }
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn where_payers_come_by_https_browsers_keep_to_it() {
    let service = Service::on_sqlite();
    let secure = |config: &mut cotejo::Config| {
        config.settings.base_url = "https://cobros.example.com".to_owned();
    };
    let server = service.start_with(secure).await;
    for path in PATHS.iter().chain(&PAGES) {
        let answer = ask(&server, "GET", path).await;
        assert_eq!(answer.matches(HSTS).count(), 1, "{path}: {answer}");
    }
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn other_sites_are_offered_the_api_and_no_pages() {
    let service = Service::on_sqlite();
    let server = service.start().await;
    let answer = ask(&server, "OPTIONS", "/me").await;
    assert!(answer.contains("\r\naccess-control-allow-methods: "), "{answer}");
    for path in PAGES.iter().chain(&["/pay/link_1/events", "/health/live", "/metrics"]) {
        let answer = ask(&server, "OPTIONS", path).await;
        assert!(!answer.contains("access-control-"), "{path}: {answer}");
        assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
    }
    server.stop().await.unwrap();
}
