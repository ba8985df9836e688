//! What use cases need of webhooks: whether an address may be told anything, a bell to ring when
//! something is due again, and the secret that an owner's are signed with, which is made when
//! it is first needed, sealed in the vault, and told to the owner alone.

mod bulk;
mod list;
mod redeliver;
mod show;
mod trial;

use std::sync::Arc;

use domain::access::ShowWebhookSecret;
use domain::ids::OwnerId;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::webhooks::WebhookSecret;
use egress::WebhookClient;
use store::fault::Fault;
use store::{Lane, Meter, webhook_secrets};
use tokio::sync::Notify;

pub use bulk::{EVERY, attend, begin as redeliver_failed, show as show_redelivery};
pub use list::list;
pub use redeliver::redeliver;
pub use show::{Record, show};
pub use store::deliveries::{ANSWER_KEPT_MAX, Attempt};
pub use store::delivery_pages::{Filter, Found, Listed, Next};
pub use store::redelivery_jobs::{Job, Wanted};
pub use trial::{Kind, Tried, test};

use crate::vault::Place;
use crate::{Act, App, Error};

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

    /// Has whatever is due be looked for at once: to be called once it was made due again. What nobody
    /// rings for is found within a second. What [`store::deliveries::enqueue`] writes needs no bell: it
    /// is handed over when it commits.
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

/// Has what an owner has just asked for begin, once that has committed.
fn begin_at_once(app: &App) {
    app.webhooks.ring();
}

/// Tells the owner what its webhooks are signed with: the operation `GET /me/webhook-secret`.
///
/// # Errors
/// A failure of the store, or a secret that the vault does not open.
pub async fn show_secret(app: &App, act: &Act<ShowWebhookSecret>) -> Result<WebhookSecret, Error> {
    secret_of(app, act.meter(), act.owner()).await
}

/// What the owner's webhooks are signed with. Of several that make it at once, one is first, and
/// all hear that one.
///
/// # Errors
/// A failure of the store, or a secret that the vault does not open.
pub async fn secret_of(app: &App, meter: &Meter, owner: OwnerId) -> Result<WebhookSecret, Error> {
    let find = app.store.look_up(meter, move |tx| webhook_secrets::find(tx, owner));
    let sealed = match find.await? {
        Some(sealed) => sealed,
        None => {
            let made = WebhookSecret::generate(&*app.ids);
            let sealed = app.vault.seal(&*app.ids, place(owner), made.expose().as_bytes());
            let now = app.clock.now();
            let write = app.store.write(meter, Lane::Admission, owner, move |tx| {
                webhook_secrets::make(tx, owner, &sealed, now)
            });
            write.await?
        }
    };
    let broken =
        |error: &dyn std::fmt::Display| Fault::broken(format!("a webhook secret: {error}"));
    let plain = app.vault.open(place(owner), &sealed).map_err(|error| broken(&error))?;
    let text = String::from_utf8(plain).map_err(|_| broken(&"no text"))?;
    Ok(WebhookSecret::kept(SecretText::new(text)))
}

/// Where the secret of an owner is sealed to: there is one for each.
fn place(owner: OwnerId) -> Place<'static> {
    Place { table: "webhook_secrets", column: "secret", owner: Some(owner), row: &[] }
}
