//! `GET /docs`: the reference of the API as a page for people, in Spanish and in English, made of the declarations that
//! the document is made of. It is whole as it comes: nothing is loaded but its stylesheet, and no script runs.

mod operations;
mod page;
pub(crate) mod remedies;
pub(crate) mod words;

use std::sync::LazyLock;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use domain::access::ViewReference;
use domain::language::Language;
use http::header::{CONTENT_SECURITY_POLICY, VARY};
use http::{HeaderMap, HeaderValue};
use web::fixed::Fixed;
use web::request_layer::RequestLayer;
use web::{Admitted, AppState};

const HTML: &str = "text/html; charset=utf-8";

/// Content security policy of the page: it may load only its stylesheet.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors 'none'; \
     base-uri 'none'",
);

static SPANISH: LazyLock<Fixed> = LazyLock::new(|| Fixed::new(HTML, page::of(Language::Es)));
static ENGLISH: LazyLock<Fixed> = LazyLock::new(|| Fixed::new(HTML, page::of(Language::En)));
static STYLE: LazyLock<Fixed> =
    LazyLock::new(|| Fixed::new("text/css; charset=utf-8", include_str!("docs.css")));

/// The routes of the reference: in the reader's language, and in each.
pub(crate) fn router(state: AppState) -> Router {
    Router::new()
        .route("/docs", get(in_readers_language))
        .route("/docs/es", get(in_spanish))
        .route("/docs/en", get(in_english))
        .route("/docs/docs.css", get(stylesheet))
        .layer(RequestLayer::of_pages(state.clone()))
        .with_state(state)
}

async fn in_readers_language(admitted: Admitted<ViewReference>, headers: HeaderMap) -> Response {
    let mut response = in_language(admitted.language(), &headers);
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-language"));
    response
}

async fn in_spanish(_: Admitted<ViewReference>, headers: HeaderMap) -> Response {
    in_language(Language::Es, &headers)
}

async fn in_english(_: Admitted<ViewReference>, headers: HeaderMap) -> Response {
    in_language(Language::En, &headers)
}

fn in_language(language: Language, headers: &HeaderMap) -> Response {
    let page = match language {
        Language::Es => &SPANISH,
        Language::En => &ENGLISH,
    };
    let mut response = page.answer(headers);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

async fn stylesheet(_: Admitted<ViewReference>, headers: HeaderMap) -> Response {
    STYLE.answer(&headers)
}
