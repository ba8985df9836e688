//! What is sent to a receiver when nothing has happened: bodies as of a link of the sandbox, with ids
//! that are of nothing, so that nobody who looks takes one for a payment.

use domain::ids::{
    ActorId, BankId, ClientId, EventId, LinkId, MovementId, OwnerId, PaymentId, VerificationId,
};
use domain::links::{Currency, Price, Standing, State};
use domain::money::{Bolivars, Credits};
use domain::receipts::ReceiptAddress;
use domain::secret::PersonalText;
use domain::time::Timestamp;
use domain::url::UrlText;
use store::payments::Payment;

use crate::links::{Link, LinkEvent, LinkOutcome, LinkRecord, Origin};
use crate::verification::{Asked, Whole};

/// Amount that a made up link asks for, in hundredths.
pub(super) const AMOUNT: i64 = 15_050;

/// Prefixes of the ids that are made up. All are of the bytes of the link's.
const MADE_UP: [&str; 4] =
    [LinkId::PREFIX, BankId::PREFIX, PaymentId::PREFIX, VerificationId::PREFIX];

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

impl End {
    const fn state(self) -> State {
        match self {
            Self::Paid => State::Paid,
            Self::Failed => State::Failed,
            Self::Expired => State::Pending,
        }
    }
}

/// A made up event.
pub(super) struct SyntheticEvent<'a> {
    pub(super) id: EventId,
    pub(super) owner: OwnerId,
    /// The client whose caller is to have made the link. Of the owner's balance it is told nothing.
    pub(super) client: Option<ClientId>,
    pub(super) link: LinkId,
    pub(super) url: &'a UrlText,
    pub(super) base_url: &'a str,
    pub(super) balance: Credits,
    pub(super) now: Timestamp,
}

impl SyntheticEvent<'_> {
    /// Its body, with that many hundredths.
    pub(super) fn body(&self, end: End, amount_hundredths: i64) -> Vec<u8> {
        let paid = self.paid(amount_hundredths);
        let outcome = match end {
            End::Paid => LinkOutcome::Paid(&paid),
            End::Failed => LinkOutcome::Failed,
            End::Expired => LinkOutcome::Expired,
        };
        let record = LinkRecord {
            owner: self.owner,
            link: self.link(end, amount_hundredths),
            status: outcome.status(),
            url: LinkRecord::url_of(self.base_url, self.link),
        };
        let event = LinkEvent {
            id: self.id,
            record: &record,
            outcome,
            credit_balance: self.client.is_none().then_some(self.balance),
            at: self.now,
        };
        self.with_ids_of_nothing(&event.to_body())
    }

    fn link(&self, end: End, amount_hundredths: i64) -> Link {
        Link {
            id: self.link,
            bank: BankId::from_bytes(self.link.to_bytes()),
            actor: ActorId::from(self.owner),
            client: self.client,
            name: "Prueba".to_owned(),
            description: "Aviso de prueba: no es un pago".to_owned(),
            price: Price { hundredths: amount_hundredths, currency: Currency::Vef },
            webhook_url: Some(self.url.clone()),
            redirect_url: None,
            metadata: "{}".to_owned(),
            origin: Origin::Api,
            cycle: None,
            livemode: false,
            status_detail: (end == End::Failed)
                .then(|| "prueba: no es un enlace de verdad".to_owned()),
            payment: None,
            expiration_minutes: None,
            rate_minutes: 60,
            held_rate: None,
            standing: Standing {
                state: end.state(),
                is_stopped: false,
                expires_at: None,
                is_checking: false,
                expired_at: None,
            },
            created_at: self.now,
            updated_at: self.now,
        }
    }

    fn paid(&self, amount_hundredths: i64) -> Whole {
        let (bytes, now) = (self.link.to_bytes(), self.now);
        let payment = Payment {
            id: PaymentId::from_bytes(bytes),
            movement: MovementId::from_bytes(bytes),
            verification: VerificationId::from_bytes(bytes),
            bank: BankId::from_bytes(bytes),
            actor: ActorId::from(self.owner),
            client: None,
            charged_client: None,
            link: Some(self.link),
            credit_cost: Credits::ZERO,
            params: PersonalText::new(String::new()),
            created_at: now,
            updated_at: now,
            reference: "000000000000".to_owned(),
            amount: Bolivars::from_hundredths(amount_hundredths),
            paid_at: now,
            fingerprint: [0; 32],
            is_by_payer: false,
            price: None,
            receipt: None,
        };
        let asked = Asked {
            reference: payment.reference.clone(),
            amount: Some(amount_hundredths),
            movement_type: "GENERIC".to_owned(),
            paid_on: None,
            paid_within: None,
            phone: None,
            document: None,
            bank_origin: None,
            account: None,
            source_name: None,
        };
        let receipt = format!("{}{}{}", self.base_url, ReceiptAddress::PREFIX, self.link);
        Whole {
            owner: self.owner,
            payment,
            asked,
            client: None,
            key: None,
            link: Some(self.link),
            livemode: false,
            receipt_url: Some(receipt),
        }
    }

    /// The body with ids that nobody takes for one of a link or a payment.
    fn with_ids_of_nothing(&self, body: &[u8]) -> Vec<u8> {
        let id = |prefix: &str| self.link.to_string().replacen(LinkId::PREFIX, prefix, 1);
        let test = id("test");
        let text = String::from_utf8_lossy(body).into_owned();
        MADE_UP.into_iter().fold(text, |text, prefix| text.replace(&id(prefix), &test)).into_bytes()
    }
}
