//! The secrets that webhooks of a client's links are signed with besides the owner's, for the client's receivers: made by
//! the owner where it wants that, sealed in the vault, shown once, and rotated with an overlap.
//!
//! As the owner's ([`crate::webhook_secrets`]) they are read when deliveries are taken, for the attempts that begin next.

mod issue;
mod revoke;

use domain::access::ShowClientWebhookSecret;
use domain::ids::{ClientId, OwnerId};
use domain::refusal::Refusal;
use domain::webhooks::Secrets;
use store::client_webhook_secrets::{self, Standing};
use store::fault::Fault;
use store::webhook_secrets::Sealed;
use store::{Meter, clients};

pub use self::issue::issue;
pub use self::revoke::revoke;
use crate::vault::Place;
use crate::webhook_secrets::open_at;
use crate::{Act, App, Error};

const NOT_FOUND: Refusal = Refusal::NotFound("client");

/// Shows whether a client has a secret, and since when; never the secret: the operation
/// `GET /v1/clients/{client_id}/webhook-secret`.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show(
    app: &App,
    act: &Act<ShowClientWebhookSecret>,
    client: ClientId,
) -> Result<Option<Standing>, Error> {
    let (owner, now) = (act.owner(), act.now);
    let read = app.store.look_up(act.meter(), move |tx| {
        if clients::find(tx, owner, client)?.is_none() {
            return Ok(None);
        }
        client_webhook_secrets::standing(tx, owner, client).map(Some)
    });
    let standing = read.await?.ok_or(NOT_FOUND)?;
    Ok(standing.map(|standing| Standing {
        previous_until: standing.previous_until.filter(|until| now < *until),
        ..standing
    }))
}

/// Returns the secrets that webhooks of the client's links are signed with, if it has any.
///
/// # Errors
/// A failure of the store, or a secret that the vault does not open.
pub async fn of(
    app: &App,
    meter: &Meter,
    owner: OwnerId,
    client: ClientId,
) -> Result<Option<Secrets>, Error> {
    let find = app.store.look_up(meter, move |tx| client_webhook_secrets::find(tx, owner, client));
    let sealed = find.await?;
    Ok(sealed.map(|sealed| open(app, owner, client, &sealed)).transpose()?)
}

/// Opens what is kept of a client's secrets; the one of before only while it is good.
///
/// # Errors
/// A secret that the vault does not open.
pub fn open(
    app: &App,
    owner: OwnerId,
    client: ClientId,
    sealed: &Sealed,
) -> Result<Secrets, Fault> {
    open_at(app, place(owner, &client.to_bytes()), sealed)
}

/// Returns the place to which a client's secret that signs is sealed.
pub(crate) const fn place(owner: OwnerId, client: &[u8; 16]) -> Place<'_> {
    Place { table: "client_webhook_secrets", column: "secret", owner: Some(owner), row: client }
}
