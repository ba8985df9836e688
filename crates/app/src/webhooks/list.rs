//! The operation: `GET /v1/webhooks/deliveries`.

use domain::access::ListDeliveries;
use store::delivery_pages::{self, Bounds, Filter, Found};

use crate::paging::{Paging, TOTAL_MAX};
use crate::{Act, App, Error};

/// Among how many of the newest deliveries of the days asked for those are looked for that are
/// filtered by more than a link: what one question reads at most.
const LOOKED_MAX: i64 = 20_000;

/// Lists deliveries, the newest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListDeliveries>,
    filter: Filter,
    paging: Paging,
) -> Result<Found, Error> {
    let (owner, now, span) = (act.owner(), act.now, paging.span());
    let (limit, offset) = paging.number.limit_and_offset();
    let bounds = Bounds { limit, offset, count_max: TOTAL_MAX, looked_max: LOOKED_MAX };
    let read = app
        .store
        .read(act.meter(), move |tx| delivery_pages::page(tx, owner, &filter, &span, bounds, now));
    Ok(read.await?)
}
