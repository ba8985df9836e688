//! Doing what is due of subscriptions: cycles open with a link each, lapse and are skipped, payers are reminded, and
//! subscriptions end.
//!
//! One transaction does one step, and decides it again by what it reads: so that each cycle opens once on however many
//! nodes, and one that died between two steps is followed by any other.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::{LinkId, OwnerId, SubscriptionId};
use domain::language::Language;
use domain::links::{State, Status};
use domain::refusal::Refusal;
use domain::subscriptions::{Next as Due, Step};
use domain::time::{CaracasDate, Timestamp};
use store::due::{self, Kind};
use store::fault::Fault;
use store::links::{CycleOf, Link, Origin};
use store::subscription_cycles::Cycle;
use store::subscriptions::Subscription;
use store::tx::Tx;
use store::{Lane, Meter, credits, link_settings, links, subscription_cycles, subscriptions};

use super::remind::remind;
use super::rules;
use crate::clock_skew::is_clock_near_database;
use crate::links::{FirstLock, LAPSED, LinkEvents, LinkOutcome, minutes_until, pending_until};
use crate::locator::Locator;
use crate::queue::{Next, Progress, Work, in_one_write};
use crate::{App, Error};

/// How long a step waits while a payer is being checked.
const CHECKED_WAIT: Duration = Duration::from_secs(10);

/// The longest that a subscription is not looked at: no clock that was wrong puts it off for longer.
const LOOK_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How many steps one request does.
const CAUGHT_UP_MAX: u32 = 25;

/// How many minutes a rate is held for a payer.
const RATE_MINUTES: i64 = 60;

/// Does what is due of subscriptions.
#[derive(Debug)]
pub enum SubscriptionStep {}

impl Work for SubscriptionStep {
    const KIND: Kind = Kind::Subscription;
    const POLL: Duration = Duration::from_millis(1_250);
    const WAIT_MAX: Option<Duration> = Some(LOOK_MAX);
    /// Cycles begin by the thousand at a midnight, beside verifications that shall not wait for them.
    const AT_ONCE: usize = 4;

    fn shown(subject: [u8; 16]) -> String {
        SubscriptionId::from_bytes(subject).to_string()
    }

    async fn attend(app: &Arc<App>, due: due::Due, now: Timestamp) -> Result<Progress, Error> {
        let (owner, id) = (due.owner, SubscriptionId::from_bytes(due.subject));
        let Some(Prepared { opened, step: next }) =
            prepare(app, &Meter::default(), owner, id, now).await?
        else {
            return Ok(Progress::Rested);
        };
        let inner = Arc::clone(app);
        let lock = |_: &mut Tx<'_>| Ok(());
        let decide = move |tx: &mut Tx<'_>, ()| step(tx, &inner, (owner, id), opened, now);
        in_one_write(app, Self::KIND, (due, now), lock, decide).await?;
        // What is left to do is due at once.
        Ok(if next.is_some() { Progress::More } else { Progress::Rested })
    }
}

/// Does all that is due of a subscription by `now`, for somebody who is about to act on it. After long downtime that may
/// be more than one request is to do: the queue does the rest.
///
/// # Errors
/// More is due than one request does, or this node's clock is off; or a failure of the store.
pub(super) async fn catch_up(
    app: &Arc<App>,
    meter: &Meter,
    (owner, id): (OwnerId, SubscriptionId),
    now: Timestamp,
) -> Result<(), Error> {
    for done in 0..=CAUGHT_UP_MAX {
        let prepared = prepare(app, meter, owner, id, now).await?;
        let Prepared { opened, step: due } = prepared.ok_or(Refusal::ServiceUnavailable)?;
        if !due.is_some_and(Step::changes_subscription) {
            return Ok(());
        }
        if done == CAUGHT_UP_MAX {
            break;
        }
        let inner = Arc::clone(app);
        let job = move |tx: &mut Tx<'_>| {
            let next = step(tx, &inner, (owner, id), opened, now)?;
            if next == Next::Done {
                due::forget(tx, owner, Kind::Subscription, id.to_bytes())?;
            }
            Ok(next)
        };
        match app.store.write(meter, Lane::Admission, owner, job).await? {
            Next::At(at) if at <= now => {}
            Next::At(_) | Next::Done => return Ok(()),
        }
    }
    Err(Refusal::ServiceUnavailable.into())
}

/// Next step of a subscription, ready to be done.
struct Prepared {
    /// The link that the step opens a cycle with, if it opens one.
    opened: Option<LinkId>,
    /// The step, if there is one to do.
    step: Option<Step>,
}

/// Prepares the next step: claims the locator of the link that it opens a cycle with, which has to be there before the
/// link. `None` where nothing may be done by this node now, since its clock is off.
async fn prepare(
    app: &Arc<App>,
    meter: &Meter,
    owner: OwnerId,
    id: SubscriptionId,
    now: Timestamp,
) -> Result<Option<Prepared>, Error> {
    let look = move |tx: &mut Tx<'_>| -> Result<Option<Due>, Fault> {
        let Some(found) = subscriptions::find(tx, owner, id)? else { return Ok(None) };
        let owed = subscription_cycles::owed(tx, owner, id)?;
        Ok(Some(rules(&found, &owed).next(now)))
    };
    match app.store.look_up(meter, look).await? {
        Some(Due::Do(_)) if !is_clock_near_database(app).await? => Ok(None),
        Some(Due::Do(step @ Step::Open(_))) => {
            let link = Locator::claim_link(app, meter, owner, LinkId::new(&*app.ids)).await?;
            Ok(Some(Prepared { opened: Some(link), step: Some(step) }))
        }
        Some(Due::Do(step)) => Ok(Some(Prepared { opened: None, step: Some(step) })),
        _ => Ok(Some(Prepared { opened: None, step: None })),
    }
}

/// Does the next step of a subscription, if one is due; a cycle opens with the link of that id, and not without one.
///
/// # Errors
/// A fault of the store.
pub(super) fn step(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, id): (OwnerId, SubscriptionId),
    opened: Option<LinkId>,
    now: Timestamp,
) -> Result<Next, Fault> {
    let Some(mut of) = subscriptions::find(tx, owner, id)? else { return Ok(Next::Done) };
    let owed = subscription_cycles::owed(tx, owner, id)?;
    let rules = rules(&of, &owed);
    let step = match rules.next(now) {
        Due::Do(step) => step,
        Due::Wait(at) => return Ok(Next::At(at.min(now.plus(LOOK_MAX)))),
        Due::Nothing if of.standing.end.is_some() => return Ok(Next::Done),
        Due::Nothing => return Ok(Next::At(now.plus(LOOK_MAX))),
    };
    let after = rules.after(step);
    let has_ended = after.standing.end.is_some();
    // It ends with this cycle, or with a later one that was paid ahead.
    let is_last = has_ended || after.standing.ends_unpaid;
    let waits = match step {
        Step::Open(number) => match opened {
            Some(link) => open(tx, app, owner, (&of, number, link), now).map(|()| false)?,
            None => return Ok(Next::At(now)),
        },
        Step::Skip(_) | Step::Resume => false,
        Step::Remind { cycle, day } => {
            !remind(tx, app, (owner, &of), (owed_cycle(&owed, cycle)?, day), now)?
        }
        Step::Lapse(number) => {
            !lapse(tx, app, (owner, id), (owed_cycle(&owed, number)?, is_last), now)?
        }
        Step::End(_) => !cancel_links(tx, app, (owner, id), now)?,
    };
    if waits {
        return Ok(Next::At(now.plus(CHECKED_WAIT)));
    }
    (of.terms, of.standing) = (after.terms, after.standing);
    // Whoever owes the cycle, or has been asked for the last one, sees that on its page for a while.
    let of = match step {
        Step::Open(number) => {
            let lapses_at = of.lapses_at(number);
            of.with_page_kept(lapses_at.max(now))
        }
        _ if has_ended => of.with_page_kept(now),
        // Nothing else of the subscription is another.
        Step::Remind { .. } => return Ok(Next::At(now)),
        Step::Skip(_) | Step::Lapse(_) | Step::Resume | Step::End(_) => of,
    };
    subscriptions::stand(tx, owner, &of, now)?;
    Ok(if has_ended { Next::Done } else { Next::At(now) })
}

/// The cycle of that number, among those that are owed.
fn owed_cycle(owed: &[Cycle], number: u32) -> Result<&Cycle, Fault> {
    let found = owed.iter().find(|cycle| cycle.number == number);
    found.ok_or_else(|| Fault::broken("a step of a cycle that is not owed"))
}

/// Opens a cycle with its link, and with a rate that is held from then on. What was over when the subscription was made,
/// or resumed by another calendar, is not reminded of.
fn open(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    (of, number, id): (&Subscription, u32, LinkId),
    now: Timestamp,
) -> Result<(), Fault> {
    let cycle = CycleOf { subscription: of.id, number };
    // One that opens late, since nobody did it in time, may be over.
    let until = of.lapses_at(number).max(now);
    let mut link = Link {
        id,
        bank: of.bank,
        actor: of.actor,
        client: of.client,
        name: of.label().to_owned(),
        description: description(of, number),
        price: of.price,
        webhook_url: of.webhook_url.clone(),
        redirect_url: None,
        metadata: "{}".to_owned(),
        origin: Origin::Subscription,
        cycle: Some(cycle),
        livemode: of.livemode,
        status_detail: None,
        payment: None,
        expiration_minutes: Some(minutes_until(until, now)),
        rate_minutes: RATE_MINUTES,
        held_rate: None,
        standing: pending_until(until),
        created_at: now,
        updated_at: now,
    };
    let lock = FirstLock::begin(tx, app, owner, &mut link, now)?;
    links::insert(tx, owner, &link)?;
    let own = of.clock.virtual_now(now);
    let begins_today = of.terms.schedule.boundary(number) == CaracasDate::of(own);
    let is_agreed_today = of.terms.schedule.begins_anew_with(number) && begins_today;
    let agreed_at = if is_agreed_today { own } else { of.created_at };
    let reminded = of.terms.reminder_by(number, agreed_at);
    subscription_cycles::insert(tx, owner, cycle, (id, reminded), now)?;
    lock.map_or(Ok(()), |lock| lock.write(tx, owner, id))
}

/// Writes for payers what a cycle is for: the description, or else the product, and the period.
fn description(of: &Subscription, number: u32) -> String {
    let what = of.description.as_deref().unwrap_or(&of.product.name);
    format!("{what}, {}", of.terms.schedule.period(number).in_words(Language::Es))
}

/// Lets a cycle lapse, and its link fail unless it has ended otherwise; where nothing is owed behind it, all that was is
/// canceled. Answers whether it did: not while a payer is being checked, who decides first.
fn lapse(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, id): (OwnerId, SubscriptionId),
    (cycle, is_last): (&Cycle, bool),
    now: Timestamp,
) -> Result<bool, Fault> {
    if is_last {
        let pending = links::pending_of(tx, owner, id)?;
        if pending.iter().any(|link| link.standing.is_checking) {
            return Ok(false);
        }
    }
    let found = links::find_held_with_balance(tx, owner, cycle.link)?;
    let (mut link, balance) = found.ok_or_else(|| Fault::broken("a cycle without its link"))?;
    if link.standing.state == State::Pending && link.standing.is_checking {
        return Ok(false);
    }
    // Of one whose expiry was announced that was its end.
    if link.standing.state == State::Pending && link.standing.expired_at.is_none() {
        link.standing.state = State::Failed;
        link.status_detail = Some(LAPSED.to_owned());
        link.updated_at = now;
        links::end(tx, owner, &link)?;
        let failed = LinkOutcome::Failed;
        LinkEvents::new(app, now).emit(tx, owner, &link, failed, balance, now)?;
    }
    let of = CycleOf { subscription: id, number: cycle.number };
    subscription_cycles::lapse(tx, owner, of, now)?;
    if is_last { cancel_links(tx, app, (owner, id), now) } else { Ok(true) }
}

/// Cancels all that is owed of a subscription which ends, and the links that ask for it; answers whether it did: not
/// while a payer is being checked.
///
/// # Errors
/// A fault of the store.
pub(super) fn cancel_links(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, id): (OwnerId, SubscriptionId),
    now: Timestamp,
) -> Result<bool, Fault> {
    let pending = links::pending_of(tx, owner, id)?;
    if !cancel_pending(tx, app, owner, pending, now)? {
        return Ok(false);
    }
    subscription_cycles::cancel_all(tx, owner, id, now).map(|()| true)
}

/// Cancels these links without an end, where nobody is being checked by any of them; answers whether it did.
///
/// # Errors
/// A fault of the store.
pub(super) fn cancel_pending(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    pending: Vec<Link>,
    now: Timestamp,
) -> Result<bool, Fault> {
    if pending.iter().any(|link| link.standing.is_checking) {
        return Ok(false);
    }
    let is_announced = !pending.is_empty() && link_settings::find(tx, owner)?.announce_expiry;
    // What is over stays as it is: money that came for it in time can be accepted for a day, and no longer.
    let lives = |link: &Link| link.standing.status(now) != Status::Expired;
    for mut link in pending.into_iter().filter(lives) {
        link.standing.state = State::Canceled;
        link.updated_at = now;
        links::end(tx, owner, &link)?;
        if is_announced {
            let balance = credits::balance(tx, owner)?;
            let canceled = LinkOutcome::Canceled;
            LinkEvents::new(app, now).emit(tx, owner, &link, canceled, balance, now)?;
        }
    }
    Ok(true)
}
