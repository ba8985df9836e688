//! `POST /v1/usersbank/{bank_id}/review/close`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::CloseReview;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Empty, Endpoint, Group, Request};
use crate::wire::{MessageAnswer, bank_id, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<CloseReview, _, _>(
        Method::POST,
        "/v1/usersbank/{bank_id}/review/close",
        handle,
    )
    .does(
        Group::Accounts,
        "Da por revisada una cuenta después de que el servicio se restauró desde una copia: lo que el banco muestra de antes se \
         verifica otra vez sin que una persona lo acepte.",
        "Says that an account was reviewed after the service was restored from a copy: what the bank shows of before is \
         verified again without a person's accepting it.",
    )
    .takes::<Empty>(json!({}))
    .answers::<MessageAnswer>(json!({ "message": "la cuenta está revisada" }))
}

async fn handle(
    admitted: Admitted<CloseReview>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    Empty::read(&body)?;
    let closed = app::accounts::close_review(&state.app, &admitted.0, id).await?;
    said_only(match closed {
        Some(_) => say(admitted.language(), "la cuenta está revisada", "the account is reviewed"),
        None => say(
            admitted.language(),
            "la cuenta no tenía nada por revisar",
            "the account had nothing to be reviewed",
        ),
    })
}
