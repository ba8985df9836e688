//! `GET /app/webhooks/deliveries/{delivery_id}/evidence`: the proof of a delivery, as a file.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowEvidence;
use http::HeaderValue;
use http::header::CONTENT_DISPOSITION;
use web::{AppState, Failure, Signed};

use super::delivery_id;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    let path = "/app/webhooks/deliveries/{delivery_id}/evidence";
    vec![PageRoute::page::<ShowEvidence, _, _>(path, download)]
}

/// The same file as the command line writes.
async fn download(
    signed: Signed<ShowEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = delivery_id(&id)?;
    let evidence = app::evidence::show(&state.app, &signed.act, id).await?;
    let mut response = web::answer::json(&evidence.document())?;
    let name = format!("attachment; filename=\"{id}.json\"");
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}
