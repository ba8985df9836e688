//! `POST /app/subscriptions/{subscription_id}/pause`, `resume`, `cancel`, `cancel-at-end`, `undo-cancel`,
//! `cycles/{cycle}/link`, `payer-page` and `payer-page/replace`

use app::Error;
use app::subscriptions::When;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    CancelSubscription, IssuePayerPage, Operation, PauseSubscription, RenewCycleLink,
    ResumeSubscription, UndoCancellation,
};
use domain::ids::SubscriptionId;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, NotTaken, Posted};

use super::{path_of, show, subscription_id};
use crate::checkout::see;
use crate::dashboard::form::{FormState, ticked};
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<PauseSubscription, _, _>(
            "/app/subscriptions/{subscription_id}/pause",
            pause,
        ),
        PageRoute::form::<ResumeSubscription, _, _>(
            "/app/subscriptions/{subscription_id}/resume",
            resume,
        ),
        PageRoute::form::<CancelSubscription, _, _>(
            "/app/subscriptions/{subscription_id}/cancel",
            cancel,
        )
        .takes(&["cancel_sure"]),
        PageRoute::form::<CancelSubscription, _, _>(
            "/app/subscriptions/{subscription_id}/cancel-at-end",
            cancel_at_end,
        ),
        PageRoute::form::<UndoCancellation, _, _>(
            "/app/subscriptions/{subscription_id}/undo-cancel",
            undo_cancel,
        ),
        PageRoute::form::<RenewCycleLink, _, _>(
            "/app/subscriptions/{subscription_id}/cycles/{cycle}/link",
            renew,
        ),
        PageRoute::form::<IssuePayerPage, _, _>(
            "/app/subscriptions/{subscription_id}/payer-page",
            renew_page,
        ),
        PageRoute::form::<IssuePayerPage, _, _>(
            "/app/subscriptions/{subscription_id}/payer-page/replace",
            replace_page,
        )
        .takes(&["replace_sure"]),
    ]
}

async fn pause(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<PauseSubscription>,
) -> Result<Response, NotTaken> {
    let id = subscription_id(&id)?;
    let done = app::subscriptions::pause(&state.app, &posted.signed.act, id).await;
    seen((&state, id, &uri), &posted, done, "pause").await
}

async fn resume(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<ResumeSubscription>,
) -> Result<Response, NotTaken> {
    let id = subscription_id(&id)?;
    let done = app::subscriptions::resume(&state.app, &posted.signed.act, id).await;
    seen((&state, id, &uri), &posted, done, "resume").await
}

async fn cancel(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<CancelSubscription>,
) -> Result<Response, NotTaken> {
    let id = subscription_id(&id)?;
    let done = match ticked(&posted.form, "cancel_sure") {
        Ok(()) => app::subscriptions::cancel(&state.app, &posted.signed.act, id, When::Now).await,
        Err(refusal) => Err(refusal.into()),
    };
    seen((&state, id, &uri), &posted, done, "cancel").await
}

async fn cancel_at_end(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<CancelSubscription>,
) -> Result<Response, NotTaken> {
    let (id, act) = (subscription_id(&id)?, &posted.signed.act);
    let done = app::subscriptions::cancel(&state.app, act, id, When::AtPeriodEnd).await;
    seen((&state, id, &uri), &posted, done, "end").await
}

async fn undo_cancel(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<UndoCancellation>,
) -> Result<Response, NotTaken> {
    let id = subscription_id(&id)?;
    let done = app::subscriptions::undo_cancel(&state.app, &posted.signed.act, id).await;
    seen((&state, id, &uri), &posted, done, "undo-cancel").await
}

async fn renew(
    State(state): State<AppState>,
    Path((id, cycle)): Path<(String, String)>,
    uri: Uri,
    posted: Posted<RenewCycleLink>,
) -> Result<Response, NotTaken> {
    let id = subscription_id(&id)?;
    let number = cycle.parse::<u32>().ok().and_then(|cycle| cycle.checked_sub(1));
    let number = number.ok_or(Refusal::NotFound("cycle"))?;
    let done = app::subscriptions::renew(&state.app, &posted.signed.act, id, number).await;
    seen((&state, id, &uri), &posted, done, "link").await
}

async fn renew_page(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<IssuePayerPage>,
) -> Result<Response, NotTaken> {
    let (id, act) = (subscription_id(&id)?, &posted.signed.act);
    let done = app::subscriptions::issue_payer_page(&state.app, act, id, false).await;
    seen((&state, id, &uri), &posted, done, "payer-page").await
}

async fn replace_page(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<IssuePayerPage>,
) -> Result<Response, NotTaken> {
    let (id, act) = (subscription_id(&id)?, &posted.signed.act);
    let done = match ticked(&posted.form, "replace_sure") {
        Ok(()) => app::subscriptions::issue_payer_page(&state.app, act, id, true).await,
        Err(refusal) => Err(refusal.into()),
    };
    seen((&state, id, &uri), &posted, done, "payer-page-replace").await
}

/// Leads to the page where an act is seen, or shows that page again with the reason why it was refused.
async fn seen<O: Operation, T>(
    (state, id, uri): (&AppState, SubscriptionId, &Uri),
    Posted { signed, form }: &Posted<O>,
    done: Result<T, Error>,
    act: &str,
) -> Result<Response, NotTaken> {
    match done {
        Ok(_) => Ok(see(&format!("{}?done={act}", path_of(id)))),
        Err(error) => {
            let again = FormState::again(form, error, signed.language())?;
            Ok(show::page(state, signed, uri, id, again).await?)
        }
    }
}
