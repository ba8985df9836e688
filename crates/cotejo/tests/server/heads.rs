//! Heads of requests that HTTP does not allow, or that are too long.

use cotejo::Server;

use crate::service::{Service, say_beside};

async fn ask(server: &Server, path: &str, lines: &str) -> String {
    say_beside(server, format!("GET {path} HTTP/1.1\r\nconnection: close\r\n{lines}\r\n")).await
}

/// The path of an API, of a page, and of the operator's machines.
const PATHS: [&str; 3] = ["/me", "/pay/link_1", "/health/live"];

#[tokio::test(flavor = "multi_thread")]
async fn a_request_names_one_host() {
    let service = Service::on_sqlite();
    let server = service.start().await;
    for path in PATHS {
        for lines in [
            "",
            "host: cotejo\r\nhost: cotejo\r\n",
            "host: cotejo\r\nhost: other\r\n",
            "host: a b\r\n",
            "host: user@cotejo\r\n",
            "host: cotejo/me\r\n",
            "host: cotejo:port\r\n",
        ] {
            let answer = ask(&server, path, lines).await;
            assert!(answer.starts_with("HTTP/1.1 400 "), "{path}: {lines:?}: {answer}");
        }
        for lines in ["host: cotejo\r\n", "host: [::1]:8080\r\n", "host: 127.0.0.1:8080\r\n"] {
            let answer = ask(&server, path, lines).await;
            assert!(!answer.starts_with("HTTP/1.1 400 "), "{path}: {lines:?}: {answer}");
        }
    }
    let answer = ask(&server, "/me", "").await;
    assert!(answer.contains("\"error\":\"BAD_REQUEST\""), "{answer}");
    assert!(answer.contains("\"field\":\"host\""), "{answer}");
    // Before 1.1 there was none.
    let old = "GET /health/live HTTP/1.0\r\n\r\n";
    assert!(say_beside(&server, old.to_owned()).await.contains(" 200 OK"));
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_comes_by_no_other_coding_than_chunked() {
    let service = Service::on_sqlite();
    let server = service.start().await;
    let post = async |path: &str, lines: &str| {
        let head = format!("POST {path} HTTP/1.1\r\nhost: cotejo\r\nconnection: close\r\n");
        say_beside(&server, format!("{head}{lines}\r\n2\r\n{{}}\r\n0\r\n\r\n")).await
    };
    for path in ["/auth/login", "/pay/link_1", "/health/live"] {
        for lines in [
            "transfer-encoding: gzip, chunked\r\n",
            "transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n",
        ] {
            let answer = post(path, lines).await;
            assert!(answer.starts_with("HTTP/1.1 501 "), "{path}: {lines:?}: {answer}");
        }
    }
    let answer = post("/auth/login", "transfer-encoding: gzip, chunked\r\n").await;
    assert!(answer.contains("\"field\":\"transfer-encoding\""), "{answer}");
    let twice = post("/auth/login", "transfer-encoding: chunked, chunked\r\n").await;
    assert!(twice.starts_with("HTTP/1.1 400 "), "{twice}");
    let right = post("/auth/login", "transfer-encoding: Chunked\r\n").await;
    assert!(right.contains("VALIDATION_ERROR"), "{right}");
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_has_32_kib_at_most() {
    let service = Service::on_sqlite();
    let server = service.start().await;
    let of_length = async |path: &str, length: usize| {
        let head =
            format!("GET {path} HTTP/1.1\r\nconnection: close\r\nhost: cotejo\r\nx-long: \r\n\r\n");
        let long = format!("host: cotejo\r\nx-long: {}\r\n", "x".repeat(length - head.len()));
        ask(&server, path, &long).await
    };
    for path in PATHS {
        let fits = of_length(path, 32 * 1024).await;
        assert!(!fits.starts_with("HTTP/1.1 431 "), "{path}: {fits}");
        for length in [32 * 1024 + 1, 40 * 1024, 60 * 1024] {
            let answer = of_length(path, length).await;
            assert!(answer.starts_with("HTTP/1.1 431 "), "{path}: {length}: {answer}");
        }
    }
    let answer = of_length("/me", 40 * 1024).await;
    assert!(answer.contains("\"error\":\"BAD_REQUEST\""), "{answer}");
    assert!(answer.contains("32 KiB"), "{answer}");
    server.stop().await.unwrap();
}
