//! `POST /v1/notices/{notice_id}/dismiss`

use app::Precondition;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::DismissNotice;
use domain::refusal::{Code, Refusal};
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group};
use crate::wire::{MessageAnswer, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<DismissNotice, _, _>(Method::POST, "/v1/notices/{notice_id}/dismiss", handle)
        .does(
            Group::Owner,
            "Da por resuelto un aviso al titular, hasta que lo mismo pase otra vez.",
            "Dismisses a notice to the owner, until the same happens again.",
        )
        .answers::<MessageAnswer>(json!({ "message": "aviso resuelto" }))
        .refuses(&[Code::NotFound])
}

async fn handle(
    admitted: Admitted<DismissNotice>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("notice"))?;
    app::notices::dismiss(&state.app, &admitted.0, id, Precondition::none()).await?;
    said_only(say(admitted.language(), "aviso resuelto", "notice dismissed"))
}
