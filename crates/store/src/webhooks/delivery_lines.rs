//! What is due from one owner to one receiver: for a node that has looked at all that is due, and had no
//! room for some of it.

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;

use crate::due::Kind;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    // Of an owner with more than that, the scan of all that is due finds the rest.
    OF_A_LINE = Sql::new(
        "select d.subject_id from (select subject_id, due_at from due \
         where owner_id = $1 and kind = $2 order by subject_id asc limit 10000) d \
         join webhook_deliveries w on w.owner_id = $1 and w.id = d.subject_id \
         where d.due_at <= $3 and w.receiver = $4 \
         order by d.subject_id asc limit $5",
    );
}

/// The owner's deliveries to a receiver that are due at `now`, so many at most, the oldest events
/// first. It locks nothing, so another node may find the same.
///
/// # Errors
/// A fault of the store.
pub fn scan(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    receiver: &str,
    now: Timestamp,
    max: i64,
) -> Result<Vec<EventId>, Fault> {
    let kind = Kind::Delivery.number();
    let params = [owner.into(), kind.into(), now.into(), receiver.into(), max.into()];
    tx.query(&OF_A_LINE, &params)?.iter().map(|row| row.get("subject_id")).collect()
}
