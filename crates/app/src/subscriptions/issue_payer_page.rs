//! The operation `POST /v1/subscriptions/{subscription_id}/payer-page`.

use std::sync::Arc;

use domain::access::IssuePayerPage;
use domain::ids::{PayerPageId, SubscriptionId};
use store::subscriptions::Subscription;
use store::{audit, subscriptions as rows};

use super::{SubscriptionRecord, reached, record};
use crate::audit_entry::audited;
use crate::changes::{self, PayerPageStands};
use crate::{Act, App, Error};

/// Gives out the address of a subscription's page for its payer, which is open for 30 days from then on at least;
/// another address, where the former one is to lead nowhere any more. A subscription that has ended has a page, too: its
/// payer may want to see what was paid.
///
/// # Errors
/// Not found; or a failure of the store.
pub async fn issue_payer_page(
    app: &Arc<App>,
    act: &Act<IssuePayerPage>,
    id: SubscriptionId,
    is_replaced: bool,
) -> Result<SubscriptionRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let entry = audited(app, act, id.to_string());
    let other = is_replaced.then(|| PayerPageId::new(&*app.ids));
    let inner = Arc::clone(app);
    act.write(app, move |tx| {
        let of = reached(tx, owner, &caller, id)?;
        let page = other.unwrap_or(of.page);
        let issued = Subscription { page, ..of.clone() }.with_page_kept(now);
        if issued == of {
            return Ok(record(tx, &inner, owner, of, now)?);
        }
        let (before, after) = (PayerPageStands::of(&of), PayerPageStands::of(&issued));
        audit::insert_change(tx, owner, &entry, &changes::changed(&before, &after), now)?;
        rows::keep_page(tx, owner, &of, issued.page_until, now)?;
        if let Some(other) = other {
            rows::set_page(tx, owner, id, other, now)?;
        }
        Ok(record(tx, &inner, owner, Subscription { updated_at: now, ..issued }, now)?)
    })
    .await
}
