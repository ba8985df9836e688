//! A payment link as it is kept.

use domain::ids::{ActorId, BankId, ClientId, LinkId, PaymentId, SubscriptionId};
use domain::links::{Price, Standing, State};
use domain::time::Timestamp;
use domain::url::UrlText;

use super::held_rate::HeldRate;

/// Origin of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was made through the API.
    Api,
    /// It was made in the dashboard.
    Dashboard,
    /// A subscription made it for one of its cycles.
    Subscription,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Self; 3] = [Self::Api, Self::Dashboard, Self::Subscription];

    /// Its word in the store and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Dashboard => "dashboard",
            Self::Subscription => "subscription",
        }
    }

    /// The origin of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == word)
    }
}

/// Cycle of a subscription that a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleOf {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The number of the cycle, counted from zero.
    pub number: u32,
}

/// A payment link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its id, which is also how its page is reached.
    pub id: LinkId,
    /// The account that is to be paid to.
    pub bank: BankId,
    /// Who made it and is charged.
    pub actor: ActorId,
    /// The client that the key was bound to.
    pub client: Option<ClientId>,
    /// Its label.
    pub name: String,
    /// What it is for, shown to the payer.
    pub description: String,
    /// What it asks for.
    pub price: Price,
    /// The address that is notified of its end.
    pub webhook_url: Option<UrlText>,
    /// Where the payer goes on.
    pub redirect_url: Option<UrlText>,
    /// What the caller keeps with it, a JSON object.
    pub metadata: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The cycle of a subscription that it is for.
    pub cycle: Option<CycleOf>,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// Why it failed, for people.
    pub status_detail: Option<String>,
    /// The payment that was claimed for it.
    pub payment: Option<PaymentId>,
    /// For how many minutes it was made; `None` is for ever.
    pub expiration_minutes: Option<i64>,
    /// For how many minutes a rate is to hold.
    pub rate_minutes: i64,
    /// The rate that was held last for what it asks for now, or the one that it was paid by.
    pub held_rate: Option<HeldRate>,
    /// What decides what it is at an instant.
    pub standing: Standing,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Link {
    /// The text that searches look at.
    pub(super) fn search(&self) -> String {
        search_text(self.id, &self.name, &self.description)
    }

    /// When it was called off, if that was its end: nothing changes it after that but a payment.
    pub(super) fn canceled_at(&self) -> Option<Timestamp> {
        (self.standing.state == State::Canceled).then_some(self.updated_at)
    }
}

/// The text that searches for a link look at.
pub(crate) fn search_text(id: LinkId, name: &str, description: &str) -> String {
    format!("{id} {name} {description}").to_lowercase()
}
