//! The operation: `GET /v1/subscriptions/{subscription_id}/cycles`.

use std::sync::Arc;

use domain::access::ListCycles;
use domain::ids::SubscriptionId;
use domain::subscriptions::Period;
use domain::time::CaracasDate;
use store::subscription_cycles::{self, State};

use super::reached;
use crate::links::LinkRecord;
use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// A cycle as it is shown.
#[derive(Clone, Debug)]
pub struct CycleRecord {
    /// Its number, counted from zero.
    pub number: u32,
    /// Its state.
    pub state: State,
    /// The days that it is for.
    pub period: Period,
    /// The day on which it is due.
    pub due: CaracasDate,
    /// Its latest link, or the one that paid it.
    pub link: LinkRecord,
}

/// Lists the cycles that were opened of a subscription which the caller reaches, the latest first.
///
/// # Errors
/// Not found, also where it is out of reach; or a failure of the store.
pub async fn cycles(
    app: &Arc<App>,
    act: &Act<ListCycles>,
    id: SubscriptionId,
    number: PageNumber,
) -> Result<Page<CycleRecord>, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let inner = Arc::clone(app);
    act.read(app, move |tx| {
        let of = reached(tx, owner, &caller, id)?;
        let page = subscription_cycles::page(tx, owner, id, number.bounds())?;
        let ids: Vec<_> = page.entries.iter().map(|cycle| cycle.link).collect();
        let mut links = store::links::find_each(tx, owner, &ids)?.into_iter();
        let mut entries = Vec::with_capacity(page.entries.len());
        for (cycle, link) in page.entries.into_iter().zip(links.by_ref()) {
            entries.push(CycleRecord {
                number: cycle.number,
                state: cycle.state,
                period: of.terms.schedule.period(cycle.number),
                due: of.terms.due_day(cycle.number),
                link: LinkRecord::of(&inner, owner, link, now),
            });
        }
        Ok(Page { entries, total: page.total })
    })
    .await
}
