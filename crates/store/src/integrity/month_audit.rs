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

    OWNER_CHARGES = Sql::new("select charged_month, charges from owners where owner_id = $1");

    ACTOR_LINES = Sql::new(
        "select actor_id, month, cast(coalesce(sum(-amount), 0) as bigint) as posted, \
         cast(coalesce(sum(case when movement_type = 'debit' then 1 else 0 end), 0) as bigint) as operations, \
         count(*) as credit_lines, cast(coalesce(max(ordinal), 0) as bigint) as last_line, \
         cast(coalesce(sum(ordinal), 0) as bigint) as line_sum \
         from credit_movements where owner_id = $1 and actor_id is not null group by actor_id, month",
    );

    ACTOR_RESERVATIONS = Sql::new(
        "select actor_id, month, cast(coalesce(sum(cost), 0) as bigint) as reserved \
         from verifications where owner_id = $1 and state = 0 group by actor_id, month",
    );

    ACTOR_ACTIVITY = Sql::new(
        "select actor_id, month, count(*) as requests, cast(coalesce(max(ordinal), 0) as bigint) as last_request, \
         cast(coalesce(sum(ordinal), 0) as bigint) as request_sum \
         from activity where owner_id = $1 group by actor_id, month",
    );

    CLIENT_MONTHS = Sql::new(
        "select client_id, month, posted, reserved, operations from client_months \
         where owner_id = $1",
    );

    CLIENT_LINES = Sql::new(
        "select client_id, month, cast(coalesce(sum(-amount), 0) as bigint) as posted, \
         cast(coalesce(sum(case when movement_type = 'debit' then 1 else 0 end), 0) as bigint) as operations \
         from credit_movements where owner_id = $1 and client_id is not null \
         group by client_id, month",
    );

    CLIENT_RESERVATIONS = Sql::new(
        "select client_id, month, cast(coalesce(sum(cost), 0) as bigint) as reserved \
         from verifications where owner_id = $1 and state = 0 and client_id is not null \
         group by client_id, month",
    );
}

/// The counters of an actor's month.
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
pub(crate) fn actors(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut months: BTreeMap<(ActorId, i64), (ActorMonth, ActorMonth)> = BTreeMap::new();
    each(tx, &ACTOR_MONTHS, owner, "actor_id", |at, row| {
        months.entry(at).or_default().0 = ActorMonth {
            posted: row.get("posted")?,
            reserved: row.get("reserved")?,
            operations: row.get("operations")?,
            requests: row.get("requests")?,
            lines: row.get("credit_lines")?,
            last_request: row.get("requests")?,
            last_line: row.get("credit_lines")?,
            line_sum: sum_up_to(row.get("credit_lines")?),
            request_sum: sum_up_to(row.get("requests")?),
        };
        Ok(())
    })?;
    each(tx, &ACTOR_LINES, owner, "actor_id", |at, row| {
        let computed = &mut months.entry(at).or_default().1;
        computed.posted = row.get("posted")?;
        computed.operations = row.get("operations")?;
        computed.lines = row.get("credit_lines")?;
        computed.last_line = row.get("last_line")?;
        computed.line_sum = row.get("line_sum")?;
        Ok(())
    })?;
    each(tx, &ACTOR_RESERVATIONS, owner, "actor_id", |at, row| {
        months.entry(at).or_default().1.reserved = row.get("reserved")?;
        Ok(())
    })?;
    each(tx, &ACTOR_ACTIVITY, owner, "actor_id", |at, row| {
        let computed = &mut months.entry(at).or_default().1;
        computed.requests = row.get("requests")?;
        computed.last_request = row.get("last_request")?;
        computed.request_sum = row.get("request_sum")?;
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

/// The owner's count of charges against those of its actors in the latest month, which are held against the ledger.
pub(crate) fn owners(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut months: BTreeMap<i64, i64> = BTreeMap::new();
    each(tx, &ACTOR_MONTHS, owner, "actor_id", |(_, month): (ActorId, i64), row| {
        let charges: i64 = row.get("operations")?;
        if charges != 0 {
            let sum = months.entry(month).or_default();
            *sum = sum.saturating_add(charges);
        }
        Ok(())
    })?;
    let (month, charges) = months.pop_last().unwrap_or_default();
    if let Some(kept) = tx.query_opt(&OWNER_CHARGES, &[owner.into()])? {
        compare(found, kept.get("charged_month")?, month, || "owners.charged_month".to_owned());
        compare(found, kept.get("charges")?, charges, || "owners.charges".to_owned());
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
    each(tx, &CLIENT_MONTHS, owner, "client_id", |at, row| {
        let month = months.entry(at).or_default();
        month[0] = row.get("posted")?;
        month[1] = row.get("reserved")?;
        month[2] = row.get("operations")?;
        Ok(())
    })?;
    each(tx, &CLIENT_LINES, owner, "client_id", |at, row| {
        let month = months.entry(at).or_default();
        month[3] = row.get("posted")?;
        month[5] = row.get("operations")?;
        Ok(())
    })?;
    each(tx, &CLIENT_RESERVATIONS, owner, "client_id", |at, row| {
        months.entry(at).or_default()[4] = row.get("reserved")?;
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

/// Hands over each row of a statement with the id in that column, and its month.
fn each<I: Column>(
    tx: &mut Tx<'_>,
    sql: &'static Sql,
    owner: OwnerId,
    id: &str,
    mut take: impl FnMut((I, i64), &Row) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for row in tx.query(sql, &[owner.into()])? {
        take((row.get(id)?, row.get("month")?), &row)?;
    }
    Ok(())
}

fn named(name: &str, (id, month): (impl Display, i64)) -> String {
    format!("{name} of {id} in month {month}")
}
