//! A payment with all that is shown of it, and who is shown what.

use domain::access::Caller;
use domain::ids::{ActorId, ClientId, KeyId, LinkId, OwnerId, PaymentId};
use domain::receipts::ReceiptAddress;
use store::fault::Fault;
use store::payments::{self, Payment};
use store::tx::Tx;

use super::asked::Asked;

/// A payment, and what its reader may know of who claimed it and what for.
#[derive(Clone, Debug)]
pub struct Whole {
    /// The owner of it.
    pub owner: OwnerId,
    /// The payment.
    pub payment: Payment,
    /// The words of its first claimant, or of the link's payer.
    pub asked: Asked,
    /// The client that it counts against.
    pub client: Option<ClientId>,
    /// The key that claimed it, unless it was a session.
    pub key: Option<KeyId>,
    /// The link that it paid.
    pub link: Option<LinkId>,
    /// Whether its money exists.
    pub livemode: bool,
    /// The address of its receipt's page, where it has one.
    pub receipt_url: Option<String>,
}

/// Facts that no row has, and payments are shown with.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// Whether money of the account exists.
    pub livemode: bool,
    /// Where payers reach the service.
    pub base_url: &'a str,
}

impl Whole {
    /// The payment with everything that its row says, and these words.
    #[must_use]
    pub fn of(owner: OwnerId, payment: Payment, asked: Asked, around: Around<'_>) -> Self {
        let address = payment.receipt.map(|id| ReceiptAddress { owner, id });
        Self {
            owner,
            asked,
            client: payment.charged_client,
            key: payment.actor.key(owner),
            link: payment.link,
            livemode: around.livemode,
            receipt_url: address.map(|address| address.url(around.base_url)),
            payment,
        }
    }

    /// The payment as lists and objects show it to that caller.
    ///
    /// # Errors
    /// A payment that keeps no words which can be read.
    pub(crate) fn shown_to(
        caller: &Caller,
        owner: OwnerId,
        payment: Payment,
        around: Around<'_>,
    ) -> Result<Self, Fault> {
        let asked = Asked::from_json(payment.params.as_str())?;
        let may_see = may_see(caller, payment.actor, payment.client);
        let whole = Self::of(owner, payment, asked, around);
        Ok(if may_see { whole } else { whole.hidden() })
    }

    /// The same for a client's caller that did not claim it: without what was said of it, and without who claimed it
    /// and what for.
    fn hidden(self) -> Self {
        let whole = self.of_somebody_else();
        Self { asked: whole.asked.hidden(), ..whole }
    }

    /// The same without who claimed it and what for: the link that it paid, and what that asked for.
    pub(super) fn of_somebody_else(self) -> Self {
        let payment = Payment { price: None, ..self.payment };
        Self { payment, client: None, key: None, link: None, receipt_url: None, ..self }
    }
}

/// Reads the payment for a caller who reaches it.
///
/// # Errors
/// A fault of the store; no such payment is one.
pub(crate) fn whole(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    caller: &Caller,
    id: PaymentId,
    around: Around<'_>,
) -> Result<Whole, Fault> {
    Whole::shown_to(caller, owner, payments::find(tx, owner, id)?, around)
}

/// Answers whether lists and objects tell a caller what was said of a payment: everybody but callers of a client, and of
/// these the one that claimed it and those of the same client.
fn may_see(caller: &Caller, actor: ActorId, client: Option<ClientId>) -> bool {
    caller.client().is_none() || caller.client() == client || caller.actor() == Some(actor)
}
