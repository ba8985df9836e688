//! `POST /app/subscriptions/{subscription_id}/pause`, `resume`, `cancel`, `cancel-at-end`, `undo-cancel`,
//! `cycles/{cycle}/link`, `cycles/{cycle}/waive`, `payer-page` and `payer-page/replace`

use app::Error;
use app::subscriptions::{PauseEnd, RESUMES_ON, WaiveReason, When};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    CancelSubscription, IssuePayerPage, Operation, PauseSubscription, RenewCycleLink,
    ResumeSubscription, UndoCancellation, WaiveCycle,
};
use domain::ids::SubscriptionId;
use domain::refusal::Refusal;
use domain::subscriptions::{Calendar, Resumption};
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::cycles::CyclesTexts;
use super::show::ShowTexts;
use super::{path_of, show, subscription_id};
use crate::checkout::see;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, ticked};
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<PauseSubscription, _, _>(
            "/app/subscriptions/{subscription_id}/pause",
            pause,
        )
        .takes(&[RESUMES_ON])
        .labelled(|language| vec![(RESUMES_ON, ShowTexts::of(language).resumes_on)]),
        PageRoute::form::<ResumeSubscription, _, _>(
            "/app/subscriptions/{subscription_id}/resume",
            resume,
        )
        .takes(&["calendar"]),
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
        PageRoute::form::<WaiveCycle, _, _>(
            "/app/subscriptions/{subscription_id}/cycles/{cycle}/waive",
            waive,
        )
        .takes(&["waive_reason", "waive_sure"])
        .labelled(|language| vec![("waive_reason", CyclesTexts::of(language).waive_reason)]),
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
    let done = match resumption(&posted.form) {
        Ok(resumes) => {
            let end = resumes.map_or(PauseEnd::Kept, PauseEnd::By);
            app::subscriptions::pause(&state.app, &posted.signed.act, id, end).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    seen((&state, id, &uri), &posted, done, "pause").await
}

async fn resume(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    posted: Posted<ResumeSubscription>,
) -> Result<Response, NotTaken> {
    let id = subscription_id(&id)?;
    // A button says so.
    let is_new = posted.form.field("calendar") == "new";
    let calendar = if is_new { Calendar::New } else { Calendar::Same };
    let done = app::subscriptions::resume(&state.app, &posted.signed.act, id, calendar).await;
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
    let (id, number) = (subscription_id(&id)?, cycle_number(&cycle)?);
    let done = app::subscriptions::renew(&state.app, &posted.signed.act, id, number).await;
    seen((&state, id, &uri), &posted, done, "link").await
}

async fn waive(
    State(state): State<AppState>,
    Path((id, cycle)): Path<(String, String)>,
    uri: Uri,
    posted: Posted<WaiveCycle>,
) -> Result<Response, NotTaken> {
    let (id, number) = (subscription_id(&id)?, cycle_number(&cycle)?);
    let act = &posted.signed.act;
    let done = match waive_reason(&posted.form) {
        Ok(reason) => app::subscriptions::waive(&state.app, act, id, number, reason).await,
        Err(refusal) => Err(refusal.into()),
    };
    seen((&state, id, &uri), &posted, done, "waive").await
}

/// Reads the day on which a pause ends by itself, if the person names one.
fn resumption(form: &FormBody) -> Result<Option<Resumption>, Refusal> {
    let mut fields = FormFields::of(form);
    let on = fields.day(RESUMES_ON);
    let resumes = on.map(|on| Resumption { on, calendar: Calendar::Same });
    fields.made(Some(resumes))
}

/// Reads why a cycle is waived, if the person says it.
fn waive_reason(form: &FormBody) -> Result<Option<WaiveReason>, Refusal> {
    let mut fields = FormFields::of(form);
    let reason = fields.optional("waive_reason", WaiveReason::parse);
    let reason = fields.made(Some(reason))?;
    ticked(form, "waive_sure").map(|()| reason)
}

/// The number of a cycle in a path, which is counted from one. Another text names none.
fn cycle_number(text: &str) -> Result<u32, Refusal> {
    let number = text.parse::<u32>().ok().and_then(|cycle| cycle.checked_sub(1));
    number.ok_or(Refusal::NotFound("cycle"))
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
