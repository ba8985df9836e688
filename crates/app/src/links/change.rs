//! The operation: `PATCH /paymentlink/{payment_link_id}/patch`.

use domain::access::ChangeLink;
use domain::ids::LinkId;
use domain::links::{Currency, Decision, LinkAct};
use domain::refusal::Refusal;
use domain::text::Text;
use domain::url::UrlText;
use store::{audit, links};

use super::rate::end_lock;
use super::{Link, LinkDescription, LinkRecord, reached};
use crate::audit_entry::audited;
use crate::{Act, App, Error, Precondition, changes};

/// What is to change; what is not named stays.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The amount, in hundredths, above zero.
    pub hundredths: Option<i64>,
    /// What it is stated in.
    pub currency: Option<Currency>,
    /// What it is for.
    pub description: Option<LinkDescription>,
    /// Where the payer goes on.
    pub redirect_url: Option<UrlText>,
}

/// Changes a pending link. A payer who has the page open is asked to look at a new amount before
/// anything is checked. What changes nothing leaves no line in the audit trail.
///
/// # Errors
/// Not found; no longer pending, or not while a payer is being checked; what somebody else has changed meanwhile; or a
/// failure of the store.
pub async fn change(
    app: &App,
    act: &Act<ChangeLink>,
    id: LinkId,
    change: Change,
    precondition: Precondition<Link>,
) -> Result<LinkRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let entry = audited(app, act, id.to_string());
    let changed = act
        .write(app, move |tx| {
            let mut link = reached(tx, owner, &caller, id)?;
            match link.standing.decide(LinkAct::Change, now) {
                Decision::Do => {}
                Decision::Wait => return Err(Refusal::RequestInProgress.into()),
                Decision::Done | Decision::Closed => return Err(Refusal::LinkClosed.into()),
            }
            precondition.check(&link)?;
            let Change { hundredths, currency, description, redirect_url } = change.clone();
            let former = link.clone();
            link.price.hundredths = hundredths.unwrap_or(link.price.hundredths);
            link.price.currency = currency.unwrap_or(link.price.currency);
            link.description = description.map_or(link.description, Text::into_string);
            link.redirect_url = redirect_url.or(link.redirect_url);
            let is_another = link != former;
            link.updated_at = now;
            if link.price != former.price {
                end_lock(tx, owner, &mut link, now)?;
            }
            links::change(tx, owner, &link, now)?;
            if is_another {
                audit::insert_change(tx, owner, &entry, &changes::changed(&former, &link), now)?;
            }
            Ok(link)
        })
        .await?;
    Ok(LinkRecord::of(app, owner, changed, now))
}
