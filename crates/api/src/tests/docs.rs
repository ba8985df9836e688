//! The reference as a page.

use std::collections::BTreeSet;

use axum::body::Body;
use domain::refusal::Code;
use http::Response;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};

use super::world::{World, request};
use crate::endpoints;

/// How heavy a page may be, not even compressed: browsers lay out a megabyte at once.
const WEIGHT_MAX: usize = 640 * 1024;

async fn page(world: &World, path: &str, language: &str) -> (http::HeaderMap, String) {
    let asked = request("GET", path, &[("accept-language", language)], "");
    let response = world.send(asked).await;
    assert_eq!(response.status(), 200, "{path}");
    let (head, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    (head.headers, String::from_utf8(body.to_vec()).unwrap())
}

/// Returns the text after each occurrence of the word, up to a quotation mark.
fn all<'a>(html: &'a str, word: &str) -> Vec<&'a str> {
    html.split(word).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn every_operation_and_code_is_on_the_page_and_every_link_leads_somewhere() {
    let world = World::new().await;
    for language in ["es", "en"] {
        let (_, html) = page(&world, "/docs", language).await;
        let ids = all(&html, " id=\"");
        let known: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), known.len(), "an id is there twice");
        for endpoint in endpoints() {
            assert!(known.contains(endpoint.name), "{}", endpoint.name);
        }
        for code in Code::ALL {
            assert!(known.contains(&*format!("code-{}", code.as_str())), "{code:?}");
        }
        for target in all(&html, " href=\"") {
            match target.strip_prefix('#') {
                Some(id) => assert!(known.contains(id), "{target} leads nowhere"),
                None => assert!(target.starts_with('/'), "{target} is elsewhere"),
            }
        }
        assert!(html.len() < WEIGHT_MAX, "{} bytes", html.len());
    }
}

#[tokio::test]
async fn the_page_is_in_the_readers_language_and_in_the_one_that_is_asked_for() {
    let world = World::new().await;
    let spanish = page(&world, "/docs/es", "en").await.1;
    let english = page(&world, "/docs/en", "es").await.1;
    assert!(spanish.contains("<html lang=\"es\">") && spanish.contains("Verifica un pago contra"));
    let (es, en) =
        ("De quién es la tasa, como se les dice", "Whose rate it is, as payers are told");
    assert!(spanish.contains(es) && !spanish.contains(en), "a field");
    assert!(english.contains(en) && !english.contains(es), "a field");
    assert!(
        english.contains("<html lang=\"en\">") && english.contains("Verifies a payment against")
    );
    for (language, expected) in [("es-VE", &spanish), ("en", &english), ("fr", &spanish)] {
        assert_eq!(page(&world, "/docs", language).await.1, *expected, "{language}");
    }
}

#[tokio::test]
async fn the_page_loads_its_stylesheet_and_nothing_else_and_runs_nothing() {
    let world = World::new().await;
    let (headers, html) = page(&world, "/docs", "es").await;
    assert_eq!(headers[CONTENT_TYPE], "text/html; charset=utf-8");
    let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for word in ["<script", "<style", " style=", " src=", "<img", "<form", " on"] {
        let found = html.split('<').any(|tag| {
            let tag = format!("<{}", tag.split('>').next().unwrap());
            tag.contains(word)
        });
        assert!(!found, "{word}");
    }
    let (headers, style) = page(&world, all(&html, "rel=\"stylesheet\" href=\"")[0], "es").await;
    assert_eq!(headers[CONTENT_TYPE], "text/css; charset=utf-8");
    assert!(style.contains("prefers-color-scheme:dark") && !style.contains("url("), "{style}");
}

#[tokio::test]
async fn what_is_the_same_for_everybody_is_compressed_where_that_is_accepted() {
    let world = World::new().await;
    for path in ["/docs", "/docs/docs.css", "/openapi.json"] {
        let plain = world.send(request("GET", path, &[], "")).await;
        let packed = world.send(request("GET", path, &[("accept-encoding", "gzip, br")], "")).await;
        assert_eq!(packed.headers()["content-encoding"], "gzip", "{path}");
        let varies = packed.headers().get_all("vary").iter().any(|by| by == "accept-encoding");
        assert!(varies && !plain.headers().contains_key("content-encoding"), "{path}");
        let size = async |response: Response<Body>| {
            axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap().len()
        };
        assert!(size(packed).await < size(plain).await / 2, "{path}");
    }
}
