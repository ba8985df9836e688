//! Contents of deliveries whose time is over are deleted: what was sent and answered, and where it
//! went. Digests, states, times and numbers stay, so that chains can be verified for ever.

use std::collections::HashSet;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    PRUNED_TO = Sql::new("select pruned_to from webhook_retention where owner_id = $1");

    MOVE = Sql::new(
        "insert into webhook_retention (owner_id, pruned_to) values ($1, $2) \
         on conflict (owner_id) do update set pruned_to = excluded.pruned_to",
    );

    // Ids are in the order of time, so that what is old is found without an index of its own.
    OLD = Sql::new(
        "select id, pruned_at from webhook_deliveries \
         where owner_id = $1 and id > $2 and id < $3 order by id asc limit $4",
    );

    // One that is to be sent again needs its contents.
    PRUNE = Sql::new(
        "update webhook_deliveries set url = '', body = $4, pruned_at = $5 where owner_id = $1 \
         and id > $2 and id <= $3 and state <> 0 and pruned_at is null returning id",
    );

    // Behind the one before, by what that one has marked.
    PRUNE_ATTEMPTS = Sql::new(
        "update webhook_attempts set sent = null, answer_head = null, answer = $4 \
         where owner_id = $1 and delivery_id > $2 and delivery_id <= $3 and delivery_id in \
         (select id from webhook_deliveries where owner_id = $1 and id > $2 and id <= $3 \
         and pruned_at = $5)",
    );
}

/// How many deliveries one write prunes.
pub const SLICE: i64 = 50;

/// How far pruning has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// The latest delivery that was looked at.
    pub at: EventId,
    /// Whether everything up to there is pruned: a delivery that is still to be sent is passed over,
    /// and looked at again the next time.
    pub is_whole: bool,
}

/// From where to go on.
///
/// # Errors
/// A fault of the store.
pub fn start(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Pruning, Fault> {
    let row = tx.query_opt(&PRUNED_TO, &[owner.into()])?;
    let at = row.map_or(Ok(EventId::from_bytes([0; 16])), |row| row.get("pruned_to"))?;
    Ok(Pruning { at, is_whole: true })
}

/// Prunes up to [`SLICE`] deliveries of before `before`, from where the last slice ended, and notes
/// how far everything is pruned. Nothing where there are no more.
///
/// # Errors
/// A fault of the store.
pub fn prune(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    from: Pruning,
    before: Timestamp,
    now: Timestamp,
) -> Result<Option<Pruning>, Fault> {
    let params = [owner.into(), from.at.into(), first_of(before).into(), SLICE.into()];
    let old = tx.query(&OLD, &params)?;
    let Some(last) = old.last() else { return Ok(None) };
    let last: EventId = last.get("id")?;
    let nothing: &[u8] = &[];
    let range = [owner.into(), from.at.into(), last.into(), nothing.into(), now.into()];
    let pruned = tx.query(&PRUNE, &range)?;
    let pruned = pruned.iter().map(|row| row.get("id")).collect::<Result<HashSet<EventId>, _>>()?;
    tx.defer(&PRUNE_ATTEMPTS, range, Expect::Any)?;
    let (mut whole_to, mut is_whole) = (from.at, from.is_whole);
    for row in &old {
        let id: EventId = row.get("id")?;
        is_whole &= pruned.contains(&id) || row.get::<Option<Timestamp>>("pruned_at")?.is_some();
        if is_whole {
            whole_to = id;
        }
    }
    if from.is_whole && whole_to != from.at {
        tx.defer(&MOVE, [owner.into(), whole_to.into()], Expect::Any)?;
    }
    Ok(Some(Pruning { at: last, is_whole }))
}

/// The first id that can be of that instant: ids begin with their milliseconds.
fn first_of(instant: Timestamp) -> EventId {
    let millis = u64::try_from(instant.as_micros().div_euclid(1_000)).unwrap_or(0);
    let mut id = [0; 16];
    if let (Some(to), [_, _, from @ ..]) = (id.get_mut(..6), millis.to_be_bytes()) {
        to.copy_from_slice(&from);
    }
    EventId::from_bytes(id)
}
