//! The operation: `PATCH /paymentlink/{payment_link_id}/patch`.

use std::sync::Arc;

use domain::access::ChangeLink;
use domain::ids::{LinkId, OwnerId};
use domain::links::{Currency, Decision, LinkAct};
use domain::refusal::{LinkRefusal, Refusal};
use domain::text::Text;
use domain::time::Timestamp;
use domain::url::UrlText;
use store::due::{self, Kind};
use store::fault::Fault;
use store::tx::Tx;
use store::{audit, links};

use super::create::{end_of, named};
use super::rate::{end_lock, shorten_lock};
use super::{FirstLock, Link, LinkDescription, LinkName, LinkRecord, check_reach, reached};
use crate::audit_entry::audited;
use crate::{Act, App, Error, Precondition, changes};

/// Change of a link; fields that it does not name stay.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The amount, in hundredths, above zero.
    pub hundredths: Option<i64>,
    /// What it is stated in.
    pub currency: Option<Currency>,
    /// Its label; where it is empty, the beginning of the description.
    pub name: Option<LinkName>,
    /// What it is for.
    pub description: Option<LinkDescription>,
    /// The address that is notified of its end.
    pub webhook_url: Option<UrlText>,
    /// Where the payer goes on.
    pub redirect_url: Option<UrlText>,
    /// For how many minutes from the change on; the inner nothing: for ever.
    pub expiration_minutes: Option<Option<i64>>,
    /// A JSON object that the caller keeps with it.
    pub metadata: Option<String>,
}

/// Changes a pending link. A payer who has the page open is asked to look at a new amount before
/// anything is checked. Another price ends the rate that is held, and has one held anew where one serves. What changes
/// nothing leaves no line in the audit trail.
///
/// # Errors
/// Not found; no longer pending, or not while a payer is being checked; what somebody else has changed meanwhile; an
/// address that webhooks may not go to; or a failure of the store.
pub async fn change(
    app: &Arc<App>,
    act: &Act<ChangeLink>,
    id: LinkId,
    change: Change,
    precondition: Precondition<Link>,
) -> Result<LinkRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    if let Some(url) = &change.webhook_url {
        // A caller who does not reach the link learns nothing of addresses.
        check_reach(app, act, id).await?;
        app.webhooks.check_url(url.as_str()).await?;
    }
    let entry = audited(app, act, id.to_string());
    let inner = Arc::clone(app);
    let changed = act
        .write(app, move |tx| {
            let former = reached(tx, owner, &caller, id)?;
            match former.standing.decide(LinkAct::Change, now) {
                Decision::Do => {}
                Decision::Wait => return Err(Refusal::RequestInProgress.into()),
                Decision::Done | Decision::Closed => {
                    return Err(Refusal::Link(LinkRefusal::Closed).into());
                }
            }
            precondition.check(&former)?;
            let mut link = with(former.clone(), change.clone(), now);
            let is_another = link != former;
            link.updated_at = now;
            let lock = if link.price == former.price {
                shorten_lock(tx, owner, &mut link, now)?;
                None
            } else {
                end_lock(tx, owner, &mut link, now)?;
                FirstLock::begin(tx, &inner, owner, &mut link, now)?
            };
            links::change(tx, owner, &link, now)?;
            if is_another {
                move_expiry(tx, owner, &former, &link)?;
                audit::insert_change(tx, owner, &entry, &changes::changed(&former, &link), now)?;
            }
            if let Some(lock) = lock {
                lock.write(tx, owner, id)?;
            }
            Ok(link)
        })
        .await?;
    Ok(LinkRecord::of(app, owner, changed, now))
}

/// The link with the change.
fn with(mut link: Link, change: Change, now: Timestamp) -> Link {
    link.price.hundredths = change.hundredths.unwrap_or(link.price.hundredths);
    link.price.currency = change.currency.unwrap_or(link.price.currency);
    link.description = change.description.map_or(link.description, Text::into_string);
    if change.name.is_some() {
        link.name = named(change.name, &link.description);
    }
    link.webhook_url = change.webhook_url.or(link.webhook_url);
    link.redirect_url = change.redirect_url.or(link.redirect_url);
    link.metadata = change.metadata.unwrap_or(link.metadata);
    if let Some(minutes) = change.expiration_minutes {
        link.expiration_minutes = minutes;
        // A clock that was set back since would end it before its minutes.
        link.standing.expires_at = end_of(minutes, now.max(link.created_at));
    }
    link
}

/// Moves the instant at which a receiver may have to be notified that the link's time is over.
fn move_expiry(tx: &mut Tx<'_>, owner: OwnerId, former: &Link, link: &Link) -> Result<(), Fault> {
    let at = |link: &Link| link.standing.expires_at.filter(|_| link.webhook_url.is_some());
    if at(former) == at(link) {
        return Ok(());
    }
    let subject = link.id.to_bytes();
    due::forget(tx, owner, Kind::LinkExpiry, subject)?;
    match at(link) {
        Some(expires_at) => due::insert(tx, owner, Kind::LinkExpiry, subject, expires_at),
        None => Ok(()),
    }
}
