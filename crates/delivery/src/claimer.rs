//! Claiming what has its turn: an owner's deliveries together, in one write.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::ids::OwnerId;
use store::deliveries;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::batcher::Duty;
use crate::claimed::{Claimed, Failed, Held, Ticket};
use crate::deliveries::Deliveries;
use crate::limits::{BATCH_MAX, LEASE};

impl Deliveries {
    /// Begins everything that has its turn.
    pub(crate) fn begin_all(self: &Arc<Self>) {
        let mut tickets: HashMap<OwnerId, Vec<Ticket>> = HashMap::new();
        while let Some(ticket) = self.scheduler.next() {
            tickets.entry(ticket.0.owner).or_default().push(ticket);
        }
        for (owner, tickets) in tickets {
            if let Some(duty) = self.to_claim.add(owner, tickets) {
                let this = Arc::clone(self);
                (self.runtime.spawn)(Box::pin(async move { this.claim(duty).await }));
            }
        }
    }

    /// Claims what has gathered, and has its attempts begin.
    async fn claim(self: Arc<Self>, mut duty: Duty<Ticket>) {
        while let Some(batch) = duty.next(BATCH_MAX) {
            // What is not claimed is there for another node.
            if self.is_stopping.load(Ordering::Relaxed) {
                continue;
            }
            match self.claim_batch(duty.owner, batch).await {
                Ok(claimed) => {
                    for one in claimed {
                        let this = Arc::clone(&self);
                        (self.runtime.spawn)(Box::pin(async move { this.attempt(one).await }));
                    }
                }
                // Where they were claimed, they are due again when the leases are over.
                Err(error) => {
                    let (owner, source) = (duty.owner, error.source().map(ToString::to_string));
                    tracing::warn!(%owner, %error, source, "deliveries");
                }
            }
        }
    }

    /// Claims those of an owner's deliveries that are still due, in one write.
    pub(crate) async fn claim_batch(
        &self,
        owner: OwnerId,
        mut batch: Vec<Ticket>,
    ) -> Result<Vec<Claimed>, Failed> {
        // Rows are locked in one order on every node.
        batch.sort_by_key(|(candidate, _)| candidate.id);
        let wanted = batch.iter().map(|(candidate, _)| (candidate.id, candidate.written.is_some()));
        let wanted: Vec<_> = wanted.collect();
        let now = (self.runtime.now)();
        // The lease is others' to judge, how much is left of it this node's.
        let (until, shared) = (now.plus(LEASE), self.shared(now));
        let claim = move |tx: &mut Tx<'_>| {
            deliveries::claim_all(tx, owner, &wanted, shared, shared.plus(LEASE))
        };
        let meter = Meter::default();
        let claiming = self.store.write(&meter, Lane::Claiming, owner, claim);
        let (claimed, sealed) = claiming.await.map_err(Failed::Claiming)?;
        let secrets = Arc::new(self.secrets.of(owner, sealed).await.map_err(Failed::Secret)?);
        let ready = |((candidate, slot), claimed): (Ticket, Option<deliveries::Claimed>)| {
            let (lease, found) = claimed?;
            let delivery = found.or_else(|| Some(candidate.written?.delivery))?;
            slot.claimed();
            let held = Held { delivery, lease, until };
            Some(Claimed { owner, held, secrets: Arc::clone(&secrets), slot })
        };
        Ok(batch.into_iter().zip(claimed).filter_map(ready).collect())
    }
}
