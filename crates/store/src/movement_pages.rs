//! Pages of an account's movements, the latest days first.

use std::ops::RangeInclusive;

use domain::ids::{IdentityId, OwnerId};
use domain::matching::Movement;
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::movements::{read, selected};
use crate::notification_pages::first_id;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;

statements! {
    // The page is read from the index alone, and what claimed its movements is looked up for these: SQLite keeps the
    // order of a cross join.
    PAGE = Sql::new(concat!(
        selected!(
            "(select id from movements where owner_id = $1 and identity_id = $2 \
             and paid_on >= $3 and paid_on <= $4 and id >= $5 \
             order by paid_on desc, id desc limit $6 offset $7) listed \
             cross join movements m"
        ),
        "and m.id = listed.id order by m.paid_on desc, m.id desc"
    ));

    COUNT = Sql::new(
        "select count(*) from (select id from movements where owner_id = $1 and identity_id = $2 \
         and paid_on >= $3 and paid_on <= $4 and id >= $5 limit $6) counted",
    );
}

/// Which movements are shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Of which account.
    pub identity: IdentityId,
    /// Paid on which days.
    pub days: RangeInclusive<CaracasDate>,
    /// Recorded from when on; nothing: ever.
    pub since: Option<Timestamp>,
}

/// A page of these movements, those of the latest days first, and how many there are, where `count_max` and more are as
/// many.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    shown: &Shown,
    (limit, offset): (i64, i64),
    count_max: i64,
) -> Result<(Vec<Movement>, i64), Fault> {
    let Shown { identity, days, since } = shown;
    let range: [Value; 5] = [
        owner.into(),
        (*identity).into(),
        days.start().days().into(),
        days.end().days().into(),
        since.map_or([0; 16], first_id).into(),
    ];
    let page = [&range[..], &[limit.into(), offset.into()]].concat();
    let count = [&range[..], &[count_max.into()]].concat();
    let movements = tx.query(&PAGE, &page)?.iter().map(read).collect::<Result<_, _>>()?;
    Ok((movements, tx.query_one(&COUNT, &count)?.get(0)?))
}
