//! Deliveries as evidence: the digests that are written with them, and everything that they are over,
//! read back as it is kept. A checker must not see what this program makes of it, but what is
//! there, which another program may have written.

mod digests;
mod rows;

use domain::ids::{EventId, OwnerId};

pub use self::digests::of_attempt;
pub(crate) use self::digests::{digest, micros, of_event};
pub use self::rows::{KeptAttempt, KeptDelivery};
use self::rows::{attempt, delivery};
pub use crate::delivery_types::AttemptDigests;
use crate::due::Kind;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;

statements! {
    // With whether it is still to be sent.
    DELIVERIES = Sql::new(
        "select w.id, w.event, w.subject_id, w.url, w.body, w.created_at, w.state, w.attempts, \
         w.ended_at, w.digest, w.url_digest, w.chain, w.pruned_at, d.due_at, w.receiver, w.step, \
         w.trouble, w.feed_round, n.rounds from webhook_deliveries w \
         left join webhook_feeds n on n.owner_id = $1 \
         left join due d on d.owner_id = $1 and d.kind = $2 and d.subject_id = w.id \
         where w.owner_id = $1 and w.id >= $3 and w.id <= $4 order by w.id asc limit $5",
    );

    ATTEMPTS = Sql::new(
        "select number, began_at, duration, status, trouble, address, is_reused, phases, sent, \
         answer_head, answer, sent_digest, answer_digest, digest, day from webhook_attempts \
         where owner_id = $1 and delivery_id = $2 and number > $3 order by number asc limit $4",
    );

    ORPHANS = Sql::new(
        "select a.delivery_id, a.number from webhook_attempts a \
         left join webhook_deliveries w on w.owner_id = $1 and w.id = a.delivery_id \
         where a.owner_id = $1 and a.delivery_id >= $2 and a.delivery_id <= $3 and w.id is null \
         order by a.delivery_id asc, a.number asc limit $4",
    );
}

/// How many attempts of one delivery are read at once: more than nearly any has.
const ATTEMPTS_READ: usize = 100;

/// How many attempts without a delivery are named at once.
const ORPHANS_MAX: i64 = 100;

/// An owner's deliveries from `first` to `last`, at most `limit` of them, with all their attempts.
///
/// # Errors
/// A fault of the store.
pub fn kept(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    first: EventId,
    last: EventId,
    limit: i64,
) -> Result<Vec<KeptDelivery>, Fault> {
    let kind = Kind::Delivery.number().into();
    let params = [owner.into(), kind, first.into(), last.into(), limit.into()];
    let rows = tx.query(&DELIVERIES, &params)?;
    let mut deliveries = rows.iter().map(delivery).collect::<Result<Vec<_>, _>>()?;
    let places: Vec<_> = deliveries.iter().map(|found| place(owner, found.id, 0)).collect();
    let first_pages: Vec<(&'static Sql, &[Value])> =
        places.iter().map(|place| (&ATTEMPTS, place.as_slice())).collect();
    let pages = if first_pages.is_empty() { Vec::new() } else { tx.query_all(&first_pages)? };
    for (found, mut page) in deliveries.iter_mut().zip(pages) {
        loop {
            for row in &page {
                found.attempts.push(attempt(row)?);
            }
            let Some(latest) = found.attempts.last() else { break };
            if page.len() < ATTEMPTS_READ {
                break;
            }
            page = tx.query(&ATTEMPTS, &place(owner, found.id, latest.number))?;
        }
    }
    Ok(deliveries)
}

/// Attempts from `first` to `last` whose delivery is not there, some of them.
///
/// # Errors
/// A fault of the store.
pub fn orphans(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    first: EventId,
    last: EventId,
) -> Result<Vec<(EventId, i64)>, Fault> {
    let params = [owner.into(), first.into(), last.into(), ORPHANS_MAX.into()];
    let rows = tx.query(&ORPHANS, &params)?;
    rows.iter().map(|row| Ok((row.get("delivery_id")?, row.get("number")?))).collect()
}

/// The attempts behind that number.
fn place(owner: OwnerId, id: EventId, number: i64) -> [Value; 4] {
    [owner.into(), id.into(), number.into(), (ATTEMPTS_READ as i64).into()]
}
