//! Pages of an owner's subscriptions, newest first.

use domain::ids::{OwnerId, SubscriptionId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted, find_each, newest};
use crate::scope::{AccountScope, Scope, ScopedAccount};
use crate::sql::Sql;
use crate::statements;
use crate::subscriptions::{FIND, Subscription, columns, read};
use crate::tx::Tx;
use crate::value::{Row, Value};

/// The subscriptions of the owner `$1`, with what else narrows them down, of this text, status and mode. What is not
/// filtered by is empty, or -1. The status at the instant `$4` is computed as [`Status`] says, by each one's own clock.
macro_rules! filtered {
    ($of:expr) => {
        concat!(
            "from subscriptions s where s.owner_id = $1 ",
            $of,
            "and ($2 = '' or s.search like $2 escape '!') \
             and (cast($3 as bigint) = -1 or cast($3 as bigint) = case when s.ended_as = 2 then 3 \
             when s.ended_as is not null then 4 when not s.is_active then 0 \
             when s.paused_at - s.clock_ahead <= $4 then 2 else 1 end) \
             and (cast($5 as bigint) = -1 or s.livemode = (cast($5 as bigint) = 1)) "
        )
    };
}

/// The instants of the newest no later than `$6`, and the ids.
macro_rules! newest_of {
    ($of:expr, $limit:literal) => {
        concat!(
            "select s.created_at, s.id ",
            filtered!(concat!("and s.created_at >= $6 ", $of)),
            "order by s.created_at desc, s.id desc limit ",
            $limit
        )
    };
}

statements! {
    PAGE = Sql::new(concat!(
        "select ",
        columns!(),
        " ",
        filtered!(""),
        "order by s.created_at desc, s.id desc limit $6 offset $7"
    ));

    NEWEST_OF_ACCOUNT = Sql::new(newest_of!("and s.bank_id = $7 ", "$8"));

    NEWEST_OF_CLIENT = Sql::new(newest_of!("and s.bank_id = $7 and s.client_id = $8 ", "$9"));

    COUNT = counted!(filtered!(""), "$6");

    COUNT_OF_ACCOUNT = counted!(filtered!("and s.bank_id = $6 "), "$7");

    COUNT_OF_CLIENT = counted!(filtered!("and s.bank_id = $6 and s.client_id = $7 "), "$8");
}

const SUBSCRIPTIONS: List = List { page: &PAGE, count: &COUNT };

/// Status of a subscription as callers read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Its first cycle has to be paid before it begins.
    Pending,
    /// It runs, whether or not something is past due.
    Active,
    /// It is paused.
    Inactive,
    /// Its last cycle is settled.
    Completed,
    /// Somebody canceled it, or its first cycle was not paid in time.
    Cancelled,
}

impl Status {
    /// Every status, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Active, Self::Inactive, Self::Completed, Self::Cancelled];

    /// Its word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    const fn number(self) -> i64 {
        match self {
            Self::Pending => 0,
            Self::Active => 1,
            Self::Inactive => 2,
            Self::Completed => 3,
            Self::Cancelled => 4,
        }
    }
}

/// Which subscriptions are asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Those of this scope alone.
    pub scope: Scope,
    /// Those that are this at the instant of the question.
    pub status: Option<Status>,
    /// Those whose id, product, label or customer has this text, in whatever case.
    pub search: Option<String>,
    /// Those of money that exists, or of the test bank's.
    pub livemode: Option<bool>,
}

impl Filter {
    /// Returns the first five parameters.
    fn params(&self, owner: OwnerId, now: Timestamp) -> Vec<Value> {
        let search = self.search.as_deref().map_or_else(String::new, crate::list::pattern);
        vec![
            owner.into(),
            search.into(),
            self.status.map_or(-1, Status::number).into(),
            now.into(),
            self.livemode.map_or(-1, i64::from).into(),
        ]
    }
}

/// Lists the subscriptions that `filter` lets through at `now`, newest first: a page, and how many there are.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    now: Timestamp,
    bounds: PageBounds,
) -> Result<Page<Subscription>, Fault> {
    let params = filter.params(owner, now);
    let Scope::Accounts(scope) = &filter.scope else {
        return SUBSCRIPTIONS.read(tx, &params, bounds)?.rows(read);
    };
    let PageBounds { limit, offset, count_max } = bounds;
    let found = newest_of(tx, &params, scope, offset.saturating_add(limit))?;
    let page = found.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let rows = find_each(tx, &FIND, owner, page.map(|(_, id)| id))?;
    let entries = rows.iter().map(read).collect::<Result<_, _>>()?;
    Ok(Page { entries, total: count(tx, &params, scope, count_max)? })
}

/// The newest of these accounts, and when they were made.
fn newest_of(
    tx: &mut Tx<'_>,
    params: &[Value],
    scope: &AccountScope,
    limit: i64,
) -> Result<Vec<(Timestamp, SubscriptionId)>, Fault> {
    let sql = if scope.client.is_some() { &NEWEST_OF_CLIENT } else { &NEWEST_OF_ACCOUNT };
    newest(&scope.accounts, usize::try_from(limit).unwrap_or(usize::MAX), |account, oldest| {
        let oldest = oldest.map_or(Timestamp::from_micros(i64::MIN), |(made, _)| made);
        let of_account = of_account(scope, *account, limit);
        let params = params.iter().cloned().chain([oldest.into()]).chain(of_account);
        let params: Vec<Value> = params.collect();
        let read = |row: &Row| Ok((row.get("created_at")?, row.get("id")?));
        tx.query(sql, &params)?.iter().map(read).collect()
    })
}

/// Counts the subscriptions of these accounts, up to `limit`.
fn count(
    tx: &mut Tx<'_>,
    params: &[Value],
    scope: &AccountScope,
    limit: i64,
) -> Result<i64, Fault> {
    let sql = if scope.client.is_some() { &COUNT_OF_CLIENT } else { &COUNT_OF_ACCOUNT };
    let mut left = limit;
    for account in &scope.accounts {
        let of_account = of_account(scope, *account, left);
        let params: Vec<Value> = params.iter().cloned().chain(of_account).collect();
        left -= tx.query_one(sql, &params)?.get::<i64>("total")?;
        if left <= 0 {
            break;
        }
    }
    Ok(limit - left)
}

/// Returns the parameters that say which account's are meant, and whose of those, and how many at most.
fn of_account(
    scope: &AccountScope,
    account: ScopedAccount,
    limit: i64,
) -> impl Iterator<Item = Value> {
    [account.id.into()].into_iter().chain(scope.client.map(Value::from)).chain([limit.into()])
}
