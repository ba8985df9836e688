//! The days of accounts against the movements that are listed by them.

use std::collections::BTreeMap;

use domain::ids::{IdentityId, OwnerId};
use domain::time::CaracasDate;

use super::months::{each, sum_up_to};
use super::{DAY_MOVEMENTS, DAYS, Difference, compare};
use crate::fault::Fault;
use crate::tx::Tx;

/// What a day's row says, or the movements of the day.
#[derive(Clone, Copy, Default)]
struct Day {
    movements: i64,
    /// The number of the newest.
    newest: i64,
    /// All numbers added up: one that is there twice, and another that is missing, change it.
    sum: i64,
    /// Those that lead to the one before them: all but the first.
    links: i64,
}

/// Every day of the owner's accounts.
pub(super) fn movements(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut days: BTreeMap<(IdentityId, i64), (Day, Day)> = BTreeMap::new();
    each(tx, &DAYS, owner, |at, row| {
        let movements: i64 = row.get(2)?;
        let sum = sum_up_to(movements);
        days.entry(at).or_default().0 =
            Day { movements, newest: row.get(3)?, sum, links: movements.saturating_sub(1) };
        Ok(())
    })?;
    each(tx, &DAY_MOVEMENTS, owner, |at, row| {
        let movements = row.get(2)?;
        let (sum, links) = (row.get(3)?, row.get(4)?);
        days.entry(at).or_default().1 = Day { movements, newest: movements, sum, links };
        Ok(())
    })?;
    for ((account, day), (kept, computed)) in days {
        for (name, kept, computed) in [
            ("movement_days.movements", kept.movements, computed.movements),
            ("number of movement_days.newest", kept.newest, computed.newest),
            ("sum of movements.number", kept.sum, computed.sum),
            ("movements.previous", kept.links, computed.links),
        ] {
            compare(found, kept, computed, || {
                let day =
                    CaracasDate::from_days(day).map_or(day.to_string(), |day| day.to_string());
                format!("{name} of {account} on {day}")
            });
        }
    }
    Ok(())
}
