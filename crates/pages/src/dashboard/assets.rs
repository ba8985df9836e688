//! The stylesheet, the script and the icon of the dashboard, as those of the payer's page.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::Response;
use http::StatusCode;

use crate::assets::{CSS_KIND, ICON, ICON_KIND, JS_KIND, immutable, name};

const CSS: &str = include_str!("../../assets/dashboard.css");
const JS: &str = include_str!("../../assets/dashboard.js");

/// Where the parts of a page are, by what they hold.
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) css: String,
    pub(crate) js: String,
    pub(crate) icon: String,
}

pub(crate) static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths {
    css: format!("/app/assets/{}.css", name(CSS)),
    js: format!("/app/assets/{}.js", name(JS)),
    icon: format!("/app/assets/{}.svg", name(ICON)),
});

pub(crate) async fn handle(Path(file): Path<String>) -> Response {
    let asked = format!("/app/assets/{file}");
    if asked == PATHS.css {
        immutable(CSS, CSS_KIND)
    } else if asked == PATHS.js {
        immutable(JS, JS_KIND)
    } else if asked == PATHS.icon {
        immutable(ICON, ICON_KIND)
    } else {
        web::page(StatusCode::NOT_FOUND, String::new())
    }
}
