//! The operations on monthly limits: `GET|PUT /v1/api-keys/{id}/credit-limit` and
//! `GET|PUT /v1/clients/{id}/credit-limit`.

use domain::access::{
    SetClientCreditLimit, SetCreditLimit, ShowClientCreditLimit, ShowCreditLimit,
};
use domain::ids::{ClientId, KeyId, OwnerId};
use domain::money::Credits;
use domain::quota::{Limit, Usage};
use domain::refusal::Refusal;
use domain::time::CaracasMonth;
use store::credits::ActorMonth;
use store::fault::Fault;
use store::keys::Key;
use store::tx::Tx;
use store::{audit, clients, credits, keys};

use crate::audit_entry::audited;
use crate::changes::{MonthlyLimit, changed};
use crate::outcome::Outcome;
use crate::{Act, App, Error, Precondition};

/// Limit of a month, and how much of it was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditLimit {
    /// The month.
    pub month: CaracasMonth,
    /// Whether the limit is that of the key's client.
    pub inherited: bool,
    /// The limit in force now; `None`: no limit.
    pub monthly_credit_limit: Option<Credits>,
    /// What was charged: posted debits less refunds.
    pub consumed: Credits,
    /// How many operations were charged.
    pub operations: i64,
    /// What counts against the limit: what was charged and what is reserved, for a client's key of
    /// all keys of the client together.
    pub quota_used: Credits,
    /// What is left; `None` without a limit.
    pub remaining: Option<Credits>,
}

/// Shows a key's limit and what was used of it in a month, the current one where none is named.
///
/// # Errors
/// Not found, also where the key is out of the caller's sight; or a failure of the store.
pub async fn show(
    app: &App,
    act: &Act<ShowCreditLimit>,
    id: KeyId,
    month: Option<CaracasMonth>,
) -> Result<CreditLimit, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let month = month.unwrap_or_else(|| CaracasMonth::of(act.now));
    let shown = app
        .store
        .read(act.meter(), move |tx| {
            let seen = keys::find(tx, owner, id)?.filter(|key| caller.sees_key(id, key.client));
            let Some(key) = seen else { return Ok(None) };
            of_key(tx, owner, &key, month).map(Some)
        })
        .await?;
    Ok(shown.ok_or(Refusal::NotFound("api_key"))?)
}

/// Sets the limit of a standalone key. What was used stays used. A higher one asks for a proof. What changes nothing
/// leaves no line in the audit trail either.
///
/// # Errors
/// Not found, the limit is the client's, a proof that is missing, what somebody else has changed meanwhile; or a failure of the store.
pub async fn set(
    app: &App,
    act: &Act<SetCreditLimit>,
    id: KeyId,
    limit: Option<Credits>,
    precondition: Precondition<Option<Credits>>,
) -> Result<CreditLimit, Error> {
    let (owner, now) = (act.owner(), act.now);
    let (entry, proved) = (audited(app, act, id.to_string()), act.proved(app));
    let set = move |tx: &mut Tx<'_>| -> Outcome<CreditLimit> {
        let mut key = keys::find(tx, owner, id)?.ok_or(Refusal::NotFound("api_key"))?;
        if key.client.is_some() {
            return Err(Refusal::CreditLimitInherited.into());
        }
        let (former, new) = (key.monthly_credit_limit, limit.map(Credits::get));
        precondition.check(&former.map(Credits::new))?;
        if is_raised(former, new) {
            proved.clone()?;
        }
        if former != new {
            keys::set_limit(tx, owner, id, limit, now)?;
            let change = changed(&MonthlyLimit(former), &MonthlyLimit(new));
            audit::insert_change(tx, owner, &entry, &change, now)?;
            key.monthly_credit_limit = new;
        }
        Ok(of_key(tx, owner, &key, CaracasMonth::of(now))?)
    };
    act.write(app, set).await
}

/// Shows a client's quota and what was used of it in a month, the current one where none is named. A client's person is
/// shown that of its own client.
///
/// # Errors
/// Not found, also where the client is out of the caller's sight; or a failure of the store.
pub async fn show_for_client(
    app: &App,
    act: &Act<ShowClientCreditLimit>,
    id: ClientId,
    month: Option<CaracasMonth>,
) -> Result<CreditLimit, Error> {
    let (owner, not_found) = (act.owner(), Refusal::NotFound("client"));
    if !act.caller().sees_made_for(Some(id)) {
        return Err(not_found.into());
    }
    let month = month.unwrap_or_else(|| CaracasMonth::of(act.now));
    let read = app.store.read(act.meter(), move |tx| {
        let Some(client) = clients::find(tx, owner, id)? else { return Ok(None) };
        let limit = client.monthly_credit_limit.map(Credits::new);
        of_client(tx, owner, id, limit, month).map(Some)
    });
    Ok(read.await?.ok_or(not_found)?)
}

/// Sets the quota that all keys of a client share. What was used stays used. A higher one asks for a proof. What changes
/// nothing leaves no line in the audit trail either.
///
/// # Errors
/// Not found, a proof that is missing, or a failure of the store.
pub async fn set_for_client(
    app: &App,
    act: &Act<SetClientCreditLimit>,
    id: ClientId,
    limit: Option<Credits>,
) -> Result<CreditLimit, Error> {
    let (owner, now) = (act.owner(), act.now);
    let (entry, proved) = (audited(app, act, id.to_string()), act.proved(app));
    let set = move |tx: &mut Tx<'_>| -> Outcome<CreditLimit> {
        let client = clients::find(tx, owner, id)?.ok_or(Refusal::NotFound("client"))?;
        let (former, new) = (client.monthly_credit_limit, limit.map(Credits::get));
        if is_raised(former, new) {
            proved.clone()?;
        }
        if former != new {
            clients::set_limit(tx, owner, id, limit, now)?;
            let change = changed(&MonthlyLimit(former), &MonthlyLimit(new));
            audit::insert_change(tx, owner, &entry, &change, now)?;
        }
        Ok(of_client(tx, owner, id, limit, CaracasMonth::of(now))?)
    };
    act.write(app, set).await
}

/// Tells whether more may be spent under the new limit than under the former one. Without one, there is no end.
fn is_raised(former: Option<i64>, new: Option<i64>) -> bool {
    former.is_some_and(|former| new.is_none_or(|new| new > former))
}

/// The record of a client: its quota, and what all its callers used together.
fn of_client(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: ClientId,
    cap: Option<Credits>,
    month: CaracasMonth,
) -> Result<CreditLimit, Fault> {
    let used = credits::client_month(tx, owner, id, month)?;
    let limit = Limit { cap, usage: used.usage };
    Ok(record(month, false, limit, used.usage.posted, used.operations))
}

/// The record of a key: under its own limit, or under its client's.
fn of_key(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    key: &Key,
    month: CaracasMonth,
) -> Result<CreditLimit, Fault> {
    let own = credits::actor_month(tx, owner, key.id.into(), month)?;
    let Some(client) = key.client else {
        return Ok(standalone(key, month, &own));
    };
    let quota = clients::find(tx, owner, client)?
        .ok_or_else(|| Fault::broken("a key of a client that is missing"))?;
    let used = credits::client_month(tx, owner, client, month)?;
    let limit = Limit { cap: quota.monthly_credit_limit.map(Credits::new), usage: used.usage };
    Ok(record(month, true, limit, Credits::new(own.posted), own.operations))
}

fn standalone(key: &Key, month: CaracasMonth, own: &ActorMonth) -> CreditLimit {
    let usage = Usage { posted: Credits::new(own.posted), reserved: Credits::new(own.reserved) };
    let limit = Limit { cap: key.monthly_credit_limit.map(Credits::new), usage };
    record(month, false, limit, usage.posted, own.operations)
}

fn record(
    month: CaracasMonth,
    inherited: bool,
    limit: Limit,
    consumed: Credits,
    operations: i64,
) -> CreditLimit {
    CreditLimit {
        month,
        inherited,
        monthly_credit_limit: limit.cap,
        consumed,
        operations,
        quota_used: limit.usage.used(),
        remaining: limit.remaining(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month() -> CaracasMonth {
        CaracasMonth::parse("2026-11").unwrap()
    }

    fn used(posted: i64, reserved: i64) -> Usage {
        Usage { posted: Credits::new(posted), reserved: Credits::new(reserved) }
    }

    #[test]
    fn reservations_count_against_the_quota_and_not_as_consumed() {
        let limit = Limit { cap: Some(Credits::new(10)), usage: used(3, 2) };
        let record = record(month(), false, limit, Credits::new(3), 3);
        assert_eq!(record.consumed, Credits::new(3));
        assert_eq!(record.quota_used, Credits::new(5));
        assert_eq!(record.remaining, Some(Credits::new(5)));
    }

    #[test]
    fn a_limit_is_raised_by_more_and_by_none() {
        assert!(is_raised(Some(5), Some(6)) && is_raised(Some(0), None));
        assert!(!is_raised(Some(5), Some(5)) && !is_raised(Some(5), Some(4)));
        assert!(!is_raised(None, Some(9)) && !is_raised(None, None));
    }

    #[test]
    fn a_limit_below_what_was_used_leaves_nothing_and_none_leaves_null() {
        let lowered = Limit { cap: Some(Credits::new(2)), usage: used(3, 0) };
        assert_eq!(
            record(month(), false, lowered, Credits::new(3), 3).remaining,
            Some(Credits::ZERO)
        );
        let endless = Limit { cap: None, usage: used(3, 0) };
        assert_eq!(record(month(), false, endless, Credits::new(3), 3).remaining, None);
    }
}
