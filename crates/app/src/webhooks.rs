//! The secret that an owner's webhooks are signed with: made when it is first needed, sealed in the
//! vault, and told to the owner alone.

use domain::access::ShowWebhookSecret;
use domain::ids::OwnerId;
use domain::secret::SecretText;
use domain::webhooks::WebhookSecret;
use store::fault::Fault;
use store::{Lane, Meter, webhook_secrets};

use crate::vault::Place;
use crate::{Act, App, Error};

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
