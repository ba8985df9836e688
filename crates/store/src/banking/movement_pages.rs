//! Pages of an account's movements, the latest days first.

use std::ops::RangeInclusive;

use domain::ids::{IdentityId, MovementId, OwnerId};
use domain::matching::Movement;
use domain::money::Bolivars;
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted, first_id};
use crate::movements::{BY_ID, read, selected};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;

/// A page of an account's movements on some days, the latest first, with what else narrows them down. It is read from
/// the index alone, and what claimed its movements is looked up for these: SQLite keeps the order of a cross join.
macro_rules! page {
    ($narrowed:literal, $limit:literal, $offset:literal) => {
        Sql::new(concat!(
            selected!(concat!(
                "(select id from movements where owner_id = $1 and identity_id = $2 \
                 and paid_on >= $3 and paid_on <= $4",
                $narrowed,
                " order by paid_on desc, id desc limit ",
                $limit,
                " offset ",
                $offset,
                ") listed cross join movements m"
            )),
            "and m.id = listed.id order by m.paid_on desc, m.id desc"
        ))
    };
}

statements! {
    PAGE = page!("", "$5", "$6");

    COUNT = counted!(
        "from movements where owner_id = $1 and identity_id = $2 and paid_on >= $3 and paid_on <= $4",
        "$5"
    );

    PAGE_SINCE =
        page!(" and id >= $5 and (is_named = true or paid_on >= $6)", "$7", "$8");

    COUNT_SINCE = counted!(
        "from movements where owner_id = $1 and identity_id = $2 and paid_on >= $3 and paid_on <= $4 \
         and id >= $5 and (is_named = true or paid_on >= $6)", "$7"
    );

    PAGE_NAMED = page!(" and id >= $5 and is_named = true", "$6", "$7");

    COUNT_NAMED = counted!(
        "from movements where owner_id = $1 and identity_id = $2 and paid_on >= $3 and paid_on <= $4 \
         and id >= $5 and is_named = true", "$6"
    );

    // Those of few days are looked at: a late payer pays within a day of a link's end.
    UNCLAIMED = Sql::new(concat!(
        selected!(
            "(select id from movements where owner_id = $1 and identity_id = $2 \
             and paid_on >= $3 and paid_on <= $4 and amount = $5 \
             and not exists (select 1 from payments c where c.owner_id = $1 and c.movement_id = movements.id) \
             order by paid_on desc, id desc limit $6) listed \
             cross join movements m"
        ),
        "and m.id = listed.id order by m.paid_on desc, m.id desc"
    ));
}

const ALL: List = List { page: &PAGE, count: &COUNT };

const SINCE: List = List { page: &PAGE_SINCE, count: &COUNT_SINCE };

const NAMED: List = List { page: &PAGE_NAMED, count: &COUNT_NAMED };

/// Which movements are shown that no question named and no notice of the bank brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// All of them.
    All,
    /// Those that were paid on that day or later.
    Since(CaracasDate),
    /// None.
    None,
}

impl Unnamed {
    /// Answers whether those of that day are shown.
    #[must_use]
    pub fn has(self, day: CaracasDate) -> bool {
        match self {
            Self::All => true,
            Self::Since(first) => day >= first,
            Self::None => false,
        }
    }

    /// Answers whether the movement is shown, for all that is asked here.
    #[must_use]
    pub fn shows(self, movement: &Movement) -> bool {
        movement.is_named || self.has(movement.paid_on)
    }
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
    /// Which of those that nobody asked about.
    pub unnamed: Unnamed,
}

/// A page of these movements, those of the latest days first, and how many there are, up to a limit.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    shown: &Shown,
    bounds: PageBounds,
) -> Result<Page<Movement>, Fault> {
    let Shown { identity, days, since, unnamed } = shown;
    let mut params: Vec<Value> = vec![
        owner.into(),
        (*identity).into(),
        days.start().days().into(),
        days.end().days().into(),
    ];
    // The least of all ids where all are shown, whenever they were recorded.
    let first = since.map_or([0; 16], first_id);
    let list = match (unnamed, since) {
        (Unnamed::All, None) => &ALL,
        (Unnamed::All, Some(_)) => {
            params.extend([first.into(), i64::MIN.into()]);
            &SINCE
        }
        (Unnamed::Since(day), _) => {
            params.extend([first.into(), day.days().into()]);
            &SINCE
        }
        (Unnamed::None, _) => {
            params.push(first.into());
            &NAMED
        }
    };
    list.read(tx, &params, bounds)?.rows(read)
}

/// One movement of an account.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    identity: IdentityId,
    id: MovementId,
) -> Result<Option<Movement>, Fault> {
    let row = tx.query_opt(&BY_ID, &[owner.into(), identity.into(), id.into()])?;
    row.map(|row| read(&row)).transpose()
}

/// Tells whether a movement was recorded since an instant. Without an instant, every movement was.
#[must_use]
pub fn is_recorded_since(movement: &Movement, since: Option<Timestamp>) -> bool {
    since.is_none_or(|since| movement.id.to_bytes() >= first_id(since))
}

/// When a movement was recorded, to the millisecond: its id begins with that.
#[must_use]
pub fn recorded_at(movement: &Movement) -> Timestamp {
    let [a, b, c, d, e, f, ..] = movement.id.to_bytes();
    let millis = i64::from_be_bytes([0, 0, a, b, c, d, e, f]);
    Timestamp::from_micros(millis.saturating_mul(1_000))
}

/// The latest movements of that amount on these days that no payment claims.
///
/// # Errors
/// A fault of the store.
pub fn unclaimed(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (identity, amount): (IdentityId, Bolivars),
    days: &RangeInclusive<CaracasDate>,
    limit: i64,
) -> Result<Vec<Movement>, Fault> {
    let params: [Value; 6] = [
        owner.into(),
        identity.into(),
        days.start().days().into(),
        days.end().days().into(),
        amount.hundredths().into(),
        limit.into(),
    ];
    tx.query(&UNCLAIMED, &params)?.iter().map(read).collect()
}
