//! Pages of an account's movements, the latest days first.
//!
//! An index by day would take an entry of each movement, and those of a thousand accounts lie on a thousand pages. So a
//! day's movements are numbered as they come, each names the one before it, the day's row names the last, and one in
//! twenty-five has an entry: a page begins at the nearest of those, and reads at most as many more than it shows.

use std::ops::RangeInclusive;

use domain::ids::{IdentityId, OwnerId};
use domain::matching::Movement;
use domain::time::CaracasDate;

use crate::fault::Fault;
use crate::movements::{read, selected};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;

statements! {
    DAYS = Sql::new(
        "select paid_on, movements from movement_days where owner_id = $1 and identity_id = $2 \
         and paid_on >= $3 and paid_on <= $4 order by paid_on desc limit $5",
    );

    // The order of the join is written, or SQLite may begin with all movements of the account.
    OF_DAY = Sql::new(concat!(
        "with recursive walked as (\
         select m.id, m.previous, m.number from movements m where m.owner_id = $1 and m.id = coalesce(\
         (select id from movements where owner_id = $1 and identity_id = $2 and paid_on = $3 \
         and number % 25 = 0 and number >= $5 order by number asc limit 1), \
         (select newest from movement_days where owner_id = $1 and identity_id = $2 and paid_on = $3)) \
         union all \
         select m.id, m.previous, m.number from walked \
         join movements m on m.owner_id = $1 and m.id = walked.previous and m.number < walked.number \
         where walked.number - 1 > $4) ",
        selected!("walked cross join movements m"),
        "and m.id = walked.id and walked.number <= $5 order by walked.number desc"
    ));
}

/// Some of a day's movements, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    day: i64,
    above: i64,
    up_to: i64,
}

/// A page of the account's movements of these days, the latest first, and how many there are, where
/// `count_max` and more are as many.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    days: RangeInclusive<CaracasDate>,
    (limit, offset): (i64, i64),
    count_max: i64,
) -> Result<(Vec<Movement>, i64), Fault> {
    // None of the days is empty, so no more of them than movements are looked at.
    let days_max = count_max.max(limit.saturating_add(offset));
    let place: [Value; 5] = [
        owner.into(),
        identity.into(),
        days.start().days().into(),
        days.end().days().into(),
        days_max.into(),
    ];
    let days = tx.query(&DAYS, &place)?;
    let days = days.iter().map(|row| Ok((row.get(0)?, row.get(1)?)));
    let days: Vec<(i64, i64)> = days.collect::<Result<_, Fault>>()?;
    let total = days.iter().fold(0_i64, |total, (_, count)| total.saturating_add(*count));
    let params: Vec<[Value; 5]> = parts(&days, limit, offset)
        .into_iter()
        .map(|Part { day, above, up_to }| {
            [owner.into(), identity.into(), day.into(), above.into(), up_to.into()]
        })
        .collect();
    let statements: Vec<_> = params.iter().map(|params| (&OF_DAY, &params[..])).collect();
    let found = tx.query_all(&statements)?;
    let movements = found.iter().flatten().map(read).collect::<Result<_, _>>()?;
    Ok((movements, total.min(count_max)))
}

/// What of these days, each with how many it has, is on the page.
fn parts(days: &[(i64, i64)], limit: i64, offset: i64) -> Vec<Part> {
    let (mut wanted, mut skipped) = (limit, offset);
    let mut parts = Vec::new();
    for &(day, count) in days {
        if wanted <= 0 {
            break;
        }
        let up_to = count.saturating_sub(skipped);
        skipped = skipped.saturating_sub(count).max(0);
        if up_to > 0 {
            let above = up_to.saturating_sub(wanted).max(0);
            wanted -= up_to - above;
            parts.push(Part { day, above, up_to });
        }
    }
    parts
}
