//! Payments counted one by one, by what no sums are kept of: the hour of the claim, the payer's bank, and the
//! subscription whose cycle was paid.

use domain::ids::{ClientId, OwnerId, SubscriptionId};
use domain::links::Currency;
use domain::secret::PersonalText;
use domain::statistics::Period;

use crate::fault::Fault;
use crate::payment_sums::{Asked, Tallies, greatest_first, read_currency, read_tallies, tallies};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// The counts of each payment of the owner `$1`, like a row of its sums, of those claimed between the instants `$2` and
/// `$4`, by callers of the client `$7` or with the owner there by everybody; `$3` is where the period begins. An hour has 3,600,000,000 microseconds. What they have as `updated_at`, by which
/// they are found, is no more than some seconds later.
macro_rules! counted {
    () => {
        "from (select p.created_at as day, p.created_at / 3600000000 as hour, 1 as payments, coalesce(l.currency, 'VEF') as currency, \
         case when l.currency <> 'VEF' then l.amount else m.amount end as amount, m.amount as received, m.payer_bank, \
         l.subscription_id \
         from payments p join movements m on m.owner_id = $1 and m.id = p.movement_id \
         join verifications v on v.owner_id = $1 and v.id = p.verification_id \
         join user_banks b on b.owner_id = $1 and b.id = p.bank_id \
         and ($5 like '% ' || b.provider || ' %') <> $6 \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id \
         where p.owner_id = $1 and p.updated_at >= $2 and p.updated_at < cast($4 as bigint) + 10000000 \
         and p.created_at >= $2 and p.created_at < $4 and ($7 = $1 or p.client_id = $7)) s "
    };
}

statements! {
    // Each hour of both periods, by itself.
    BY_HOUR = Sql::new(concat!(
        "select s.currency, s.hour, ", tallies!(), counted!(),
        "group by s.currency, s.hour order by s.currency asc, s.hour asc"
    ));

    BY_PAYER_BANK = Sql::new(concat!(
        "select s.currency, s.payer_bank, ", tallies!(), counted!(),
        "where s.currency = $8 group by s.currency, s.payer_bank ",
        greatest_first!(), "s.payer_bank asc limit $9"
    ));

    // What paid no cycle of any subscription is one group.
    BY_SUBSCRIPTION = Sql::new(concat!(
        "select s.currency, s.subscription_id, n.name, n.product_name, n.customer_name, h.client_id as held_by, ",
        tallies!(), counted!(),
        "left join subscriptions n on n.owner_id = $1 and n.id = s.subscription_id \
         left join user_banks h on h.owner_id = $1 and h.id = n.bank_id \
         where s.currency = $8 \
         group by s.currency, s.subscription_id, n.name, n.product_name, n.customer_name, h.client_id ",
        greatest_first!(), "s.subscription_id asc limit $9"
    ));
}

/// Subscription that payments are grouped by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscribed {
    /// Its id.
    pub id: SubscriptionId,
    /// Its label, where its maker gave one.
    pub name: Option<String>,
    /// The product.
    pub product: String,
    /// The name of the customer.
    pub customer: PersonalText,
    /// The client that has its account.
    pub held_by: Option<ClientId>,
}

/// The counts of each currency and hour of both periods, each hour in the one that it lies in. An hour is a number: how
/// many have passed since 1970 at UTC.
///
/// # Errors
/// A fault of the store.
pub fn by_hour(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
) -> Result<Vec<(Currency, i64, Tallies)>, Fault> {
    let read = |row: &Row| Ok((read_currency(row)?, row.get("hour")?, read_tallies(row)?));
    tx.query(&BY_HOUR, &params(asked, owner))?.iter().map(read).collect()
}

/// The counts of each payer's bank in a currency, the greatest first, `limit` at most; of none where the bank did not
/// report any.
///
/// # Errors
/// A fault of the store.
pub fn by_payer_bank(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    (of, limit): (Currency, i64),
) -> Result<Vec<(Option<String>, Tallies)>, Fault> {
    let mut params = params(asked, owner);
    params.extend([of.as_str().into(), limit.into()]);
    let read = |row: &Row| Ok((row.get("payer_bank")?, read_tallies(row)?));
    tx.query(&BY_PAYER_BANK, &params)?.iter().map(read).collect()
}

/// The counts of each subscription in a currency, likewise; of none where no cycle was paid.
///
/// # Errors
/// A fault of the store.
pub fn by_subscription(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    (of, limit): (Currency, i64),
) -> Result<Vec<(Option<Subscribed>, Tallies)>, Fault> {
    let mut params = params(asked, owner);
    params.extend([of.as_str().into(), limit.into()]);
    let read = |row: &Row| Ok((subscribed(row)?, read_tallies(row)?));
    tx.query(&BY_SUBSCRIPTION, &params)?.iter().map(read).collect()
}

fn subscribed(row: &Row) -> Result<Option<Subscribed>, Fault> {
    let Some(id) = row.get::<Option<SubscriptionId>>("subscription_id")? else { return Ok(None) };
    let customer = PersonalText::new(row.get("customer_name")?);
    let (name, product) = (row.get("name")?, row.get("product_name")?);
    Ok(Some(Subscribed { id, name, product, customer, held_by: row.get("held_by")? }))
}

/// The first seven parameters.
fn params(asked: &Asked, owner: OwnerId) -> Vec<Value> {
    let Period { from, to } = asked.period;
    let begins = [asked.period.before().from, from, to.plus_days(1)];
    asked.params_from(owner, begins.map(|day| day.start().as_micros()))
}
