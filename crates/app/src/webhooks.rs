//! What use cases need of webhooks: whether anything may be sent to an address, and a bell to ring
//! when something is due again.

mod bulk;
mod check;
mod events;
mod for_client;
mod list;
mod redeliver;
mod show;
mod synthetic_event;
mod trial;

use std::sync::Arc;

use domain::refusal::Refusal;
use domain::webhooks::HeaderWord;
use egress::WebhookClient;
use tokio::sync::Notify;

use self::check::Checks;

pub use bulk::{Redelivery, begin as redeliver_failed, show as show_redelivery};
pub use check::{CHECK_MAX, Checked, Step, check};
pub use events::events;
pub use list::list;
pub use redeliver::redeliver;
pub use show::{Record, show};
pub use store::deliveries::{ANSWER_KEPT_MAX, Attempt};
pub use store::delivery_pages::{Filter, Found, Listed, Next};
pub use store::event_feed::{Asked, FeedEvent};
pub use store::redelivery_jobs::{Job, Wanted};
pub use synthetic_event::End;
pub use trial::{Tried, test};

/// The way to receivers of webhooks.
#[derive(Clone, Debug)]
pub struct Webhooks {
    client: Arc<WebhookClient>,
    bell: Arc<Notify>,
    word: HeaderWord,
    checks: Arc<Checks>,
}

impl Webhooks {
    /// The way that this client goes.
    #[must_use]
    pub fn by(client: WebhookClient) -> Self {
        let client = Arc::new(client);
        Self { client, bell: Arc::default(), word: HeaderWord::default(), checks: Arc::default() }
    }

    /// The same, with that word in the names of headers.
    #[must_use]
    pub fn with_word(self, word: HeaderWord) -> Self {
        Self { word, ..self }
    }

    /// Checks an address before it is kept. It is checked again whenever it is called.
    ///
    /// # Errors
    /// The refusal that the caller is to receive.
    pub async fn check_url(&self, url: &str) -> Result<(), Refusal> {
        self.client.check(url).await.map_err(Refusal::WebhookUrlNotAllowed)
    }

    /// Rings for everything that is due, so that it is looked for at once: to be called once it was made due again.
    /// Without a ring it is found within a second. Rows that [`store::deliveries::enqueue`] writes need no bell: they
    /// are handed over when they commit.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    /// The client, for the part that delivers.
    #[must_use]
    pub fn client(&self) -> &Arc<WebhookClient> {
        &self.client
    }

    /// The bell, for the part that delivers.
    #[must_use]
    pub fn bell(&self) -> &Arc<Notify> {
        &self.bell
    }
}
