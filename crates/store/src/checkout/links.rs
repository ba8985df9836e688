//! Payment links: what is asked of payers, and the ends that links are given.

/// Whether a check of the link `l` is open. It is among the latest that an hour allows, since it lapses
/// long before: so what is read stays the same, however many checks a link has had.
macro_rules! is_checking {
    () => {
        "exists (select 1 from (select state from verifications \
         where owner_id = $1 and link_id = l.id order by id desc limit 20) v where v.state = 0)"
    };
}

/// What is read of the link `l`.
macro_rules! columns {
    () => {
        concat!(
            "l.id, l.bank_id, l.actor_id, l.client_id, l.name, l.description, l.amount, l.currency, \
             l.webhook_url, l.redirect_url, l.metadata, l.origin, l.livemode, l.subscription_id, l.cycle, l.state, \
             l.is_stopped, l.status_detail, l.payment_id, l.expiration_minutes, l.rate_minutes, \
             l.expires_at, l.created_at, l.updated_at, ",
            is_checking!(),
            " as is_checking, l.expired_at, r.id as lock_id, r.rate, r.locked_at, r.value_date, \
             r.source, r.ends_at"
        )
    };
}

/// The link `l`, and the rate that was held for it last.
macro_rules! tables {
    () => {
        " from payment_links l left join rate_locks r \
         on r.owner_id = $1 and r.link_id = l.id and r.id = l.rate_lock_id "
    };
}

pub(crate) use {columns, is_checking, tables};

mod attempts;
mod held_rate;
mod link;
mod owing;
mod sealed;
mod waiting;

use domain::ids::{LinkId, OwnerId, PaymentId, RateLockId, SubscriptionId};
use domain::links::{Currency, Price, Standing, State};
use domain::money::Credits;
use domain::time::Timestamp;
use domain::url::UrlText;

use crate::fault::Fault;
use crate::list;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

pub use attempts::{lasting_answers, latest_attempts, nth_latest_failed_check};
pub use held_rate::HeldRate;
use held_rate::held_rate;
pub(crate) use link::search_text;
pub use link::{CycleOf, Link, Origin};
pub use owing::owing;
use sealed::seal;
pub use waiting::waits_in;

statements! {
    pub(crate) FIND = Sql::new(concat!(
        "select ",
        columns!(),
        tables!(),
        "where l.owner_id = $1 and l.id = $2",
    ));

    FIND_WITH_BALANCE = Sql::new(concat!(
        "select ",
        columns!(),
        ", (select balance from owners where owner_id = $1) as balance",
        tables!(),
        "where l.owner_id = $1 and l.id = $2",
    ));

    OWING = Sql::new(concat!(
        "select ",
        columns!(),
        " from (select id from payment_links where owner_id = $1 and bank_id = $2 \
         order by created_at desc, id desc limit $4) newest cross join payment_links l \
         left join rate_locks r on r.owner_id = $1 and r.link_id = l.id and r.id = l.rate_lock_id \
         where l.owner_id = $1 and l.id = newest.id and l.state in (0, 3) and l.is_stopped = false \
         and ((l.currency = 'VEF' and l.amount = $3) or (l.currency <> 'VEF' and exists \
         (select 1 from rate_locks k where k.owner_id = $1 and k.link_id = l.id and k.owed = $3))) \
         order by l.created_at desc, l.id desc limit $5",
    ));

    HOLD = Sql::new(
        "select id from payment_links where owner_id = $1 and id = $2 for no key update",
    );

    PENDING_OF = Sql::new(concat!(
        "select ",
        columns!(),
        tables!(),
        "where l.owner_id = $1 and l.subscription_id = $2 and l.subscription_id is not null \
         and l.state = 0 order by l.id asc",
    ));

    INSERT = Sql::new(
        "insert into payment_links (owner_id, id, bank_id, actor_id, client_id, name, \
         description, amount, currency, webhook_url, redirect_url, metadata, origin, livemode, \
         state, is_stopped, expiration_minutes, rate_minutes, expires_at, search, seal, \
         created_at, updated_at, subscription_id, cycle, rate_lock_id) values ($1, $2, $3, $4, $5, \
         $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, false, $15, $16, $17, $18, $19, $20, $20, \
         $21, $22, $23)",
    );

    // The first caller decides: there is one payment for a link. One that failed (2) is never paid,
    // whatever the caller read of it before; nor is one whose cycle another link has paid (1).
    PAY = Sql::new(
        "update payment_links set state = 1, payment_id = $2, status_detail = null, \
         rate_lock_id = $6, updated_at = $3 \
         where owner_id = $1 and id = $4 and state = $5 and state in (0, 3) and not exists \
         (select 1 from subscription_cycles c where c.owner_id = $1 and c.state = 1 \
         and c.subscription_id = payment_links.subscription_id and c.number = payment_links.cycle) \
         returning origin",
    );

    NOTE_EXPIRY_ANNOUNCED = Sql::new(
        "update payment_links set expired_at = $2 \
         where owner_id = $1 and id = $3 and state = 0 and expired_at is null",
    );

    LASTING_ANSWERS = Sql::new(
        "select v.query, v.error_code from (select query, state, error_code from verifications \
         where owner_id = $1 and link_id = $2 order by id desc limit $6) v \
         where v.state = 3 and v.error_code in ($3, $4, $5)",
    );

    END = Sql::new(
        "update payment_links set state = $2, status_detail = $3, updated_at = $4, canceled_at = $6, \
         seal = $7 where owner_id = $1 and id = $5 and state = 0",
    );

    SET_STOPPED = Sql::new(
        "update payment_links set is_stopped = $2, updated_at = $3 \
         where owner_id = $1 and id = $4 and state = 0",
    );

    CHANGE = Sql::new(
        "update payment_links set amount = $2, currency = $3, description = $4, \
         redirect_url = $5, search = $6, seal = $7, updated_at = $8, rate_lock_id = $10, name = $11, \
         webhook_url = $12, metadata = $13, expiration_minutes = $14, expires_at = $15 \
         where owner_id = $1 and id = $9 and state = 0",
    );

    HOLD_RATE = Sql::new(
        "update payment_links set rate_lock_id = $2, updated_at = $3 \
         where owner_id = $1 and id = $4 and state = 0",
    );

    // Those that were refused for want of credits have no verification. Ids are in the order of time, so that those
    // of a clock that was ahead would hide all others.
    LATEST_ATTEMPTS = Sql::new(
        "select a.asked_at, a.state from (select v.id, v.asked_at, v.state from \
         (select id, asked_at, state from verifications \
         where owner_id = $1 and link_id = $2 and id < $4 order by id desc limit $3) v \
         union all select r.id, r.refused_at, cast(3 as bigint) from \
         (select id, refused_at from refused_attempts \
         where owner_id = $1 and link_id = $2 and id < $4 order by id desc limit $3) r) a \
         order by a.id desc limit $3",
    );

    // Those that were confirmed, or whose bank could not answer, are not in the index that this
    // reads along.
    NTH_LATEST_FAILED_CHECK = Sql::new(
        "select asked_at from verifications where owner_id = $1 and bank_id = $2 \
         and link_id is not null and state in (0, 2, 3) \
         and (error_code is null or error_code <> 'USER_BANCK_BAD_PASSWORD') \
         and id < $4 order by id desc limit 1 offset $3",
    );

    // As its own index has them.
    WAITS_IN = Sql::new(
        "select w.id from (select id from payment_links where owner_id = $1 and currency = $2 \
         and state = 0 and currency <> 'VEF' and expires_at > $3 \
         and (cast($4 as bigint) = -1 or livemode = (cast($4 as bigint) = 1)) \
         order by expires_at asc limit 1) w \
         union all select n.id from (select id from payment_links where owner_id = $1 \
         and currency = $2 and state = 0 and currency <> 'VEF' and expires_at is null \
         and (cast($4 as bigint) = -1 or livemode = (cast($4 as bigint) = 1)) \
         order by expires_at asc limit 1) n",
    );
}

/// The link of that id.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: LinkId) -> Result<Option<Link>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// The link of that id, held until the transaction ends: checks of it neither begin nor end
/// meanwhile.
///
/// # Errors
/// A fault of the store.
pub fn find_held(tx: &mut Tx<'_>, owner: OwnerId, id: LinkId) -> Result<Option<Link>, Fault> {
    hold(tx, owner, id)?;
    // Read by a statement of its own, which sees what others committed while the first one waited.
    find(tx, owner, id)
}

/// Finds as [`find_held`] does, with the owner's balance, which is reported with a link's end.
///
/// # Errors
/// A fault of the store.
pub fn find_held_with_balance(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
) -> Result<Option<(Link, Credits)>, Fault> {
    hold(tx, owner, id)?;
    let found = tx.query_opt(&FIND_WITH_BALANCE, &[owner.into(), id.into()])?;
    found.map(|row| Ok((read(&row)?, Credits::new(row.get("balance")?)))).transpose()
}

/// Returns the links of these ids, in this order, in one wait.
///
/// # Errors
/// A fault of the store; an id without a link is one.
pub fn find_each(tx: &mut Tx<'_>, owner: OwnerId, ids: &[LinkId]) -> Result<Vec<Link>, Fault> {
    let rows = list::find_each(tx, &FIND, owner, ids.iter().copied())?;
    rows.iter().map(read).collect()
}

/// Returns the links of a subscription that were given no end yet.
///
/// # Errors
/// A fault of the store.
pub fn pending_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    subscription: SubscriptionId,
) -> Result<Vec<Link>, Fault> {
    tx.query(&PENDING_OF, &[owner.into(), subscription.into()])?.iter().map(read).collect()
}

/// Holds a link until the transaction ends.
///
/// # Errors
/// A fault of the store.
pub(crate) fn hold(tx: &mut Tx<'_>, owner: OwnerId, id: LinkId) -> Result<(), Fault> {
    tx.defer(&HOLD, [owner.into(), id.into()], Expect::Any)
}

/// Writes a new link. The rate lock that it names is to be written after it.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, link: &Link) -> Result<(), Fault> {
    let params = [
        owner.into(),
        link.id.into(),
        link.bank.into(),
        link.actor.into(),
        link.client.into(),
        link.name.as_str().into(),
        link.description.as_str().into(),
        link.price.hundredths.into(),
        link.price.currency.as_str().into(),
        link.webhook_url.as_ref().map(UrlText::as_str).into(),
        link.redirect_url.as_ref().map(UrlText::as_str).into(),
        link.metadata.as_str().into(),
        link.origin.as_str().into(),
        link.livemode.into(),
        link.expiration_minutes.into(),
        link.rate_minutes.into(),
        link.standing.expires_at.into(),
        link.search().into(),
        seal(owner, link).as_slice().into(),
        link.created_at.into(),
        link.cycle.map(|of| of.subscription).into(),
        link.cycle.map(|of| i64::from(of.number)).into(),
        link.held_rate.as_ref().map(|held| held.lock).into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Gives a link that is still in the state `was`, pending or canceled, the payment that is claimed for
/// it, by the rate of that lock where it asks for another currency; answers where the link came from, if it was.
///
/// # Errors
/// A fault of the store.
pub fn pay(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    (was, payment, lock): (State, PaymentId, Option<RateLockId>),
    now: Timestamp,
) -> Result<Option<Origin>, Fault> {
    let params =
        [owner.into(), payment.into(), now.into(), id.into(), was.number().into(), lock.into()];
    tx.query_opt(&PAY, &params)?.map(|row| origin(&row)).transpose()
}

/// Notes that the link's expiry is announced.
///
/// # Errors
/// A fault of the store; a link that has ended, or whose expiry was announced before, is one.
pub fn note_expiry_announced(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&NOTE_EXPIRY_ANNOUNCED, [owner.into(), now.into(), id.into()], Expect::Rows(1))
}

/// Writes the end of a link that its owner canceled or rejected, or that was tried as often as its owner lets payers
/// try. It was pending when it was read by [`find_held`] or its like before: so it is pending still, which need not be
/// waited for.
///
/// # Errors
/// A fault of the store.
pub fn end(tx: &mut Tx<'_>, owner: OwnerId, ended: &Link) -> Result<(), Fault> {
    let params = [
        owner.into(),
        ended.standing.state.number().into(),
        ended.status_detail.as_deref().into(),
        ended.updated_at.into(),
        ended.id.into(),
        ended.canceled_at().into(),
        seal(owner, ended).as_slice().into(),
    ];
    tx.defer(&END, params, Expect::Any)
}

/// Stops a pending link, or lets it go on.
///
/// # Errors
/// A fault of the store; a link that has ended is one.
pub fn set_stopped(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    is_stopped: bool,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), is_stopped.into(), now.into(), id.into()];
    tx.defer(&SET_STOPPED, params, Expect::Rows(1))
}

/// Writes what may change of a pending link: its texts, price, addresses, end, and what its caller keeps with it.
///
/// # Errors
/// A fault of the store; a link that has ended is one.
pub fn change(tx: &mut Tx<'_>, owner: OwnerId, link: &Link, now: Timestamp) -> Result<(), Fault> {
    let params = [
        owner.into(),
        link.price.hundredths.into(),
        link.price.currency.as_str().into(),
        link.description.as_str().into(),
        link.redirect_url.as_ref().map(UrlText::as_str).into(),
        link.search().into(),
        seal(owner, link).as_slice().into(),
        now.into(),
        link.id.into(),
        link.held_rate.as_ref().map(|held| held.lock).into(),
        link.name.as_str().into(),
        link.webhook_url.as_ref().map(UrlText::as_str).into(),
        link.metadata.as_str().into(),
        link.expiration_minutes.into(),
        link.standing.expires_at.into(),
    ];
    tx.defer(&CHANGE, params, Expect::Rows(1))
}

/// Notes the rate that is held for a pending link from now on.
///
/// # Errors
/// A fault of the store; a link that has ended is one.
pub fn hold_rate(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    lock: RateLockId,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), lock.into(), now.into(), id.into()];
    tx.defer(&HOLD_RATE, params, Expect::Rows(1))
}

pub(crate) fn read(row: &Row) -> Result<Link, Fault> {
    let broken = |what: &str| Fault::broken(format!("a payment link with a broken {what}"));
    let url = |column: &str| {
        let text: Option<String> = row.get(column)?;
        text.map(|text| UrlText::from_stored(&text)).transpose().map_err(|_| broken("address"))
    };
    let subscription: Option<SubscriptionId> = row.get("subscription_id")?;
    let number: Option<i64> = row.get("cycle")?;
    let cycle = match subscription.zip(number) {
        Some((subscription, number)) => {
            let number = u32::try_from(number).map_err(|_| broken("cycle"))?;
            Some(CycleOf { subscription, number })
        }
        None => None,
    };
    let currency: String = row.get("currency")?;
    Ok(Link {
        id: row.get("id")?,
        bank: row.get("bank_id")?,
        actor: row.get("actor_id")?,
        client: row.get("client_id")?,
        name: row.get("name")?,
        description: row.get("description")?,
        price: Price {
            hundredths: row.get("amount")?,
            currency: Currency::parse(&currency).ok_or_else(|| broken("currency"))?,
        },
        webhook_url: url("webhook_url")?,
        redirect_url: url("redirect_url")?,
        metadata: row.get("metadata")?,
        origin: origin(row)?,
        cycle,
        livemode: row.get("livemode")?,
        status_detail: row.get("status_detail")?,
        payment: row.get("payment_id")?,
        expiration_minutes: row.get("expiration_minutes")?,
        rate_minutes: row.get("rate_minutes")?,
        held_rate: held_rate(row)?,
        standing: Standing {
            state: State::from_number(row.get("state")?).ok_or_else(|| broken("state"))?,
            is_stopped: row.get("is_stopped")?,
            expires_at: row.get("expires_at")?,
            is_checking: row.get("is_checking")?,
            expired_at: row.get("expired_at")?,
        },
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn origin(row: &Row) -> Result<Origin, Fault> {
    Origin::parse(&row.get::<String>("origin")?)
        .ok_or_else(|| Fault::broken("a payment link with a broken origin"))
}

#[cfg(test)]
mod tests {
    use domain::links::ATTEMPTS_MAX;

    use super::*;

    #[test]
    fn an_open_check_is_looked_for_among_as_many_as_an_hour_allows() {
        let latest = format!("order by id desc limit {ATTEMPTS_MAX})");
        let listings = crate::link_pages::STATEMENTS.iter().map(|(_, sql)| sql.text());
        for text in listings.filter(|text| text.contains("from verifications")).chain([FIND.text()])
        {
            assert!(text.contains(&latest), "{text}");
        }
    }
}
