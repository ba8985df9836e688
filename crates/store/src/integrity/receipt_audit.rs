//! The audit of one owner's receipts: that each payment of a link, and each that a person verified, has one that was made
//! with it, and another payment one alone that a person had made afterwards; and that their numbers have no gap.

use domain::ids::{OwnerId, PaymentId, ReceiptId};

use crate::difference::{Difference, Rule, hold, id};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    // The ids of owners, employees and keys are never the same.
    MISSING = Sql::new(
        "select 'payment_id' as col, p.id from payments p \
         join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         left join receipts c on c.owner_id = $1 and c.payment_id = p.id \
         left join employees e on e.owner_id = $1 and e.id = p.actor_id \
         left join employees i on i.owner_id = $1 and i.id = c.issued_by \
         where p.owner_id = $1 and case \
         when v.link_id is not null or p.actor_id = p.owner_id or e.id is not null \
         then c.id is null or c.issued_by is not null \
         else c.id is not null and i.id is null and c.issued_by is distinct from c.owner_id end \
         order by p.id asc limit $2",
    );

    FACTS = Sql::new(
        "select f.col, f.id from (select c.id, case \
         when p.id is null then 'payment_id' \
         when l.id is not null and l.livemode <> c.livemode then 'livemode' \
         when (c.voided_at is null) <> (c.void_reason is null) then 'voided_at' end as col \
         from receipts c \
         left join payments p on p.owner_id = $1 and p.id = c.payment_id \
         left join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id \
         where c.owner_id = $1) as f where f.col is not null order by f.id asc limit $2",
    );

    // Where the store was put back from a copy, numbers are left out between the highest that it has and the next.
    NUMBERS = Sql::new(
        "select 'last' as col, n.livemode from receipt_numbers n where n.owner_id = $1 and (n.last <> n.skipped + \
         (select count(*) from receipts c where c.owner_id = $1 and c.livemode = n.livemode) \
         or (n.skipped = 0 and n.last is distinct from \
         (select max(c.number) from receipts c where c.owner_id = $1 and c.livemode = n.livemode)) \
         or n.last < \
         (select max(c.number) from receipts c where c.owner_id = $1 and c.livemode = n.livemode)) \
         order by n.livemode asc limit $2",
    );

    UNCOUNTED = Sql::new(
        "select 'last' as col, c.id from receipts c where c.owner_id = $1 and not exists \
         (select 1 from receipt_numbers n where n.owner_id = $1 and n.livemode = c.livemode) \
         order by c.id asc limit $2",
    );
}

const RULES: [Rule; 4] = [
    Rule {
        table: "receipts",
        sql: &MISSING,
        row: id::<PaymentId>,
        says: "of a link or of a person has a receipt, and another one where a person had it made",
    },
    Rule {
        table: "receipts",
        sql: &FACTS,
        row: id::<ReceiptId>,
        says: "not what its payment says",
    },
    Rule { table: "receipt_numbers", sql: &NUMBERS, row: mode, says: "the numbers have a gap" },
    Rule {
        table: "receipt_numbers",
        sql: &UNCOUNTED,
        row: id::<ReceiptId>,
        says: "a number that nobody has counted",
    },
];

/// Names what is wrong with the owner's receipts.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let rules = RULES.each_ref().map(|rule| (rule, [].as_slice()));
    hold(tx, owner, &rules, found)
}

/// Names the receipts that are numbered together.
fn mode(_: OwnerId, row: &Row) -> Result<String, Fault> {
    let is_live: bool = row.get("livemode")?;
    Ok(if is_live { "receipts" } else { "receipts of test money" }.to_owned())
}
