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

/// The links of the owner `$1` that were made between two instants, with what else narrows them down, and are of this
/// origin, text and status. What is not filtered by is empty, or -1: a parameter has one type on both engines only where it
/// is a value. The status is computed as `domain::links` does.
macro_rules! filtered {
    ($of:expr) => {
        concat!(
            "where l.owner_id = $1 and l.created_at >= $2 and l.created_at < $3 ",
            $of,
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

    // The last that is looked at of the newest, and whether there is one before it.
    LAST = Sql::new(
        "select created_at from payment_links where owner_id = $1 and created_at >= $2 \
         and created_at < $3 order by created_at desc, id desc limit 2 offset $4",
    );
}

/// Which links are asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Those that were made then.
    pub span: Range<Timestamp>,
    /// Those of these accounts alone; `None`: all of the owner's.
    pub accounts: Option<Accounts>,
    /// Those that come from there alone.
    pub origin: Option<Origin>,
    /// Those that are this at the instant of the question.
    pub status: Option<Status>,
    /// Those whose id, name or description has this text, in whatever case.
    pub search: Option<String>,
}

/// Some accounts. Each has its links in order by an index, so that whoever reaches few links reads few, however many their
/// owner has.
#[derive(Clone, Debug)]
pub struct Accounts {
    /// Their ids.
    pub ids: Vec<BankId>,
    /// Those links alone that callers of this client made; `None`: all.
    pub client: Option<ClientId>,
}

impl Filter {
    /// The first seven parameters.
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
        ]
    }
}

impl Accounts {
    /// The statement that is meant, of one about an account's links and one about those of a client alone.
    const fn either(&self, of_account: &'static Sql, of_client: &'static Sql) -> &'static Sql {
        if self.client.is_some() { of_client } else { of_account }
    }

    /// What says in a statement whose links are meant, and how many at most.
    fn params(&self, id: BankId, limit: i64) -> impl Iterator<Item = Value> {
        [id.into()].into_iter().chain(self.client.map(Value::from)).chain([limit.into()])
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

/// Bounds what is looked at where something is asked for that no index has: to the newest `looked_max` of those that are
/// reached in the span. Answers since when these are, where there are older ones.
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
    if filter.origin.is_none() && filter.status.is_none() && filter.search.is_none() {
        return Ok(None);
    }
    let Range { start, end } = filter.span;
    let newest = match &filter.accounts {
        None => {
            let last = (i64::from(looked_max) - 1).into();
            let rows = tx.query(&LAST, &[owner.into(), start.into(), end.into(), last])?;
            rows.iter().map(|row| row.get(0)).collect::<Result<Vec<Timestamp>, _>>()?
        }
        Some(accounts) => {
            let all = Filter { origin: None, status: None, search: None, ..filter.clone() };
            let newest = newest(tx, owner, &all, accounts, now, i64::from(looked_max) + 1)?;
            let last = usize::try_from(looked_max).unwrap_or(usize::MAX) - 1;
            newest.into_iter().skip(last).map(|(made, _)| made).collect()
        }
    };
    let [last, _] = newest[..] else { return Ok(None) };
    filter.span.start = last;
    Ok(Some(last))
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
    let Some(accounts) = &filter.accounts else {
        let params = [filter.params(owner, now), vec![limit.into(), offset.into()]].concat();
        return tx.query(&PAGE, &params)?.iter().map(read).collect();
    };
    let newest = newest(tx, owner, filter, accounts, now, offset.saturating_add(limit))?;
    let page = newest.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
    let link = |(_, id)| find(tx, owner, id)?.ok_or_else(|| Fault::broken("a link that is gone"));
    page.map(link).collect()
}

/// The newest of these accounts that `filter` lets through, and when they were made.
fn newest(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &Filter,
    accounts: &Accounts,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<(Timestamp, LinkId)>, Fault> {
    let sql = accounts.either(&NEWEST_OF_ACCOUNT, &NEWEST_OF_CLIENT);
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut filter, mut newest) = (filter.clone(), Vec::new());
    // Accounts are in the order in which they were linked: of the latest come most of the newest. Where it is the other
    // way round, each is read as far as all together are asked for.
    for id in accounts.ids.iter().rev() {
        let params = filter.params(owner, now).into_iter().chain(accounts.params(*id, limit));
        let params: Vec<Value> = params.collect();
        let rows = tx.query(sql, &params)?;
        if rows.is_empty() {
            continue;
        }
        for row in rows {
            newest.push((row.get(0)?, row.get(1)?));
        }
        newest.sort_by(|one, other| other.cmp(one));
        newest.truncate(wanted);
        // Of the next accounts nothing is read that is older than all of these.
        if let Some((oldest, _)) = newest.last().filter(|_| newest.len() == wanted) {
            filter.span.start = *oldest;
        }
    }
    Ok(newest)
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
    let Some(accounts) = &filter.accounts else {
        return tx.query_one(&COUNT, &[params, vec![limit.into()]].concat())?.get(0);
    };
    let sql = accounts.either(&COUNT_OF_ACCOUNT, &COUNT_OF_CLIENT);
    let mut left = limit;
    for id in &accounts.ids {
        let params: Vec<Value> = params.iter().cloned().chain(accounts.params(*id, left)).collect();
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
