//! Payments of a subscription's cycles, added up for its page.

use domain::ids::{OwnerId, SubscriptionId};
use domain::links::Currency;
use domain::statistics::Tally;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::Row;
use crate::{statements, subscriptions};

statements! {
    // The latest `$3` cycles that are paid. Of no more than thousands the sum stays far below the greatest number.
    COLLECTED = Sql::new(
        "select l.currency, count(*) as payments, cast(sum(case when l.currency <> 'VEF' then l.amount \
         else m.amount end) as bigint) as priced, cast(sum(m.amount) as bigint) as received from \
         (select link_id from subscription_cycles where owner_id = $1 and subscription_id = $2 \
         and state = 1 order by number desc limit $3) as y \
         cross join payment_links l \
         join payments p on p.owner_id = $1 and p.id = l.payment_id \
         join movements m on m.owner_id = $1 and m.id = p.movement_id \
         where l.owner_id = $1 and l.id = y.link_id \
         group by l.currency order by l.currency asc",
    );
}

/// Adds up what paid the latest cycles of a subscription, `limit` at most, each currency for itself.
///
/// # Errors
/// A fault of the store.
pub fn collected(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: SubscriptionId,
    limit: u32,
) -> Result<Vec<(Currency, Tally)>, Fault> {
    let params = [owner.into(), of.into(), i64::from(limit).into()];
    tx.query(&COLLECTED, &params)?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<(Currency, Tally), Fault> {
    let tally = Tally {
        count: row.get("payments")?,
        sum: row.get("priced")?,
        received: row.get("received")?,
    };
    Ok((subscriptions::currency(row)?, tally))
}
