//! The attempt that follows at once where a receiver does not know the owner's new secret yet, or that of a client.
//!
//! It is an attempt like any other, with a number and a lease of its own, but no step of the schedule.
//! The first is kept before the second begins: wherever a process ends, what was sent is on record, or
//! the delivery is due again once the lease is over, and the step is made anew.

use domain::ids::OwnerId;
use domain::time::Timestamp;
use domain::webhooks::{Secrets, Signers, Trouble, WebhookSecret};
use store::deliveries::{Conclusion, Delivery, Next};
use store::due::Lease;
use store::recording;
use store::tx::Tx;
use store::{Lane, Meter};

use crate::claimed::{Failed, Held};
use crate::deliveries::Deliveries;
use crate::limits::LEASE;
use crate::runtime::SecretError;

/// Statuses of a receiver that takes a signature for a wrong one, or a caller for a stranger.
const UNBELIEVED: [u16; 2] = [401, 403];

/// Secrets that an attempt was signed with.
#[derive(Clone, Copy)]
pub(crate) struct Signed<'a> {
    /// The owner's.
    pub(crate) owner: &'a WebhookSecret,
    /// The client's, if there was one.
    pub(crate) client: Option<&'a WebhookSecret>,
}

/// Former secrets that sign a repeat, each where it is still good and another than the one that signed before.
#[derive(Clone, Copy)]
struct Former<'a> {
    owner: Option<&'a WebhookSecret>,
    client: Option<&'a WebhookSecret>,
}

/// Secrets that are kept now: the owner's, and those of the client whose link an event is about.
struct Present {
    owner: Secrets,
    client: Option<Secrets>,
}

impl Present {
    /// Returns the former secrets that are good at `now` and that nothing was `signed` with yet; `None` where there are
    /// none.
    fn former(&self, signed: Signed<'_>, now: Timestamp) -> Option<Former<'_>> {
        let owner = self.owner.previous_at(now).filter(|former| *former != signed.owner);
        let client = self.client.as_ref().and_then(|secrets| secrets.previous_at(now));
        let client = client.filter(|former| signed.client.is_none_or(|by| by != *former));
        (owner.is_some() || client.is_some()).then_some(Former { owner, client })
    }

    /// The signers at `now`, led by the former secrets.
    fn signers<'a>(&'a self, former: Former<'a>, now: Timestamp) -> Signers<'a> {
        let present = self.client.as_ref().map(|secrets| &secrets.current);
        let signers = Signers::at(now, &self.owner).beside(former.client.or(present));
        match former.owner {
            Some(owner) => signers.led_by(owner),
            None => signers,
        }
    }
}

impl Deliveries {
    /// Repeats an attempt that was `signed` with the present secrets and not believed, with the former
    /// ones, if those are still good. Answers the results of the two and on which lease they are to be recorded;
    /// what was given, where there is nothing to repeat.
    pub(crate) async fn repeated_if_unbelieved(
        &self,
        owner: OwnerId,
        held: Held,
        signed: Signed<'_>,
        first: Conclusion,
    ) -> Result<(Held, Conclusion), Failed> {
        if !first.attempt.status.is_some_and(|status| UNBELIEVED.contains(&status)) {
            return Ok((held, first));
        }
        // Looked up again: meanwhile the overlap may have ended, or what signed the first may itself
        // have become the former one.
        let Ok(present) = self.present(owner, &held.delivery).await else {
            tracing::warn!(%owner, "no retry with the previous secret: the secrets could not be read");
            return Ok((held, first));
        };
        let Some(former) = present.former(signed, (self.runtime.now)()) else {
            return Ok((held, first));
        };

        let trouble = first.trouble;
        let held = match self.keep_first(owner, &held, &first).await {
            Ok(held) => held,
            // Kept like any other as soon as that can be, and repeated by the schedule.
            Err(error @ Failed::Recording(_)) => {
                tracing::warn!(%owner, ?error, "no retry with the previous secret");
                return Ok((held, first));
            }
            Err(error) => return Err(error),
        };
        let began_at = self.begin(&held)?;
        let signers = present.signers(former, began_at);
        let exchange = self.send(owner, &held, &signers, began_at).await;
        let conclusion = self.conclude(&held.delivery, exchange, began_at, trouble);
        Ok((held, conclusion))
    }

    /// Looks up the secrets that are kept now. One of the client's that does not open is left out, as where it would
    /// sign the first attempt.
    async fn present(&self, owner: OwnerId, delivery: &Delivery) -> Result<Present, SecretError> {
        let of_owner = self.secrets.of(owner, None).await?;
        let of_client = match delivery.event.client {
            Some(client) => self.secrets.of_client(owner, client, None).await.unwrap_or_default(),
            None => None,
        };
        Ok(Present { owner: of_owner, client: of_client })
    }

    /// Keeps the attempt that was not believed, as no step of the schedule, and takes the delivery
    /// anew in the same transaction, so that nobody else begins in between.
    async fn keep_first(
        &self,
        owner: OwnerId,
        held: &Held,
        first: &Conclusion,
    ) -> Result<Held, Failed> {
        let (delivery, lease) = (held.delivery.clone(), held.lease);
        let (id, number, chain) = (delivery.event.id, first.attempt.number, first.digests.digest);
        tracing::info!(event = %id, number, "signature rejected, retried with the previous secret");
        let now = (self.runtime.now)();
        let (until, shared) = (now.plus(LEASE), self.shared(now).plus(LEASE));
        let next = Next::At(shared);
        let first = Conclusion { step: delivery.step, next, notice: None, ..first.clone() };
        let keep = move |tx: &mut Tx<'_>| {
            recording::record_and_go_on(tx, owner, id, lease, &first, shared)
        };
        let kept = self.store.write_again(&Meter::default(), Lane::Recording, owner, keep).await;
        let lease: Lease = kept.map_err(Failed::Recording)?.ok_or(Failed::Lost)?;
        Ok(Held { delivery: Delivery { attempts: number, chain, ..delivery }, lease, until })
    }
}

/// Decides what is wrong with a delivery after an attempt that repeated one which ended with `first`: the same as
/// before, for the former secret was only tried. But a receiver that wants no more means it.
pub(crate) fn trouble_of_both(first: Option<Trouble>, repeat: Option<Trouble>) -> Option<Trouble> {
    match (first, repeat) {
        (Some(first), Some(repeat)) if repeat != Trouble::Gone => Some(first),
        (_, repeat) => repeat,
    }
}
