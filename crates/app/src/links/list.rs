//! The operation: `POST /me/payment-links`.

use domain::access::ListLinks;
use domain::links::Status;
use domain::text::Text;
use store::links::{self, Filter, Origin};

use super::LinkRecord;
use crate::accounts::scope;
use crate::{Act, App, Error};

/// How far the links that a filter lets through are counted.
pub const COUNTED_MAX: i64 = 10_001;

/// Which links are asked for, and which page of them.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Those that come from there alone.
    pub origin: Option<Origin>,
    /// Those that are this now.
    pub status: Option<Status>,
    /// Those whose id, name or description has this text.
    pub search: Option<Text<0, 120>>,
    /// From 1 on.
    pub page: u32,
    /// How many a page has.
    pub limit: u32,
}

/// A page of links.
#[derive(Clone, Debug)]
pub struct LinkPage {
    /// The links, newest first.
    pub links: Vec<LinkRecord>,
    /// How many there are on all pages, counted up to [`COUNTED_MAX`].
    pub total: i64,
}

/// Lists the links of the accounts that the caller reaches. Its scope is applied before pages are.
///
/// # Errors
/// A failure of the store.
pub async fn list(app: &App, act: &Act<ListLinks>, listing: Listing) -> Result<LinkPage, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let (found, total) = app
        .store
        .read(act.meter(), move |tx| {
            let banks = scope(tx, owner, &caller)?;
            let Listing { origin, status, search, page, limit } = listing.clone();
            let search = search.map(Text::into_string).filter(|text| !text.is_empty());
            let filter = Filter { banks, origin, status, search };
            let (limit, page) = (i64::from(limit), i64::from(page));
            let found = links::page(tx, owner, &filter, now, (limit, (page - 1) * limit))?;
            Ok((found, links::count(tx, owner, &filter, now, COUNTED_MAX)?))
        })
        .await?;
    let shown = found.into_iter().map(|link| LinkRecord::of(app, owner, link, now));
    Ok(LinkPage { links: shown.collect(), total })
}
