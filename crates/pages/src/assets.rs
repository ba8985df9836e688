//! The stylesheet, the script and the icon: inside the program, under names that change with what they hold,
//! so that browsers may keep them for ever.

use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::response::Response;
use domain::language::Language;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{Extensions, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use web::Glance;

use crate::notice;

const CSS: &str = include_str!("../assets/pay.css");
const JS: &str = include_str!("../assets/pay.js");
const ICON: &str = include_str!("../assets/pay.svg");

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Where the parts of a page are.
pub(crate) struct Paths {
    pub(crate) css: String,
    pub(crate) js: String,
    pub(crate) icon: String,
}

/// Where they are, by what they hold.
pub(crate) static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths {
    css: format!("/pay/assets/{}.css", name(CSS)),
    js: format!("/pay/assets/{}.js", name(JS)),
    icon: format!("/pay/assets/{}.svg", name(ICON)),
});

fn name(content: &str) -> String {
    let mut hash = data_encoding::HEXLOWER.encode(&Sha256::digest(content));
    hash.truncate(16);
    hash
}

pub(crate) async fn handle(Path(file): Path<String>, extensions: Extensions) -> Response {
    let asked = format!("/pay/assets/{file}");
    let (content, kind) = if asked == PATHS.css {
        (CSS, "text/css; charset=utf-8")
    } else if asked == PATHS.js {
        (JS, "text/javascript; charset=utf-8")
    } else if asked == PATHS.icon {
        (ICON, "image/svg+xml")
    } else {
        let language: Language = Glance::language(&extensions);
        return notice::unknown(language);
    };
    let mut response = web::page(StatusCode::OK, String::new());
    *response.body_mut() = Body::from(content);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, FOR_EVER);
    response
}
