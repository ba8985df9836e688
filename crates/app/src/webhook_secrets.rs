//! The secrets that an owner's webhooks are signed with: made when one is first needed, sealed in the
//! vault, shown to the owner alone, and rotated with an overlap.
//!
//! They are read when deliveries are taken, for the attempts that begin next, and kept for no others:
//! once a rotation has been answered, no node reads what was rotated away, and what was on its way
//! ends with it.

mod rotate;

use domain::access::ShowWebhookSecret;
use domain::ids::OwnerId;
use domain::secret::SecretText;
use domain::time::Timestamp;
use domain::webhooks::{Previous, Secrets, WebhookSecret};
use store::fault::Fault;
use store::webhook_secrets::{self, Sealed};
use store::{Lane, Meter};

pub use self::rotate::rotate;
use crate::vault::Place;
use crate::{Act, App, Error};

/// Webhook secrets of an owner or one of its clients, as they are shown to the owner.
#[derive(Clone, Debug)]
pub struct ShownSecrets {
    /// What signs.
    pub secret: WebhookSecret,
    /// Until when the one of before is good, while it is.
    pub previous_until: Option<Timestamp>,
}

/// Shows the owner what its webhooks are signed with: the operation `GET /me/webhook-secret`.
///
/// # Errors
/// A failure of the store, or a secret that the vault does not open.
pub async fn show(app: &App, act: &Act<ShowWebhookSecret>) -> Result<ShownSecrets, Error> {
    let owner = act.owner();
    let Sealed { current, previous } = sealed(app, act.meter(), owner).await?;
    let until = previous.map(|(_, until)| until).filter(|until| act.now < *until);
    Ok(ShownSecrets {
        secret: open_one(app, current_place(owner), &current)?,
        previous_until: until,
    })
}

/// Returns the secrets that the owner's webhooks are signed with. Makes them where there are none: of several that do
/// it at once, one is first, and all receive that one's.
///
/// # Errors
/// A failure of the store, or a secret that the vault does not open.
pub async fn of(app: &App, meter: &Meter, owner: OwnerId) -> Result<Secrets, Error> {
    Ok(open(app, owner, &sealed(app, meter, owner).await?)?)
}

/// Opens what is kept of an owner's secrets; the one of before only while it is good.
///
/// # Errors
/// A secret that the vault does not open.
pub fn open(app: &App, owner: OwnerId, sealed: &Sealed) -> Result<Secrets, Fault> {
    open_at(app, current_place(owner), sealed)
}

/// Opens secrets of which the present one is sealed to that place; the one of before only while it is good.
///
/// # Errors
/// A secret that the vault does not open.
pub(crate) fn open_at(app: &App, place: Place<'_>, sealed: &Sealed) -> Result<Secrets, Fault> {
    let now = app.clock.now();
    let previous = sealed.previous.as_ref().filter(|(_, until)| now < *until);
    let previous = previous.map(|(sealed, until)| {
        let secret = open_one(app, of_previous(place), sealed)?;
        Ok::<_, Fault>(Previous { secret, until: *until })
    });
    let current = open_one(app, place, &sealed.current)?;
    Ok(Secrets { current, previous: previous.transpose()? })
}

/// Returns the sealed secrets, made where there are none yet.
async fn sealed(app: &App, meter: &Meter, owner: OwnerId) -> Result<Sealed, Error> {
    let find = app.store.look_up(meter, move |tx| webhook_secrets::find(tx, owner));
    if let Some(sealed) = find.await? {
        return Ok(sealed);
    }
    let made = WebhookSecret::generate(&*app.ids);
    let sealed = seal(app, current_place(owner), &made);
    let now = app.clock.now();
    let write = app.store.write(meter, Lane::Admission, owner, move |tx| {
        webhook_secrets::make(tx, owner, &sealed, now)
    });
    Ok(write.await?)
}

/// Seals a secret to that place.
pub(crate) fn seal(app: &App, place: Place<'_>, secret: &WebhookSecret) -> Vec<u8> {
    app.vault.seal(&*app.ids, place, secret.expose().as_bytes())
}

/// Opens the secret that is sealed to that place.
///
/// # Errors
/// A secret that the vault does not open.
pub(crate) fn open_one(app: &App, place: Place<'_>, sealed: &[u8]) -> Result<WebhookSecret, Fault> {
    let broken =
        |error: &dyn std::fmt::Display| Fault::broken(format!("a webhook secret: {error}"));
    let plain = app.vault.open(place, sealed).map_err(|error| broken(&error))?;
    let text = String::from_utf8(plain).map_err(|_| broken(&"no text"))?;
    Ok(WebhookSecret::kept(SecretText::new(text)))
}

/// Returns the place to which the secret that signs is sealed: there is one for each owner.
pub(crate) fn current_place(owner: OwnerId) -> Place<'static> {
    Place { table: "webhook_secrets", column: "secret", owner: Some(owner), row: &[] }
}

/// Returns the place to which the previous secret is sealed: another place, so that neither passes for the other.
pub(crate) fn previous_place(owner: OwnerId) -> Place<'static> {
    of_previous(current_place(owner))
}

/// Returns the place of the secret before the one that is sealed to that place.
pub(crate) const fn of_previous(place: Place<'_>) -> Place<'_> {
    Place { column: "previous", ..place }
}
