//! The operation `GET /v1/subscriptions/{subscription_id}/cycles`, and the cycle that is to be paid first.

use std::sync::Arc;

use domain::access::ListCycles;
use domain::ids::{OwnerId, SubscriptionId};
use domain::subscriptions::Period;
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::links::Link;
use store::subscription_cycles::{self, Cycle, State};

use super::{Subscription, reached, rules};
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

impl CycleRecord {
    fn of(
        app: &App,
        owner: OwnerId,
        of: &Subscription,
        (cycle, link): (Cycle, Link),
        now: Timestamp,
    ) -> Self {
        Self {
            number: cycle.number,
            state: cycle.state,
            period: of.terms.schedule.period(cycle.number),
            due: of.terms.due_day(cycle.number),
            link: LinkRecord::of(app, owner, link, now),
        }
    }
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
        let links = store::links::find_each(tx, owner, &ids)?;
        let each = page.entries.into_iter().zip(links);
        let entries = each.map(|each| CycleRecord::of(&inner, owner, &of, each, now)).collect();
        Ok(Page { entries, total: page.total })
    })
    .await
}

/// Finds the first cycle that is owed of a subscription which the caller reaches. `None` where nothing is.
///
/// # Errors
/// Not found, also where it is out of reach; or a failure of the store.
pub async fn owed_cycle(
    app: &Arc<App>,
    act: &Act<ListCycles>,
    id: SubscriptionId,
) -> Result<Option<CycleRecord>, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let inner = Arc::clone(app);
    act.read(app, move |tx| {
        let of = reached(tx, owner, &caller, id)?;
        let owed = subscription_cycles::owed(tx, owner, id)?;
        let first = rules(&of, &owed).owed().next().map(|cycle| cycle.number);
        let Some(cycle) = owed.into_iter().find(|cycle| Some(cycle.number) == first) else {
            return Ok(None);
        };
        let link = store::links::find_each(tx, owner, &[cycle.link])?.pop();
        let link = link.ok_or_else(|| Fault::broken("a cycle without its link"))?;
        Ok(Some(CycleRecord::of(&inner, owner, &of, (cycle, link), now)))
    })
    .await
}
