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
use store::due::{self, Due, Kind, SCAN_MAX};
use store::fault::{Fault, WriteError};
use store::tx::Tx;
use store::{Lane, Meter, webhook_endpoints};

use super::enqueue;
use crate::App;

/// How long an owner is left to the node that takes it. The month is reported in the same
/// transaction, so that no node is ever seen to hold the owner.
const LEASE: Duration = Duration::from_secs(30);

/// Notifies owners whose month has turned by now, a page of them at most behind `at`, since the caller
/// has other work that cannot wait long. What cannot be reported is logged, left, and tried again
/// after everything behind it.
///
/// # Errors
/// A failure of the store to say what is due.
pub async fn turn_months(app: &Arc<App>, at: &mut Option<Due>) -> Result<(), Fault> {
    let meter = Meter::default();
    let now = app.clock.now();
    let after = *at;
    let scan = move |tx: &mut Tx<'_>| due::scan(tx, Kind::MonthTurn, now, after);
    let page = app.store.look_up(&meter, scan).await?;
    // A page that is not full is the last: the next pass begins at the start.
    *at = page.last().copied().filter(|_| page.len() == SCAN_MAX as usize);
    for Due { owner, .. } in page {
        let event = EventId::new(app.ids.as_ref(), now);
        let turn = move |tx: &mut Tx<'_>| turn(tx, owner, event, now);
        match app.store.write(&meter, Lane::Maintenance, owner, turn).await {
            // It will be found reported or due.
            Ok(()) | Err(WriteError::Unknown) => {}
            Err(error) => tracing::error!(%owner, ?error, "month events could not be written"),
        }
    }
    Ok(())
}

/// Notifies the owner of the month after the one that was reported last.
fn turn(tx: &mut Tx<'_>, owner: OwnerId, event: EventId, now: Timestamp) -> Result<(), Fault> {
    let standing = webhook_endpoints::hold_owner(tx, owner)?;
    let subject = owner.to_bytes();
    let until = now.plus(LEASE);
    let Some(lease) = due::claim(tx, owner, Kind::MonthTurn, subject, now, until)? else {
        // Another node was faster.
        return Ok(());
    };
    let Some((endpoint, ended)) = webhook_endpoints::find_with_month(tx, owner)? else {
        due::remove(tx, owner, Kind::MonthTurn, subject)?;
        return Ok(());
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
        enqueue(tx, owner, &endpoint, event, (fact, subject), now)?;
    }
    // In the past where more than one month went by: then that is reported next.
    let next = if is_over { month.next() } else { month };
    due::postpone(tx, owner, Kind::MonthTurn, subject, lease, next.start())?;
    Ok(())
}
