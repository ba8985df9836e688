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
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY};
use http::{HeaderValue, StatusCode};
use web::rim::Rim;
use web::{Admitted, AppState, page as answer_page};

const STYLE: &str = include_str!("docs.css");

/// What the page may load: its stylesheet.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors 'none'; \
     base-uri 'none'",
);

static SPANISH: LazyLock<String> = LazyLock::new(|| page::of(Language::Es));
static ENGLISH: LazyLock<String> = LazyLock::new(|| page::of(Language::En));

/// The routes of the reference: in the reader's language, and in each.
pub(crate) fn router(state: AppState) -> Router {
    Router::new()
        .route("/docs", get(in_readers_language))
        .route("/docs/es", get(async |_: Admitted<ViewReference>| in_language(Language::Es)))
        .route("/docs/en", get(async |_: Admitted<ViewReference>| in_language(Language::En)))
        .route("/docs/docs.css", get(async |_: Admitted<ViewReference>| stylesheet()))
        .layer(Rim::of_pages(state.clone()))
        .with_state(state)
}

async fn in_readers_language(admitted: Admitted<ViewReference>) -> Response {
    let mut response = in_language(admitted.language());
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-language"));
    response
}

fn in_language(language: Language) -> Response {
    let html: &'static str = match language {
        Language::Es => &SPANISH,
        Language::En => &ENGLISH,
    };
    let mut response = answer_page(StatusCode::OK, String::new());
    *response.body_mut() = html.into();
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

fn stylesheet() -> Response {
    let mut response = answer_page(StatusCode::OK, String::new());
    *response.body_mut() = STYLE.into();
    let css = HeaderValue::from_static("text/css; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, css);
    response
}
