//! `GET /v1/notices`

use axum::extract::State;
use axum::response::Response;
use domain::access::ListNotices;
use domain::ids::{LinkId, NoticeId};
use domain::time::Timestamp;
use http::Uri;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{Shown, paging, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    notices: Vec<WireNotice<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// What the owner was told: programs go by the kind, people by the text.
#[derive(Serialize)]
struct WireNotice<'a> {
    id: Shown<NoticeId>,
    kind: &'static str,
    text: String,
    subject: &'a str,
    payment_link_id: Option<Shown<LinkId>>,
    times: i64,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

pub(crate) async fn handle(
    admitted: Admitted<ListNotices>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (paging, language) = (paging(&uri)?, admitted.language());
    let found = app::notices::list(&state.app, &admitted.0, paging).await?;
    let notices = found.entries.iter().map(|told| WireNotice {
        id: Shown(told.id),
        kind: told.kind.as_str(),
        text: told.kind.text(&told.subject, told.trouble, language),
        subject: &told.subject,
        payment_link_id: told.link.map(Shown),
        times: told.times,
        created_at: Shown(told.created_at),
        updated_at: Shown(told.updated_at),
    });
    answer::json(&Answer {
        message: say(language, "avisos para el titular", "notices to the owner"),
        notices: notices.collect(),
        total: found.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}
