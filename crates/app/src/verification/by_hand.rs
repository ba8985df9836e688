//! People who verify by hand, and the receipts that payments have by that.

use domain::ids::{ActorId, ClientId, IdentityId, OwnerId, ReceiptId};
use domain::receipts::ReceiptAddress;
use store::payments::Payment;

use crate::App;

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
    /// Returns the address of a payment's receipt, as far as the person sees the payment among those that are listed.
    pub(super) fn receipt_url(&self, app: &App, owner: OwnerId, of: &Payment) -> Option<String> {
        let id = of.receipt.filter(|_| self.sees(of))?;
        Some(app.receipt_url(ReceiptAddress { owner, id }))
    }

    /// Answers whether the person sees the payment. A client's person sees only what its own client claimed.
    pub(super) fn sees(&self, payment: &Payment) -> bool {
        self.client.is_none() || self.client == payment.client
    }
}
