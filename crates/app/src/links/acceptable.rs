//! What a person may choose from who accepts a payment for a link.

use domain::access::AcceptLink;
use domain::ids::LinkId;
use domain::links::Currency;
use domain::matching::Movement;
use domain::money::Bolivars;
use domain::rates::{RateLock, amounts};
use domain::time::CaracasDate;
use store::{accounts, links, movement_pages};

use super::{LinkRecord, NOT_FOUND, locks_of, within_reach};
use crate::{Act, App, Error};

/// Number of days whose movements are shown, today included.
const DAYS: i32 = 8;

/// How many movements of one amount are shown.
const MOVEMENTS_MAX: i64 = 25;

/// A link, and the movements that a person may accept as its payment.
#[derive(Clone, Debug)]
pub struct Acceptable {
    /// The link.
    pub record: LinkRecord,
    /// Our name of the provider of its account; empty where it has none.
    pub provider: String,
    /// Whether one may be accepted now.
    pub is_open: bool,
    /// What it has asked for in bolívares, the latest amount first. None where no rate was ever held.
    pub amounts: Vec<Bolivars>,
    /// Those of exactly such an amount that no payment claims, the latest first.
    pub movements: Vec<Movement>,
}

/// The movements of the link's account that may be accepted as its payment.
///
/// # Errors
/// Not found, also where the link is of an account out of reach; or a failure of the store.
pub async fn acceptable(app: &App, act: &Act<AcceptLink>, id: LinkId) -> Result<Acceptable, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let read = act.read(app, move |tx| {
        let link = links::find(tx, owner, id)?.ok_or(NOT_FOUND)?;
        let link = within_reach(tx, owner, &caller, link)?;
        let amounts = match link.price.currency {
            Currency::Vef => vec![Bolivars::from_hundredths(link.price.hundredths)],
            _ => {
                let locks: Vec<RateLock> = locks_of(tx, owner, &link)?;
                amounts(link.price, &locks, now).into_iter().map(|lock| lock.owed).collect()
            }
        };
        let today = CaracasDate::of(now);
        let days = today.plus_days(1 - DAYS)..=today.plus_days(1);
        let (mut movements, mut provider) = (Vec::new(), String::new());
        if let Some(account) = accounts::find(tx, owner, link.bank)? {
            for amount in &amounts {
                let of = (account.identity, *amount);
                let found = movement_pages::unclaimed(tx, owner, of, &days, MOVEMENTS_MAX)?;
                movements.extend(found);
            }
            provider = account.provider;
        }
        let is_open = link.standing.takes_accepted(link.updated_at, now);
        Ok((link, provider, is_open, (amounts, movements)))
    });
    let (link, provider, is_open, (amounts, movements)) = read.await?;
    let record = LinkRecord::of(app, owner, link, now);
    Ok(Acceptable { record, provider, is_open, amounts, movements })
}
