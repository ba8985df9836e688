//! The operation: `POST /pay/{payment_link_id}/rate`. A payer has a rate held, and so learns how many bolívares a
//! link in another currency asks for, once the first rate has ended that was held when the link was made.
//!
//! Opening the page holds nothing: previews of messages open links too.

use std::sync::Arc;

use domain::access::HoldRate;
use domain::ids::{LinkId, NoticeId, OwnerId, RateLockId};
use domain::links::Currency;
use domain::notices::Notice;
use domain::rates::RateLock;
use domain::refusal::{LinkRefusal, Refusal};
use domain::time::Timestamp;
use store::tx::Tx;
use store::{Lane, links, notices, rate_locks};

use super::NOT_FOUND;
use super::checkout::{self, Closed};
use super::rate::doubt_of;
use crate::outcome::{Outcome, as_answer};
use crate::rates::serving;
use crate::{Act, App, Error};

/// Holds the rate of the day for the link's payer. While one is held, and for a link in bolívares, nothing changes.
///
/// # Errors
/// Not found; the link takes no payment now; no rate serves, or what is owed by it is no amount
/// that can be paid, of which its owner is notified; or a failure of the store.
pub async fn hold_rate(app: &Arc<App>, act: &Act<HoldRate>, id: LinkId) -> Result<(), Error> {
    let checkout = checkout::look(app, act, id, None).await?;
    if matches!(checkout.closed, Some(Closed::Unavailable | Closed::InReview)) {
        return Err(Refusal::Link(LinkRefusal::Closed).into());
    }
    let (owner, now) = (checkout.owner(), act.now);
    let (lock, notice) = (RateLockId::new(&*app.ids, now), NoticeId::new(&*app.ids, now));
    let hold = move |tx: &mut Tx<'_>| as_answer(hold(tx, owner, id, (lock, notice), now));
    app.store.write(act.meter(), Lane::Admission, owner, hold).await??;
    Ok(())
}

fn hold(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    (lock, notice): (RateLockId, NoticeId),
    now: Timestamp,
) -> Outcome<()> {
    let link = links::find_held(tx, owner, id)?.ok_or(NOT_FOUND)?;
    if !link.standing.takes_attempts(now) {
        return Err(Refusal::Link(LinkRefusal::Closed).into());
    }
    let locks = rate_locks::latest(tx, owner, id)?;
    let is_held = locks.iter().any(|lock| lock.price == link.price && lock.holds(now));
    if is_held || link.price.currency == Currency::Vef {
        return Ok(());
    }
    let rate = serving(tx, owner, link.price.currency, now)?;
    let Some(rate) = rate else {
        notices::notify(tx, owner, notice, &Notice::rate_missing(id), now)?;
        return Err(Refusal::RateNotAvailable.into());
    };
    if rate.rate.owed(link.price.hundredths).is_none() {
        notices::notify(tx, owner, notice, &Notice::amount_unpayable(id), now)?;
        return Err(Refusal::AmountNotValid { bank_amount: None }.into());
    }
    let until = (link.rate_minutes, link.standing.expires_at);
    let begun = RateLock::begin(lock, link.price, &rate, until, now);
    let begun = begun.ok_or(Refusal::Link(LinkRefusal::Closed))?;
    rate_locks::insert(tx, owner, id, &begun)?;
    links::hold_rate(tx, owner, id, begun.id, now)?;
    if let Some(in_doubt) = doubt_of(tx, owner, id, &rate, now)? {
        notices::notify(tx, owner, notice, &in_doubt, now)?;
    }
    Ok(())
}
