//! The audit of one owner's subscriptions: that each cycle which was opened is there once, that its state is that of the
//! links which ask for it, that the figures of a subscription are those of its cycles, that its payer's page is open long
//! enough, and that its calendar began anew with cycles that were reached.

use std::time::Duration;

use domain::ids::{OwnerId, SubscriptionId};
use domain::subscriptions::{PAGE_KEPT, Restart, Restarts};
use domain::time::Timestamp;

use crate::difference::{Difference, Rule, hold, id, name};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::subscriptions::{columns, read};
use crate::tx::Tx;
use crate::value::{Row, Value};

statements! {
    // A skipped cycle has no row, so that there are as many rows as cycles that were begun and not skipped. No clock is
    // ahead by more than three years.
    FIGURES = Sql::new(
        "select f.col, f.id from (select s.id, case \
         when s.period_unit not in ('day', 'week', 'month', 'year') then 'period_unit' \
         when s.anchor_day not between 1 and 31 then 'anchor_day' \
         when s.clock_ahead > 94694400000000 or (s.livemode and s.clock_ahead <> 0) then 'clock_ahead' \
         when s.ended_as not in (0, 1, 2) then 'ended_as' \
         when k.id is null and e.id is null and s.actor_id <> s.owner_id then 'actor_id' \
         when s.client_id is not null and c.id is null then 'client_id' \
         when s.begun - s.skipped <> s.asked then 'begun' \
         when s.begun <= s.latest then 'begun' \
         when s.cycles < s.asked then 'cycles' \
         when s.paid <> s.paid_cycles then 'paid' \
         when s.is_active <> (not s.pay_first or s.has_trial or s.paid > 0 or s.waived > 0) \
         then 'is_active' \
         when (s.paused_from is null) <> (s.paused_at is null) then 'paused_at' \
         when s.canceled_by_payer and s.ended_as is null and s.canceled_from is null \
         then 'canceled_by_payer' \
         when s.newest_settled is distinct from s.settled_cycle then 'newest_settled' \
         when s.ends_unpaid and s.ended_as is null and (s.canceled_from is null or s.owed > 0) \
         then 'ends_unpaid' \
         when s.ended_as is not null and s.owed > 0 then 'ended_as' end as col from \
         (select b.*, (select count(*) from subscription_cycles y \
         where y.owner_id = $1 and y.subscription_id = b.id) as asked, \
         (select coalesce(max(y.number), -1) from subscription_cycles y \
         where y.owner_id = $1 and y.subscription_id = b.id) as latest, \
         (select max(y.number) from subscription_cycles y where y.owner_id = $1 \
         and y.subscription_id = b.id and y.state in (1, 4)) as settled_cycle, \
         (select count(*) from subscription_cycles y where y.owner_id = $1 \
         and y.subscription_id = b.id and y.state = 1) as paid_cycles, \
         (select count(*) from subscription_cycles y where y.owner_id = $1 \
         and y.subscription_id = b.id and y.state in (0, 2)) as owed, \
         (select count(*) from subscription_cycles y where y.owner_id = $1 \
         and y.subscription_id = b.id and y.state = 4) as waived \
         from subscriptions b where b.owner_id = $1) as s \
         left join api_keys k on k.owner_id = $1 and k.id = s.actor_id \
         left join employees e on e.owner_id = $1 and e.id = s.actor_id \
         left join clients c on c.owner_id = $1 and c.id = s.client_id) as f \
         where f.col is not null order by f.id asc limit $2",
    );

    // A link of a cycle that is not owed is over; the link of a paid cycle is the paid one. Nobody is reminded on a day
    // that is none of the subscription's.
    CYCLES = Sql::new(
        "select f.col, f.subscription_id, f.number from (select y.subscription_id, y.number, case \
         when y.state not in (0, 1, 2, 3, 4) then 'state' \
         when l.id is null or l.subscription_id is distinct from y.subscription_id \
         or l.cycle is distinct from y.number then 'link_id' \
         when (y.state = 1) <> (l.state = 1) then 'state' \
         when y.state in (3, 4) and l.state = 0 and (l.expires_at is null or l.expires_at > $3) \
         then 'state' \
         when y.reminded is not null and ' ' || s.reminders || ' ' \
         not like '% ' || cast(y.reminded as text) || ' %' then 'reminded' end as col \
         from subscription_cycles y \
         left join subscriptions s on s.owner_id = $1 and s.id = y.subscription_id \
         left join payment_links l on l.owner_id = $1 and l.id = y.link_id \
         where y.owner_id = $1) as f \
         where f.col is not null order by f.subscription_id asc, f.number asc limit $2",
    );

    // Each link that was made for a cycle is of one that there is; besides the cycle's own none is paid, nor can one be
    // paid once the cycle is settled.
    LINKS = Sql::new(
        "select f.col, f.subscription_id, f.number from (select l.subscription_id, \
         l.cycle as number, case when y.number is null then 'number' \
         when l.id <> y.link_id and (l.state = 1 or (l.state = 0 and y.state in (1, 4) \
         and (l.expires_at is null or l.expires_at > $3))) then 'link_id' end as col \
         from payment_links l left join subscription_cycles y on y.owner_id = $1 \
         and y.subscription_id = l.subscription_id and y.number = l.cycle \
         where l.owner_id = $1 and l.subscription_id is not null) as f \
         where f.col is not null order by f.subscription_id asc, f.number asc limit $2",
    );

    // Until when its payer's page is open follows from a calendar, and where that began anew no statement reads.
    LIVING = Sql::new(concat!(
        "select ",
        columns!(),
        ", (select max(y.number) from subscription_cycles y where y.owner_id = $1 \
         and y.subscription_id = s.id) as latest from subscriptions s \
         where s.owner_id = $1 and s.ended_as is null and s.id > $2 order by s.id asc limit $3",
    ));
}

/// How many subscriptions are read at once.
const PAGE_ROWS: i64 = 500;

const FIGURES_RULE: Rule = Rule {
    table: "subscriptions",
    sql: &FIGURES,
    row: id::<SubscriptionId>,
    says: "not what its cycles and what it refers to ask for",
};

const CYCLES_RULE: Rule =
    Rule { table: "subscription_cycles", sql: &CYCLES, row: cycle, says: "not what its link says" };

const LINKS_RULE: Rule = Rule {
    table: "subscription_cycles",
    sql: &LINKS,
    row: cycle,
    says: "not that of a link which was made for it",
};

/// Names what is wrong with the owner's subscriptions.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    now: Timestamp,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let latest = [now.latest_believed(Duration::ZERO).into()];
    let rules: [(&Rule, &[Value]); 3] =
        [(&FIGURES_RULE, &[]), (&CYCLES_RULE, &latest), (&LINKS_RULE, &latest)];
    hold(tx, owner, &rules, found)?;
    living(tx, owner, found)
}

/// Names the subscriptions that live and whose payer's page closes sooner than 30 days after the grace of the newest
/// cycle, or whose calendar begins anew with a cycle that comes later than the next.
fn living(tx: &mut Tx<'_>, owner: OwnerId, found: &mut Vec<Difference>) -> Result<(), Fault> {
    let mut after = SubscriptionId::from_bytes([0; 16]);
    loop {
        let rows = tx.query(&LIVING, &[owner.into(), after.into(), PAGE_ROWS.into()])?;
        for row in &rows {
            after = row.get("id")?;
            if !has_reached_restarts(row)? {
                let says = "not restarts of a calendar, or of cycles that were not reached";
                name(found, "subscriptions.restarts", &after.to_string(), says);
                continue;
            }
            // One that cannot be read is named for that.
            let Ok(of) = read(row) else { continue };
            let latest: Option<i64> = row.get("latest")?;
            let latest = latest.and_then(|latest| u32::try_from(latest).ok()).unwrap_or_default();
            if of.page_until < of.lapses_at(latest).plus(PAGE_KEPT) {
                let says = "sooner than 30 days after the grace of its newest cycle";
                name(found, "subscriptions.page_until", &of.id.to_string(), says);
            }
        }
        if rows.len() < PAGE_ROWS as usize {
            return Ok(());
        }
    }
}

/// Tells whether each restart of a subscription's calendar is of a cycle that has begun or is the next one.
fn has_reached_restarts(row: &Row) -> Result<bool, Fault> {
    let (text, begun): (String, i64) = (row.get("restarts")?, row.get("begun")?);
    let is_reached = |last: Restart| i64::from(last.cycle) <= begun;
    let restarts = Restarts::from_stored(&text);
    Ok(restarts.is_some_and(|restarts| restarts.last().is_none_or(is_reached)))
}

/// Names a cycle by its subscription and its number.
fn cycle(_: OwnerId, row: &Row) -> Result<String, Fault> {
    let (of, number): (SubscriptionId, i64) = (row.get("subscription_id")?, row.get("number")?);
    Ok(format!("cycle {number} of {of}"))
}
