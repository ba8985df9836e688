//! Recording the results of attempts: those of an owner together, and again while the store is away.

use std::sync::Arc;

use domain::ids::OwnerId;
use futures_util::future::join_all;
use store::fault::WriteError;
use store::recording;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::batcher::Duty;
use crate::claimed::Made;
use crate::counts;
use crate::deliveries::Deliveries;
use crate::limits::{BATCH_MAX, RECORD_RETRY_DELAY};

impl Deliveries {
    /// Records what gathers, a batch at a time, which need not be waited for where there is a whole one. What
    /// cannot be recorded is tried again for as long as its lease holds: the store may be away for a while, and
    /// the receiver would get again what it has processed.
    pub(crate) async fn record_results(&self, mut duty: Duty<Arc<Made>>) {
        loop {
            if duty.gathered() < BATCH_MAX {
                (self.runtime.gather)().await;
            }
            let Some(batch) = duty.next(BATCH_MAX) else { break };
            let mut left = self.keep(duty.owner, batch).await;
            if left.is_empty() {
                continue;
            }
            (self.runtime.wait)(RECORD_RETRY_DELAY).await;
            let now = (self.runtime.now)();
            left.retain(|made| {
                let holds = now < made.until;
                if !holds {
                    tracing::warn!(event = %made.id, "attempt result dropped: lease expired before it was recorded");
                }
                holds
            });
            // Behind what came meanwhile, which may be kept all the same.
            duty.put_back(left);
        }
    }

    /// Records the results of these attempts in one write; where that fails, each in its own, so that one
    /// that cannot be recorded harms no other. Answers what is left.
    async fn keep(&self, owner: OwnerId, mut batch: Vec<Arc<Made>>) -> Vec<Arc<Made>> {
        // Rows are locked in one order on every node.
        batch.sort_by_key(|made| made.id);
        let Err(error) = self.record(owner, batch.clone()).await else { return Vec::new() };
        let count = batch.len();
        tracing::warn!(%owner, count, ?error, "attempt results could not be recorded");
        if count == 1 {
            return batch;
        }
        let alone = batch.iter().map(|made| self.record(owner, vec![Arc::clone(made)]));
        let kept = join_all(alone).await;
        let left = batch.into_iter().zip(kept).filter(|(_, kept)| kept.is_err());
        left.map(|(made, _)| made).collect()
    }

    async fn record(&self, owner: OwnerId, part: Vec<Arc<Made>>) -> Result<(), WriteError> {
        // Outside the job, whose panic would only have each recorded alone.
        debug_assert!(part.is_sorted_by_key(|made| made.id), "rows are locked in the order of ids");
        let attempts = part.clone();
        let kept = move |tx: &mut Tx<'_>| {
            let all: Vec<_> = part.iter().map(|one| (one.id, one.lease, &one.conclusion)).collect();
            let holds = recording::record_all(tx, owner, &all)?;
            let lost = all.iter().zip(holds).filter(|(_, holds)| !holds);
            Ok(lost.map(|((id, ..), _)| *id).collect::<Vec<_>>())
        };
        let meter = Meter::default();
        let keep = self.store.write_again(&meter, Lane::Recording, owner, kept);
        let lost = keep.await?;
        for made in attempts.iter().filter(|made| !lost.contains(&made.id)) {
            counts::note(&made.conclusion.next);
        }
        for id in lost {
            // By the node that has it now, or by a commit of this one whose answer was lost.
            tracing::warn!(event = %id, "attempt result dropped: lease lost, or result recorded already");
        }
        Ok(())
    }
}
