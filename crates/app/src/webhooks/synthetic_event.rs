//! What is sent to a receiver when nothing has happened: bodies as of a link of the sandbox, with ids
//! that are of nothing, so that nobody who looks takes one for a payment.

use domain::ids::{EventId, LinkId};
use domain::money::{Bolivars, Credits};
use domain::receipts::ReceiptAddress;
use domain::time::Timestamp;
use domain::url::UrlText;
use domain::webhooks::{Link, LinkOutcome, Message, Payment};

/// Amount that a made up link asks for, in hundredths.
pub(super) const AMOUNT: i64 = 15_050;

/// Which end of a link is made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It was paid.
    Paid,
    /// It failed.
    Failed,
    /// It expired.
    Expired,
}

/// A made up event.
pub(super) struct SyntheticEvent<'a> {
    pub(super) id: EventId,
    pub(super) link: LinkId,
    pub(super) url: &'a UrlText,
    pub(super) base_url: &'a str,
    pub(super) balance: Credits,
    pub(super) now: Timestamp,
}

impl SyntheticEvent<'_> {
    /// Its body, with that many hundredths.
    pub(super) fn body(&self, end: End, amount_hundredths: i64) -> Vec<u8> {
        let &Self { id: event, now, .. } = self;
        let id = self.link.to_string().replacen(LinkId::PREFIX, "test", 1);
        let outcome = match end {
            End::Paid => LinkOutcome::Paid(Payment {
                id: &id,
                bank_reference_id: "000000000000",
                amount: Bolivars::from_hundredths(amount_hundredths),
                credit_cost: Credits::ZERO,
                created_at: now,
                price: None,
                receipt_url: &format!("{}{}{id}", self.base_url, ReceiptAddress::PREFIX),
            }),
            End::Failed => LinkOutcome::Failed { detail: "prueba: no es un enlace de verdad" },
            End::Expired => LinkOutcome::Expired,
        };
        let link = Link {
            id: &id,
            name: Some("Prueba"),
            amount_hundredths,
            currency: "VEF",
            description: "Aviso de prueba: no es un pago",
            webhook_url: self.url.as_str(),
            url: &format!("{}/pay/{id}", self.base_url),
            redirect_url: None,
            with_subscription_id: None,
            kind: "api",
            created_at: now,
            updated_at: now,
            metadata: &[],
        };
        let credit_balance = Some(self.balance);
        Message { event, link, outcome, credit_balance, livemode: false }.to_body()
    }
}
