//! Pages of an owner's links, newest first.

use std::ops::Range;

use domain::ids::{LinkId, OwnerId};
use domain::links::Status;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::links::{FIND, Link, Origin, columns, is_checking, read, tables};
use crate::list::{List, Page, PageBounds, counted, find_each, newest, pattern};
use crate::scope::{AccountScope, Scope, ScopedAccount};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// The links of the owner `$1` that were made between two instants, with what else narrows them down, and are of this
/// origin, text and status. What is not filtered by is empty, or -1: a parameter has one type on both engines only
/// where it is a value. The status is computed as `domain::links` does.
macro_rules! filtered {
    ($of:expr) => {
        concat!(
            "where l.owner_id = $1 and l.created_at >= $2 and l.created_at < $3 ",
            $of,
            "and ($4 = '' or l.origin = $4) and ($5 = '' or l.search like $5 escape '!') \
             and (cast($6 as bigint) = -1 or cast($6 as bigint) = case when l.state <> 0 then l.state \
             when (l.expired_at is not null or l.expires_at <= $7) and not ",
            is_checking!(),
            " then 4 when l.is_stopped then 5 else 0 end) \
             and (cast($8 as bigint) = -1 or l.livemode = (cast($8 as bigint) = 1)) "
        )
    };
}

/// The same with their table.
macro_rules! rows {
    ($of:expr) => {
        concat!("from payment_links l ", filtered!($of))
    };
}

/// The instants of the newest, and the ids.
macro_rules! newest_of {
    ($of:expr, $limit:literal) => {
        concat!(
            "select l.created_at, l.id ",
            rows!($of),
            "order by l.created_at desc, l.id desc limit ",
            $limit
        )
    };
}

statements! {
    PAGE = Sql::new(concat!(
        "select ",
        columns!(),
        tables!(),
        filtered!(""),
        "order by l.created_at desc, l.id desc limit $9 offset $10"
    ));

    NEWEST_OF_ACCOUNT = Sql::new(newest_of!("and l.bank_id = $9 ", "$10"));

    NEWEST_OF_CLIENT = Sql::new(newest_of!("and l.bank_id = $9 and l.client_id = $10 ", "$11"));

    COUNT = counted!(rows!(""), "$9");

    COUNT_OF_ACCOUNT = counted!(rows!("and l.bank_id = $9 "), "$10");

    COUNT_OF_CLIENT = counted!(rows!("and l.bank_id = $9 and l.client_id = $10 "), "$11");

    // The last that is looked at of the newest, and whether there is one before it.
    LAST = Sql::new(
        "select created_at from payment_links where owner_id = $1 and created_at >= $2 \
         and created_at < $3 order by created_at desc, id desc limit 2 offset $4",
    );
}

const LINKS: List = List { page: &PAGE, count: &COUNT };

/// Which links are asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Those that were made then.
    pub span: Range<Timestamp>,
    /// Those of this scope alone.
    pub scope: Scope,
    /// Those that come from there alone.
    pub origin: Option<Origin>,
    /// Those that are this at the instant of the question.
    pub status: Option<Status>,
    /// Those whose id, name or description has this text, in whatever case.
    pub search: Option<String>,
    /// Those of money that exists, or of the test bank's.
    pub livemode: Option<bool>,
}

impl Filter {
    /// The first eight parameters.
    fn params(&self, owner: OwnerId, now: Timestamp) -> Vec<Value> {
        let search = self.search.as_ref().map_or_else(String::new, |text| pattern(text));
        vec![
            owner.into(),
            self.span.start.into(),
            self.span.end.into(),
            self.origin.map_or("", Origin::as_str).into(),
            search.into(),
            self.status.map_or(-1, Status::number).into(),
            now.into(),
            self.livemode.map_or(-1, i64::from).into(),
        ]
    }
}

/// The statement that is meant, of one about an account's links and one about those of a client alone.
fn either(scope: &AccountScope, of_account: &'static Sql, of_client: &'static Sql) -> &'static Sql {
    if scope.client.is_some() { of_client } else { of_account }
}

/// Returns the parameters that say which account's links are meant, and whose of those, and how many at most.
fn of_account(
    scope: &AccountScope,
    account: ScopedAccount,
    limit: i64,
) -> impl Iterator<Item = Value> {
    [account.id.into()].into_iter().chain(scope.client.map(Value::from)).chain([limit.into()])
}

/// Bounds what is looked at where something is asked for that no index has: to the newest `looked_max` of those that
/// are reached in the span. Answers since when these are, where there are older ones.
///
/// # Errors
/// A fault of the store.
pub fn bound(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &mut Filter,
    now: Timestamp,
    looked_max: u32,
) -> Result<Option<Timestamp>, Fault> {
    if filter.origin.is_none()
        && filter.status.is_none()
        && filter.search.is_none()
        && filter.livemode.is_none()
    {
        return Ok(None);
    }
    let Range { start, end } = filter.span;
    let newest = match &filter.scope {
        Scope::All => {
            let last = (i64::from(looked_max) - 1).into();
            let rows = tx.query(&LAST, &[owner.into(), start.into(), end.into(), last])?;
            rows.iter().map(|row| row.get("created_at")).collect::<Result<Vec<Timestamp>, _>>()?
        }
        Scope::Accounts(scope) => {
            let all = Filter {
                origin: None,
                status: None,
                search: None,
                livemode: None,
                ..filter.clone()
            };
            let newest = newest_links(tx, owner, &all, scope, now, i64::from(looked_max) + 1)?;
            let last = usize::try_from(looked_max).unwrap_or(usize::MAX) - 1;
            newest.into_iter().skip(last).map(|(made, _)| made).collect()
        }
    };
    let [last, _] = newest[..] else { return Ok(None) };
    filter.span.start = last;
    Ok(Some(last))
}

/// The links that `filter` lets through at `now`, newest first: a page, and how many there are.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    now: Timestamp,
    bounds: PageBounds,
) -> Result<Page<Link>, Fault> {
    let Scope::Accounts(scope) = &filter.scope else {
        return LINKS.read(tx, &filter.params(owner, now), bounds)?.rows(read);
    };
    let PageBounds { limit, offset, count_max } = bounds;
    let newest = newest_links(tx, owner, filter, scope, now, offset.saturating_add(limit))?;
    let page = newest.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let rows = find_each(tx, &FIND, owner, page.map(|(_, id)| id))?;
    let entries = rows.iter().map(read).collect::<Result<_, _>>()?;
    Ok(Page { entries, total: count_links(tx, owner, filter, scope, now, count_max)? })
}

/// The newest of these accounts that `filter` lets through, and when they were made.
fn newest_links(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    scope: &AccountScope,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<(Timestamp, LinkId)>, Fault> {
    let sql = either(scope, &NEWEST_OF_ACCOUNT, &NEWEST_OF_CLIENT);
    let mut filter = filter.clone();
    newest(&scope.accounts, usize::try_from(limit).unwrap_or(usize::MAX), |account, oldest| {
        if let Some((made, _)) = oldest {
            filter.span.start = made;
        }
        let params = filter.params(owner, now).into_iter();
        let params: Vec<Value> = params.chain(of_account(scope, *account, limit)).collect();
        let read = |row: &Row| Ok((row.get("created_at")?, row.get("id")?));
        tx.query(sql, &params)?.iter().map(read).collect()
    })
}

/// How many links of these accounts `filter` lets through at `now`, counted up to `limit`.
fn count_links(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    scope: &AccountScope,
    now: Timestamp,
    limit: i64,
) -> Result<i64, Fault> {
    let sql = either(scope, &COUNT_OF_ACCOUNT, &COUNT_OF_CLIENT);
    let params = filter.params(owner, now);
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
