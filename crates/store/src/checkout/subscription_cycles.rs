//! Cycles of subscriptions: each once, with the link that asks for it.

use domain::ids::{LinkId, OwnerId, SubscriptionId};
use domain::subscriptions;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::links::CycleOf;
use crate::list::{List, Page, PageBounds, counted};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    FIND = Sql::new(
        "select number, state, link_id, opened_at, reminded from subscription_cycles \
         where owner_id = $1 and subscription_id = $2 and number = $3",
    );

    // Of those that lapsed the first one decides what a subscription is; there may be many. That a state is not 1 is what
    // the index asks for.
    OWED = Sql::new(
        "select o.number, o.state, o.link_id, o.opened_at, o.reminded from \
         (select number, state, link_id, opened_at, reminded from subscription_cycles \
         where owner_id = $1 and subscription_id = $2 and state <> 1 and state = 0 \
         union all select l.number, l.state, l.link_id, l.opened_at, l.reminded from \
         (select number, state, link_id, opened_at, reminded from subscription_cycles \
         where owner_id = $1 and subscription_id = $2 and state <> 1 and state = 2 \
         order by number asc limit 1) as l) as o order by o.number asc",
    );

    // For its payer, who is shown more of those that lapsed than decide what it is.
    EARLIEST_OWED = Sql::new(
        "select number, state, link_id, opened_at, reminded from subscription_cycles \
         where owner_id = $1 and subscription_id = $2 and state <> 1 and state in (0, 2) \
         order by number asc limit $3",
    );

    LATEST_PAID = Sql::new(
        "select number, state, link_id, opened_at, reminded from subscription_cycles \
         where owner_id = $1 and subscription_id = $2 and state = 1 order by number desc limit $3",
    );

    PAGE = Sql::new(
        "select number, state, link_id, opened_at, reminded from subscription_cycles \
         where owner_id = $1 and subscription_id = $2 order by number desc limit $3 offset $4",
    );

    COUNT = counted!("from subscription_cycles where owner_id = $1 and subscription_id = $2", "$3");

    INSERT = Sql::new(
        "insert into subscription_cycles (owner_id, subscription_id, number, state, link_id, \
         opened_at, updated_at, reminded) values ($1, $2, $3, 0, $4, $5, $5, $6)",
    );

    // No day comes twice, and none after a later one.
    REMIND = Sql::new(
        "update subscription_cycles set reminded = $4, updated_at = $5 \
         where owner_id = $1 and subscription_id = $2 and number = $3 and state = 0 \
         and (reminded is null or reminded < $4)",
    );

    LAPSE = Sql::new(
        "update subscription_cycles set state = 2, updated_at = $4 \
         where owner_id = $1 and subscription_id = $2 and number = $3 and state = 0",
    );

    // Nothing is owed any more, late or not.
    CANCEL_ALL = Sql::new(
        "update subscription_cycles set state = 3, updated_at = $3 \
         where owner_id = $1 and subscription_id = $2 and state <> 1 and state in (0, 2)",
    );

    WAIVE = Sql::new(
        "update subscription_cycles set state = 4, updated_at = $4 \
         where owner_id = $1 and subscription_id = $2 and number = $3 and state in (0, 2)",
    );

    SET_LINK = Sql::new(
        "update subscription_cycles set link_id = $4, updated_at = $5 \
         where owner_id = $1 and subscription_id = $2 and number = $3 and state in (0, 2)",
    );

    // A person may accept for a canceled or waived one money that came in time.
    NOTE_PAID = Sql::new(
        "update subscription_cycles set state = 1, link_id = $4, updated_at = $5 \
         where owner_id = $1 and subscription_id = $2 and number = $3 and state <> 1",
    );
}

const CYCLES: List = List { page: &PAGE, count: &COUNT };

/// State of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its link can be paid.
    Open,
    /// It is paid.
    Paid,
    /// Nobody paid in time; it can still be paid, by a new link.
    Lapsed,
    /// It is not owed any more, since the subscription has ended.
    Canceled,
    /// Somebody has said that it is not owed any more.
    Waived,
}

impl State {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Open, Self::Paid, Self::Lapsed, Self::Canceled, Self::Waived];

    /// Its word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paid => "paid",
            Self::Lapsed => "lapsed",
            Self::Canceled => "canceled",
            Self::Waived => "waived",
        }
    }
}

/// A cycle that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Its number, counted from zero.
    pub number: u32,
    /// Its state.
    pub state: State,
    /// Its latest link, or the one that paid it.
    pub link: LinkId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// Latest day of its reminders that is done, counted from the due day.
    pub reminded: Option<i8>,
}

impl Cycle {
    /// Tells whether it is paid.
    #[must_use]
    pub fn is_paid(&self) -> bool {
        self.state == State::Paid
    }

    /// Returns the cycle as the rules see it, if it is owed.
    #[must_use]
    pub fn owed(&self) -> Option<subscriptions::Cycle> {
        let state = match self.state {
            State::Open => subscriptions::CycleState::Open,
            State::Lapsed => subscriptions::CycleState::Lapsed,
            State::Paid | State::Canceled | State::Waived => return None,
        };
        Some(subscriptions::Cycle { number: self.number, state, reminded: self.reminded })
    }
}

/// Payment of a cycle by a link.
#[derive(Clone, Copy, Debug)]
pub struct Paid {
    /// The cycle.
    pub of: CycleOf,
    /// The link.
    pub link: LinkId,
}

/// Finds a cycle.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, of: CycleOf) -> Result<Option<Cycle>, Fault> {
    let params = [owner.into(), of.subscription.into(), i64::from(of.number).into()];
    tx.query_opt(&FIND, &params)?.map(|row| read(&row)).transpose()
}

/// Returns the cycles that are open and the first one that lapsed, in the order of their numbers.
///
/// # Errors
/// A fault of the store.
pub fn owed(tx: &mut Tx<'_>, owner: OwnerId, of: SubscriptionId) -> Result<Vec<Cycle>, Fault> {
    tx.query(&OWED, &[owner.into(), of.into()])?.iter().map(read).collect()
}

/// Returns the earliest cycles that are open or lapsed, so many at most, in the order of their numbers.
///
/// # Errors
/// A fault of the store.
pub fn earliest_owed(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: SubscriptionId,
    limit: i64,
) -> Result<Vec<Cycle>, Fault> {
    let params = [owner.into(), of.into(), limit.into()];
    tx.query(&EARLIEST_OWED, &params)?.iter().map(read).collect()
}

/// Returns the latest cycles that are paid, so many at most, the latest first.
///
/// # Errors
/// A fault of the store.
pub fn latest_paid(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: SubscriptionId,
    limit: i64,
) -> Result<Vec<Cycle>, Fault> {
    let params = [owner.into(), of.into(), limit.into()];
    tx.query(&LATEST_PAID, &params)?.iter().map(read).collect()
}

/// Returns the open cycles and the first one that lapsed of each subscription, in the order of the ids, in one wait.
///
/// # Errors
/// A fault of the store.
pub fn owed_of_each(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: &[SubscriptionId],
) -> Result<Vec<Vec<Cycle>>, Fault> {
    let params: Vec<[Value; 2]> = of.iter().map(|id| [owner.into(), (*id).into()]).collect();
    let queries: Vec<_> = params.iter().map(|params| (&OWED, params.as_slice())).collect();
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let answers = tx.query_all(&queries)?.into_iter();
    answers.map(|rows| rows.iter().map(read).collect()).collect()
}

/// Lists the cycles of a subscription, the latest first.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: SubscriptionId,
    bounds: PageBounds,
) -> Result<Page<Cycle>, Fault> {
    CYCLES.read(tx, &[owner.into(), of.into()], bounds)?.rows(read)
}

/// Writes a cycle that opens with that link; the days of its reminders up to `reminded` are done.
///
/// # Errors
/// A fault of the store; a cycle that was opened before is one.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: CycleOf,
    (link, reminded): (LinkId, Option<i8>),
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        of.subscription.into(),
        i64::from(of.number).into(),
        link.into(),
        now.into(),
        reminded.map(i64::from).into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Notes that the payer of an open cycle was reminded on that day.
///
/// # Errors
/// A fault of the store; a cycle that is not open is one, and so is a day that is done.
pub fn remind(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: CycleOf,
    day: i8,
    now: Timestamp,
) -> Result<(), Fault> {
    let (number, day) = (i64::from(of.number), i64::from(day));
    let params = [owner.into(), of.subscription.into(), number.into(), day.into(), now.into()];
    tx.defer(&REMIND, params, Expect::Rows(1))
}

/// Lets an open cycle lapse.
///
/// # Errors
/// A fault of the store; a cycle that is not open is one.
pub fn lapse(tx: &mut Tx<'_>, owner: OwnerId, of: CycleOf, now: Timestamp) -> Result<(), Fault> {
    let number = i64::from(of.number);
    let params = [owner.into(), of.subscription.into(), number.into(), now.into()];
    tx.defer(&LAPSE, params, Expect::Rows(1))
}

/// Cancels every cycle that is owed.
///
/// # Errors
/// A fault of the store.
pub fn cancel_all(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: SubscriptionId,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&CANCEL_ALL, [owner.into(), of.into(), now.into()], Expect::Any)
}

/// Waives a cycle that is open or lapsed.
///
/// # Errors
/// A fault of the store; another cycle is one.
pub fn waive(tx: &mut Tx<'_>, owner: OwnerId, of: CycleOf, now: Timestamp) -> Result<(), Fault> {
    let number = i64::from(of.number);
    let params = [owner.into(), of.subscription.into(), number.into(), now.into()];
    tx.defer(&WAIVE, params, Expect::Rows(1))
}

/// Gives a cycle that is owed another link.
///
/// # Errors
/// A fault of the store; a cycle that is not owed is one.
pub fn set_link(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: CycleOf,
    link: LinkId,
    now: Timestamp,
) -> Result<(), Fault> {
    let number = i64::from(of.number);
    let params = [owner.into(), of.subscription.into(), number.into(), link.into(), now.into()];
    tx.defer(&SET_LINK, params, Expect::Rows(1))
}

/// Notes that a cycle is paid by that link.
pub(crate) fn note_paid(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    Paid { of, link }: Paid,
    now: Timestamp,
) -> Result<(), Fault> {
    let number = i64::from(of.number);
    let params = [owner.into(), of.subscription.into(), number.into(), link.into(), now.into()];
    tx.defer(&NOTE_PAID, params, Expect::Rows(1))
}

pub(crate) fn read(row: &Row) -> Result<Cycle, Fault> {
    let state: i64 = row.get("state")?;
    let reminded: Option<i64> = row.get("reminded")?;
    let reminded = reminded.map(|day| i8::try_from(day).map_err(|_| broken("reminder")));
    let state = usize::try_from(state).ok().and_then(|state| State::ALL.get(state).copied());
    Ok(Cycle {
        number: number(row)?,
        state: state.ok_or_else(|| broken("state"))?,
        link: row.get("link_id")?,
        opened_at: row.get("opened_at")?,
        reminded: reminded.transpose()?,
    })
}

fn number(row: &Row) -> Result<u32, Fault> {
    u32::try_from(row.get::<i64>("number")?).map_err(|_| broken("number"))
}

fn broken(what: &str) -> Fault {
    Fault::broken(format!("a cycle with a broken {what}"))
}
