//! The audit of one owner's statistics: the sums of payments against the payments.

use std::collections::BTreeMap;

use domain::ids::{ActorId, BankId, ClientId, OwnerId};
use domain::statistics::SUM_MAX;
use domain::time::{CaracasDate, Timestamp};

use crate::difference::{Difference, Figures};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

/// Every offset from UTC that Caracas had or has is whole quarters of an hour, so that each quarter lies within one day.
const QUARTER_US: i64 = 15 * 60 * 1_000_000;

statements! {
    KEPT = Sql::new(
        "select day, currency as of_currency, bank_id, client_id as of_client, actor_id, \
         caller_client_id as of_caller, payments, amount, received \
         from payment_sums where owner_id = $1",
    );

    // What each counts as is decided by domain::statistics: the price of the link that it paid, where that is in another
    // currency.
    CLAIMED = Sql::new(
        "select p.created_at / $2 as quarter, coalesce(l.currency, 'VEF') as of_currency, p.bank_id, \
         coalesce(v.client_id, $1) as of_client, p.actor_id, coalesce(p.client_id, $1) as of_caller, \
         count(*) as count, \
         cast(sum(coalesce(l.amount, m.amount) / 100) as bigint) as whole, \
         cast(sum(coalesce(l.amount, m.amount) % 100) as bigint) as hundredths, \
         cast(sum(m.amount / 100) as bigint) as received_whole, \
         cast(sum(m.amount % 100) as bigint) as received_hundredths from payments p \
         join movements m on m.owner_id = $1 and m.id = p.movement_id \
         join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id and l.currency <> 'VEF' \
         where p.owner_id = $1 group by 1, 2, 3, 4, 5, 6",
    );
}

/// How many sums are named for one owner.
const NAMED_MAX: usize = 100;

/// Key of a sum: a day, a currency, an account, a client, who is charged, and the client of that caller.
type Place = (i64, String, BankId, ClientId, ActorId, ClientId);

/// A sum as it is kept, and as it is computed: payments, what they come to, and what the bank credited.
type Both = ([i64; 3], [i64; 3]);

/// Names the sums that are not those of the payments.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut sums: BTreeMap<Place, Both> = BTreeMap::new();
    for row in tx.query(&KEPT, &[owner.into()])? {
        sums.entry(place(&row, row.get("day")?)?).or_default().0 =
            [row.get("payments")?, row.get("amount")?, row.get("received")?];
    }
    for row in tx.query(&CLAIMED, &[owner.into(), QUARTER_US.into()])? {
        let begins = Timestamp::from_micros(row.get::<i64>("quarter")?.saturating_mul(QUARTER_US));
        let amount = in_two_parts(&row, ["whole", "hundredths"])?;
        let received = in_two_parts(&row, ["received_whole", "received_hundredths"])?;
        let computed = &mut sums.entry(place(&row, CaracasDate::of(begins).days())?).or_default().1;
        computed[0] = computed[0].saturating_add(row.get("count")?);
        computed[1] = computed[1].saturating_add(amount).min(SUM_MAX);
        computed[2] = computed[2].saturating_add(received).min(SUM_MAX);
    }
    let wrong = sums.into_iter().filter(|(_, (kept, computed))| kept != computed);
    for ((day, currency, bank, client, actor, _), (kept, computed)) in wrong.take(NAMED_MAX) {
        let day =
            CaracasDate::from_days(day).map_or_else(|| day.to_string(), |day| day.to_string());
        let client = if client.to_bytes() == owner.to_bytes() {
            "no client".to_owned()
        } else {
            client.to_string()
        };
        let of = format!("{currency} on {day}, {bank}, {client}, {}", actor.known_as(owner));
        for (at, column) in ["payments", "amount", "received"].into_iter().enumerate() {
            let (kept, computed) = (kept[at], computed[at]);
            if kept != computed {
                let what = format!("payment_sums.{column} of {of}");
                found.push(Difference { what, figures: Some(Figures { kept, computed }) });
            }
        }
    }
    Ok(())
}

/// An amount in two parts, neither of which is ever more than a number can be.
fn in_two_parts(row: &Row, [whole, hundredths]: [&str; 2]) -> Result<i64, Fault> {
    Ok(row.get::<i64>(whole)?.saturating_mul(100).saturating_add(row.get(hundredths)?))
}

fn place(row: &Row, day: i64) -> Result<Place, Fault> {
    let (currency, bank) = (row.get("of_currency")?, row.get("bank_id")?);
    let (client, actor) = (row.get("of_client")?, row.get("actor_id")?);
    Ok((day, currency, bank, client, actor, row.get("of_caller")?))
}
