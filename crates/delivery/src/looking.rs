//! The loop that finds what is due and has it begin.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::EventId;
use domain::time::Timestamp;
use futures_util::FutureExt;
use futures_util::future::{Fuse, FusedFuture, select, select_all};
use store::Meter;
use store::deliveries::{self, Found};
use store::due::{Due, SCAN_MAX};
use store::fault::Fault;
use store::tx::Tx;

use crate::places::Entry;
use crate::{Deliveries, EVERY};

/// How many pages of what is due one look reads.
pub(crate) const PAGES_MAX: usize = 20;

/// How long only a page is read by each look, after one that may have read all of them while some
/// waited: where a long row of those waits, everybody's bells would have it read again and again.
pub(crate) const REST: Duration = Duration::from_millis(100);

/// How many deliveries a page has, but for the last.
const PAGE_LEN: usize = SCAN_MAX as usize;

impl Deliveries {
    /// Looks until `stop` comes. Attempts that have begun go on by themselves, to their ends.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop.fuse());
        let mut at = None;
        let mut rest = Fuse::terminated();
        loop {
            // It is over once somebody has seen its end.
            (&mut rest).now_or_never();
            let is_short = !rest.is_terminated();
            let pages = if is_short { 1 } else { PAGES_MAX };
            let waits = self.look(&mut at, pages).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "what is to be delivered could not be told");
                false
            });
            if waits && !is_short {
                rest = (self.outside.wait)(REST).fuse();
            }
            let next = async {
                let bell = self.bell.notified().boxed();
                let mut signs = vec![bell, (self.outside.wait)(EVERY)];
                if waits {
                    signs.push(self.places.freed().boxed());
                }
                // What a page did not show is looked for as soon as that may be.
                if waits && is_short {
                    signs.push((&mut rest).boxed());
                }
                select_all(signs).await;
            };
            // Whoever rings while nobody listens is heard by the next who does.
            if let futures_util::future::Either::Left(_) = select(stop.as_mut(), pin!(next)).await {
                return;
            }
        }
    }

    /// Has begin what is due and has a place, on so many pages behind `at`; answers whether something
    /// waits for one. What has no place is passed over, and the look that reaches the end begins again at
    /// the start: so everything that is due is reached in its turn, whatever lies before it.
    pub(crate) async fn look(
        self: &Arc<Self>,
        at: &mut Option<Due>,
        pages: usize,
    ) -> Result<bool, Fault> {
        let horizon = (self.outside.now)();
        let mut is_from_the_start = at.is_none();
        let mut waits = false;
        for _ in 0..pages {
            let found = self.page(horizon, *at).await?;
            for Found { due, receiver } in &found {
                let id = EventId::from_bytes(due.subject);
                match self.places.enter(id, due.owner, receiver) {
                    Entry::In(place) => {
                        let (this, owner) = (Arc::clone(self), due.owner);
                        let attempt = async move { this.attempt(owner, id, place).await };
                        (self.outside.spawn)(Box::pin(attempt));
                    }
                    // One that is known has been kept by now, and gives its place up in a moment.
                    Entry::Known | Entry::Crowded => waits = true,
                    // The next look begins with this one.
                    Entry::Full => return Ok(true),
                }
                *at = Some(*due);
            }
            if found.len() < PAGE_LEN {
                *at = None;
                if is_from_the_start {
                    return Ok(waits);
                }
                (is_from_the_start, waits) = (true, false);
            }
        }
        Ok(true)
    }

    async fn page(&self, horizon: Timestamp, after: Option<Due>) -> Result<Vec<Found>, Fault> {
        let scan = move |tx: &mut Tx<'_>| deliveries::scan(tx, horizon, after);
        self.store.read(&Meter::default(), scan).await
    }
}
