//! `GET /v1/notices`

use app::paging::Paging;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListNotices;
use domain::ids::{LinkId, NoticeId};
use domain::time::Timestamp;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::wire::{Shown, say};

#[derive(Serialize, JsonSchema)]
struct NoticesListed<'a> {
    message: &'static str,
    notices: Vec<WireNotice<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// Lo que se le avisó al titular: los programas miran el tipo, las personas el texto. / What the owner was told:
/// programs go by the kind, people by the text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Notice")]
struct WireNotice<'a> {
    id: Shown<NoticeId>,
    kind: &'static str,
    text: String,
    subject: &'a str,
    payment_link_id: Option<Shown<LinkId>>,
    times: i64,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
    /// Cuándo se mandó el último correo que lo cuenta; `null` donde no se mandó ninguno. / When a mail that tells of it
    /// was sent last; `null` where none was.
    mailed_at: Option<Shown<Timestamp>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::new::<ListNotices, _, _>(Method::GET, "/v1/notices", handle)
        .does(
            Group::Owner,
            "Lista lo que se avisó al titular de lo que salió mal.",
            "Lists what the owner was told of what went wrong.",
        )
        .query::<Paging>()
        .answers::<NoticesListed<'_>>(json!({
            "message": "avisos para el titular",
            "notices": [{
                "id": "ntc_00000000000000000000000001",
                "kind": "webhook_exhausted",
                "text": "un aviso no llegó a su servidor",
                "subject": "tienda.example",
                "payment_link_id": "link_00000000000000000000000001",
                "times": 1,
                "created_at": "2026-11-20T12:00:00.000Z",
                "updated_at": "2026-11-20T12:00:00.000Z",
                "mailed_at": "2026-11-20T12:00:03.000Z",
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListNotices>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (paging, language) = (Paging::read(&uri)?, admitted.language());
    let found = app::notices::list(&state.app, &admitted.0, None, paging).await?;
    let notices = found.entries.iter().map(|notice| WireNotice {
        id: Shown(notice.id),
        kind: notice.kind.as_str(),
        text: notice.kind.text(&notice.subject, notice.trouble, language),
        subject: &notice.subject,
        payment_link_id: notice.link.map(Shown),
        times: notice.times,
        created_at: Shown(notice.created_at),
        updated_at: Shown(notice.updated_at),
        mailed_at: notice.mailed_at.map(Shown),
    });
    answer::json(&NoticesListed {
        message: say(language, "avisos para el titular", "notices to the owner"),
        notices: notices.collect(),
        total: found.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}
