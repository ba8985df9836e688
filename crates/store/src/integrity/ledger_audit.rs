//! The audit of one owner: every balance and counter computed again from what it stands for, and
//! each difference named.
//!
//! It relies on nothing but the rows: the ledger, the open verifications and the activity say what the counters must
//! be, and where the same fact stands in two rows, they are compared. All of it reads one snapshot, so it holds beside
//! a server that works. What the audit proves, and what it cannot, is in docs/decisions/0057.

use domain::ids::{LinkId, OwnerId, PaymentId, VerificationId};
use domain::time::Timestamp;

use crate::difference::{Difference, NAMED_MAX, compare, name};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::Row;
use crate::{
    charge_audit, due_audit, link_audit, month_audit, movement_audit, receipt_audit, seal_audit,
    statements, subscription_audit, sum_audit, verification_audit, webhook_endpoints,
};

// Sums are cast because PostgreSQL adds up `bigint` to `numeric`.
statements! {
    // What the owner's row keeps, then what it should be.
    TOTALS = Sql::new(
        "select o.balance, o.reserved, o.credit_lines, \
         (select cast(coalesce(sum(amount), 0) as bigint) from credit_movements where owner_id = $1) \
         as computed_balance, \
         (select cast(coalesce(sum(cost), 0) as bigint) from verifications \
         where owner_id = $1 and state = 0) as computed_reserved, \
         (select count(*) from credit_movements where owner_id = $1) as computed_credit_lines, \
         o.last_payment_at, \
         coalesce((select updated_at from payments where owner_id = $1 order by line desc limit 1), 0) \
         as computed_last_payment_at, \
         o.low_balance_at \
         from owners o where o.owner_id = $1",
    );

    // Lines that are not the next one, or whose balance does not follow from the one before.
    BROKEN_CHAIN = Sql::new(
        "select line, place, balance_after, balance_before + amount as computed_balance from \
         (select line, amount, balance_after, row_number() over (order by line asc) as place, \
         coalesce(lag(balance_after) over (order by line asc), 0) as balance_before \
         from credit_movements where owner_id = $1) as chain \
         where line <> place or balance_after <> balance_before + amount \
         order by line asc limit $2",
    );

    // Charges of a key without the activity entry of their attempt.
    UNLISTED = Sql::new(
        "select l.line from credit_movements l \
         left join activity a on a.owner_id = $1 and a.actor_id = l.actor_id and a.month = l.month \
         and a.ordinal = l.request and a.verification_id = l.verification_id \
         and a.status = 'confirmed' \
         where l.owner_id = $1 and l.actor_id is not null and a.ordinal is null \
         order by l.line asc limit $2",
    );

    // Payments whose verification is gone or not confirmed by them, or without their line. One that cost nothing
    // needs no line.
    UNPAID = Sql::new(
        "select p.id, p.credit_cost, \
         cast(case when v.state = 1 and v.payment_id = p.id then 1 else 0 end as bigint) as confirmed, \
         v.cost, l.amount from payments p \
         left join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         left join credit_movements l on l.owner_id = $1 and l.verification_id = p.verification_id \
         where p.owner_id = $1 and (v.id is null or v.state <> 1 or v.payment_id is null \
         or v.payment_id <> p.id or v.cost <> p.credit_cost \
         or coalesce(l.amount, 0) <> -p.credit_cost) \
         order by p.id asc limit $2",
    );

    // Lines about a verification that claimed nothing, or cost something else.
    UNFOUNDED_LINES = Sql::new(
        "select l.line, l.amount, v.cost, \
         cast(case when p.id is null then 0 else 1 end as bigint) as charged \
         from credit_movements l \
         left join verifications v on v.owner_id = $1 and v.id = l.verification_id \
         left join payments p on p.owner_id = $1 and p.id = v.payment_id \
         and p.verification_id = l.verification_id \
         where l.owner_id = $1 and l.verification_id is not null \
         and (p.id is null or v.cost <> -l.amount) order by l.line asc limit $2",
    );

    // Confirmed verifications that lead to no payment, whether they claimed one or found another's.
    UNCLAIMED = Sql::new(
        "select v.id from verifications v \
         left join payments p on p.owner_id = $1 and p.id = v.payment_id \
         where v.owner_id = $1 and v.state = 1 and p.id is null order by v.id asc limit $2",
    );

    // Calls that are known by something else than a verification of the same call that was confirmed. One that is
    // missing is no difference: a clock that was ahead has it deleted too early.
    MISLED_CALLS = Sql::new(
        "select r.verification_id from recent_calls r \
         left join verifications v on v.owner_id = $1 and v.id = r.verification_id \
         and v.fingerprint = r.fingerprint and v.state = 1 and v.ended_at = r.ended_at \
         where r.owner_id = $1 and v.id is null order by r.verification_id asc limit $2",
    );

    // Paid links without a payment that a check of theirs claimed.
    UNFOUNDED_LINKS = Sql::new(
        "select l.id from payment_links l \
         left join payments p on p.owner_id = $1 and p.id = l.payment_id \
         left join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         and v.link_id = l.id \
         where l.owner_id = $1 and l.state = 1 and v.id is null order by l.id asc limit $2",
    );

    // Confirmed checks whose link does not have their payment.
    UNPAID_LINKS = Sql::new(
        "select v.id from verifications v \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id and l.state = 1 \
         and l.payment_id = v.payment_id \
         where v.owner_id = $1 and v.link_id is not null and v.state = 1 and l.id is null \
         order by v.id asc limit $2",
    );

    OVERDUE = Sql::new(
        "select id from verifications where owner_id = $1 and state = 0 and deadline < $2 \
         order by id asc limit $3",
    );
}

/// Findings of the audit of one owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// What is wrong.
    pub differences: Vec<Difference>,
    /// Open verifications whose reservation should have lapsed; no difference, but somebody's work.
    pub overdue: Vec<VerificationId>,
}

/// Audits one owner. Meant for a snapshot.
///
/// # Errors
/// A fault of the store.
pub fn check(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<Findings, Fault> {
    let mut differences = Vec::new();
    totals(tx, owner, &mut differences)?;
    chain(tx, owner, &mut differences)?;
    month_audit::actors(tx, owner, &mut differences)?;
    month_audit::owners(tx, owner, &mut differences)?;
    month_audit::clients(tx, owner, &mut differences)?;
    charges(tx, owner, &mut differences)?;
    links(tx, owner, &mut differences)?;
    charge_audit::check(tx, owner, &mut differences)?;
    sum_audit::check(tx, owner, &mut differences)?;
    verification_audit::check(tx, owner, now, &mut differences)?;
    movement_audit::check(tx, owner, &mut differences)?;
    link_audit::check(tx, owner, &mut differences)?;
    subscription_audit::check(tx, owner, now, &mut differences)?;
    receipt_audit::check(tx, owner, &mut differences)?;
    seal_audit::check(tx, owner, &mut differences)?;
    due_audit::check(tx, owner, now, &mut differences)?;
    let overdue = tx.query(&OVERDUE, &[owner.into(), now.into(), NAMED_MAX.into()])?;
    let overdue = overdue.iter().map(|row| row.get("id")).collect::<Result<_, _>>()?;
    Ok(Findings { differences, overdue })
}

/// The owner's own row against the sums of its ledger and of its open verifications.
fn totals(tx: &mut Tx<'_>, owner: OwnerId, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let row = tx.query_one(&TOTALS, &[owner.into()])?;
    for (kept, computed) in [
        ("balance", "computed_balance"),
        ("reserved", "computed_reserved"),
        ("credit_lines", "computed_credit_lines"),
        ("last_payment_at", "computed_last_payment_at"),
    ] {
        compare(found, row.get(kept)?, row.get(computed)?, || format!("owners.{kept}"));
    }
    let watched: Option<i64> = row.get("low_balance_at")?;
    if watched != webhook_endpoints::watched_for(tx, owner, row.get("balance")?)? {
        let says = "not the next of the levels at which its webhook reports a low balance";
        name(found, "owners.low_balance_at", &owner.to_string(), says);
    }
    Ok(())
}

/// The ledger as a chain: lines without gaps, each balance the one before it and the amount.
fn chain(tx: &mut Tx<'_>, owner: OwnerId, found: &mut Vec<Difference>) -> Result<(), Fault> {
    for row in tx.query(&BROKEN_CHAIN, &[owner.into(), NAMED_MAX.into()])? {
        let line: i64 = row.get("line")?;
        compare(found, line, row.get("place")?, || format!("credit_movements.line of line {line}"));
        let what = || format!("credit_movements.balance_after of line {line}");
        compare(found, row.get("balance_after")?, row.get("computed_balance")?, what);
    }
    Ok(())
}

/// Payments, the verifications that made them, and their lines, each of which needs the two others; and the activity
/// entries of what was charged.
fn charges(tx: &mut Tx<'_>, owner: OwnerId, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let params = [owner.into(), NAMED_MAX.into()];
    let absent = |row: &Row, column: &str| Ok(row.get::<Option<i64>>(column)?.unwrap_or(0));
    for row in tx.query(&UNPAID, &params)? {
        let payment: PaymentId = row.get("id")?;
        let cost: i64 = row.get("credit_cost")?;
        let what = || format!("payments: confirmed verifications of {payment}");
        compare(found, row.get("confirmed")?, 1, what);
        let what = || format!("payments.credit_cost of {payment} by its verification");
        compare(found, cost, absent(&row, "cost")?, what);
        let what = || format!("payments.credit_cost of {payment} by its ledger line");
        compare(found, cost, -absent(&row, "amount")?, what);
    }
    for row in tx.query(&UNLISTED, &params)? {
        let line: i64 = row.get("line")?;
        compare(found, 0, 1, || {
            format!("activity: entries of the attempt that line {line} charged")
        });
    }
    for row in tx.query(&UNFOUNDED_LINES, &params)? {
        let line: i64 = row.get("line")?;
        let what = || format!("credit_movements.amount of line {line} by its verification");
        compare(found, row.get("amount")?, -absent(&row, "cost")?, what);
        let what = || format!("credit_movements: payments charged by line {line}");
        compare(found, 1, row.get("charged")?, what);
    }
    for row in tx.query(&UNCLAIMED, &params)? {
        let id: VerificationId = row.get("id")?;
        compare(found, 1, 0, || format!("verifications: payments of the confirmed {id}"));
    }
    for row in tx.query(&MISLED_CALLS, &params)? {
        let id: VerificationId = row.get("verification_id")?;
        let what = || format!("recent_calls: confirmed verifications of the call known by {id}");
        compare(found, 1, 0, what);
    }
    Ok(())
}

/// Links and the payments that were claimed for them: neither is there without the other.
fn links(tx: &mut Tx<'_>, owner: OwnerId, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let params = [owner.into(), NAMED_MAX.into()];
    for row in tx.query(&UNFOUNDED_LINKS, &params)? {
        let id: LinkId = row.get("id")?;
        compare(found, 1, 0, || format!("payment_links: payments of the paid {id}"));
    }
    for row in tx.query(&UNPAID_LINKS, &params)? {
        let id: VerificationId = row.get("id")?;
        compare(found, 1, 0, || format!("verifications: links paid by the confirmed {id}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
