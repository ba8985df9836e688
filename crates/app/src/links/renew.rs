//! The operation `POST /pay/{payment_link_id}/renew`: a payer who comes late pays the same cycle of the subscription, by a
//! new link.

use std::sync::Arc;
use std::time::Duration;

use domain::access::RenewLink;
use domain::ids::{LinkId, OwnerId};
use domain::links::{Standing, State};
use domain::refusal::{LinkRefusal, Refusal};
use domain::time::Timestamp;
use store::due::{self, Kind};
use store::fault::Fault;
use store::links::{CycleOf, Link};
use store::subscription_cycles::State as CycleState;
use store::tx::Tx;
use store::{Lane, links, subscription_cycles};

use super::owed_cycle::OwedCycle;
use super::{FirstLock, checkout};
use crate::locator::Locator;
use crate::outcome::{Outcome, as_answer};
use crate::{Act, App, Error};

/// How long a link is good that is made for a cycle which lapsed.
const RENEWED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Makes a new link for a payer who comes late, from the page of the one that has ended; answers its id, or that of the
/// one which can be paid.
///
/// # Errors
/// Not found; the link is of no subscription; its cycle is paid, not owed any more, or the owner's to ask for again; or a
/// failure of the store.
pub async fn renew(app: &Arc<App>, act: &Act<RenewLink>, former: LinkId) -> Result<LinkId, Error> {
    let checkout = checkout::look(app, act, former, None).await?;
    let (owner, now) = (checkout.owner(), act.now);
    let of = checkout.link.cycle.ok_or(Refusal::Link(LinkRefusal::Closed))?;
    let may = move |tx: &mut Tx<'_>| -> Outcome<OwedCycle> {
        let found = OwedCycle::find(tx, owner, of)?;
        match found.is_open_to_payers(now) {
            true => Ok(found),
            false => Err(Refusal::Link(LinkRefusal::Closed).into()),
        }
    };
    // Looked at first, so that what is refused leaves no locator behind.
    let found = app.store.look_up(act.meter(), move |tx| as_answer(may(tx))).await??;
    if found.is_asked_for(now) {
        return Ok(found.link.id);
    }
    let made = Locator::claim_link(app, act.meter(), owner, LinkId::new(&*app.ids)).await?;
    let inner = Arc::clone(app);
    let job = move |tx: &mut Tx<'_>| {
        as_answer(may(tx).and_then(|found| Ok(renewed(tx, &inner, owner, found, made, now)?)))
    };
    let link = app.store.write(act.meter(), Lane::Admission, owner, job).await??.id;
    if link != made {
        Locator::of_link(made).remove(&app.store, act.meter()).await;
    }
    Ok(link)
}

/// The link by which a cycle can be paid: its own, or a new one of that id where that has ended.
///
/// # Errors
/// A fault of the store.
pub(crate) fn renewed(
    tx: &mut Tx<'_>,
    app: &App,
    owner: OwnerId,
    found: OwedCycle,
    id: LinkId,
    now: Timestamp,
) -> Result<Link, Fault> {
    if found.is_asked_for(now) {
        return Ok(found.link);
    }
    let until = match found.cycle.state {
        CycleState::Open => found.lapses_at().max(now),
        CycleState::Lapsed | CycleState::Paid | CycleState::Canceled | CycleState::Waived => {
            now.plus(RENEWED)
        }
    };
    let OwedCycle { subscription, cycle, link: former } = found;
    let of = CycleOf { subscription: subscription.id, number: cycle.number };
    let mut link = Link {
        id,
        status_detail: None,
        payment: None,
        expiration_minutes: Some(minutes_until(until, now)),
        held_rate: None,
        standing: pending_until(until),
        created_at: now,
        updated_at: now,
        ..former
    };
    let lock = FirstLock::begin(tx, app, owner, &mut link, now)?;
    links::insert(tx, owner, &link)?;
    subscription_cycles::set_link(tx, owner, of, id, now)?;
    // That of an open cycle fails with the cycle; this one may only expire.
    if cycle.state == CycleState::Lapsed && link.webhook_url.is_some() {
        due::insert(tx, owner, Kind::LinkExpiry, id.to_bytes(), until)?;
    }
    if let Some(lock) = lock {
        lock.write(tx, owner, id)?;
    }
    Ok(link)
}

/// How many whole minutes are left until then.
pub(crate) fn minutes_until(until: Timestamp, now: Timestamp) -> i64 {
    i64::try_from(until.since(now).as_secs() / 60).unwrap_or(i64::MAX)
}

/// A link without an end, good until then.
pub(crate) const fn pending_until(until: Timestamp) -> Standing {
    Standing {
        state: State::Pending,
        is_stopped: false,
        expires_at: Some(until),
        is_checking: false,
        expired_at: None,
    }
}
