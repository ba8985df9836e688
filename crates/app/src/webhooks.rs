//! What use cases need of webhooks: whether an address may be told anything, and a bell to ring when
//! something was written for one.

use std::sync::Arc;

use domain::refusal::Refusal;
use egress::WebhookClient;
use tokio::sync::Notify;

/// The way to receivers of webhooks.
#[derive(Clone, Debug)]
pub struct Webhooks {
    client: Arc<WebhookClient>,
    bell: Arc<Notify>,
}

impl Webhooks {
    /// The way that this client goes.
    #[must_use]
    pub fn by(client: WebhookClient) -> Self {
        Self { client: Arc::new(client), bell: Arc::default() }
    }

    /// Checks an address before it is kept. It is checked again whenever it is called.
    ///
    /// # Errors
    /// The refusal that the caller is to be told.
    pub async fn check_url(&self, url: &str) -> Result<(), Refusal> {
        self.client.check(url).await.map_err(Refusal::WebhookUrlNotAllowed)
    }

    /// Has deliveries begin that were written by [`store::deliveries::enqueue`]: to be called once
    /// that has committed. One that nobody rings for is found within a second.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    /// The client, for whoever delivers.
    #[must_use]
    pub fn client(&self) -> &Arc<WebhookClient> {
        &self.client
    }

    /// The bell, for whoever delivers.
    #[must_use]
    pub fn bell(&self) -> &Arc<Notify> {
        &self.bell
    }
}
