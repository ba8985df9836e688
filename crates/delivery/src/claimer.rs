//! Claiming what has its turn: an owner's deliveries together, in one write.

use std::collections::{BTreeSet, HashMap};
use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::ids::{ClientId, OwnerId};
use domain::webhooks::Secrets;
use store::tx::Tx;
use store::webhook_secrets::Sealed;
use store::{Lane, Meter, client_webhook_secrets, deliveries};

use crate::batcher::Duty;
use crate::claimed::{Claimed, Failed, Held, Ticket};
use crate::deliveries::Deliveries;
use crate::limits::{BATCH_MAX, LEASE};
use crate::scheduler::Candidate;

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
        let known: Vec<Option<ClientId>> =
            batch.iter().map(|(candidate, _)| client_of(candidate)).collect();
        let now = (self.runtime.now)();
        // The lease is others' to judge, how much is left of it this node's.
        let (until, shared) = (now.plus(LEASE), self.shared(now));
        let claim = move |tx: &mut Tx<'_>| {
            let (claimed, sealed) =
                deliveries::claim_all(tx, owner, &wanted, shared, shared.plus(LEASE))?;
            let clients = clients_of(&claimed, &known);
            let of_clients = client_webhook_secrets::to_sign(tx, owner, &clients)?;
            Ok((claimed, sealed, of_clients))
        };
        let meter = Meter::default();
        let claiming = self.store.write(&meter, Lane::Claiming, owner, claim);
        let (claimed, sealed, of_clients) = claiming.await.map_err(Failed::Claiming)?;
        let secrets = Arc::new(self.secrets.of(owner, sealed).await.map_err(Failed::Secret)?);
        let of_clients = self.opened(owner, of_clients).await;
        let ready = |((candidate, slot), claimed): (Ticket, Option<deliveries::Claimed>)| {
            let (lease, found) = claimed?;
            let delivery = found.or_else(|| Some(candidate.written?.delivery))?;
            slot.claimed();
            let client = delivery.event.client;
            let client_secrets = client.and_then(|client| of_clients.get(&client)).cloned();
            let held = Held { delivery, lease, until };
            Some(Claimed { owner, held, secrets: Arc::clone(&secrets), client_secrets, slot })
        };
        Ok(batch.into_iter().zip(claimed).filter_map(ready).collect())
    }

    /// Opens the secrets of clients. One that does not open holds nothing up: what it would sign goes without that
    /// signature, since it bears the owner's all the same.
    async fn opened(
        &self,
        owner: OwnerId,
        sealed: Vec<(ClientId, Sealed)>,
    ) -> HashMap<ClientId, Arc<Secrets>> {
        let mut opened = HashMap::new();
        for (client, sealed) in sealed {
            match self.secrets.of_client(owner, client, Some(sealed)).await {
                Ok(secrets) => opened.extend(secrets.map(|secrets| (client, Arc::new(secrets)))),
                Err(error) => {
                    tracing::error!(%owner, %client, %error, "deliveries go without the client's signature");
                }
            }
        }
        opened
    }
}

/// The client whose link a candidate is about, as far as that is known before it is claimed.
fn client_of(candidate: &Candidate) -> Option<ClientId> {
    candidate.written.as_ref()?.delivery.event.client
}

/// The clients whose links the claimed deliveries are about.
fn clients_of(
    claimed: &[Option<deliveries::Claimed>],
    known: &[Option<ClientId>],
) -> BTreeSet<ClientId> {
    let mut clients = BTreeSet::new();
    for (claimed, known) in claimed.iter().zip(known) {
        if let Some((_, found)) = claimed {
            clients.extend(found.as_ref().map_or(*known, |delivery| delivery.event.client));
        }
    }
    clients
}
