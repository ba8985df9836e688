//! The operations `POST /v1/subscriptions/{subscription_id}/pause` and `resume`.

use std::sync::Arc;

use domain::access::{PauseSubscription, ResumeSubscription};
use domain::ids::SubscriptionId;
use domain::refusal::{Problem, Refusal, SubscriptionRefusal};
use domain::subscriptions::{Calendar, RESTARTS_MAX, Resumption};
use domain::time::CaracasDate;
use store::subscriptions::Subscription;

use super::change::{Held, change};
use super::{AHEAD_DAYS_MAX, SubscriptionRecord};
use crate::{Act, App, Error};

/// Name of the day on which a pause ends by itself, in a request and in a form.
pub const RESUMES_ON: &str = "resumesOn";

/// Wish about the day on which a pause ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseEnd {
    /// It stays as it is; a new pause has none.
    Kept,
    /// There is none: the pause lasts until somebody resumes the subscription.
    Open,
    /// It is that one.
    By(Resumption),
}

/// Pauses a subscription from its next period on, until somebody resumes it or the day that is named. What was asked for
/// before is owed as it was. Of one that is paused the day is set or taken away, if that is wished, and else it stays as
/// it is.
///
/// # Errors
/// Not found; it has ended, or has not begun; the day is not ahead, or too far; its calendar has begun anew as often as it
/// may; or a failure of the store.
pub async fn pause(
    app: &Arc<App>,
    act: &Act<PauseSubscription>,
    id: SubscriptionId,
    end: PauseEnd,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, move |_, held| {
        let standing = &held.rules.standing;
        if standing.end.is_some() {
            return Err(refused(SubscriptionRefusal::Ended).into());
        }
        if !standing.is_active {
            return Err(refused(SubscriptionRefusal::NotBegun).into());
        }
        let is_so = match end {
            PauseEnd::Kept => true,
            PauseEnd::Open => standing.resumes.is_none(),
            PauseEnd::By(resumes) => standing.resumes == Some(resumes),
        };
        if standing.paused_from.is_some() && is_so {
            return Ok(None);
        }
        let paused = held.rules.clone().paused(held.now);
        let paused = match end {
            PauseEnd::Kept => paused,
            PauseEnd::Open => paused.without_resumption(),
            PauseEnd::By(resumes) => {
                check(held, resumes)?;
                paused.resuming(resumes)
            }
        };
        Ok(Some(Subscription { standing: paused.standing, ..held.of.clone() }))
    })
    .await
}

/// Resumes a subscription. On its own calendar the next period that begins is asked for, and those that began meanwhile are
/// not; a new calendar begins with a period from today. One that is not paused stays as it is, and so does the calendar where
/// the pause has skipped no period yet, or none opens any more.
///
/// # Errors
/// Not found; it has ended; its calendar has begun anew as often as it may; or a failure of the store.
pub async fn resume(
    app: &Arc<App>,
    act: &Act<ResumeSubscription>,
    id: SubscriptionId,
    calendar: Calendar,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, move |_, held| {
        if held.rules.standing.end.is_some() {
            return Err(refused(SubscriptionRefusal::Ended).into());
        }
        if held.rules.standing.paused_from.is_none() {
            return Ok(None);
        }
        let rules = held.rules.clone();
        let resumed = match calendar {
            Calendar::Same => rules.resumed(),
            Calendar::New => rules.resumed_anew(held.now).ok_or(TOO_MANY_CALENDARS)?,
        };
        let (terms, standing) = (resumed.terms, resumed.standing);
        Ok(Some(Subscription { terms, standing, ..held.of.clone() }))
    })
    .await
}

/// Checks that a pause may end so.
fn check(held: &Held<'_>, resumes: Resumption) -> Result<(), Refusal> {
    let today = CaracasDate::of(held.rules.clock.virtual_now(held.now));
    let last = today.plus_days(i32::try_from(AHEAD_DAYS_MAX).unwrap_or(i32::MAX));
    if resumes.on <= today || resumes.on > last {
        let problem = Problem::made(
            format!("debe ser después de hoy ({today}) y hasta el {last}"),
            format!("must be after today ({today}), and {last} at the latest"),
        );
        return Err(Refusal::invalid(RESUMES_ON, problem));
    }
    let is_full = held.rules.terms.schedule.restarts().count() >= RESTARTS_MAX;
    if is_full && resumes.calendar == Calendar::New {
        return Err(TOO_MANY_CALENDARS);
    }
    Ok(())
}

const TOO_MANY_CALENDARS: Refusal = refused(SubscriptionRefusal::TooManyCalendars);

const fn refused(refusal: SubscriptionRefusal) -> Refusal {
    Refusal::Subscription(refusal)
}
