//! Notifying owners that a month has begun, with which every limit begins anew.
//!
//! An owner with an endpoint has a row in `due` for the next midnight at which a month of Caracas
//! begins. The endpoint's own row says which month was reported last, so that each is reported once on
//! however many nodes. One that was missed, because no node ran, is reported late and in its order.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::Fact;
use store::credits::Standing;
use store::due::{Due, Kind};
use store::fault::Fault;
use store::tx::Tx;
use store::webhook_endpoints;

use super::enqueue;
use crate::queue::{Next, Progress, Work, in_one_write};
use crate::{App, Error};

/// Notifies owners whose month has turned by now.
#[derive(Debug)]
pub enum MonthTurn {}

impl Work for MonthTurn {
    const KIND: Kind = Kind::MonthTurn;
    const POLL: Duration = Duration::from_millis(1_450);
    /// A clock that ran ahead has also reported months ahead, so that a row brought forward would be put off again.
    const WAIT_MAX: Option<Duration> = None;
    /// Every owner's month turns at one instant.
    const AT_ONCE: usize = 8;

    fn shown(subject: [u8; 16]) -> String {
        OwnerId::from_bytes(subject).to_string()
    }

    async fn attend(app: &Arc<App>, due: Due, now: Timestamp) -> Result<Progress, Error> {
        let owner = due.owner;
        let event = EventId::new(app.ids.as_ref(), now);
        let lock = move |tx: &mut Tx<'_>| webhook_endpoints::hold_owner(tx, owner);
        let decide = move |tx: &mut Tx<'_>, standing| turn(tx, owner, &standing, event, now);
        in_one_write(app, Self::KIND, (due, now), lock, decide).await?;
        Ok(Progress::Rested)
    }
}

/// Notifies the owner of the month after the one that was reported last.
fn turn(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    standing: &Standing,
    event: EventId,
    now: Timestamp,
) -> Result<Next, Fault> {
    let Some((endpoint, ended)) = webhook_endpoints::find_with_month(tx, owner)? else {
        return Ok(Next::Done);
    };
    let month = ended.next();
    let is_over = month.start() <= now && webhook_endpoints::turn(tx, owner, month)?;
    if is_over {
        let consumed = webhook_endpoints::consumed(tx, owner, ended)?;
        let fact = Fact::MonthTurned {
            month,
            ended,
            consumed: consumed.posted,
            operations: consumed.operations,
            reserved: consumed.reserved,
            balance: standing.balance,
            available: standing.available(),
        };
        enqueue(tx, owner, &endpoint, event, (fact, owner.to_bytes()), now)?;
    }
    // In the past where more than one month went by: then that is reported next.
    let next = if is_over { month.next() } else { month };
    Ok(Next::At(next.start()))
}
