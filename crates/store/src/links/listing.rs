//! Pages of an owner's links, newest first.

use std::ops::Range;

use domain::ids::{BankId, ClientId, OwnerId};
use domain::links::Status;
use domain::time::Timestamp;

use super::{COUNT, Link, Origin, PAGE, REACH, read};
use crate::fault::Fault;
use crate::tx::Tx;
use crate::value::Value;

/// Which links count. What is not filtered by is empty, or -1: a parameter has one type on both
/// engines only where it is a value. The status is computed as `domain::links` does.
macro_rules! filtered {
    () => {
        concat!(
            "where l.owner_id = $1 \
             and ($2 = '' or $2 like '%' || l.bank || '%') and ($3 = '' or l.origin = $3) \
             and ($4 = '' or l.search like $4 escape '!') \
             and (cast($7 as bigint) = 0 or l.client_id = $8) \
             and (cast($5 as bigint) = -1 or cast($5 as bigint) = case when l.state <> 0 then l.state \
             when (l.expired_at is not null or l.expires_at <= $6) and not ",
            is_checking!(),
            " then 4 when l.is_stopped then 5 else 0 end) \
             and l.created_at >= $9 and l.created_at < $10"
        )
    };
}

pub(super) const PAGE_TEXT: &str = concat!(
    "select ",
    columns!(),
    tables!(),
    filtered!(),
    " order by l.created_at desc, l.id desc limit $11 offset $12"
);

pub(super) const COUNT_TEXT: &str = concat!(
    "select count(*) from (select l.id from payment_links l ",
    filtered!(),
    " limit $11) c"
);

pub(super) const REACH_TEXT: &str = "select created_at from payment_links where owner_id = $1 \
    and created_at >= $2 and created_at < $3 order by created_at desc, id desc limit 1 offset $4";

/// Which links are asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Those that were made then.
    pub span: Range<Timestamp>,
    /// Those of these accounts alone; `None`: of all.
    pub banks: Option<Vec<BankId>>,
    /// Those that callers of this client made alone; `None`: all.
    pub client: Option<ClientId>,
    /// Those that come from there alone.
    pub origin: Option<Origin>,
    /// Those that are this at the instant of the question.
    pub status: Option<Status>,
    /// Those whose id, name or description has this text, in whatever case.
    pub search: Option<String>,
}

impl Filter {
    /// The first ten parameters.
    fn params(&self, owner: OwnerId, now: Timestamp) -> Vec<Value> {
        let banks = match &self.banks {
            None => String::new(),
            // Something that no account is called, where there is none.
            Some(banks) if banks.is_empty() => "none".to_owned(),
            Some(banks) => banks.iter().map(ToString::to_string).collect(),
        };
        let search = self.search.as_ref().map_or_else(String::new, |text| pattern(text));
        vec![
            owner.into(),
            banks.into(),
            self.origin.map_or("", Origin::as_str).into(),
            search.into(),
            self.status.map_or(-1, Status::number).into(),
            now.into(),
            i64::from(self.client.is_some()).into(),
            self.client.map_or([0; 16], ClientId::to_bytes).into(),
            self.span.start.into(),
            self.span.end.into(),
        ]
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

/// Bounds what is looked at where something is asked for that no index has: to the newest `looked_max` of the span. Answers
/// since when these are, where there are older ones. Those of a client are not counted among the owner's, whose number is
/// not the client's to know: all are looked at.
///
/// # Errors
/// A fault of the store.
pub fn bound(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    filter: &mut Filter,
    looked_max: i64,
) -> Result<Option<Timestamp>, Fault> {
    let is_searched = filter.origin.is_some() || filter.status.is_some() || filter.search.is_some();
    if !is_searched || filter.client.is_some() {
        return Ok(None);
    }
    let Range { start, end } = filter.span;
    let params = [owner.into(), start.into(), end.into(), (looked_max - 1).into()];
    let Some(row) = tx.query_opt(&REACH, &params)? else { return Ok(None) };
    filter.span.start = row.get(0)?;
    Ok(Some(filter.span.start))
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
    params.extend([limit.into(), offset.into()]);
    tx.query(&PAGE, &params)?.iter().map(read).collect()
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
    let mut params = filter.params(owner, now);
    params.push(limit.into());
    tx.query_one(&COUNT, &params)?.get(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_searched_for_stands_for_itself() {
        assert_eq!(pattern("50% Off_!"), "%50!% off!_!!%");
    }
}
