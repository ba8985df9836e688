//! The audit of one owner's months: their counters against the rows that they count.

use std::collections::BTreeMap;
use std::fmt::Display;

use domain::ids::{ActorId, ClientId, OwnerId};

use crate::difference::{Difference, compare};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Column, Row};

// Sums are cast because PostgreSQL adds up `bigint` to `numeric`.
statements! {
    ACTOR_MONTHS = Sql::new(
        "select actor_id, month, posted, reserved, operations, requests, credit_lines \
         from actor_months where owner_id = $1",
    );

    OWNER_MONTHS = Sql::new("select month, operations from owner_months where owner_id = $1");

    KEY_LINES = Sql::new(
        "select actor_id, month, cast(coalesce(sum(-amount), 0) as bigint), \
         cast(coalesce(sum(case when movement_type = 'debit' then 1 else 0 end), 0) as bigint), \
         count(*), cast(coalesce(max(ordinal), 0) as bigint), \
         cast(coalesce(sum(ordinal), 0) as bigint) \
         from credit_movements where owner_id = $1 and actor_id is not null group by actor_id, month",
    );

    KEY_RESERVATIONS = Sql::new(
        "select actor_id, month, cast(coalesce(sum(cost), 0) as bigint) \
         from verifications where owner_id = $1 and state = 0 group by actor_id, month",
    );

    KEY_ACTIVITY = Sql::new(
        "select actor_id, month, count(*), cast(coalesce(max(ordinal), 0) as bigint), \
         cast(coalesce(sum(ordinal), 0) as bigint) from activity where owner_id = $1 group by actor_id, month",
    );

    CLIENT_MONTHS = Sql::new(
        "select client_id, month, posted, reserved, operations from client_months \
         where owner_id = $1",
    );

    CLIENT_LINES = Sql::new(
        "select client_id, month, cast(coalesce(sum(-amount), 0) as bigint), \
         cast(coalesce(sum(case when movement_type = 'debit' then 1 else 0 end), 0) as bigint) \
         from credit_movements where owner_id = $1 and client_id is not null \
         group by client_id, month",
    );

    CLIENT_RESERVATIONS = Sql::new(
        "select client_id, month, cast(coalesce(sum(cost), 0) as bigint) \
         from verifications where owner_id = $1 and state = 0 and client_id is not null \
         group by client_id, month",
    );
}

/// The counters of an actor's month, in the order of the statement that reads them.
#[derive(Clone, Copy, Default)]
struct ActorMonth {
    posted: i64,
    reserved: i64,
    operations: i64,
    requests: i64,
    lines: i64,
    /// The newest ordinals, which equal the counts only where the ordinals are dense.
    last_request: i64,
    /// The numbers of all requests added up: one that is there twice, and another that is missing, change it.
    request_sum: i64,
    last_line: i64,
    /// The same of all lines.
    line_sum: i64,
}

/// The counters of every actor's months.
pub(crate) fn keys(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut months: BTreeMap<(ActorId, i64), (ActorMonth, ActorMonth)> = BTreeMap::new();
    each(tx, &ACTOR_MONTHS, owner, |at, row| {
        months.entry(at).or_default().0 = ActorMonth {
            posted: row.get(2)?,
            reserved: row.get(3)?,
            operations: row.get(4)?,
            requests: row.get(5)?,
            lines: row.get(6)?,
            last_request: row.get(5)?,
            last_line: row.get(6)?,
            line_sum: sum_up_to(row.get(6)?),
            request_sum: sum_up_to(row.get(5)?),
        };
        Ok(())
    })?;
    each(tx, &KEY_LINES, owner, |at, row| {
        let computed = &mut months.entry(at).or_default().1;
        computed.posted = row.get(2)?;
        computed.operations = row.get(3)?;
        computed.lines = row.get(4)?;
        computed.last_line = row.get(5)?;
        computed.line_sum = row.get(6)?;
        Ok(())
    })?;
    each(tx, &KEY_RESERVATIONS, owner, |at, row| {
        months.entry(at).or_default().1.reserved = row.get(2)?;
        Ok(())
    })?;
    each(tx, &KEY_ACTIVITY, owner, |at, row| {
        let computed = &mut months.entry(at).or_default().1;
        computed.requests = row.get(2)?;
        computed.last_request = row.get(3)?;
        computed.request_sum = row.get(4)?;
        Ok(())
    })?;
    for ((actor, month), (kept, computed)) in months {
        let actor = actor.known_as(owner);
        for (name, kept, computed) in [
            ("actor_months.posted", kept.posted, computed.posted),
            ("actor_months.reserved", kept.reserved, computed.reserved),
            ("actor_months.operations", kept.operations, computed.operations),
            ("actor_months.requests", kept.requests, computed.requests),
            ("actor_months.credit_lines", kept.lines, computed.lines),
            ("newest request", kept.last_request, computed.last_request),
            ("sum of requests", kept.request_sum, computed.request_sum),
            ("newest credit_movements.ordinal", kept.last_line, computed.last_line),
            ("sum of credit_movements.ordinal", kept.line_sum, computed.line_sum),
        ] {
            compare(found, kept, computed, || named(name, (&actor, month)));
        }
    }
    Ok(())
}

/// The counters of the owner's months against those of its keys, which are held against the ledger.
pub(crate) fn owners(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut months: BTreeMap<i64, [i64; 2]> = BTreeMap::new();
    for row in tx.query(&OWNER_MONTHS, &[owner.into()])? {
        months.entry(row.get(0)?).or_default()[0] = row.get(1)?;
    }
    each(tx, &ACTOR_MONTHS, owner, |(_, month): (ActorId, i64), row| {
        let computed = &mut months.entry(month).or_default()[1];
        *computed = computed.saturating_add(row.get(4)?);
        Ok(())
    })?;
    for (month, [kept, computed]) in months {
        compare(found, kept, computed, || format!("owner_months.operations of month {month}"));
    }
    Ok(())
}

/// The counters of every client's months.
pub(crate) fn clients(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    // Posted, reserved and operations as kept, then as computed.
    let mut months: BTreeMap<(ClientId, i64), [i64; 6]> = BTreeMap::new();
    each(tx, &CLIENT_MONTHS, owner, |at, row| {
        let month = months.entry(at).or_default();
        month[0] = row.get(2)?;
        month[1] = row.get(3)?;
        month[2] = row.get(4)?;
        Ok(())
    })?;
    each(tx, &CLIENT_LINES, owner, |at, row| {
        let month = months.entry(at).or_default();
        month[3] = row.get(2)?;
        month[5] = row.get(3)?;
        Ok(())
    })?;
    each(tx, &CLIENT_RESERVATIONS, owner, |at, row| {
        months.entry(at).or_default()[4] = row.get(2)?;
        Ok(())
    })?;
    for (at, [posted, reserved, operations, computed @ ..]) in months {
        compare(found, posted, computed[0], || named("client_months.posted", at));
        compare(found, reserved, computed[1], || named("client_months.reserved", at));
        compare(found, operations, computed[2], || named("client_months.operations", at));
    }
    Ok(())
}

/// The sum of all numbers from one to this one.
fn sum_up_to(number: i64) -> i64 {
    number.saturating_mul(number.saturating_add(1)) / 2
}

/// Hands over each row of a statement that begins with an id and a month.
fn each<I: Column>(
    tx: &mut Tx<'_>,
    sql: &'static Sql,
    owner: OwnerId,
    mut take: impl FnMut((I, i64), &Row) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for row in tx.query(sql, &[owner.into()])? {
        take((row.get(0)?, row.get(1)?), &row)?;
    }
    Ok(())
}

fn named(name: &str, (id, month): (impl Display, i64)) -> String {
    format!("{name} of {id} in month {month}")
}
