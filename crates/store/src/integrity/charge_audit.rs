//! The audit of one owner's charges: what a payment, its line in the ledger and its attempt in the activity say is
//! what their verification says.

use domain::ids::{ActorId, OwnerId, PaymentId};
use domain::refusal::Code;

use crate::difference::{Difference, Figures, Rule, hold, id};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

/// The word of a verification's state, as its attempts have it.
macro_rules! word {
    () => {
        "case v.state when 1 then 'confirmed' when 2 then 'not_found' when 3 then 'refused' \
         when 4 then 'unknown' when 5 then 'expired' end"
    };
}

statements! {
    PAYMENTS = Sql::new(
        "select f.col, f.id from (select p.id, case \
         when m.id is null or m.identity_id <> v.identity_id then 'movement_id' \
         when p.bank_id <> v.bank_id then 'bank_id' \
         when p.actor_id <> v.actor_id then 'actor_id' \
         when p.client_id is distinct from v.caller_client_id then 'client_id' \
         when p.is_by_payer <> (m.typed is not null) then 'is_by_payer' \
         when p.params <> v.query then 'params' \
         when p.created_at is distinct from v.ended_at then 'created_at' end as col \
         from payments p left join movements m on m.owner_id = $1 and m.id = p.movement_id \
         left join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         where p.owner_id = $1) as f where f.col is not null order by f.id asc limit $2",
    );

    // Each has its place in the list of payments by the line that charges it, and the instant at which it was claimed, or
    // that of a millisecond behind the payment before it.
    LISTED = Sql::new(
        "select f.col, f.id from (select s.id, case when s.line <> s.charged_line then 'line' \
         when s.updated_at <> case when s.former between s.created_at - 999 and s.created_at + 4000000 \
         then s.former + 1000 else s.created_at end \
         then 'updated_at' end as col from (select p.id, p.line, c.line as charged_line, p.created_at, p.updated_at, \
         coalesce(lag(p.updated_at) over (order by c.line asc), 0) as former from payments p \
         join credit_movements c on c.owner_id = $1 and c.verification_id = p.verification_id \
         where p.owner_id = $1) as s) as f where f.col is not null order by f.id asc limit $2",
    );

    CHARGED_LINES = Sql::new(
        "select f.col, f.line from (select c.line, case \
         when c.movement_type <> 'debit' then 'movement_type' \
         when c.origin <> case when v.link_id is null then 'verification' \
         when l.subscription_id is null then 'payment_link' else 'subscription' end then 'origin' \
         when c.client_id is distinct from v.client_id then 'client_id' \
         when c.actor_id is distinct from v.actor_id then 'actor_id' \
         when c.month <> v.month then 'month' \
         when c.created_at is distinct from v.ended_at then 'created_at' end as col \
         from credit_movements c \
         left join verifications v on v.owner_id = $1 and v.id = c.verification_id \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id \
         where c.owner_id = $1 and c.verification_id is not null) as f \
         where f.col is not null order by f.line asc limit $2",
    );

    OTHER_LINES = Sql::new(
        "select f.col, f.line from (select c.line, case \
         when c.origin <> 'admin' then 'origin' \
         when c.movement_type <> case when c.amount > 0 then 'purchase' else 'adjustment' end \
         then 'movement_type' \
         when c.client_id is not null then 'client_id' when c.actor_id is not null then 'actor_id' \
         when c.ordinal is not null then 'ordinal' when c.request is not null then 'request' \
         end as col from credit_movements c \
         where c.owner_id = $1 and c.verification_id is null) as f \
         where f.col is not null order by f.line asc limit $2",
    );

    // Entries about a verification. A call that joins the search of another call is an attempt too, at an instant of
    // its own: it has the verification's end, or gave up before that (`$3` is the code).
    ATTEMPTS = Sql::new(concat!(
        "select f.col, f.actor_id, f.month, f.ordinal from (select a.actor_id, a.month, a.ordinal, case \
         when v.id is null then 'verification_id' \
         when a.actor_id <> v.actor_id then 'actor_id' \
         when a.status = 'refused' and a.error_code = $3 and v.link_id is null then null \
         when a.status is distinct from ", word!(), " then 'status' \
         when a.error_code is distinct from v.error_code then 'error_code' end as col \
         from activity a left join verifications v on v.owner_id = $1 and v.id = a.verification_id \
         where a.owner_id = $1 and a.verification_id is not null and a.status <> 'repeat') as f \
         where f.col is not null order by f.actor_id asc, f.month asc, f.ordinal asc limit $2"
    ));

    // Every entry, and those of repeats and of attempts that were refused without a verification.
    ENTRIES = Sql::new(
        "select f.col, f.actor_id, f.month, f.ordinal from (select a.actor_id, a.month, a.ordinal, case \
         when b.id is null then 'bank_id' \
         when a.provider <> b.provider then 'provider' \
         when a.latency_us < 0 then 'latency_us' \
         when a.status = 'repeat' and a.verification_id is not null and p.id is null \
         then 'verification_id' \
         when a.status = 'repeat' and a.error_code is not null then 'error_code' \
         when a.verification_id is null and a.status not in ('repeat', 'refused') then 'status' \
         when a.verification_id is null and a.status = 'refused' and a.error_code is null \
         then 'error_code' \
         when a.request_type not in ('payment_verification', 'payment_link') then 'request_type' \
         end as col from activity a \
         left join user_banks b on b.owner_id = $1 and b.id = a.bank_id \
         left join payments p on p.owner_id = $1 and p.verification_id = a.verification_id \
         where a.owner_id = $1) as f \
         where f.col is not null order by f.actor_id asc, f.month asc, f.ordinal asc limit $2",
    );

    // Verifications with the entry of the attempt that began them, and those that have ended.
    ENDED = Sql::new(concat!(
        "select (select count(distinct v.id) from activity a \
         join verifications v on v.owner_id = $1 and v.id = a.verification_id \
         where a.owner_id = $1 and a.status = ", word!(), " \
         and a.error_code is not distinct from v.error_code \
         and a.actor_id = v.actor_id and a.month = v.month and a.bank_id = v.bank_id \
         and a.created_at = v.ended_at and a.latency_us = case when v.ended_at > v.asked_at \
         then v.ended_at - v.asked_at else 0 end \
         and a.request_type = case when v.link_id is null then 'payment_verification' \
         else 'payment_link' end) as attempts, \
         (select count(*) from verifications where owner_id = $1 and state <> 0) as ended \
         from owners where owner_id = $1"
    ));
}

const RULES: [Rule; 5] = [
    Rule {
        table: "payments",
        sql: &PAYMENTS,
        row: id::<PaymentId>,
        says: "not what its verification says",
    },
    Rule {
        table: "payments",
        sql: &LISTED,
        row: id::<PaymentId>,
        says: "not its place among the owner's payments",
    },
    Rule {
        table: "credit_movements",
        sql: &CHARGED_LINES,
        row: line,
        says: "not what its verification says",
    },
    Rule {
        table: "credit_movements",
        sql: &OTHER_LINES,
        row: line,
        says: "not that of a line without a verification",
    },
    Rule { table: "activity", sql: &ENTRIES, row: entry, says: "not that of any attempt" },
];

const ATTEMPTS_RULE: Rule =
    Rule { table: "activity", sql: &ATTEMPTS, row: entry, says: "not what its verification says" };

/// Names what is wrong with the owner's charges.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let gave_up = [Code::BankNotAvailable.as_str().into()];
    let rules = RULES.each_ref().map(|rule| (rule, &[][..]));
    hold(tx, owner, &[&rules[..], &[(&ATTEMPTS_RULE, &gave_up[..])]].concat(), found)?;
    let row = tx.query_one(&ENDED, &[owner.into()])?;
    let (kept, computed) = (row.get("attempts")?, row.get("ended")?);
    if kept != computed {
        let what = "activity: attempts of the verifications that have ended".to_owned();
        found.push(Difference { what, figures: Some(Figures { kept, computed }) });
    }
    Ok(())
}

fn line(_: OwnerId, row: &Row) -> Result<String, Fault> {
    Ok(format!("line {}", row.get::<i64>("line")?))
}

fn entry(owner: OwnerId, row: &Row) -> Result<String, Fault> {
    let (actor, month, ordinal): (ActorId, i64, i64) =
        (row.get("actor_id")?, row.get("month")?, row.get("ordinal")?);
    Ok(format!("request {ordinal} of {} in month {month}", actor.known_as(owner)))
}
