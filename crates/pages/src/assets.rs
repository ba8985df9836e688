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
pub(crate) const ICON: &str = include_str!("../assets/pay.svg");

pub(crate) const CSS_KIND: &str = "text/css; charset=utf-8";
pub(crate) const JS_KIND: &str = "text/javascript; charset=utf-8";
pub(crate) const ICON_KIND: &str = "image/svg+xml";

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

pub(crate) fn name(content: &str) -> String {
    let mut hash = data_encoding::HEXLOWER.encode(&Sha256::digest(content));
    hash.truncate(16);
    hash
}

pub(crate) async fn handle(Path(file): Path<String>, extensions: Extensions) -> Response {
    let asked = format!("/pay/assets/{file}");
    if asked == PATHS.css {
        immutable(CSS, CSS_KIND)
    } else if asked == PATHS.js {
        immutable(JS, JS_KIND)
    } else if asked == PATHS.icon {
        immutable(ICON, ICON_KIND)
    } else {
        let language: Language = Glance::language(&extensions);
        notice::unknown(language)
    }
}

/// A part of a page under a name that changes with it: browsers keep it for ever.
pub(crate) fn immutable(content: impl Into<Body>, kind: &'static str) -> Response {
    let mut response = web::page(StatusCode::OK, String::new());
    *response.body_mut() = content.into();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, FOR_EVER);
    response
}
