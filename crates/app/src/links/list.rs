//! The operation: `POST /me/payment-links`.

use domain::access::ListLinks;
use domain::links::Status;
use domain::text::Text;
use store::links::{self, Filter, Origin};

use super::LinkRecord;
use crate::accounts::scope;
use crate::paging::{Page, PageNumber, TOTAL_MAX};
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
    /// Which of their pages.
    pub number: PageNumber,
}

/// Lists the links that the caller sees of the accounts that it reaches, newest first. Its scope is applied before
/// pages are.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListLinks>,
    listing: Listing,
) -> Result<Page<LinkRecord>, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let (found, total) = app
        .store
        .read(act.meter(), move |tx| {
            let reached = scope(tx, owner, &caller)?;
            let banks = reached.map(|reached| reached.iter().map(|(bank, _)| *bank).collect());
            let Listing { origin, status, search, number } = listing.clone();
            let search = search.map(Text::into_string).filter(|text| !text.is_empty());
            let filter = Filter { banks, client: caller.client(), origin, status, search };
            let found = links::page(tx, owner, &filter, now, number.limit_and_offset())?;
            Ok((found, links::count(tx, owner, &filter, now, TOTAL_MAX)?))
        })
        .await?;
    let shown = found.into_iter().map(|link| LinkRecord::of(app, owner, link, now));
    Ok(Page { entries: shown.collect(), total })
}
