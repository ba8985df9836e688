//! `POST /app/subscriptions/{subscription_id}/clock`

use app::subscriptions::{CLOCK_DAYS_MAX, ClockTarget};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::AdvanceTestClock;
use domain::refusal::Refusal;
use domain::time::CaracasDate;
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::clock::ClockTexts;
use super::{path_of, show, subscription_id};
use crate::checkout::see;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<AdvanceTestClock, _, _>(
            "/app/subscriptions/{subscription_id}/clock",
            advance,
        )
        .takes(&["days", "to"])
        .labelled(|language| {
            let t = ClockTexts::of(language);
            vec![("to", t.to)]
        }),
    ]
}

async fn advance(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<AdvanceTestClock>,
) -> Result<Response, NotTaken> {
    let id = subscription_id(&id)?;
    let advanced = match read(&form) {
        Ok(to) => app::subscriptions::advance_clock(&state.app, &signed.act, id, to).await,
        Err(refusal) => Err(refusal.into()),
    };
    match advanced {
        Ok(advanced) => {
            let done = if advanced.is_reached { "clock" } else { "clock-stopped" };
            Ok(see(&format!("{}?done={done}", path_of(id))))
        }
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::page(&state, &signed, &uri, id, again).await?)
        }
    }
}

/// Reads where the clock is to be set: by so many days, as a button says, or to the day that was typed.
fn read(form: &FormBody) -> Result<ClockTarget, Refusal> {
    let mut fields = FormFields::of(form);
    let to = if form.field("days").is_empty() {
        let problem = ("debe ser una fecha como 2026-12-31", "must be a date like 2026-12-31");
        let day = fields.required("to", |text| CaracasDate::parse(text).map_err(|_| problem));
        day.map(ClockTarget::Day)
    } else {
        let days = fields.number("days", 1, CLOCK_DAYS_MAX);
        days.and_then(|days| u32::try_from(days).ok()).map(ClockTarget::Days)
    };
    fields.made(to)
}
