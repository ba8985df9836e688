//! `GET /pay/logo/{file}`: an owner's logo by its address. A person without the address learns of no logo,
//! and the address does not show whose logo it is. It is a picture and nothing else, also where somebody opens it by
//! itself.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ViewLogo;
use domain::logo::{LogoHash, LogoKind};
use http::HeaderValue;
use http::header::CONTENT_SECURITY_POLICY;
use web::{Admitted, AppState, Failure};

use crate::assets::immutable;
use crate::message_page;

/// Policy of what a picture may load and do: nothing, not even as a person who has signed in here.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox",
);

pub(crate) async fn handle(
    admitted: Admitted<ViewLogo>,
    State(state): State<AppState>,
    Path(file): Path<String>,
) -> Result<Response, Failure> {
    let named = file.split_once('.');
    let named =
        named.and_then(|(hash, kind)| Some((LogoHash::parse(hash)?, LogoKind::parse(kind)?)));
    let found = match named {
        Some((hash, kind)) => {
            let bytes = app::logos::view(&state.app, &admitted.0, hash, kind).await?;
            bytes.map(|bytes| (bytes, kind))
        }
        None => None,
    };
    let Some((bytes, kind)) = found else { return Ok(message_page::unknown(admitted.language())) };
    let mut response = immutable(bytes, kind.media_type());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    Ok(response)
}
