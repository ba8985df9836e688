//! Notifying an owner's systems that a link's time is over, where the owner wants that.
//!
//! What a link *is* follows from the clock at every look and needs nobody. This only reports it: a link with an address to
//! notify has a row in `due` from its beginning, and the node that finds it due decides under the link's own lock, so that
//! each is reported once on however many nodes. The link of an open cycle has none: it fails with its cycle.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::{LinkId, OwnerId};
use domain::links::{State, Status};
use domain::time::Timestamp;
use store::due::{Due, Kind};
use store::fault::Fault;
use store::links::Link;
use store::tx::Tx;
use store::{credits, link_settings, links};

use super::{LinkEvents, LinkOutcome};
use crate::queue::{Next, Progress, Work, in_one_write};
use crate::{App, Error};

/// How long a link is left alone whose time is over while a check of it is under way.
const CHECKED_WAIT: Duration = Duration::from_secs(10);

/// Reports links whose time is over by now.
#[derive(Debug)]
pub enum LinkExpiry {}

impl Work for LinkExpiry {
    const KIND: Kind = Kind::LinkExpiry;
    const POLL: Duration = Duration::from_millis(1_050);
    /// A link may be made for any time.
    const WAIT_MAX: Option<Duration> = None;
    /// Links end by the hundred, and most of them report nothing.
    const AT_ONCE: usize = 8;

    fn shown(subject: [u8; 16]) -> String {
        LinkId::from_bytes(subject).to_string()
    }

    async fn attend(app: &Arc<App>, due: Due, now: Timestamp) -> Result<Progress, Error> {
        let (owner, id) = (due.owner, LinkId::from_bytes(due.subject));
        let events = LinkEvents::new(app, now);
        // Whoever pays, changes or ends a link locks it first.
        let lock = move |tx: &mut Tx<'_>| links::find_held(tx, owner, id);
        let decide = move |tx: &mut Tx<'_>, link: Option<Link>| match link
            .map_or(Step::Forget, |link| decide(link, now))
        {
            Step::Forget => Ok(Next::Done),
            Step::WaitUntil(then) => Ok(Next::At(then)),
            Step::WriteEvent(link) => {
                write_event(tx, owner, &link, &events, now).map(|()| Next::Done)
            }
        };
        in_one_write(app, Self::KIND, (due, now), lock, decide).await?;
        Ok(Progress::Rested)
    }
}

/// Step to be done with a link that was found due.
enum Step {
    /// Nothing is to be reported of it any more.
    Forget,
    /// Its time is over later than it was, or a check that began in time is under way.
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
        (State::Pending, Some(_)) => Step::WaitUntil(now.plus(CHECKED_WAIT)),
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
