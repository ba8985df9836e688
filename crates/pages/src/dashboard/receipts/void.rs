//! `POST /app/receipts/{receipt_id}/void`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::VoidReceipt;
use domain::receipts::VoidReason;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::show::{self, ShowTexts};
use super::{path_of, receipt_id};
use crate::checkout::see;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, ticked};
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<VoidReceipt, _, _>("/app/receipts/{receipt_id}/void", void)
            .takes(&["void_reason", "void_sure"])
            .labelled(|language| vec![("void_reason", ShowTexts::of(language).void_reason)]),
    ]
}

async fn void(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<VoidReceipt>,
) -> Result<Response, NotTaken> {
    let id = receipt_id(&id)?;
    let done = match read(&form) {
        Ok(reason) => app::receipts::void(&state.app, &signed.act, id, reason).await,
        Err(refusal) => Err(refusal.into()),
    };
    match done {
        Ok(_) => Ok(see(&format!("{}?done", path_of(id)))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::page(&state, &signed, &uri, id, again).await?)
        }
    }
}

/// Reads the reason of what was confirmed.
fn read(form: &FormBody) -> Result<VoidReason, Refusal> {
    let mut fields = FormFields::of(form);
    let reason = fields.required("void_reason", VoidReason::parse);
    ticked(form, "void_sure").and(fields.made(reason))
}
