//! The audit of one owner's work in `due`: that each subject is there and wants to be attended to, that nothing waits
//! longer than its kind ever does, and that nothing which somebody must do is missing.

use std::time::Duration;

use domain::ids::OwnerId;
use domain::time::{CaracasMonth, Timestamp};
use domain::webhooks::DELAY_MAX;

use crate::difference::{Difference, Rule, hold, name};
use crate::due::Kind;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    // A fence counts the attempts that were kept, in its higher half.
    WAITING = Sql::new(
        "select f.col, f.kind, f.subject_id from (select d.kind, d.subject_id, case \
         when d.kind not in (2, 3, 4, 5, 6, 7, 8, 9) then 'kind' \
         when d.kind = 2 and (w.id is null or w.state <> 0) then 'subject_id' \
         when d.kind = 3 and l.id is null then 'subject_id' \
         when d.kind = 4 and (e.owner_id is null or d.subject_id <> d.owner_id) then 'subject_id' \
         when d.kind = 5 and d.subject_id <> d.owner_id then 'subject_id' \
         when d.kind = 6 and (r.id is null or r.state <> 0) then 'subject_id' \
         when d.kind in (7, 8) and (m.id is null or m.state <> 0 or m.is_notice <> (d.kind = 8)) then 'subject_id' \
         when d.kind = 9 and (s.id is null or s.ended_as is not null) then 'subject_id' \
         when d.fence < 1 or (d.kind = 2 and d.fence / 4294967296 > w.attempts) then 'fence' \
         when d.kind = 2 and d.due_at > $3 then 'due_at' \
         when d.kind = 3 and (l.expires_at is null or (d.due_at > l.expires_at and d.due_at > $4)) \
         then 'due_at' \
         when d.kind in (5, 6, 7, 8) and d.due_at > $5 then 'due_at' \
         when d.kind = 9 and d.due_at > $6 then 'due_at' end as col from due d \
         left join webhook_deliveries w on w.owner_id = $1 and w.id = d.subject_id \
         left join payment_links l on l.owner_id = $1 and l.id = d.subject_id \
         left join webhook_endpoints e on e.owner_id = $1 \
         left join webhook_redeliveries r on r.owner_id = $1 and r.id = d.subject_id \
         left join mails m on m.owner_id = $1 and m.id = d.subject_id \
         left join subscriptions s on s.owner_id = $1 and s.id = d.subject_id \
         where d.owner_id = $1) as f \
         where f.col is not null order by f.kind asc, f.subject_id asc limit $2",
    );

    // When an owner's month turns next, and the month that it was notified of last.
    TURN = Sql::new(
        "select d.due_at, e.month from due d join webhook_endpoints e on e.owner_id = $1 \
         where d.owner_id = $1 and d.kind = 4 and d.subject_id = $1",
    );

    // Work that nobody would do: an owner's daily work, the turn of its month, a job under way, a waiting mail, a
    // subscription that lives, the expiry of a link that is to be notified. Where a link's time is over, that may be done, or not be wanted.
    MISSING = Sql::new(
        "select 'subject_id' as col, f.kind, f.subject_id from \
         (select cast(5 as bigint) as kind, o.owner_id as subject_id \
         from owner_profiles o where o.owner_id = $1 \
         union all select 4, e.owner_id from webhook_endpoints e where e.owner_id = $1 \
         union all select 6, r.id from webhook_redeliveries r where r.owner_id = $1 and r.state = 0 \
         union all select case when m.is_notice then 8 else 7 end, m.id from mails m where m.owner_id = $1 and m.state = 0 \
         union all select 9, s.id from subscriptions s where s.owner_id = $1 and s.ended_as is null \
         union all select 3, l.id from payment_links l where l.owner_id = $1 and l.state = 0 \
         and l.webhook_url is not null and l.expires_at > $3 and not exists \
         (select 1 from subscription_cycles y where y.owner_id = $1 and y.state = 0 \
         and y.subscription_id = l.subscription_id and y.number = l.cycle)) as f \
         left join due d on d.owner_id = $1 and d.kind = f.kind and d.subject_id = f.subject_id \
         where d.kind is null order by f.kind asc, f.subject_id asc limit $2",
    );
}

/// How long a link's expiry is left alone at the most while a check of the link is under way.
const LINK_WAIT_MAX: Duration = Duration::from_secs(10);

/// The longest that a subscription is not looked at.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The longest that an owner's daily work waits, and longer than anybody holds a lease.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const WAITING_RULE: Rule =
    Rule { table: "due", sql: &WAITING, row: subject, says: "not that of work which waits" };

const MISSING_RULE: Rule = Rule {
    table: "due",
    sql: &MISSING,
    row: subject,
    says: "it is missing, and nobody will do it",
};

/// Names what is wrong with the owner's work.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    now: Timestamp,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let latest = |longest| now.latest_believed(longest);
    let longest = [DELAY_MAX, LINK_WAIT_MAX, DAY, WEEK].map(|longest| latest(longest).into());
    let present = [latest(Duration::ZERO).into()];
    hold(tx, owner, &[(&WAITING_RULE, &longest), (&MISSING_RULE, &present)], found)?;
    for row in tx.query(&TURN, &[owner.into()])? {
        let month = CaracasMonth::from_i64(row.get("month")?);
        if month.map(|month| month.next().start()) != Some(row.get("due_at")?) {
            let says = "not the end of the month that its owner was told of last";
            name(found, "due.due_at", &format!("MonthTurn of {owner}"), says);
        }
    }
    Ok(())
}

/// Names work by its kind and its subject, whose id has the prefix of no table.
fn subject(_: OwnerId, row: &Row) -> Result<String, Fault> {
    let number: i64 = row.get("kind")?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.number() == number);
    let kind = kind.map_or_else(|| format!("kind {number}"), |kind| format!("{kind:?}"));
    let bytes: Vec<u8> = row.get("subject_id")?;
    let subject: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{kind} {subject}"))
}
