//! The operation `POST /v1/subscriptions/{subscription_id}/clock`: the clock of a test subscription is set ahead, and all
//! that is due on the way is done in its order.
//!
//! One transaction sets the clock to the instant of the next step and does that step. So a process that ends in between
//! leaves a clock that shows a former instant, with everything done that was due by then, and the same request goes on
//! from there. Links, events and the audit trail stay in real time, and no clock moves while a payer is being checked.

use std::sync::Arc;
use std::time::Duration;

use domain::access::{AdvanceTestClock, Caller};
use domain::ids::{LinkId, OwnerId, SubscriptionId};
use domain::refusal::{Problem, Refusal, SubscriptionRefusal};
use domain::subscriptions::{End, Leg, Step, TestClock};
use domain::time::{CaracasDate, Timestamp};
use store::due::{self, Kind};
use store::fault::Fault;
use store::links::{self, Link};
use store::subscriptions::{self, Subscription};
use store::tx::Tx;
use store::{audit, subscription_cycles};

use super::steps::step;
use super::{SubscriptionRecord, reached, record, rules};
use crate::audit_entry::audited;
use crate::changes::{self, ClockAdvances};
use crate::clock_skew::is_clock_near_database;
use crate::links::{minutes_until, shorten_lock};
use crate::locator::Locator;
use crate::outcome::Outcome;
use crate::queue::Next;
use crate::{Act, App, Error};

/// The most days by which one request sets a clock ahead.
pub const CLOCK_DAYS_MAX: i64 = 366;

/// How many steps one request does: a year of months, with all reminders of each.
const STEPS_MAX: usize = 120;

/// How far the instants are apart at which two steps are written: events and lists are in the order of these.
const APART: Duration = Duration::from_millis(1);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Target of a clock that is set ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockTarget {
    /// The beginning of that day in Caracas.
    Day(CaracasDate),
    /// The same time of day, so many days later.
    Days(u32),
}

/// Result of setting a clock ahead.
#[derive(Clone, Debug)]
pub struct Advanced {
    /// The subscription as it is then.
    pub record: SubscriptionRecord,
    /// Whether the clock shows the target. Otherwise more is due than one request does, or a payer is being checked.
    pub is_reached: bool,
    /// All that was done on the way, in its order.
    pub happened: Vec<Happened>,
}

/// Step that was done on the way of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// The step.
    pub step: Step,
    /// When, by the clock of the subscription.
    pub at: Timestamp,
}

/// Sets the clock of a test subscription ahead, never back. Where it shows the target already, nothing is done.
///
/// # Errors
/// Not found; it is about real money, or has ended; the target is behind the clock, or too far ahead; a payer is being
/// checked; this node's clock is off; or a failure of the store.
pub async fn advance_clock(
    app: &Arc<App>,
    act: &Act<AdvanceTestClock>,
    id: SubscriptionId,
    to: ClockTarget,
) -> Result<Advanced, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let looked = caller.clone();
    let of = act.read(app, move |tx| reached(tx, owner, &looked, id)).await?;
    let target = target(&of, to, act.now)?;
    if !is_clock_near_database(app).await? {
        return Err(Refusal::ServiceUnavailable.into());
    }
    let advance = Advance { owner, caller, id, target };
    let (is_reached, happened, real) = take_turns(app, act, &advance).await?;
    let inner = Arc::clone(app);
    let read = act.read(app, move |tx| {
        let of = reached(tx, owner, &advance.caller, id)?;
        Ok(record(tx, &inner, owner, of, real)?)
    });
    Ok(Advanced { record: read.await?, is_reached, happened })
}

/// Moves the clock on, one transaction after the other. Answers whether it shows the target, all that was done on the way,
/// and what the real clock showed at the last.
///
/// # Errors
/// The subscription is out of reach; a payer is being checked; or a failure of the store.
async fn take_turns(
    app: &Arc<App>,
    act: &Act<AdvanceTestClock>,
    advance: &Advance,
) -> Result<(bool, Vec<Happened>, Timestamp), Error> {
    let mut entry = Some(audited(app, act, advance.id.to_string()));
    let (mut happened, mut spare) = (Vec::new(), None);
    let (mut real, mut now) = (act.now, act.now);
    let is_reached = loop {
        let turn = Turn {
            advance: advance.clone(),
            opened: spare,
            is_full: happened.len() >= STEPS_MAX,
            entry: entry.clone(),
            real,
            now,
        };
        let inner = Arc::clone(app);
        match act.write(app, move |tx| turn.take(tx, &inner)).await? {
            Moved::There => break true,
            Moved::IsFull => break false,
            Moved::IsChecked if happened.is_empty() => {
                return Err(Refusal::RequestInProgress.into());
            }
            Moved::IsChecked => break false,
            Moved::LacksLink => spare = Some(claimed(app, act).await?),
            Moved::Did(done, end) => {
                // A link stays for the next cycle where somebody else has opened this one.
                if let Step::Open(_) = done.step {
                    spare = None;
                }
                happened.push(done);
                happened.extend(end);
                entry = None;
                real = app.clock.now().max(act.now);
                now = real.max(now.plus(APART));
            }
        }
    };
    if let Some(link) = spare {
        Locator::of_link(link).remove(&app.store, act.meter()).await;
    }
    Ok((is_reached, happened, real))
}

/// Returns the instant of the subscription's own that is meant.
///
/// # Errors
/// Its clock cannot be set there.
fn target(of: &Subscription, to: ClockTarget, now: Timestamp) -> Result<Timestamp, Refusal> {
    if of.livemode {
        return Err(Refusal::Subscription(SubscriptionRefusal::NotATest));
    }
    let own = of.clock.virtual_now(now);
    let (today, last) = (CaracasDate::of(own), CaracasDate::of(now.plus(TestClock::AHEAD_MAX)));
    let (field, target) = match to {
        ClockTarget::Days(days) => ("days", own.plus(DAY.saturating_mul(days))),
        ClockTarget::Day(day) => ("to", day.start()),
    };
    if to == ClockTarget::Day(today) {
        return Ok(target);
    }
    if target < own {
        let problem = Problem::made(
            format!("el reloj marca el {today} y no se atrasa"),
            format!("the clock shows {today} and is never set back"),
        );
        return Err(Refusal::invalid(field, problem));
    }
    if target > now.plus(TestClock::AHEAD_MAX) {
        let problem = Problem::made(
            format!("el reloj llega hasta el {last}"),
            format!("the clock goes as far as {last}"),
        );
        return Err(Refusal::invalid(field, problem));
    }
    if of.standing.end.is_some() {
        return Err(Refusal::Subscription(SubscriptionRefusal::Ended));
    }
    Ok(target)
}

/// Claims the locator of a link that a cycle will open with.
async fn claimed(app: &Arc<App>, act: &Act<AdvanceTestClock>) -> Result<LinkId, Error> {
    let link = LinkId::new(&*app.ids);
    Ok(Locator::claim_link(app, act.meter(), act.owner(), link).await?)
}

/// A clock that somebody sets ahead.
#[derive(Clone)]
struct Advance {
    owner: OwnerId,
    caller: Caller,
    id: SubscriptionId,
    /// Instant that it is to show.
    target: Timestamp,
}

/// Everything that one transaction needs to move a clock on.
struct Turn {
    advance: Advance,
    /// Link that a cycle opens with, if one does.
    opened: Option<LinkId>,
    /// Whether the request has done as many steps as it may.
    is_full: bool,
    /// Line of the audit trail, until it is written.
    entry: Option<audit::Entry>,
    /// What the real clock shows, by which the other one is set.
    real: Timestamp,
    /// When it is written: no two steps of a request are at one instant.
    now: Timestamp,
}

/// Result of one transaction.
enum Moved {
    /// A step was done; and the end of the subscription, where it came with another step.
    Did(Happened, Option<Happened>),
    /// The clock shows the target, and nothing else is due by then.
    There,
    /// A cycle opens next, and there is no link yet that it opens with.
    LacksLink,
    /// A payer is being checked, who decides first.
    IsChecked,
    /// More is due than one request does.
    IsFull,
}

impl Turn {
    /// Moves the clock to what comes first of the next step and the target, and does the step.
    ///
    /// # Errors
    /// The subscription is out of reach, or a fault of the store.
    fn take(&self, tx: &mut Tx<'_>, app: &App) -> Outcome<Moved> {
        let Advance { owner, id, target, .. } = self.advance;
        let (real, now) = (self.real, self.now);
        let of = reached(tx, owner, &self.advance.caller, id)?;
        let owed = subscription_cycles::owed(tx, owner, id)?;
        let Leg { by, step: next } = rules(&of, &owed).leg_to(target, real);
        if by.is_zero() && next.is_none() {
            return Ok(Moved::There);
        }
        if next.is_some() && self.is_full {
            return Ok(Moved::IsFull);
        }
        let pending = links::pending_of(tx, owner, id)?;
        if pending.iter().any(|link| link.standing.is_checking) {
            return Ok(Moved::IsChecked);
        }
        if matches!(next, Some(Step::Open(_))) && self.opened.is_none() {
            return Ok(Moved::LacksLink);
        }
        if let Some(entry) = &self.entry {
            let change = changes::made(&ClockAdvances { from: of.clock.virtual_now(real), target });
            audit::insert_change(tx, owner, entry, &change, now)?;
        }
        let clock = of.clock.advanced(by);
        let clock = clock.ok_or_else(|| Fault::broken("a clock is set ahead too far"))?;
        if !by.is_zero() {
            subscriptions::set_clock(tx, owner, id, clock, now)?;
            bring_ends(tx, owner, pending, by, now)?;
        }
        let subject = id.to_bytes();
        let Some(next) = next else {
            if of.standing.end.is_none() {
                // The next step comes sooner than when it was looked for last.
                due::reschedule(tx, owner, Kind::Subscription, subject, real)?;
            }
            return Ok(Moved::There);
        };
        let at = clock.virtual_now(real);
        let end = match step(tx, app, (owner, id), self.opened, now)? {
            Next::Done => {
                due::forget(tx, owner, Kind::Subscription, subject)?;
                // A cycle that lapses may be the last one.
                let is_lapse = matches!(next, Step::Lapse(_));
                is_lapse.then_some(Happened { step: Step::End(End::Expired), at })
            }
            Next::At(_) => {
                due::reschedule(tx, owner, Kind::Subscription, subject, real)?;
                None
            }
        };
        Ok(Moved::Did(Happened { step: next, at }, end))
    }
}

/// Brings the ends of links nearer by as much as the clock of their subscription is set ahead: they lie where they did by
/// that clock, and no page of a payer says otherwise.
fn bring_ends(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    pending: Vec<Link>,
    by: Duration,
    now: Timestamp,
) -> Result<(), Fault> {
    for mut link in pending {
        let is_ahead = |end: &Timestamp| *end > now && link.standing.expired_at.is_none();
        let Some(former) = link.standing.expires_at.filter(is_ahead) else { continue };
        // The real clock may have been set back since the link was made.
        let from = now.max(link.created_at);
        let end = former.minus(by).max(from);
        link.standing.expires_at = Some(end);
        link.expiration_minutes = Some(minutes_until(end, from));
        link.updated_at = now;
        shorten_lock(tx, owner, &mut link, now)?;
        links::change(tx, owner, &link, now)?;
        due::hasten(tx, owner, Kind::LinkExpiry, link.id.to_bytes(), end)?;
    }
    Ok(())
}
