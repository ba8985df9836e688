//! `POST /app/links/{payment_link_id}/cancel`, `stop`, `resume` and `reject`

use app::links::{End, StatusDetail};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{CancelLink, Guarded, RejectLink, ResumeLink, StopLink};
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::show::ShowTexts;
use super::{link_id, path_of, show};
use crate::checkout::see;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, ticked};
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<CancelLink, _, _>("/app/links/{payment_link_id}/cancel", cancel)
            .takes(&["cancel_sure"]),
        PageRoute::form::<StopLink, _, _>("/app/links/{payment_link_id}/stop", stop),
        PageRoute::form::<ResumeLink, _, _>("/app/links/{payment_link_id}/resume", resume),
        PageRoute::form::<RejectLink, _, _>("/app/links/{payment_link_id}/reject", reject)
            .takes(&["status_detail", "reject_sure"])
            .labelled(|language| {
                let t = ShowTexts::of(language);
                vec![("status_detail", t.reject_why)]
            }),
    ]
}

async fn cancel(
    state: State<AppState>,
    id: Path<String>,
    uri: Uri,
    posted: Posted<CancelLink>,
) -> Result<Response, NotTaken> {
    let what = ticked(&posted.form, "cancel_sure").map(|()| End::Cancel);
    act((state, id, uri), posted, what).await
}

async fn stop(
    state: State<AppState>,
    id: Path<String>,
    uri: Uri,
    posted: Posted<StopLink>,
) -> Result<Response, NotTaken> {
    act((state, id, uri), posted, Ok(End::Stop)).await
}

async fn resume(
    state: State<AppState>,
    id: Path<String>,
    uri: Uri,
    posted: Posted<ResumeLink>,
) -> Result<Response, NotTaken> {
    act((state, id, uri), posted, Ok(End::Resume)).await
}

async fn reject(
    state: State<AppState>,
    id: Path<String>,
    uri: Uri,
    posted: Posted<RejectLink>,
) -> Result<Response, NotTaken> {
    let mut fields = FormFields::of(&posted.form);
    let detail = fields.optional("status_detail", StatusDetail::parse);
    let what = fields.made(Some(End::Reject(detail)));
    let what = ticked(&posted.form, "reject_sure").and(what);
    act((state, id, uri), posted, what).await
}

/// Does what was asked for and confirmed, or shows the link's page again with what is wrong.
async fn act<O: Guarded>(
    (State(state), Path(id), uri): (State<AppState>, Path<String>, Uri),
    Posted { signed, form }: Posted<O>,
    what: Result<End, Refusal>,
) -> Result<Response, NotTaken> {
    let link = link_id(&id)?;
    let done = match what {
        Ok(what) => app::links::end(&state.app, &signed.act, link, what).await,
        Err(refusal) => Err(refusal.into()),
    };
    match done {
        Ok(_) => Ok(see(&format!("{}?saved", path_of(link)))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::page(&state, &signed, &uri, &id, again).await?)
        }
    }
}
