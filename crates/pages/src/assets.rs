//! The stylesheet, the script and the icon: inside the program, under names that change with what they hold,
//! so that browsers may keep them for ever.

use std::ops::Deref;
use std::sync::LazyLock;

use axum::body::Body;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use web::fixed::Fixed;

const CSS: &str = include_str!("../assets/pay.css");
const JS: &str = include_str!("../assets/pay.js");
const ICON: &str = include_str!("../assets/pay.svg");
const RECEIPT: &str = include_str!("../assets/receipt.css");

pub(crate) const CSS_KIND: &str = "text/css; charset=utf-8";

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A part of pages, at a path that changes with what it holds.
#[derive(Debug)]
pub(crate) struct Asset {
    path: String,
    content: Fixed,
}

impl Asset {
    fn of(folder: &str, content: &'static str, ending: &str, kind: &'static str) -> Self {
        let path = format!("{folder}/{}.{ending}", name(content));
        Self { path, content: Fixed::immutable(kind, content) }
    }

    /// Answers a request of these headers, if it is for that path.
    pub(crate) fn answer(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        (self.path == path).then(|| self.content.answer(headers))
    }
}

/// Reads as its path.
impl Deref for Asset {
    type Target = str;

    fn deref(&self) -> &str {
        &self.path
    }
}

/// The parts of some pages.
#[derive(Debug)]
pub(crate) struct Assets {
    pub(crate) css: Asset,
    pub(crate) js: Asset,
    pub(crate) icon: Asset,
}

impl Assets {
    /// Makes the assets of this stylesheet and this script, in that folder, with the icon of all pages.
    pub(crate) fn of(folder: &str, css: &'static str, js: &'static str) -> Self {
        Self {
            css: Asset::of(folder, css, "css", CSS_KIND),
            js: Asset::of(folder, js, "js", "text/javascript; charset=utf-8"),
            icon: Asset::of(folder, ICON, "svg", "image/svg+xml"),
        }
    }

    /// The one at that path, as the answer to a request of these headers.
    pub(crate) fn answer(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        [&self.css, &self.js, &self.icon].into_iter().find_map(|one| one.answer(path, headers))
    }
}

/// Assets of the payer's page, and of the pages that mails lead to.
pub(crate) static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::of("/pay/assets", CSS, JS));

/// The stylesheet of receipts, beside that of the payer's page.
pub(crate) static RECEIPT_CSS: LazyLock<Asset> =
    LazyLock::new(|| Asset::of("/pay/assets", RECEIPT, "css", CSS_KIND));

fn name(content: &str) -> String {
    let mut hash = data_encoding::HEXLOWER.encode(&Sha256::digest(content));
    hash.truncate(16);
    hash
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
