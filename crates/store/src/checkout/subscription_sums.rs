//! Subscriptions that live as they are added up: how each stands, and what each of its unpaid cycles asks for.

use domain::ids::{OwnerId, SubscriptionId};
use domain::links::Currency;
use domain::subscriptions::Subscription as Rules;

use crate::fault::Fault;
use crate::scope::Scope;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::{Row, Value};
use crate::{statements, subscription_cycles, subscriptions};

/// The first `$3` subscriptions of the owner `$1` that live, of the mode `$2`, with what else narrows them down; each with
/// its unpaid cycles, a row for each, and no more than `$4` rows. Those that ended, which grow for ever, are not walked.
macro_rules! living {
    ($of:literal) => {
        Sql::new(concat!(
            "select s.id, s.currency, s.clock_ahead, s.period_unit, s.period_count, s.begins_on, \
             s.anchor_day, s.pay_first, s.cycles, s.lead_days, s.grace_days, s.has_trial, s.reminders, \
             s.ended_as, s.begun, s.skipped, s.canceled_from, s.paused_from, s.is_active, s.restarts, s.resumes_on, \
             s.resumes_anew, s.unpaid_policy, s.newest_settled, s.ends_unpaid, y.number, \
             y.state, y.link_id, y.opened_at, y.reminded, l.amount from \
             (select b.* from subscriptions b where b.owner_id = $1 and b.ended_as is null \
             and b.livemode = $2 ",
            $of,
            "order by b.bank_id asc, b.client_id asc, b.id asc limit $3) as s \
             left join subscription_cycles y on y.owner_id = $1 and y.subscription_id = s.id \
             and y.state <> 1 and y.state in (0, 2) \
             left join payment_links l on l.owner_id = $1 and l.id = y.link_id \
             order by s.id asc, y.number asc limit $4"
        ))
    };
}

statements! {
    LIVING = living!("");

    LIVING_OF_ACCOUNT = living!("and b.bank_id = $5 ");

    LIVING_OF_CLIENT = living!("and b.bank_id = $5 and b.client_id = $6 ");
}

/// Subscription that lives.
#[derive(Clone, Debug)]
pub struct Summed {
    /// Currency of its price.
    pub currency: Currency,
    /// Its rules, with every cycle that is open or lapsed.
    pub rules: Rules,
    /// What the latest link of each of these cycles asks for, in their order, in hundredths.
    pub asked: Vec<i64>,
}

/// Subscriptions that live.
#[derive(Clone, Debug)]
pub struct Living {
    /// Each of them, as far as they were read.
    pub each: Vec<Summed>,
    /// Whether there are no others.
    pub is_all: bool,
}

/// Bounds of what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most subscriptions.
    pub subscriptions: usize,
    /// Most rows of one account, or of all: a row for each unpaid cycle, and for each subscription without one.
    pub rows: usize,
}

/// Reads the subscriptions of that scope and mode that live, up to these bounds.
///
/// # Errors
/// A fault of the store.
pub fn living(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    scope: &Scope,
    livemode: bool,
    bounds: Bounds,
) -> Result<Living, Fault> {
    let mut found = Living { each: Vec::new(), is_all: true };
    let mut read = |sql: &'static Sql, of: &[Value]| -> Result<bool, Fault> {
        let left = bounds.subscriptions.saturating_sub(found.each.len());
        // One more of each, which says that there are others.
        let [subscriptions_max, rows_max] = [left, bounds.rows]
            .map(|most| Value::from(i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1)));
        let params = [owner.into(), livemode.into(), subscriptions_max, rows_max];
        let params: Vec<Value> = params.into_iter().chain(of.iter().cloned()).collect();
        let rows = tx.query(sql, &params)?;
        let mut each = grouped(&rows)?;
        found.is_all = each.len() <= left && rows.len() <= bounds.rows;
        each.truncate(left);
        found.each.append(&mut each);
        Ok(found.is_all)
    };
    let Scope::Accounts(scope) = scope else {
        read(&LIVING, &[])?;
        return Ok(found);
    };
    let sql = if scope.client.is_some() { &LIVING_OF_CLIENT } else { &LIVING_OF_ACCOUNT };
    for account in &scope.accounts {
        let of = [Value::from(account.id)].into_iter().chain(scope.client.map(Value::from));
        let of: Vec<Value> = of.collect();
        if !read(sql, &of)? {
            break;
        }
    }
    Ok(found)
}

/// Gathers rows of one subscription, which follow each other.
fn grouped(rows: &[Row]) -> Result<Vec<Summed>, Fault> {
    let mut each: Vec<(SubscriptionId, Summed)> = Vec::new();
    for row in rows {
        let id: SubscriptionId = row.get("id")?;
        if each.last().is_none_or(|(last, _)| *last != id) {
            let (currency, rules) =
                (subscriptions::currency(row)?, subscriptions::read_rules(row)?);
            each.push((id, Summed { currency, rules, asked: Vec::new() }));
        }
        let asked: Option<i64> = row.get("amount")?;
        let (Some(asked), Some((_, of))) = (asked, each.last_mut()) else { continue };
        let cycle = subscription_cycles::read(row)?.owed();
        of.rules.owed.push(cycle.ok_or_else(|| Fault::broken("an unpaid cycle that is not owed"))?);
        of.asked.push(asked);
    }
    Ok(each.into_iter().map(|(_, of)| of).collect())
}
