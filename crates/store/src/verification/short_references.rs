//! References of few digits that callers have asked for.

use domain::ids::{ActorId, BankId, OwnerId};
use domain::reference::TypedReference;
use domain::time::Timestamp;
use domain::verification::{SHORT_MAX, SHORT_WITHIN, State};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    ASKED = Sql::new(
        "select count(*) as total from (select short_reference from verifications \
         where owner_id = $1 and actor_id = $2 and bank_id = $3 and asked_at > $4 and asked_at <= $5 \
         and short_reference is not null and short_reference <> $6 group by short_reference \
         having max(case when state = $7 then 1 else 0 end) = 0) asked",
    );
}

/// Answers whether the caller has asked on the account for so many different short references that were not confirmed,
/// within [`SHORT_WITHIN`] before `now` and besides this one, that nothing more is said of them.
///
/// # Errors
/// A fault of the store.
pub fn asked_too_many(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (actor, bank, besides): (ActorId, BankId, &TypedReference),
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [
        owner.into(),
        actor.into(),
        bank.into(),
        now.minus(SHORT_WITHIN).into(),
        now.into(),
        besides.typed().into(),
        State::Confirmed.number().into(),
    ];
    let asked: i64 = tx.query_one(&ASKED, &params)?.get("total")?;
    Ok(asked >= SHORT_MAX)
}
