//! People who verify by hand, and the receipts that payments have by that.

use domain::ids::{ActorId, ClientId, IdentityId, ReceiptId};
use store::payments::Payment;

/// Person who verifies by hand, and the receipt that a payment has by it where it has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByHand {
    /// The receipt's id, made beforehand, so that a second run writes the same row.
    pub(super) receipt: ReceiptId,
    pub(super) person: ActorId,
    /// The client that the person is of.
    pub(super) client: Option<ClientId>,
    /// The real account that is asked about.
    pub(super) identity: IdentityId,
    /// Whether its money exists.
    pub(super) livemode: bool,
}

impl ByHand {
    /// Answers whether the person sees the payment. A client's person sees only what its own client claimed.
    pub(super) fn sees(&self, payment: &Payment) -> bool {
        self.client.is_none() || self.client == payment.client
    }
}
