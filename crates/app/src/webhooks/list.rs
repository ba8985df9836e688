//! The operation: `GET /v1/webhooks/deliveries`.

use domain::access::ListDeliveries;
use domain::refusal::Refusal;
use store::delivery_pages::{self, Filter, Found};

use crate::paging::Paging;
use crate::{Act, App, Error, links};

/// Among how many of the newest deliveries of the days asked for those are looked for that are
/// filtered by more than a link: what one question reads at most.
const LOOKED_MAX: i64 = 20_000;

/// Lists deliveries, the newest first. A client's caller is shown those of one link that it sees.
///
/// # Errors
/// A link that is out of reach, or none where one is needed; or a failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListDeliveries>,
    filter: Filter,
    paging: Paging,
) -> Result<Found, Error> {
    if act.caller().client().is_some() {
        let problem =
            ("hace falta: el id de un enlace suyo", "is needed: the id of a link of yours");
        let link = filter.link.ok_or_else(|| Refusal::invalid("payment_link_id", problem))?;
        links::check_reach(app, act, link).await?;
    }
    let (owner, now, span) = (act.owner(), act.now, paging.span());
    let bounds = (paging.number.bounds(), LOOKED_MAX);
    let read = app
        .store
        .read(act.meter(), move |tx| delivery_pages::page(tx, owner, &filter, &span, bounds, now));
    Ok(read.await?)
}
