//! Notifying an owner's systems that a link's time is over, where the owner wants that.
//!
//! What a link *is* follows from the clock at every look and needs nobody. This only reports it: a
//! link with an address to notify has a row in `due` from its beginning, and the node that finds it
//! due decides under the link's own lock, so that each is reported once on however many nodes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{LinkId, OwnerId};
use domain::links::{State, Status};
use domain::time::Timestamp;
use domain::webhooks::LinkOutcome;
use store::due::{self, Due, Kind, SCAN_MAX};
use store::fault::{Fault, WriteError};
use store::links::Link;
use store::tx::Tx;
use store::{Lane, Meter, credits, link_settings, links};

use super::LinkEvents;
use crate::App;

/// How long a link is left alone whose time is over while a check of it is under way.
const CHECKED_WAIT: Duration = Duration::from_secs(10);

/// Reports links whose time is over by now, a page of them at most behind `at`, since the caller has
/// other work that cannot wait long. What cannot be reported is logged, left, and tried again after
/// everything behind it.
///
/// # Errors
/// A failure of the store to say what is due.
pub async fn announce_expired(app: &Arc<App>, at: &mut Option<Due>) -> Result<(), Fault> {
    let meter = Meter::default();
    let now = app.clock.now();
    let after = *at;
    let scan = move |tx: &mut Tx<'_>| due::scan(tx, Kind::LinkExpiry, now, after);
    let page = app.store.look_up(&meter, scan).await?;
    // A page that is not full is the last: the next pass begins at the start.
    *at = page.last().copied().filter(|_| page.len() == SCAN_MAX as usize);
    let mut over: BTreeMap<OwnerId, Vec<[u8; 16]>> = BTreeMap::new();
    for due in page {
        over.entry(due.owner).or_default().push(due.subject);
    }
    for (owner, links) in over {
        if let Err(error) = announce_of(app, &meter, owner, links, now).await {
            tracing::error!(%owner, ?error, "link expiry events of an owner could not be written");
        }
    }
    Ok(())
}

/// Reports an owner's links, each in a write of its own; or forgets them in one write, where their
/// owner does not want to be notified.
async fn announce_of(
    app: &App,
    meter: &Meter,
    owner: OwnerId,
    links: Vec<[u8; 16]>,
    now: Timestamp,
) -> Result<(), WriteError> {
    let unwanted = links.clone();
    let is_wanted = app
        .store
        .write(meter, Lane::Maintenance, owner, move |tx| {
            let is_wanted = link_settings::find(tx, owner)?.announce_expiry;
            for link in unwanted.iter().filter(|_| !is_wanted) {
                due::forget(tx, owner, Kind::LinkExpiry, *link)?;
            }
            Ok(is_wanted)
        })
        .await?;
    for link in links.into_iter().filter(|_| is_wanted) {
        let id = LinkId::from_bytes(link);
        if let Err(error) = announce(app, meter, owner, id, now).await {
            tracing::error!(link = %id, ?error, "the expiry event of a link could not be written");
        }
    }
    Ok(())
}

async fn announce(
    app: &App,
    meter: &Meter,
    owner: OwnerId,
    id: LinkId,
    now: Timestamp,
) -> Result<(), WriteError> {
    let events = LinkEvents::new(app, now);
    app.store
        .write(meter, Lane::Maintenance, owner, move |tx| {
            let link = links::find_held(tx, owner, id)?;
            let (subject, again) = (id.to_bytes(), now.plus(CHECKED_WAIT));
            let Some(lease) = due::claim(tx, owner, Kind::LinkExpiry, subject, now, again)? else {
                // Another node was faster.
                return Ok(());
            };
            match link.map_or(Step::Forget, |link| decide(link, now)) {
                Step::Wait => Ok(()),
                Step::WaitUntil(then) => {
                    due::postpone(tx, owner, Kind::LinkExpiry, subject, lease, then).map(drop)
                }
                Step::Forget => due::remove(tx, owner, Kind::LinkExpiry, subject),
                Step::WriteEvent(link) => {
                    due::remove(tx, owner, Kind::LinkExpiry, subject)?;
                    write_event(tx, owner, &link, &events, now)
                }
            }
        })
        .await
}

/// What is to be done with a link that was found due.
enum Step {
    /// Nothing is to be reported of it any more.
    Forget,
    /// A check that began in time is under way.
    Wait,
    /// Its time is over later than it was.
    WaitUntil(Timestamp),
    /// Its time is over.
    WriteEvent(Box<Link>),
}

fn decide(link: Link, now: Timestamp) -> Step {
    match (link.standing.state, link.standing.expires_at) {
        // It was reported before.
        _ if link.standing.expired_at.is_some() => Step::Forget,
        (State::Pending, Some(expires_at)) if expires_at > now => Step::WaitUntil(expires_at),
        (State::Pending, Some(_)) if link.standing.status(now) == Status::Expired => {
            Step::WriteEvent(Box::new(link))
        }
        (State::Pending, Some(_)) => Step::Wait,
        _ => Step::Forget,
    }
}

/// Reports it if the owner wants that. From then on the link is over for every payer, also for one
/// whose check is on its way into the store with an earlier instant.
fn write_event(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &Link,
    events: &LinkEvents,
    now: Timestamp,
) -> Result<(), Fault> {
    if !link_settings::find(tx, owner)?.announce_expiry {
        return Ok(());
    }
    links::note_expiry_announced(tx, owner, link.id, now)?;
    let balance = credits::balance(tx, owner)?;
    events.emit(tx, owner, link, LinkOutcome::Expired, balance, now)
}
