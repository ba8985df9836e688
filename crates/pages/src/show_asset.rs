//! `GET /pay/assets/{file}`: a part of the payer's page, of receipts, and of those pages that mails lead to.

use axum::response::Response;
use http::{Extensions, HeaderMap, Uri};
use web::Glance;

use crate::assets::{ASSETS, RECEIPT_CSS};
use crate::message_page;

pub(crate) async fn handle(uri: Uri, headers: HeaderMap, extensions: Extensions) -> Response {
    ASSETS
        .answer(uri.path(), &headers)
        .or_else(|| RECEIPT_CSS.answer(uri.path(), &headers))
        .unwrap_or_else(|| message_page::unknown(Glance::language(&extensions)))
}
