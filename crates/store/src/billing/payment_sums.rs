//! Payments added up, as statistics ask for them: written with each payment, in its transaction, under the lock of the
//! owner's row.

use domain::ids::{ActorId, BankId, ClientId, EmployeeId, KeyId, OwnerId};
use domain::links::{Currency, Price};
use domain::money::Bolivars;
use domain::statistics::{Period, SUM_MAX, Tally};
use domain::time::CaracasDate;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

/// Of the owner `$1`, the sums of a period that begins on the day `$3`, and of the one before it, which begins on `$2`:
/// payments, and amounts in millions and what is left of each, since the sum of whole amounts may be more than an
/// engine can add up.
macro_rules! tallies {
    () => {
        "cast(sum(case when s.day >= $3 then s.payments else 0 end) as bigint) as payments_now, \
         cast(sum(case when s.day >= $3 then s.amount / 1000000 else 0 end) as bigint) as millions_now, \
         cast(sum(case when s.day >= $3 then s.amount % 1000000 else 0 end) as bigint) as rest_now, \
         cast(sum(case when s.day >= $3 then s.received / 1000000 else 0 end) as bigint) as received_millions_now, \
         cast(sum(case when s.day >= $3 then s.received % 1000000 else 0 end) as bigint) as received_rest_now, \
         cast(sum(case when s.day < $3 then s.payments else 0 end) as bigint) as payments_before, \
         cast(sum(case when s.day < $3 then s.amount / 1000000 else 0 end) as bigint) as millions_before, \
         cast(sum(case when s.day < $3 then s.amount % 1000000 else 0 end) as bigint) as rest_before, \
         cast(sum(case when s.day < $3 then s.received / 1000000 else 0 end) as bigint) as received_millions_before, \
         cast(sum(case when s.day < $3 then s.received % 1000000 else 0 end) as bigint) as received_rest_before "
    };
}

pub(crate) use tallies;

/// The groups with the greatest sums first. What they are ordered by may be rounded; what is reported of them is not.
macro_rules! greatest_first {
    () => {
        "order by sum(case when s.day >= $3 then s.amount * 1.0 else 0 end) desc, \
         sum(case when s.day < $3 then s.amount * 1.0 else 0 end) desc, "
    };
}

pub(crate) use greatest_first;

/// The sums of accounts at the providers that are named in `$5`, or with `$6` at all others, up to the day `$4`; of what
/// the callers of the client `$7` claimed, or with the owner there of everybody's.
macro_rules! summed {
    () => {
        "from payment_sums s join user_banks b on b.owner_id = $1 and b.id = s.bank_id \
         and ($5 like '% ' || b.provider || ' %') <> $6 "
    };
}

macro_rules! within {
    () => {
        "where s.owner_id = $1 and s.day >= $2 and s.day <= $4 \
         and ($7 = $1 or s.caller_client_id = $7) "
    };
}

statements! {
    ADD = Sql::new(
        "insert into payment_sums (owner_id, day, currency, bank_id, client_id, actor_id, \
         caller_client_id, payments, amount, received) values ($1, $2, $3, $4, $5, $6, $10, 1, $7, $9) \
         on conflict (owner_id, day, currency, bank_id, client_id, actor_id, caller_client_id) do update \
         set payments = payment_sums.payments + 1, amount = \
         case when payment_sums.amount > $8 - excluded.amount then $8 \
         else payment_sums.amount + excluded.amount end, received = \
         case when payment_sums.received > $8 - excluded.received then $8 \
         else payment_sums.received + excluded.received end",
    );

    TOTALS = Sql::new(concat!(
        "select s.currency, ", tallies!(), summed!(), within!(),
        "group by s.currency order by s.currency asc"
    ));

    // Each day of both periods, by itself.
    BY_DAY = Sql::new(concat!(
        "select s.currency, s.day, ", tallies!(), summed!(), within!(),
        "group by s.currency, s.day order by s.currency asc, s.day asc"
    ));

    BY_BANK = Sql::new(concat!(
        "select s.currency, s.bank_id, b.description, b.client_id as held_by, ",
        tallies!(), summed!(), within!(),
        "and s.currency = $8 group by s.currency, s.bank_id, b.description, b.client_id ",
        greatest_first!(), "s.bank_id asc limit $9"
    ));

    BY_CLIENT = Sql::new(concat!(
        "select s.currency, c.id, c.name, c.id as held_by, ", tallies!(), summed!(),
        "left join clients c on c.owner_id = $1 and c.id = s.client_id ", within!(),
        "and s.currency = $8 group by s.currency, c.id, c.name ",
        greatest_first!(), "c.id asc limit $9"
    ));

    // What was claimed by sessions is one group, whosesoever they were.
    BY_KEY = Sql::new(concat!(
        "select s.currency, k.id, k.name, k.client_id as held_by, ", tallies!(), summed!(),
        "left join api_keys k on k.owner_id = $1 and k.id = s.actor_id ", within!(),
        "and s.currency = $8 group by s.currency, k.id, k.name, k.client_id ",
        greatest_first!(), "k.id asc limit $9"
    ));

    // What keys and the owner itself claimed is one group.
    BY_PERSON = Sql::new(concat!(
        "select s.currency, e.id, e.name, e.client_id as held_by, ", tallies!(), summed!(),
        "left join employees e on e.owner_id = $1 and e.id = s.actor_id ", within!(),
        "and s.currency = $8 group by s.currency, e.id, e.name, e.client_id ",
        greatest_first!(), "e.id asc limit $9"
    ));
}

/// A payment that is claimed: what it is added to.
#[derive(Clone, Copy, Debug)]
pub struct Claimed {
    /// The day on which it is claimed.
    pub day: CaracasDate,
    /// What it counts as.
    pub price: Price,
    /// The amount that the bank credited.
    pub received: Bolivars,
    /// The account as it is linked.
    pub bank: BankId,
    /// The client whose quota is charged.
    pub client: Option<ClientId>,
    /// Who is charged.
    pub actor: ActorId,
    /// The client of the caller.
    pub caller_client: Option<ClientId>,
}

/// Adds a payment to the sums of its day.
///
/// # Errors
/// A fault of the store.
pub fn add(tx: &mut Tx<'_>, owner: OwnerId, claimed: &Claimed) -> Result<(), Fault> {
    let Claimed { day, price, received, bank, client, actor, caller_client } = *claimed;
    let params = [
        owner.into(),
        day.days().into(),
        price.currency.as_str().into(),
        bank.into(),
        client.map_or(owner.to_bytes(), ClientId::to_bytes).into(),
        actor.into(),
        price.hundredths.into(),
        SUM_MAX.into(),
        received.hundredths().into(),
        caller_client.map_or(owner.to_bytes(), ClientId::to_bytes).into(),
    ];
    tx.defer(&ADD, params, Expect::Rows(1))
}

/// Which sums are asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The days. As many days before them are reported beside them.
    pub period: Period,
    /// The providers whose payments are of no money.
    pub sandbox: Vec<&'static str>,
    /// Whether those that are, or else those that are not, are asked for.
    pub livemode: bool,
    /// The client whose callers claimed them; `None`: all.
    pub client: Option<ClientId>,
}

impl Asked {
    /// The same of payments that are of no money.
    #[must_use]
    pub fn of_sandbox(&self) -> Self {
        Self { livemode: false, ..self.clone() }
    }

    /// The first seven parameters.
    fn params(&self, owner: OwnerId) -> Vec<Value> {
        let days = [self.period.before().from, self.period.from, self.period.to];
        self.params_from(owner, days.map(CaracasDate::days))
    }

    /// The same where the period is bounded by other numbers than those of days.
    pub(crate) fn params_from(&self, owner: OwnerId, bounds: [i64; 3]) -> Vec<Value> {
        let sandbox: String = self.sandbox.iter().map(|provider| format!(" {provider} ")).collect();
        let mut params = vec![owner.into()];
        params.extend(bounds.map(Value::from));
        let client = self.client.map_or(owner.to_bytes(), ClientId::to_bytes);
        params.extend([sandbox.into(), self.livemode.into(), client.into()]);
        params
    }
}

/// Sums of a period and of the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
    /// Of the period.
    pub now: Tally,
    /// Of the one before it.
    pub before: Tally,
}

/// The sums of something with an id and a name; of whatever has none, where there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<I> {
    /// The currency.
    pub currency: Currency,
    /// Its id.
    pub id: Option<I>,
    /// What it is called; nothing of what is not the client's any more whose callers are asked about.
    pub name: Option<String>,
    /// Its sums.
    pub tallies: Tallies,
}

/// The sums of each currency.
///
/// # Errors
/// A fault of the store.
pub fn totals(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
) -> Result<Vec<(Currency, Tallies)>, Fault> {
    let rows = tx.query(&TOTALS, &asked.params(owner))?;
    rows.iter().map(|row| Ok((read_currency(row)?, read_tallies(row)?))).collect()
}

/// The sums of each currency and day of both periods, each day in the one that it lies in.
///
/// # Errors
/// A fault of the store.
pub fn by_day(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
) -> Result<Vec<(Currency, CaracasDate, Tallies)>, Fault> {
    let read = |row: &Row| {
        let day = CaracasDate::from_days(row.get("day")?);
        let day = day.ok_or_else(|| Fault::broken("a sum with a broken day"))?;
        Ok((read_currency(row)?, day, read_tallies(row)?))
    };
    tx.query(&BY_DAY, &asked.params(owner))?.iter().map(read).collect()
}

/// The sums of each account in a currency, the greatest first, `limit` at most.
///
/// # Errors
/// A fault of the store.
pub fn by_bank(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    most: (Currency, i64),
) -> Result<Vec<Group<BankId>>, Fault> {
    let rows = grouped(tx, owner, &BY_BANK, asked, most)?;
    rows.iter().map(|row| group(row, asked, row.get("bank_id")?, "description")).collect()
}

/// The sums of each client in a currency, likewise.
///
/// # Errors
/// A fault of the store.
pub fn by_client(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    most: (Currency, i64),
) -> Result<Vec<Group<ClientId>>, Fault> {
    let rows = grouped(tx, owner, &BY_CLIENT, asked, most)?;
    rows.iter().map(|row| group(row, asked, row.get("id")?, "name")).collect()
}

/// The sums of each key in a currency, likewise.
///
/// # Errors
/// A fault of the store.
pub fn by_key(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    most: (Currency, i64),
) -> Result<Vec<Group<KeyId>>, Fault> {
    let rows = grouped(tx, owner, &BY_KEY, asked, most)?;
    rows.iter().map(|row| group(row, asked, row.get("id")?, "name")).collect()
}

/// The sums of each of the owner's people and its clients' in a currency, likewise.
///
/// # Errors
/// A fault of the store.
pub fn by_person(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    asked: &Asked,
    most: (Currency, i64),
) -> Result<Vec<Group<EmployeeId>>, Fault> {
    let rows = grouped(tx, owner, &BY_PERSON, asked, most)?;
    rows.iter().map(|row| group(row, asked, row.get("id")?, "name")).collect()
}

fn grouped(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    sql: &'static Sql,
    asked: &Asked,
    (currency, limit): (Currency, i64),
) -> Result<Vec<Row>, Fault> {
    let mut params = asked.params(owner);
    params.extend([currency.as_str().into(), limit.into()]);
    tx.query(sql, &params)
}

/// Reads a group of that id from a row; its name is in that column.
fn group<I>(row: &Row, asked: &Asked, id: Option<I>, name: &str) -> Result<Group<I>, Fault> {
    let (name, held_by): (Option<String>, Option<ClientId>) = (row.get(name)?, row.get("held_by")?);
    Ok(Group {
        currency: read_currency(row)?,
        id,
        name: name.filter(|_| asked.client.is_none() || held_by == asked.client),
        tallies: read_tallies(row)?,
    })
}

pub(crate) fn read_tallies(row: &Row) -> Result<Tallies, Fault> {
    Ok(Tallies {
        now: Tally {
            count: row.get("payments_now")?,
            sum: sum(row, ["millions_now", "rest_now"])?,
            received: sum(row, ["received_millions_now", "received_rest_now"])?,
        },
        before: Tally {
            count: row.get("payments_before")?,
            sum: sum(row, ["millions_before", "rest_before"])?,
            received: sum(row, ["received_millions_before", "received_rest_before"])?,
        },
    })
}

/// A sum that exceeds the greatest number is reported as that number.
fn sum(row: &Row, [millions, rest]: [&str; 2]) -> Result<i64, Fault> {
    let (millions, rest): (i64, i64) = (row.get(millions)?, row.get(rest)?);
    let sum = i128::from(millions) * 1_000_000 + i128::from(rest);
    Ok(i64::try_from(sum).unwrap_or(i64::MAX))
}

pub(crate) fn read_currency(row: &Row) -> Result<Currency, Fault> {
    Currency::parse(&row.get::<String>("currency")?)
        .ok_or_else(|| Fault::broken("a sum of a broken currency"))
}
