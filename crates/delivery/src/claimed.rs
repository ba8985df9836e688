//! Deliveries that this process has, from their slot to the results of their attempts.

use std::sync::Arc;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::Secrets;
use store::deliveries::{Conclusion, Delivery};
use store::due::Lease;
use store::fault::WriteError;

use crate::runtime::SecretError;
use crate::scheduler::{Candidate, Slot};

/// A delivery and its slot.
pub(crate) type Ticket = (Candidate, Slot);

/// A delivery that this process has, until its lease is over.
pub(crate) struct Held {
    pub(crate) delivery: Delivery,
    pub(crate) lease: Lease,
    /// By this node's clock.
    pub(crate) until: Timestamp,
}

/// A delivery that was taken, with what its attempt needs.
pub(crate) struct Claimed {
    pub(crate) owner: OwnerId,
    pub(crate) held: Held,
    pub(crate) secrets: Arc<Secrets>,
    /// The secrets of the client whose link it is about, if it has any.
    pub(crate) client_secrets: Option<Arc<Secrets>>,
    pub(crate) slot: Slot,
}

/// The result of an attempt, until it is recorded.
pub(crate) struct Made {
    pub(crate) id: EventId,
    pub(crate) lease: Lease,
    pub(crate) until: Timestamp,
    pub(crate) conclusion: Conclusion,
    /// Only when this is dropped may it begin again, or another in its slot: so what waits here is
    /// never more than there are slots.
    pub(crate) _slot: Slot,
}

/// Why deliveries were not claimed, or not sent, or their results not recorded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("the deliveries could not be claimed")]
    Claiming(#[source] WriteError),
    #[error("the owner's webhook secret could not be read")]
    Secret(#[source] SecretError),
    #[error("the lease nearly expired before the request was sent")]
    Late,
    #[error("the result could not be recorded")]
    Recording(#[source] WriteError),
    #[error(
        "lease lost before the result was recorded, or recorded by a commit whose answer was lost"
    )]
    Lost,
}
