//! The operation: `POST /me/subscriptions`.

use std::sync::Arc;

use domain::access::ListSubscriptions;
use domain::text::Text;
use store::subscription_cycles;
use store::subscription_pages::{self, Filter, Status};

use super::SubscriptionRecord;
use crate::accounts::scope;
use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// Which subscriptions are asked for, and which page of them.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Status that they have now.
    pub status: Option<Status>,
    /// Text that is in their id, product, label or customer.
    pub search: Option<Text<0, 120>>,
    /// Mode that they are of: money that exists, or the test bank's.
    pub livemode: Option<bool>,
    /// Page of the list.
    pub number: PageNumber,
}

/// Lists the subscriptions that the caller sees of the accounts that it reaches, newest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &Arc<App>,
    act: &Act<ListSubscriptions>,
    listing: Listing,
) -> Result<Page<SubscriptionRecord>, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let Listing { status, search, livemode, number } = listing;
    let search = search.map(Text::into_string).filter(|text| !text.is_empty());
    let inner = Arc::clone(app);
    let read = app.store.read(act.meter(), move |tx| {
        let scope = scope(tx, owner, &caller)?;
        let filter = Filter { scope, status, search: search.clone(), livemode };
        let page = subscription_pages::page(tx, owner, &filter, now, number.bounds())?;
        let ids: Vec<_> = page.entries.iter().map(|of| of.id).collect();
        let mut owed = subscription_cycles::owed_of_each(tx, owner, &ids)?.into_iter();
        Ok(page.map(|of| {
            let owed = owed.next().unwrap_or_default();
            SubscriptionRecord::of(&inner, owner, (of, &owed), now).seen_by(&caller)
        }))
    });
    Ok(read.await?)
}
