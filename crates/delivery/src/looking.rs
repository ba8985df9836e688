//! The loop that finds what is due and has it begin.

use std::pin::pin;
use std::sync::Arc;

use domain::ids::EventId;
use domain::time::Timestamp;
use futures_util::FutureExt;
use futures_util::future::{select, select_all};
use store::Meter;
use store::deliveries::{self, Found};
use store::due::Due;
use store::fault::Fault;
use store::tx::Tx;

use crate::places::Entry;
use crate::{Deliveries, EVERY};

/// How many pages of what is due one look reads.
const PAGES_MAX: usize = 20;

impl Deliveries {
    /// Looks until `stop` comes. Attempts that have begun go on by themselves, to their ends.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop.fuse());
        loop {
            let waits = self.look().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "what is to be delivered could not be told");
                false
            });
            let next = async {
                let bell = self.bell.notified().boxed();
                let mut signs = vec![bell, (self.outside.wait)(EVERY)];
                if waits {
                    signs.push(self.places.freed().boxed());
                }
                select_all(signs).await;
            };
            // Whoever rings while nobody listens is heard by the next who does.
            if let futures_util::future::Either::Left(_) = select(stop.as_mut(), pin!(next)).await {
                return;
            }
        }
    }

    /// Has everything begin that is due and has a place; answers whether something waits for one.
    async fn look(self: &Arc<Self>) -> Result<bool, Fault> {
        let horizon = (self.outside.now)();
        let (mut after, mut waits) = (None, false);
        for _ in 0..PAGES_MAX {
            let found = self.page(horizon, after).await?;
            let Some(last) = found.last() else { return Ok(waits) };
            after = Some(last.due);
            for Found { due, receiver } in &found {
                let id = EventId::from_bytes(due.subject);
                match self.places.enter(id, receiver) {
                    Entry::In(place) => {
                        let (this, owner) = (Arc::clone(self), due.owner);
                        let attempt = async move { this.attempt(owner, id, place).await };
                        (self.outside.spawn)(Box::pin(attempt));
                    }
                    Entry::Known => {}
                    Entry::Crowded => waits = true,
                    Entry::Full => return Ok(true),
                }
            }
        }
        Ok(true)
    }

    async fn page(&self, horizon: Timestamp, after: Option<Due>) -> Result<Vec<Found>, Fault> {
        let scan = move |tx: &mut Tx<'_>| deliveries::scan(tx, horizon, after);
        self.store.look_up(&Meter::default(), scan).await
    }
}
