//! The operation: `GET /v1/notices`.

use domain::access::ListNotices;
use store::notices;
pub use store::notices::ListedNotice;

use crate::paging::{Page, Paging};
use crate::{Act, App, Error};

/// Lists the owner's notices of what went wrong, what happened last first: all, or those alone of money that exists or
/// does not.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListNotices>,
    livemode: Option<bool>,
    paging: Paging,
) -> Result<Page<ListedNotice>, Error> {
    let owner = act.owner();
    let (bounds, span) = (paging.number.bounds(), paging.span());
    let read =
        app.store.read(act.meter(), move |tx| notices::page(tx, owner, &span, livemode, bounds));
    Ok(read.await?)
}
