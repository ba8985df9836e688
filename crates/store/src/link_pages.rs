//! Pages of an owner's links, newest first.

use std::ops::Range;

use domain::ids::{BankId, ClientId, LinkId, OwnerId};
use domain::links::Status;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::links::{Link, Origin, columns, find, is_checking, read, tables};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;

/// The links of the owner `$1` that were made between two instants, with what else narrows them down.
macro_rules! made {
    ($of:expr) => {
        concat!("where l.owner_id = $1 and l.created_at >= $2 and l.created_at < $3 ", $of)
    };
}

/// The same that are of this origin, text and status. What is not filtered by is empty, or -1: a parameter has one type on
/// both engines only where it is a value. The status is computed as `domain::links` does.
macro_rules! filtered {
    ($of:expr) => {
        concat!(
            made!($of),
            "and ($4 = '' or l.origin = $4) and ($5 = '' or l.search like $5 escape '!') \
             and (cast($6 as bigint) = -1 or cast($6 as bigint) = case when l.state <> 0 then l.state \
             when (l.expired_at is not null or l.expires_at <= $7) and not ",
            is_checking!(),
            " then 4 when l.is_stopped then 5 else 0 end) "
        )
    };
}

/// The instants of the newest, and the ids.
macro_rules! newest {
    ($of:expr, $limit:literal) => {
        concat!(
            "select l.created_at, l.id from payment_links l ",
            filtered!($of),
            "order by l.created_at desc, l.id desc limit ",
            $limit
        )
    };
}

/// How many there are. Counts stop where nobody counts any more.
macro_rules! count {
    ($of:expr, $limit:literal) => {
        concat!(
            "select count(*) from (select l.id from payment_links l ",
            filtered!($of),
            "limit ",
            $limit,
            ") counted"
        )
    };
}

/// The last that is looked at of the newest, and whether there is one before it.
macro_rules! last_looked_at {
    ($of:expr) => {
        concat!(
            "select l.created_at from payment_links l ",
            made!($of),
            "order by l.created_at desc, l.id desc limit 2 offset $4"
        )
    };
}

statements! {
    PAGE = Sql::new(concat!(
        "select ",
        columns!(),
        tables!(),
        filtered!(""),
        "order by l.created_at desc, l.id desc limit $8 offset $9"
    ));

    NEWEST_OF_ACCOUNT = Sql::new(newest!("and l.bank_id = $8 ", "$9"));

    NEWEST_OF_CLIENT = Sql::new(newest!("and l.bank_id = $8 and l.client_id = $9 ", "$10"));

    COUNT = Sql::new(count!("", "$8"));

    COUNT_OF_ACCOUNT = Sql::new(count!("and l.bank_id = $8 ", "$9"));

    COUNT_OF_CLIENT = Sql::new(count!("and l.bank_id = $8 and l.client_id = $9 ", "$10"));

    LAST = Sql::new(last_looked_at!(""));

    LAST_OF_ACCOUNT = Sql::new(last_looked_at!("and l.bank_id = $5 "));

    LAST_OF_CLIENT = Sql::new(last_looked_at!("and l.bank_id = $5 and l.client_id = $6 "));
}

/// Which links are asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Those that were made then.
    pub span: Range<Timestamp>,
    /// Those of these accounts alone; `None`: all of the owner's.
    pub reached: Option<Reached>,
    /// Those that come from there alone.
    pub origin: Option<Origin>,
    /// Those that are this at the instant of the question.
    pub status: Option<Status>,
    /// Those whose id, name or description has this text, in whatever case.
    pub search: Option<String>,
}

/// The links of some accounts. Each account has them in order by an index, so that whoever reaches few links reads few,
/// however many their owner has.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The accounts.
    pub banks: Vec<BankId>,
    /// Those links alone that callers of this client made; `None`: all.
    pub client: Option<ClientId>,
}

impl Filter {
    fn is_searched(&self) -> bool {
        self.origin.is_some() || self.status.is_some() || self.search.is_some()
    }

    /// The first three parameters.
    fn span_params(&self, owner: OwnerId) -> Vec<Value> {
        vec![owner.into(), self.span.start.into(), self.span.end.into()]
    }

    /// The first seven parameters.
    fn params(&self, owner: OwnerId, now: Timestamp) -> Vec<Value> {
        let search = self.search.as_ref().map_or_else(String::new, |text| pattern(text));
        let mut params = self.span_params(owner);
        params.extend([
            self.origin.map_or("", Origin::as_str).into(),
            search.into(),
            self.status.map_or(-1, Status::number).into(),
            now.into(),
        ]);
        params
    }
}

impl Reached {
    /// The statement that is meant, of one about an account's links and one about those of a client alone.
    const fn either(&self, of_account: &'static Sql, of_client: &'static Sql) -> &'static Sql {
        if self.client.is_some() { of_client } else { of_account }
    }

    /// What says in a statement which links are meant.
    fn params(&self, bank: BankId) -> impl Iterator<Item = Value> {
        [bank.into()].into_iter().chain(self.client.map(Value::from))
    }
}

/// A pattern that is found wherever `text` stands.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.to_lowercase().chars() {
        if "%_!".contains(letter) {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// Bounds what is looked at where something is asked for that no index has: to the newest `looked_max` of the span, or to
/// as many of each account as are its part of that. Answers since when these are, where there are older ones.
///
/// # Errors
/// A fault of the store.
pub fn bound(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &mut Filter,
    looked_max: i64,
) -> Result<Option<Timestamp>, Fault> {
    if !filter.is_searched() {
        return Ok(None);
    }
    let mut since = None;
    match &filter.reached {
        None => since = last(tx, &LAST, filter.span_params(owner), looked_max, [])?,
        Some(reached) => {
            let last_of = reached.either(&LAST_OF_ACCOUNT, &LAST_OF_CLIENT);
            let accounts = i64::try_from(reached.banks.len()).unwrap_or(looked_max);
            let part = (looked_max / accounts.max(1)).max(1);
            for bank in &reached.banks {
                let of = reached.params(*bank);
                since = since.max(last(tx, last_of, filter.span_params(owner), part, of)?);
            }
        }
    }
    filter.span.start = since.unwrap_or(filter.span.start);
    Ok(since)
}

/// When the last of the newest `looked_max` was made, where there are older ones.
fn last(
    tx: &mut Tx<'_>,
    sql: &'static Sql,
    mut params: Vec<Value>,
    looked_max: i64,
    of: impl IntoIterator<Item = Value>,
) -> Result<Option<Timestamp>, Fault> {
    params.push((looked_max - 1).into());
    params.extend(of);
    match &tx.query(sql, &params)?[..] {
        [last, _] => Ok(Some(last.get(0)?)),
        _ => Ok(None),
    }
}

/// The links that `filter` lets through at `now`, newest first, from `offset` on.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    now: Timestamp,
    (limit, offset): (i64, i64),
) -> Result<Vec<Link>, Fault> {
    let mut params = filter.params(owner, now);
    let Some(reached) = &filter.reached else {
        params.extend([limit.into(), offset.into()]);
        return tx.query(&PAGE, &params)?.iter().map(read).collect();
    };
    // All that could stand before the page's end, of each account, and of these what does.
    let sql = reached.either(&NEWEST_OF_ACCOUNT, &NEWEST_OF_CLIENT);
    let mut newest: Vec<(Timestamp, LinkId)> = Vec::new();
    for bank in &reached.banks {
        let of = reached.params(*bank).chain([(offset + limit).into()]);
        let params: Vec<Value> = params.iter().cloned().chain(of).collect();
        for row in tx.query(sql, &params)? {
            newest.push((row.get(0)?, row.get(1)?));
        }
    }
    newest.sort_unstable_by(|one, other| other.cmp(one));
    let (limit, offset) = (usize::try_from(limit), usize::try_from(offset));
    let page = newest.into_iter().skip(offset.unwrap_or(0)).take(limit.unwrap_or(0));
    let link = |(_, id)| find(tx, owner, id)?.ok_or_else(|| Fault::broken("a link that is gone"));
    page.map(link).collect()
}

/// How many links `filter` lets through at `now`, counted up to `limit`.
///
/// # Errors
/// A fault of the store.
pub fn count(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    now: Timestamp,
    limit: i64,
) -> Result<i64, Fault> {
    let params = filter.params(owner, now);
    let Some(reached) = &filter.reached else {
        return tx.query_one(&COUNT, &[params, vec![limit.into()]].concat())?.get(0);
    };
    let sql = reached.either(&COUNT_OF_ACCOUNT, &COUNT_OF_CLIENT);
    let mut left = limit;
    for bank in &reached.banks {
        let of = reached.params(*bank).chain([left.into()]);
        let params: Vec<Value> = params.iter().cloned().chain(of).collect();
        left -= tx.query_one(sql, &params)?.get::<i64>(0)?;
        if left <= 0 {
            break;
        }
    }
    Ok(limit - left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_searched_for_stands_for_itself() {
        assert_eq!(pattern("50% Off_!"), "%50!% off!_!!%");
    }
}
