//! How often an owner has tried receivers out of late: counted here, since it may ask any node.

use std::time::Duration;

use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    // A node whose clock is a little behind counts in the minute that has begun elsewhere. A minute that
    // is further ahead was counted by a clock that was wrong.
    TAKE = Sql::new(
        "insert into webhook_trials (owner_id, minute, taken) values ($1, $2, 1) \
         on conflict (owner_id) do update set \
         taken = case when excluded.minute in (webhook_trials.minute, webhook_trials.minute - 1) \
         then webhook_trials.taken + 1 else 1 end, \
         minute = case when excluded.minute = webhook_trials.minute - 1 \
         then webhook_trials.minute else excluded.minute end \
         where webhook_trials.taken < $3 \
         or excluded.minute not in (webhook_trials.minute, webhook_trials.minute - 1) \
         returning taken",
    );
}

/// How often an owner may in one minute of the clock.
pub const IN_A_MINUTE_MAX: i64 = 10;

const MINUTE_S: i64 = 60;

/// Takes one of the owner's tries of this minute, or answers how long the minute still lasts in which
/// none is left.
///
/// # Errors
/// A fault of the store.
pub fn take(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    now: Timestamp,
) -> Result<Result<(), Duration>, Fault> {
    let seconds = now.as_seconds();
    let minute = seconds.div_euclid(MINUTE_S);
    let params = [owner.into(), minute.into(), IN_A_MINUTE_MAX.into()];
    if tx.query_opt(&TAKE, &params)?.is_some() {
        return Ok(Ok(()));
    }
    let left = MINUTE_S - seconds.rem_euclid(MINUTE_S);
    Ok(Err(Duration::from_secs(left.unsigned_abs())))
}
