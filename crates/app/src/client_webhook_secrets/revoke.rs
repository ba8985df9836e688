//! The operation: `DELETE /v1/clients/{client_id}/webhook-secret`.

use domain::access::RevokeClientWebhookSecret;
use domain::ids::ClientId;
use store::ended::{self, EndedThing};
use store::tx::Tx;
use store::{audit, client_webhook_secrets, clients};

use super::NOT_FOUND;
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// Ends a client's secret, and the one of before: what begins from then on bears the owner's signature alone. A client
/// without one is answered alike, and leaves no line in the audit trail.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn revoke(
    app: &App,
    act: &Act<RevokeClientWebhookSecret>,
    client: ClientId,
) -> Result<(), Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, client.to_string());
    let write = move |tx: &mut Tx<'_>| -> Outcome<()> {
        clients::find(tx, owner, client)?.ok_or(NOT_FOUND)?;
        if client_webhook_secrets::remove(tx, owner, client)? {
            ended::note(tx, owner, EndedThing::ClientWebhookSecret(client), now);
            audit::insert(tx, owner, &entry, now)?;
        }
        Ok(())
    };
    act.write(app, write).await
}
