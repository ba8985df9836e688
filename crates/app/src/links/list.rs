//! The operation: `POST /me/payment-links`.

use domain::access::ListLinks;
use domain::links::Status;
use domain::text::Text;
use domain::time::Timestamp;
use store::link_pages::{self, Filter};
use store::links::Origin;

use super::LinkRecord;
use crate::accounts::scope;
use crate::paging::{Page, Paging};
use crate::{Act, App, Error};

/// Which links are asked for, and which page of them.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Those that come from there alone.
    pub origin: Option<Origin>,
    /// Those that are this now.
    pub status: Option<Status>,
    /// Those whose id, name or description has this text.
    pub search: Option<Text<0, 120>>,
    /// Narrows the links to those of money that exists, or to those of the test bank.
    pub livemode: Option<bool>,
    /// Which of their pages, and on which days they were made.
    pub paging: Paging,
}

/// Among how many of the newest links of the days asked for those are looked for that are asked for by more than whose they
/// are: what one question looks through.
const LOOKED_MAX: u32 = 20_000;

/// A page of links.
#[derive(Clone, Debug)]
pub struct Found {
    /// The links, and how many there are.
    pub page: Page<LinkRecord>,
    /// Where they were not all looked at: since when they were.
    pub looked_since: Option<Timestamp>,
}

impl Found {
    /// No link, where none can be as it is asked for.
    #[must_use]
    pub fn none() -> Self {
        Self { page: Page { entries: Vec::new(), total: 0 }, looked_since: None }
    }
}

/// Lists the links that the caller sees of the accounts that it reaches, newest first. Its scope is applied before
/// pages are.
///
/// # Errors
/// A failure of the store.
pub async fn list(app: &App, act: &Act<ListLinks>, listing: Listing) -> Result<Found, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let read = app.store.read(act.meter(), move |tx| {
        let scope = scope(tx, owner, &caller)?;
        let Listing { origin, status, search, livemode, paging } = listing.clone();
        let search = search.map(Text::into_string).filter(|text| !text.is_empty());
        let mut filter = Filter { span: paging.span(), scope, origin, status, search, livemode };
        let looked_since = link_pages::bound(tx, owner, &mut filter, now, LOOKED_MAX)?;
        Ok((link_pages::page(tx, owner, &filter, now, paging.number.bounds())?, looked_since))
    });
    let (page, looked_since) = read.await?;
    Ok(Found { page: page.map(|link| LinkRecord::of(app, owner, link, now)), looked_since })
}
