//! The stylesheet, the script and the icon of the dashboard, as those of the payer's page.

use std::sync::LazyLock;

use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};

use crate::assets::Assets;

const CSS: &str = include_str!("../../assets/dashboard.css");
const JS: &str = include_str!("../../assets/dashboard.js");

pub(crate) static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::of("/app/assets", CSS, JS));

pub(crate) async fn handle(uri: Uri, headers: HeaderMap) -> Response {
    ASSETS
        .answer(uri.path(), &headers)
        .unwrap_or_else(|| web::page(StatusCode::NOT_FOUND, String::new()))
}
